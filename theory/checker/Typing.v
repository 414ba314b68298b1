(** The types of columns at each step of a policy, and the tests that a requirement keeps them. *)
From Coq Require Import List ZArith NArith QArith Qcanon Bool PeanoNat Lia.
From Acompass Require Import Texts Floats Values Tables Syntax Results Assertions Actions Histories Conversions.
From Acompass Require Import Calendar Satisfiability Entailment ClassFacts Outcomes.
Import ListNotations.
Open Scope nat_scope.

(** Equal values of a column with one text are equal fields. Other columns of numbers may have several spellings of one. *)
Inductive column_type : Type := OneText (k : kind) | Valued (k : kind) | Opaque.

Definition kind_eq_dec (k l : kind) : {k = l} + {k <> l}.
Proof. decide equality; auto using Z.eq_dec, Nat.eq_dec. Defined.

Definition has_shape (k : kind) (f : field) : bool :=
  match k, f with
  | IntegerKind, Integer _ | TextKind, Text _ | BooleanKind, Boolean _ | DateKind, Date _ | TimestampKind, Timestamp _ => true
  | DecimalKind scale, Decimal negative n scale' => (scale =? scale') && (negb negative || negb (n =? 0)%N)
  | _, _ => false
  end.

Definition has_type (t : column_type) (f : field) : Prop :=
  match t with
  | OneText k => has_shape k f = true /\ has_kind k (value_of f)
  | Valued k => has_kind k (value_of f)
  | Opaque => True
  end.

Definition types : Type := list column_type.
Definition type_at (ts : types) (A : attribute) : column_type := nth A ts Opaque.
Definition is_typed (ts : types) (r : record) : Prop := length r = length ts /\ forall A, has_type (type_at ts A) (get r A).

Definition kind_of_type (t : column_type) : option kind := match t with OneText k | Valued k => Some k | Opaque => None end.
Definition kinds_of (ts : types) : kinds := map kind_of_type ts.

Lemma kind_at_types ts A : kind_at (kinds_of ts) A = kind_of_type (type_at ts A).
Proof. unfold kind_at, kinds_of, type_at. exact (map_nth kind_of_type ts Opaque A). Qed.

Lemma has_type_kind t f : has_type t f -> is_of_kind (kind_of_type t) (value_of f).
Proof. destruct t; simpl; tauto. Qed.

Lemma is_typed_is_of ts r : is_typed ts r -> is_of (kinds_of ts) r.
Proof. intros [_ H] A. rewrite kind_at_types, value_at_get. apply has_type_kind, H. Qed.

Lemma one_text k f g : has_shape k f = true -> has_shape k g = true -> value_of f = value_of g -> f = g.
Proof.
  destruct k, f; try discriminate; destruct g; try discriminate; simpl; intros Hf Hg E.
  - apply exact_injective, integer_injective in E. now subst.
  - apply andb_true_iff in Hf as [S1 Z1], Hg as [S2 Z2]. apply Nat.eqb_eq in S1, S2. subst scale1 scale0.
    apply exact_injective in E. assert (negative = negative0) as ->.
    { apply (decimal_sign digits digits0 _ _ scale); auto; intros ->; [now destruct negative|now destruct negative0]. }
    now apply decimal_injective in E as ->.
  - now apply text_value_injective in E as ->.
  - apply (f_equal number_of), integer_injective in E. now destruct b, b0.
  - apply (f_equal number_of), integer_injective, N2Z.inj in E. now subst.
  - apply (f_equal number_of), integer_injective, N2Z.inj in E. now subst.
Qed.

(** Values of one kind have one tag. *)
Definition tag_of (k : kind) : option Z :=
  match k with
  | IntegerKind | BoundedKind _ _ | DecimalKind _ | NumberKind => Some 2%Z
  | FloatKind => Some 3%Z
  | TextKind => Some 4%Z
  | BooleanKind => Some 1%Z
  | DateKind => Some 5%Z
  | TimestampKind => Some 6%Z
  | MissingKind => Some 0%Z
  | AnyKind => None
  end.

