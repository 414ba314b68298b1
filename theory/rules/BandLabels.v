(** docs/prove.md, section 7: numbers under BANDS (`label_cuts`, `LabelImages`).

    Cuts are integers of a unit, 10^-scale. The label of a number is that of the last cut at or below it and the first
      above. *)
From Coq Require Import List ZArith NArith QArith Qround Bool Lia.
From Acompass Require Import Order.
Import ListNotations.
Open Scope Z_scope.

(** * The cuts around a number *)

Section Bands.
  Variable is_cut : Z -> Prop.

  Definition is_at_or_below (v : Z) (found : option Z) : Prop :=
    match found with
    | Some l => is_cut l /\ l <= v /\ forall k, is_cut k -> k <= v -> k <= l
    | None => forall k, is_cut k -> v < k
    end.

  Definition is_above (v : Z) (found : option Z) : Prop :=
    match found with
    | Some u => is_cut u /\ v < u /\ forall k, is_cut k -> v < k -> u <= k
    | None => forall k, is_cut k -> k <= v
    end.

  Variables at_or_below above : Z -> option Z.
  Hypothesis below_is : forall v, is_at_or_below v (at_or_below v).
  Hypothesis above_is : forall v, is_above v (above v).

  Definition interval : Type := option Z * option Z.

  (** The band of a number, by its last unit. *)
  Definition band_of (v : Z) : interval := (at_or_below v, above v).

  Definition inside (i : interval) (v : Z) : Prop :=
    match fst i with Some l => l <= v | None => True end /\ match snd i with Some u => v < u | None => True end.

  Lemma in_own_band v : inside (band_of v) v.
  Proof.
    unfold inside, band_of; simpl. pose proof (below_is v) as B. pose proof (above_is v) as A.
    unfold is_at_or_below, is_above in *. destruct (at_or_below v), (above v); tauto.
  Qed.

  (** A number has the label of a band exactly if it lies between the band's ends. *)
  Theorem label_of_interval_of_numbers v w : inside (band_of v) w <-> band_of w = band_of v.
  Proof.
    split; [|intro E; rewrite <- E; apply in_own_band].
    unfold inside, band_of; simpl. intros [L U].
    pose proof (below_is v) as Bv. pose proof (above_is v) as Av. pose proof (below_is w) as Bw.
    pose proof (above_is w) as Aw.
    unfold is_at_or_below, is_above in *. f_equal.
    - destruct (at_or_below v) as [l|], (at_or_below w) as [l'|]; auto.
      + f_equal. destruct Bv as (C & Lv & Mv), Bw as (C' & Lw & Mw). apply Z.le_antisymm; [|now apply Mw].
        apply Mv; auto. destruct (above v) as [u|].
        * destruct Av as (Cu & Lu & Mu). destruct (Z.le_gt_cases l' v); auto. specialize (Mu l' C' H). lia.
        * now apply Av.
      + destruct Bv as (C & Lv & _). specialize (Bw l C). lia.
      + exfalso. destruct Bw as (C & Lw & _). specialize (Bv l' C). destruct (above v) as [u|].
        * destruct Av as (Cu & Lu & Mu). specialize (Mu l' C Bv). lia.
        * specialize (Av l' C). lia.
    - destruct (above v) as [u|], (above w) as [u'|]; auto.
      + f_equal. destruct Av as (C & Lv & Mv), Aw as (C' & Lw & Mw). apply Z.le_antisymm; [now apply Mw|].
        apply Mv; auto. destruct (at_or_below v) as [l|].
        * destruct Bv as (Cl & Ll & Ml). destruct (Z.le_gt_cases u' v) as [G|]; auto. specialize (Ml u' C' G). lia.
        * now apply Bv.
      + destruct Av as (C & Lv & _). specialize (Aw u C). lia.
      + exfalso. destruct Aw as (C & Lw & _). specialize (Av u' C). destruct (at_or_below v) as [l|].
        * destruct Bv as (Cl & Ll & Ml). specialize (Ml u' C Av). lia.
        * specialize (Bv u' C). lia.
  Qed.

  (** So, if the ends of a label are cuts of the column, all values of a region have it or none has (`cuts_before`). A number
      with more digits counts with the unit below it. *)
  Definition same_side (q q' : Q) (k : Z) : Prop := (inject_Z k <= q)%Q <-> (inject_Z k <= q')%Q.

  Theorem told_apart q q' i : (forall l, fst i = Some l -> same_side q q' l) ->
    (forall u, snd i = Some u -> same_side q q' u) ->
    band_of (Qfloor q) = i -> band_of (Qfloor q') = i.
  Proof.
    intros L U E. rewrite <- E. apply label_of_interval_of_numbers. rewrite E.
    assert (K : forall k p, k <= Qfloor p <-> (inject_Z k <= p)%Q).
    { intros k p. split; intro H.
      - apply Qle_trans with (inject_Z (Qfloor p)); [now rewrite <- Zle_Qle|apply Qfloor_le].
      - apply Qfloor_resp_le in H. now rewrite Qfloor_Z in H. }
    assert (I : inside i (Qfloor q)) by (rewrite <- E; apply in_own_band).
    destruct i as [l u]. unfold inside in *; simpl in *. destruct I as [A B]. split.
    - destruct l as [l|]; auto. apply K, (L l eq_refl). now apply K.
    - destruct u as [u|]; auto. destruct (Z.le_gt_cases u (Qfloor q')) as [G|]; auto. exfalso.
      apply K, (U u eq_refl), K in G. lia.
  Qed.

  (** * Labels of other bands (`Bands._label_of_interval`) *)

  Variables first last : option Z.
  Variable cut : Z -> bool.
  Hypothesis cut_is : forall k, cut k = true <-> is_cut k.
  Hypothesis some_cut : exists k, is_cut k.

  (** The first cut; None if there are cuts below every number. *)
  Hypothesis first_is : match first with
    | Some f => is_cut f /\ forall k, is_cut k -> f <= k
    | None => forall v, exists k, is_cut k /\ k <= v
    end.
  Hypothesis last_is : match last with
    | Some t => is_cut t /\ forall k, is_cut k -> k <= t
    | None => forall v, exists k, is_cut k /\ v < k
    end.

  (** An interval in one band gets the label of the band; one that consists of whole bands stays. *)
  Definition relabel (i : interval) : option interval :=
    match i with
    | (None, None) => None
    | (None, Some u) =>
        match first with
        | None => Some i
        | Some f => if u <=? f then Some (None, Some f) else if cut u then Some i else None
        end
    | (Some l, None) =>
        match last with
        | None => Some i
        | Some t => if t <=? l then Some (Some t, None) else if cut l then Some i else None
        end
    | (Some l, Some u) =>
        if match above l with Some e => u <=? e | None => true end then Some (band_of l)
        else if cut l && cut u then Some i else None
    end.

  Lemma relabel_band v : relabel (band_of v) = Some (band_of v).
  Proof.
    pose proof (in_own_band v) as I. pose proof (below_is v) as B. pose proof (above_is v) as A.
    unfold band_of, inside, is_at_or_below, is_above in *. simpl in I. unfold relabel.
    destruct (at_or_below v) as [l|] eqn:El, (above v) as [u|] eqn:Eu.
    - assert (E : band_of l = (Some l, Some u)).
      { rewrite <- El, <- Eu. apply (label_of_interval_of_numbers v l). unfold inside, band_of. rewrite El, Eu. simpl. lia. }
      unfold band_of in E. injection E as E1 E2. rewrite E2, Z.leb_refl. unfold band_of. now rewrite E1, E2.
    - destruct B as (C & L & M). destruct last as [t|].
      + destruct last_is as [Ct Mt]. assert (t = l) as -> by (apply Z.le_antisymm; [apply M; auto|apply Mt; auto]).
        now rewrite Z.leb_refl.
      + reflexivity.
    - destruct A as (C & L & M). destruct first as [f|].
      + destruct first_is as [Cf Mf]. assert (f = u) as -> by (apply Z.le_antisymm; [apply Mf; auto|apply M; auto]).
        now rewrite Z.leb_refl.
      + reflexivity.
    - destruct some_cut as (k & K). specialize (B k K). specialize (A k K). lia.
  Qed.

  (** Labels stay what they are. *)
  Theorem bands_idempotent i j : relabel i = Some j -> relabel j = Some j.
  Proof.
    intro H. destruct i as [[l|] [u|]]; simpl in H; try discriminate.
    - destruct (match above l with Some e => u <=? e | None => true end) eqn:E.
      + injection H as <-. apply relabel_band.
      + destruct (cut l && cut u) eqn:C; [|discriminate]. injection H as <-. simpl. now rewrite E, C.
    - destruct last as [t|] eqn:T; [|injection H as <-; simpl; now rewrite T].
      destruct (t <=? l) eqn:E; [injection H as <-; simpl; now rewrite T, Z.leb_refl|].
      destruct (cut l) eqn:C; [|discriminate]. injection H as <-. simpl. now rewrite T, E, C.
    - destruct first as [f|] eqn:F; [|injection H as <-; simpl; now rewrite F].
      destruct (u <=? f) eqn:E; [injection H as <-; simpl; now rewrite F, Z.leb_refl|].
      destruct (cut u) eqn:C; [|discriminate]. injection H as <-. simpl. now rewrite F, E, C.
  Qed.

  (** The label of a finer band becomes the label of its numbers (`_number_labels`). *)
  Theorem finer_label_is_of_number i v : inside i v -> (forall w, inside i w -> inside (band_of v) w) ->
    i <> (None, None) -> relabel i = Some (band_of v).
  Proof.
    intros I W N. pose proof (in_own_band v) as O. assert (Ev : forall w, inside i w -> band_of w = band_of v)
      by (intros w K; now apply label_of_interval_of_numbers, W).
    pose proof (below_is v) as B. pose proof (above_is v) as A. unfold is_at_or_below, is_above in *.
    destruct i as [[l|] [u|]]; unfold inside in I, W, Ev; simpl in I, W, Ev; try easy; simpl.
    - assert (El := Ev l ltac:(lia)). pose proof (above_is l) as Al. unfold is_above in Al. rewrite El.
      destruct (above l) as [e|] eqn:E; auto. replace (u <=? e) with true; auto. symmetry. apply Z.leb_le.
      destruct (Z.le_gt_cases u e) as [|G]; auto. exfalso. assert (K := Ev e ltac:(lia)).
      pose proof (in_own_band e) as Oe. rewrite K, <- El in Oe. unfold inside, band_of in Oe. rewrite E in Oe. simpl in Oe.
      lia.
    - destruct last as [t|].
      + destruct last_is as [Ct Mt]. assert (G : t <= l).
        { destruct (Z.le_gt_cases t l) as [|G]; auto. exfalso. assert (Kt := Ev t ltac:(lia)).
          assert (Kl := Ev l ltac:(lia)).
          pose proof (in_own_band t) as Ot. pose proof (in_own_band l) as Ol. rewrite Kt, <- Kl in Ot.
          pose proof (above_is l) as Al. unfold is_above in Al. unfold inside, band_of in Ot. simpl in Ot.
          destruct (above l) as [e|]; [|specialize (Al t Ct); lia]. destruct Al as (_ & _ & M). specialize (M t Ct G). lia. }
        apply Z.leb_le in G as G'. rewrite G'. f_equal. unfold band_of.
        destruct (at_or_below v) as [b|]; [|specialize (B t Ct); lia]. destruct B as (Cb & Lb & Mb).
        assert (b = t) as -> by (apply Z.le_antisymm; [now apply Mt|apply Mb; auto; lia]).
        destruct (above v) as [e|]; auto. destruct A as (Ce & Le & _). specialize (Mt e Ce). lia.
      + exfalso. destruct (last_is v) as (k & Ck & Lk). assert (Kk := Ev k ltac:(lia)).
        pose proof (in_own_band k) as Ok. rewrite Kk in Ok. unfold inside, band_of in Ok. simpl in Ok.
        destruct (above v) as [e|]; [|specialize (A k Ck); lia]. destruct A as (_ & _ & M). specialize (M k Ck Lk). lia.
    - destruct first as [f|].
      + destruct first_is as [Cf Mf]. assert (G : u <= f).
        { destruct (Z.le_gt_cases u f) as [|G]; auto. exfalso. assert (Kf := Ev f ltac:(lia)).
          assert (Kg := Ev (f - 1) ltac:(lia)).
          pose proof (in_own_band (f - 1)) as Og. rewrite Kg, <- Kf in Og. pose proof (below_is f) as Bf.
          unfold is_at_or_below in Bf. unfold inside, band_of in Og. simpl in Og.
          destruct (at_or_below f) as [b|]; [|specialize (Bf f Cf); lia]. destruct Bf as (_ & _ & M).
          specialize (M f Cf ltac:(lia)). lia. }
        apply Z.leb_le in G as G'. rewrite G'. f_equal. unfold band_of.
        destruct (at_or_below v) as [b|]; [destruct B as (Cb & Lb & _); specialize (Mf b Cb); lia|].
        destruct (above v) as [e|]; [|specialize (A f Cf); lia]. destruct A as (Ce & Le & Me).
        now assert (e = f) as -> by (apply Z.le_antisymm; [apply Me; auto; lia|now apply Mf]).
      + exfalso. destruct (first_is v) as (k & Ck & Lk). assert (Kk := Ev (k - 1) ltac:(lia)).
        pose proof (in_own_band (k - 1)) as Ok. rewrite Kk in Ok. unfold inside, band_of in Ok. simpl in Ok.
        destruct (at_or_below v) as [b|]; [|specialize (B k Ck); lia]. destruct B as (_ & _ & M). specialize (M k Ck Lk).
        lia.
  Qed.
End Bands.

(** * Equidistant cuts (`Steps`) *)

Section Steps.
  Variables (width origin : Z) (first last : option Z).
  Hypothesis wide : 0 < width.

  Definition is_step (k : Z) : Prop :=
    (k - origin) mod width = 0 /\
    match first with Some f => f <= k | None => True end /\ match last with Some l => k <= l | None => True end.

  Hypothesis first_is_step : forall f, first = Some f -> is_step f.
  Hypothesis last_is_step : forall l, last = Some l -> is_step l.

  Definition step_at_or_below (v : Z) : option Z :=
    match first with
    | Some f => if v <? f then None else
        match last with Some l => if l <=? v then Some l else Some (v - (v - origin) mod width)
        | None => Some (v - (v - origin) mod width) end
    | None =>
        match last with Some l => if l <=? v then Some l else Some (v - (v - origin) mod width)
        | None => Some (v - (v - origin) mod width) end
    end.

  Definition step_above (v : Z) : option Z :=
    match first with
    | Some f => if v <? f then Some f else
        match last with Some l => if l <=? v then None else Some (v - (v - origin) mod width + width)
        | None => Some (v - (v - origin) mod width + width) end
    | None =>
        match last with Some l => if l <=? v then None else Some (v - (v - origin) mod width + width)
        | None => Some (v - (v - origin) mod width + width) end
    end.

  Lemma multiple k : (k - origin) mod width = 0 <-> exists i, k = origin + i * width.
  Proof.
    split.
    - intro H. exists ((k - origin) / width). pose proof (Z.div_mod (k - origin) width). lia.
    - intros (i & ->). replace (origin + i * width - origin) with (i * width) by lia. apply Z.mod_mul. lia.
  Qed.

  Lemma around v : let down := v - (v - origin) mod width in
    (down - origin) mod width = 0 /\ (down + width - origin) mod width = 0 /\ down <= v < down + width /\
    forall k, (k - origin) mod width = 0 -> (k <= v -> k <= down) /\ (v < k -> down + width <= k).
  Proof.
    set (i := (v - origin) / width). pose proof (Z.div_mod (v - origin) width) as D.
    pose proof (Z.mod_pos_bound (v - origin) width wide) as B. intro down.
    assert (E : down = origin + i * width) by (unfold down, i; lia). split; [|split; [|split]].
    - apply multiple. now exists i.
    - apply multiple. exists (i + 1). lia.
    - unfold down. lia.
    - intros k K. apply multiple in K as (j & ->). rewrite E. split; intro H.
      + assert (j < i + 1) by (apply Z.mul_lt_mono_pos_r with width; lia).
        apply Z.add_le_mono_l, Z.mul_le_mono_nonneg_r; lia.
      + assert (i < j) by (apply Z.mul_lt_mono_pos_r with width; lia).
        assert ((i + 1) * width <= j * width) by (apply Z.mul_le_mono_nonneg_r; lia). lia.
  Qed.

  Theorem steps_around v : is_at_or_below is_step v (step_at_or_below v) /\ is_above is_step v (step_above v).
  Proof.
    destruct (around v) as (M & M' & B & N). unfold step_at_or_below, step_above.
    assert (F := first_is_step). assert (L := last_is_step). unfold is_step in *.
    destruct first as [f|], last as [l|]; try specialize (F f eq_refl); try specialize (L l eq_refl);
      repeat match goal with
      | |- context [?a <? ?b] => destruct (Z.ltb_spec a b)
      | |- context [?a <=? ?b] => destruct (Z.leb_spec a b)
      end; simpl;
      try pose proof (N _ (proj1 F)); try pose proof (N _ (proj1 L));
      repeat split; auto; try lia; intros k (K & K1 & K2); try pose proof (N k K); lia.
  Qed.
End Steps.

(** * Cuts that are listed (`Points`) *)

Section Points.
  Fixpoint increasing (from : Z) (ps : list Z) : Prop :=
    match ps with [] => True | p :: ps' => from < p /\ increasing p ps' end.

  Fixpoint point_at_or_below (ps : list Z) (v : Z) : option Z :=
    match ps with
    | [] => None
    | p :: ps' => if p <=? v then match point_at_or_below ps' v with Some q => Some q | None => Some p end else None
    end.

  Fixpoint point_above (ps : list Z) (v : Z) : option Z :=
    match ps with [] => None | p :: ps' => if p <=? v then point_above ps' v else Some p end.

  Lemma increasing_above from ps : increasing from ps -> forall p, In p ps -> from < p.
  Proof.
    revert from. induction ps as [|q ps IH]; simpl; [easy|]. intros from [L H] p [<-|I]; auto.
    specialize (IH q H p I). lia.
  Qed.

  Theorem points_around from ps v : increasing from ps ->
    is_at_or_below (fun k => In k ps) v (point_at_or_below ps v) /\ is_above (fun k => In k ps) v (point_above ps v).
  Proof.
    revert from. induction ps as [|p ps IH]; intros from H; [split; simpl; tauto|]. destruct H as [L H].
    destruct (IH p H) as [B A]. pose proof (increasing_above p ps H) as G. cbn [point_at_or_below point_above].
    destruct (Z.leb_spec p v) as [P|P].
    - split.
      + destruct (point_at_or_below ps v) as [q|]; simpl in *.
        * destruct B as (I & Q & M). split; auto. split; auto. intros k [<-|K] V; auto. specialize (G q I). lia.
        * split; auto. split; auto. intros k [<-|K] V; [lia|]. specialize (B k K). lia.
      + destruct (point_above ps v) as [q|]; simpl in *.
        * destruct A as (I & Q & M). split; auto. split; auto. intros k [<-|K] V; [lia|auto].
        * intros k [<-|K]; auto.
    - split; simpl.
      + intros k [<-|K]; auto. specialize (G k K). lia.
      + split; auto. split; auto. intros k [<-|K] V; [lia|]. specialize (G k K). lia.
  Qed.
End Points.