Lemma kind_tag k v z : has_kind k v -> tag_of k = Some z -> fst v = z.
Proof.
  destruct k; simpl; [intros (n & ->)|intros (n & _ & ->)|intros (n & ->)|intros (q & ->)|intros (r & _ & ->)
    |intros (t & _ & ->)|intros (b & ->)|intros (n & _ & _ & ->)|intros (n & _ & _ & ->)|intros ->|intros _]; intro E;
    try discriminate; now injection E as <-.
Qed.

(** * Texts *)

Lemma is_text_app t u : is_text t -> is_text u -> is_text (t ++ u).
Proof. intros H K c I. apply in_app_or in I as []; auto. Qed.

Lemma is_text_cons c t : (0 <= c)%Z -> is_text t -> is_text (c :: t).
Proof. intros H K d [<-|I]; auto. Qed.

Lemma is_text_part from to t : is_text t -> is_text (part from to t).
Proof.
  intros H c I. apply H. unfold part in I. rewrite <- (firstn_skipn from t). apply in_or_app. right.
  rewrite <- (firstn_skipn (to - from) (skipn from t)). apply in_or_app. now left.
Qed.

Lemma is_text_digits d : is_text (digits_of d).
Proof. induction d; simpl; try apply is_text_cons; auto; try lia. intros c []. Qed.

Lemma is_text_padded w n : is_text (padded w n).
Proof.
  apply is_text_app; [|apply is_text_digits]. intros c I. apply repeat_spec in I. subst. discriminate.
Qed.

Lemma is_text_iso_date t : is_text t -> is_text (iso_date t).
Proof.
  intro H. unfold iso_date. repeat apply is_text_app; auto using is_text_part; apply is_text_cons; try discriminate; intros c [].
Qed.

Lemma is_text_sub t u : (forall c, In c t -> In c u) -> is_text u -> is_text t.
Proof. intros S H c I. now apply H, S. Qed.

Lemma is_text_firstn n t : is_text t -> is_text (firstn n t).
Proof. apply is_text_sub. intros c I. rewrite <- (firstn_skipn n t). apply in_or_app. now left. Qed.

Lemma is_text_skipn n t : is_text t -> is_text (skipn n t).
Proof. apply is_text_sub. intros c I. rewrite <- (firstn_skipn n t). apply in_or_app. now right. Qed.

Lemma is_text_zeros n : is_text (zeros n).
Proof. intros c I. apply repeat_spec in I. subst. discriminate. Qed.

Lemma is_text_signed negative t : is_text t -> is_text (signed negative t).
Proof. destruct negative; auto. now apply is_text_cons. Qed.

Lemma is_text_nil : is_text []. Proof. intros c []. Qed.

Ltac texts := repeat first
  [ apply is_text_padded | apply is_text_digits | apply is_text_zeros | apply is_text_iso_date | apply is_text_signed
  | apply is_text_part | apply is_text_firstn | apply is_text_skipn | apply is_text_nil
  | apply is_text_cons; [easy|] | apply is_text_app ].

Lemma is_text_finite bits : is_text (text_of_finite bits).
Proof.
  unfold text_of_finite. destruct (mantissa_exponent bits) as [m e]. destruct (shortest_decimal m e) as [d q].
  assert (D : is_text (digits (Z.to_N d))) by apply is_text_digits. set (ds := digits (Z.to_N d)) in *.
  destruct (_ && _).
  - unfold positional. destruct (_ <=? 0)%Z; [|destruct (_ <=? _)%Z]; texts; auto.
  - unfold scientific. clearbody ds. destruct ds as [|first rest]; [apply is_text_nil|].
    assert (F : (0 <= first)%Z) by (apply D; now left).
    assert (R : is_text rest) by (apply (is_text_sub rest (first :: rest)); auto; now right).
    apply is_text_app; [apply is_text_cons; auto using is_text_nil|]. apply is_text_app; [destruct rest; texts; auto|].
    apply is_text_app; [|apply is_text_padded]. apply is_text_cons; [easy|].
    apply is_text_cons; [now destruct (_ <? 0)%Z|apply is_text_nil].
Qed.

Lemma is_text_of f : (forall t, f = Text t -> is_text t) -> is_text (text_of f).
Proof.
  intro HT. destruct f; cbn [text_of]; auto; try (now texts).
  - destruct b; unfold text_of_boolean; texts.
  - unfold text_of_integer. destruct (Z.to_int n); texts.
  - unfold text_of_decimal. destruct scale; texts.
  - unfold text_of_float. destruct (is_nan bits); texts. destruct (_ =? infinite_bits)%Z; [texts|].
    destruct (_ =? 0)%Z; [texts|apply is_text_finite].
  - unfold text_of_timestamp. apply is_text_app; [apply is_text_iso_date, is_text_padded|]. destruct (_ =? 0)%N; texts.
Qed.

Lemma has_text t : is_text t -> has_kind TextKind (value_of (Text t)).
Proof. intro H. now exists t. Qed.

(** * Fields that are written *)

Definition is_between (low z high : Z) : bool := (low <=? z)%Z && (z <=? high)%Z.

Definition is_known_kind (k : kind) (f : field) : bool :=
  match k, f with
  | IntegerKind, Integer _ | NumberKind, (Integer _ | Decimal _ _ _) | BooleanKind, Boolean _ => true
  | DecimalKind scale, Decimal _ _ scale' => scale =? scale'
  | FloatKind, Float negative bits => is_between (- infinite_bits) (float_rank negative bits) infinite_bits
  | TextKind, Text t => forallb (Z.leb 0) t
  | DateKind, Date n => Calendar.is_date (Z.of_N n) && is_between 10101 (Z.of_N n) 99991231
  | TimestampKind, Timestamp n =>
      Calendar.is_timestamp (Z.of_N n) && is_between 10101000000000000 (Z.of_N n) 99991231235959999999
  | _, _ => false
  end.

Lemma is_between_spec low z high : is_between low z high = true -> (low <= z <= high)%Z.
Proof. unfold is_between. rewrite andb_true_iff, !Z.leb_le. auto. Qed.

Lemma is_known_kind_sound k f : is_known_kind k f = true -> has_kind k (value_of f).
Proof.
  destruct k, f; cbn [is_known_kind value_of has_kind]; try discriminate; intro H; eauto.
  - apply Nat.eqb_eq in H. subst. unfold decimal. eauto.
  - apply is_between_spec in H. eauto.
  - rewrite forallb_forall in H. exists t. split; auto. intros c I. now apply Z.leb_le, H.
  - apply andb_true_iff in H as [D H]. apply is_between_spec in H. eauto.
  - apply andb_true_iff in H as [D H]. apply is_between_spec in H. eauto.
Qed.

Definition fits (t : column_type) (f : field) : bool :=
  match t with
  | OneText k => has_shape k f && is_known_kind k f
  | Valued k => is_known_kind k f
  | Opaque => true
  end.

Lemma fits_sound t f : fits t f = true -> has_type t f.
Proof.
  destruct t; simpl; auto using is_known_kind_sound. rewrite andb_true_iff. intros []; auto using is_known_kind_sound.
Qed.

Definition fits_draw (conversion : type) (t : column_type) : bool :=
  match conversion, t with
  | _, Opaque | Unchanged, (OneText IntegerKind | Valued IntegerKind | Valued NumberKind)
  | AsText, OneText TextKind | (AsDecimal _ | AsSpelled), Valued NumberKind => true
  | _, _ => false
  end.

Lemma fits_draw_sound conversion t z : fits_draw conversion t = true -> has_type t (convert conversion (Integer z)).
Proof.
  assert (E : forall c, c = AsSpelled \/ (exists scale, c = AsDecimal scale) ->
    has_kind NumberKind (value_of (convert c (Integer z)))).
  { intros c H. rewrite exact_stays_exact by (auto; left; eauto). now exists (integer z). }
  assert (I : has_kind IntegerKind (value_of (Integer z))) by now exists z.
  assert (D : is_text (text_of_integer z)) by now apply (is_text_of (Integer z)).
  destruct conversion, t as [[]|[]|]; try discriminate; intros _; try exact Logic.I; auto; try (split; auto);
    try (now apply has_text); try (apply (E AsSpelled); auto); try (apply (E (AsDecimal scale)); eauto).
  now exists (integer z).
Qed.

Definition fits_written (x : plain) (t : column_type) : bool :=
  match x with
  | Replace _ a => fits t a
  | Random _ conversion _ _ => fits_draw conversion t
  | RandomFrom _ balls => forallb (fun ball => fits t (snd ball)) balls
  | Generalize _ _ => match t with OneText TextKind | Opaque => true | _ => false end
  | Reject | Drop _ => true
  | Write _ => false
  end.

(** The labels of a map are texts. *)
Definition labels_are_texts (x : plain) : Prop := match x with Generalize _ g => forall t, is_text (g t) | _ => True end.

Lemma fits_written_sound x A t r a : labels_are_texts x -> fits_written x t = true -> writes x A r a -> has_type t a.
Proof.
  intro texts. destruct x; simpl; try easy.
  - intros F [_ ->]. now apply fits_sound.
  - intros F [_ (z & _ & ->)]. now apply fits_draw_sound.
  - intros F [_ I]. rewrite forallb_forall in F. apply in_map_iff in I as (ball & <- & I). now apply fits_sound, F.
  - intros F [_ ->]. destruct t as [[]| |]; try discriminate; simpl; auto. split; auto. now apply has_text.
Qed.

(** * Fields that are converted (D12) *)

Definition is_exact_type (t : column_type) : bool :=
  match t with
  | OneText IntegerKind | OneText (DecimalKind _) | Valued IntegerKind | Valued (DecimalKind _) | Valued NumberKind => true
  | _ => false
  end.

Definition keeps_value (t : type) (before : column_type) : bool :=
  match t with Unchanged => true | AsDecimal _ | AsSpelled => is_exact_type before | _ => false end.

Lemma kind_of_exact t f : is_exact_type t = true -> has_type t f -> is_exact f.
Proof.
  intros H T. assert (F : fst (value_of f) = 2%Z).
  { destruct t as [k|k|]; try discriminate; simpl in T; [destruct T as [_ T]|]; destruct k; try discriminate;
      exact (kind_tag _ _ _ T eq_refl). }
  destruct f; simpl in F; try discriminate; [left|right]; eauto.
Qed.

Lemma keeps_value_sound t before f : keeps_value t before = true -> has_type before f -> value_of (convert t f) = value_of f.
Proof.
  destruct t; try discriminate; intros H T; [| |now destruct f]; apply kind_of_exact in T; auto;
    apply exact_stays_exact; eauto.
Qed.

(** All values of the first kind are of the second. *)
Definition is_within (k l : kind) : bool :=
  (if kind_eq_dec k l then true else false) ||
  match l with NumberKind => match k with IntegerKind | DecimalKind _ => true | _ => false end | _ => false end.

Lemma is_within_sound k l v : is_within k l = true -> has_kind k v -> has_kind l v.
Proof.
  unfold is_within. destruct (kind_eq_dec k l) as [->|]; auto. destruct l; try discriminate.
  destruct k; try discriminate; intros _ (m & ->); eexists; reflexivity.
Qed.

(** The first type is as good as the second. *)
Definition is_finer (t u : column_type) : bool :=
  match t, u with
  | _, Opaque => true
  | OneText k, OneText l => if kind_eq_dec k l then true else false
  | OneText k, Valued l | Valued k, Valued l => is_within k l
  | _, _ => false
  end.

Lemma is_finer_sound t u f : is_finer t u = true -> has_type t f -> has_type u f.
Proof.
  destruct t, u; simpl; auto; try easy; [destruct (kind_eq_dec _ _); try easy; now subst|intros W [_ H]|intros W H];
    now apply (is_within_sound _ _ _ W).
Qed.

(** There is a field, and its text is one. *)
Definition has_texts (t : column_type) : bool :=
  match t with OneText k | Valued k => match k with MissingKind | AnyKind => false | _ => true end | Opaque => false end.

Lemma has_texts_sound t f : has_texts t = true -> has_type t f -> f <> Missing /\ is_text (text_of f).
Proof.
  intros H T. assert (K : exists k, has_kind k (value_of f) /\ k <> MissingKind /\ k <> AnyKind).
  { destruct t as [k|k|]; simpl in *; try discriminate; exists k; [destruct T as [_ T]|]; now destruct k. }
  destruct K as (k & K & NM & NA). assert (G := kind_tag k (value_of f)). split.
  - intros ->. destruct k; try easy; specialize (G _ K eq_refl); discriminate.
  - apply is_text_of. intros u ->. destruct k; try easy; try (specialize (G _ K eq_refl); discriminate). destruct K as (w & W & E).
    now apply text_value_injective in E as ->.
Qed.

Definition fits_conversion (t : type) (before after : column_type) : bool :=
  match t with
  | Unchanged => is_finer before after
  | AsText => match after with OneText TextKind => has_texts before | Opaque => true | _ => false end
  | AsDecimal _ | AsSpelled => match after with Valued NumberKind => is_exact_type before | Opaque => true | _ => false end
  | AsFloat | Dropped => match after with Opaque => true | _ => false end
  end.

Lemma fits_conversion_sound t before after f : fits_conversion t before after = true -> has_type before f ->
  has_type after (convert t f).
Proof.
  assert (N : forall c, c = AsSpelled \/ (exists scale, c = AsDecimal scale) -> is_exact_type before = true ->
    has_type before f -> has_kind NumberKind (value_of (convert c f))).
  { intros c H E T. apply kind_of_exact in T; auto. rewrite exact_stays_exact by auto.
    destruct T as [(n & ->)|(a & n & k & ->)]; eexists; reflexivity. }
  destruct t; simpl.
  - destruct after as [[]|[]|]; try discriminate; [|easy]. intros P T.
    destruct (has_texts_sound before f P T) as [NM HT]. destruct f; try easy; split; auto; now apply has_text.
  - destruct after as [[]|[]|]; try discriminate; [|easy]. intros E T. apply (N (AsDecimal scale)); eauto.
  - destruct after as [[]|[]|]; try discriminate; [|easy]. intros E T. apply (N AsSpelled); eauto.
  - now destruct after.
  - now destruct after.
  - destruct f; apply is_finer_sound.
Qed.

(** * Requirements *)

(** What D12 does to the written column *)
Definition conversion (req : requirement) : type := match retypes req with [(_, t)] => t | _ => Unchanged end.

Definition column_fits (req : requirement) (before after : types) (B : attribute) : bool :=
  let t := type_at before B in
  let u := type_at after B in
  if mem B (dropped req) then match u with Opaque => true | _ => false end
  else match acts req, written req with
  | Some x, Some A => if B =? A then fits_conversion (conversion req) t u && fits_written (plain_of x) u else is_finer t u
  | _, _ => is_finer t u
  end.

Definition types_fit (req : requirement) (before after : types) : bool :=
  (length before =? length after) && forallb (column_fits req before after) (seq 0 (length before)).

Lemma prepared_converts req R r A : is_well_formed req = true -> written req = Some A -> A < length r ->
  get (prepared req R r) A = convert (conversion req) (get r A).
Proof.
  intros WF HA L. assert (P : prepared req R r = retype (retypes req) r).
  { unfold prepared. unfold written in HA. destruct (acts req) as [[[]|]|]; auto. discriminate. }
  rewrite P. unfold is_well_formed, written, conversion in *. destruct (acts req) as [x|]; [|discriminate].
  assert (T : retypes req = [] \/ exists t, retypes req = [(A, t)]).
  { destruct x as [[]|? []]; simpl in *; try discriminate; injection HA as <-; apply andb_true_iff in WF as [WF _];
      destruct (retypes req) as [|[C c] [|]]; try discriminate; auto; apply Nat.eqb_eq in WF; subst; eauto. }
  destruct T as [->|(t & ->)]; [change (retype [] r) with r; now destruct (get r A)|]. unfold retype. simpl. now apply get_update.
Qed.

Lemma get_kept req R r B : is_well_formed req = true -> mem B (dropped req) = false -> written req <> Some B ->
  get (prepared req R r) B = get r B.
Proof.
  intros WF ND NW. apply get_prepared. unfold touched. destruct (mem B (dropped req ++ map fst (retypes req))) eqn:M; auto.
  exfalso. rewrite mem_in, in_app_iff, <- !mem_in, ND in M. destruct M as [M|M]; [discriminate|].
  rewrite mem_in in M. unfold is_well_formed, written, dropped in *. apply in_map_iff in M as ([C t] & <- & I). simpl in *.
  destruct (acts req) as [x|]; [|destruct (retypes req); easy].
  destruct x as [[]|? []]; simpl in *; try discriminate; try (destruct (retypes req); easy);
    try (apply andb_true_iff in WF as [WF _]; destruct (retypes req) as [|[D c] [|]]; try easy;
         destruct I as [[= -> ->]|[]]; apply Nat.eqb_eq in WF; congruence).
  rewrite forallb_forall in WF. specialize (WF _ I). simpl in WF. congruence.
Qed.

Theorem types_fit_sound req R before after r o r' : types_fit req before after = true -> is_well_formed req = true ->
  (forall x, acts req = Some x -> labels_are_texts (plain_of x)) ->
  is_typed before r -> is_possible req (is_affected (asserts req) R r) r o -> what_is_left req R (r, o) = Some r' ->
  is_typed after r'.
Proof.
  unfold types_fit. intros F WF texts [Len T] P E. apply andb_true_iff in F as [FL F]. apply Nat.eqb_eq in FL.
  assert (Len' : length r' = length r).
  { unfold what_is_left in E. destruct o; simpl in E; [injection E as <-|destruct (written req); [injection E as <-|]|];
      try discriminate; rewrite ?length_update; apply length_prepared. }
  split; [congruence|]. intro B. destruct (Nat.lt_ge_cases B (length before)) as [LB|GB].
  2:{ unfold type_at. rewrite nth_overflow by lia. exact I. }
  rewrite forallb_forall in F. assert (FB := F B). unfold column_fits in FB. specialize (FB (proj2 (in_seq _ _ _) (conj (Nat.le_0_l B) LB))).
  destruct (mem B (dropped req)) eqn:D; [now destruct (type_at after B)|].
  destruct (match written req with Some A => B =? A | None => false end) eqn:W.
  - destruct (written req) as [A|] eqn:HA; [|discriminate]. apply Nat.eqb_eq in W. subst A.
    assert (AC : exists x, acts req = Some x). { unfold written in HA. destruct (acts req); [eauto|discriminate]. }
    destruct AC as (x & HX). rewrite HX, Nat.eqb_refl in FB. apply andb_true_iff in FB as [FC FW].
    assert (Conv : has_type (type_at after B) (get (prepared req R r) B)).
    { rewrite prepared_converts by (auto; lia). now apply fits_conversion_sound with (type_at before B). }
    unfold what_is_left in E. simpl in E. rewrite HA in E. destruct o; [now injection E as <-| |discriminate].
    injection E as <-. rewrite get_update by (rewrite length_prepared; lia).
    unfold is_possible in P. rewrite HX, HA in P. destruct x as [[]|]; destruct P as [_ (A' & [= <-] & P)];
      eapply fits_written_sound; eauto; apply (texts _ eq_refl).
  - assert (NW : written req <> Some B). { intro H. rewrite H, Nat.eqb_refl in W. discriminate. }
    assert (Same : get r' B = get r B).
    { unfold what_is_left in E. simpl in E. destruct o; [injection E as <-; now apply get_kept| |discriminate].
      destruct (written req) as [A|] eqn:HA; [|discriminate]. injection E as <-.
      rewrite get_update_other by congruence. apply get_kept; auto. now rewrite HA. }
    rewrite Same. apply is_finer_sound with (type_at before B); auto.
    destruct (acts req); auto. destruct (written req); auto. now rewrite W in FB.
Qed.
