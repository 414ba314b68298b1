(** What published rules write (X12, X15 to X18). Whatever is written, an assertion that does not read the column stays as
    it is. NEAREST of a grouped column merges classes, so lower bounds on counts are kept. PSEUDONYM is injective, so
    classes stay as they are, by the column and by others. *)
From Coq Require Import List ZArith QArith Bool Permutation Lia.
From Acompass Require Import Order Bags Texts Values Numbers Dates Tables Syntax Results Assertions Actions Determinism Anonymity.
From Acompass Require Import Outliers Aggregates Facts Laws Histories Rules Unchanged Writes Shares.
Import ListNotations.
Open Scope nat_scope.

(** * The other columns *)

Definition columns_of (x : write) : list attribute :=
  match x with
  | Nearest A _ _ | Pseudonym A _ | AddRandom A _ _ | Microaggregate A _ _ => [A]
  | Shift As _ _ => As
  end.

Definition agrees_outside (As : list attribute) (p : record * record) : Prop :=
  forall B, ~ In B As -> value_at (snd p) B = value_at (fst p) B.

Lemma update_outside_of A a r : agrees_outside [A] (r, update r A a).
Proof. intros B N. apply value_at_update_other. intros ->. apply N. now left. Qed.

Lemma shift_elsewhere As P s r B : ~ In B As -> value_at (shift As P s r) B = value_at r B.
Proof.
  unfold shift. set (days := s (value_at r P)). set (read := get r). intro N.
  assert (H : forall r', value_at (fold_left (fun r' A => update r' A (shift_field days (read A))) As r') B = value_at r' B);
    [|apply H].
  induction As as [|A As IH]; intro r'; auto. cbn [fold_left].
  rewrite IH by (intro I; apply N; now right). apply value_at_update_other. intros ->. apply N. now left.
Qed.

Lemma groups_concat {X} n fuel : forall l : list X, concat (groups_of fuel n l) = l.
Proof.
  induction fuel as [|fuel IH]; intro l; cbn [groups_of concat]; [apply app_nil_r|].
  destruct (length l <? 2 * n); [apply app_nil_r|]. cbn [concat]. rewrite IH. apply firstn_skipn.
Qed.

Lemma history_of_rewritten x rho V : exists L : history,
  Permutation (fst (rewritten x rho V)) (map snd L) /\ Permutation (map fst L) V /\
  forall p, In p L -> agrees_outside (columns_of x) p.
Proof.
  assert (F : forall k As, (forall r, agrees_outside As (r, k r)) -> exists L : history,
    Permutation (map k V) (map snd L) /\ Permutation (map fst L) V /\ forall p, In p L -> agrees_outside As p).
  { intros k As H. exists (map (fun r => (r, k r)) V). rewrite !map_map. simpl. rewrite map_id. repeat split; auto.
    intros p I. apply in_map_iff in I as (r & <- & _). apply H. }
  destruct x as [A t n|A p|As P s|A l u|A t n]; simpl.
  - apply F. intro r. apply update_outside_of.
  - apply F. intro r. apply update_outside_of.
  - apply F. intros r B. apply shift_elsewhere.
  - exists (map (fun q => (fst q, update (fst q) A (plus (random l u (snd q)) (get (fst q) A)))) (with_trace rho (order V))).
    rewrite !map_map. simpl. repeat split.
    + unfold add_random. rewrite (map_ext _ (fun q => update (fst q) A (plus (random l u (snd q)) (get (fst q) A))));
        [apply Permutation_refl|]. now intros [r y].
    + rewrite map_fst_with_trace. apply order_is_canonical.
    + intros q I. apply in_map_iff in I as (r & <- & _). apply update_outside_of.
  - set (gs := groups_of (length V) n (sort (compare_by A) V)).
    exists (flat_map (fun g => map (fun r => (r, update r A (mean t (map (fun r => get r A) g)))) g) gs). repeat split.
    + unfold microaggregate. fold gs. rewrite !flat_map_concat_map, concat_map, map_map.
      rewrite (map_ext (averaged A t) (fun g => map snd (map (fun r => (r, update r A (mean t (map (fun r => get r A) g)))) g)));
        [apply Permutation_refl|]. intro g. unfold averaged. now rewrite map_map.
    + rewrite flat_map_concat_map, concat_map, map_map. rewrite (map_ext _ (fun g => g)), map_id.
      * unfold gs. rewrite groups_concat. apply sort_permutation.
      * intro g. rewrite map_map. apply map_id.
    + intros q I. apply in_flat_map in I as (g & _ & I). apply in_map_iff in I as (r & <- & _). apply update_outside_of.
Qed.

(** A history of converted records is one of the records before. *)
Lemma history_before_conversion (h : record -> record) : forall V L, map fst L = map h V -> exists L' : history,
  map fst L' = V /\ map snd L' = map snd L /\ forall r r', In (r, r') L' -> In (h r, r') L.
Proof.
  induction V as [|r V IH]; intros [|[s s'] L] E; try discriminate; [now exists []|]. injection E as -> E.
  destruct (IH L E) as (L' & F & S & H). exists ((r, s') :: L'). simpl. rewrite F, S. repeat split; auto.
  intros t t' [[= <- <-]|I]; [now left|right; auto].
Qed.

(** D12 changes the types of columns that are written. *)
Definition retypes_within (req : requirement) (As : list attribute) : Prop := forall B t, In (B, t) (retypes req) -> In B As.

Lemma retype_within ts As B : (forall C t, In (C, t) ts -> In C As) -> ~ In B As ->
  forall r, value_at (retype ts r) B = value_at r B.
Proof.
  unfold retype. induction ts as [|[C t] ts IH]; intros H N r; auto. cbn [fold_left].
  rewrite IH; auto; [|intros D u I; apply (H D u); now right].
  apply value_at_update_other. intros ->. apply N, (H B t). now left.
Qed.

Theorem history_of_published req y x R rho : acts req = Some y -> plain_of y = Write x -> retypes_within req (columns_of x) ->
  exists L : history, Permutation (fst (step req (R, rho))) (map snd L) /\ Permutation (map fst L) R /\
    forall p, In p L -> agrees_outside (columns_of x) p.
Proof.
  intros HY HX HT. set (h := retype (retypes req)).
  assert (Kept : forall r, agrees_outside (columns_of x) (r, h r)).
  { intros r B N. unfold h. simpl. now apply (retype_within _ (columns_of x)). }
  assert (Some' : forall rho V, subset V R -> exists L : history,
    Permutation (fst (perform_write x (map h R) rho (map h V))) (map snd L) /\ Permutation (map fst L) R /\
    forall p, In p L -> agrees_outside (columns_of x) p).
  { intros rho' V S. destruct (history_of_rewritten x rho' (map h V)) as (L & P & F & H).
    destruct (Permutation_map_inv h V F) as (V1 & E & Q). destruct (history_before_conversion h V1 L E) as (L' & F' & S' & H').
    exists (map (fun r => (r, h r)) (minus R V) ++ L'). rewrite !map_app, !map_map. simpl. rewrite map_id, F', S'.
    split; [|split].
    - unfold perform_write. destruct (rewritten x rho' (map h V)). simpl in *. apply Permutation_app; auto.
      now apply difference_map.
    - apply perm_trans with (minus R V ++ V); [now apply Permutation_app_head, Permutation_sym|].
      now apply Permutation_sym, difference_union.
    - intros p I. apply in_app_or in I as [I|I]; [apply in_map_iff in I as (r & <- & _); auto|].
      destruct p as [r r']. apply H' in I. apply H in I. intros B N. exact (eq_trans (I B N) (Kept r B N)). }
  unfold step. rewrite HY. fold h. destruct (holds (asserts req) R).
  - exists (map (fun r => (r, h r)) R). rewrite !map_map. simpl. rewrite map_id. repeat split; auto.
    intros p I. apply in_map_iff in I as (r & <- & _). auto.
  - destruct y as [z|q z]; simpl in HX; subst z; simpl.
    + apply Some', AFF_subset.
    + destruct (drawn_of_image q rho h (AFF R (asserts req))) as (V & S & ->). apply Some'.
      intro r. apply Nat.le_trans with (1 := S r), AFF_subset.
Qed.

(** An assertion that does not read a written column stays as it is, whatever is written, also with a probability. *)
Theorem other_columns_unchanged req y x a R rho : acts req = Some y -> plain_of y = Write x ->
  retypes_within req (columns_of x) -> reads_assertion (fun B => ~ In B (columns_of x)) a ->
  holds a (fst (step req (R, rho))) = holds a R.
Proof.
  intros HY HX HT HA. destruct (history_of_published req y x R rho HY HX HT) as (L & P & F & H).
  rewrite (holds_permutation _ _ _ P), <- (holds_permutation _ _ _ F).
  apply (assertion_unchanged (fun B => ~ In B (columns_of x))); auto. intros p B I N. now apply H.
Qed.

Lemma k_anonymous_holds G k R : holds (at_least Count G k) R = true <-> k_anonymous G k R.
Proof.
  unfold at_least, k_anonymous. rewrite holds_each_process.
  replace (where_filtered None R) with R by (symmetry; now apply filter_all).
  assert (E : forall r, satisfies (Compare (length G) GE (exact (integer k))) (aggregate_record [Count] G R (key G r)) =
    (k <=? Z.of_nat (length (class G R r)))%Z) by (intro r; now apply satisfies_at_least).
  split; intros H r I; [specialize (H r I eq_refl); rewrite E in H; now apply Z.leb_le in H|].
  intros _. rewrite E. now apply Z.leb_le, H.
Qed.

(** SHIFT, ADD RANDOM, MICROAGGREGATE, PSEUDONYM and NEAREST of columns that are not grouped keep k-anonymity. *)
Corollary other_columns_keep_k_anonymity req y x G k R rho : acts req = Some y -> plain_of y = Write x ->
  retypes_within req (columns_of x) -> (forall A, In A G -> ~ In A (columns_of x)) ->
  k_anonymous G k (fst (step req (R, rho))) <-> k_anonymous G k R.
Proof.
  intros HY HX HT HG. rewrite <- !k_anonymous_holds. rewrite (other_columns_unchanged req y x); [reflexivity|auto..].
  simpl. repeat split; auto. now intros f [<-|[]].
Qed.

(** * NEAREST of a grouped column *)

Lemma k_anonymous_fact G k R : k_anonymous G k R <->
  fact Count (fun _ => true) G (fun _ v => below (exact (integer k)) v) R.
Proof.
  unfold k_anonymous, fact. rewrite filter_all by auto. simpl. unfold number_of_records, below, at_most.
  split; intros K r I; [intros _|]; specialize (K r I).
  - rewrite compare_integers, Z.compare_gt_iff. lia.
  - specialize (K eq_refl). rewrite compare_integers, Z.compare_gt_iff in K. lia.
Qed.

Section Functions.
  (** An action that rewrites the column A by a function, and a table in which the columns of G decide which records are
      affected and what the function makes of them. *)
  Variables (req : requirement) (x : plain) (A : attribute) (G : list attribute) (R : bag) (rho : trace).
  Hypotheses (HX : acts req = Some (Certain x)) (HA : rewrites x A) (HT : retypes_only req A) (HG : In A G).
  Hypothesis whole : forall r s, In r R -> In s R -> key G r = key G s ->
    is_affected (asserts req) R r = is_affected (asserts req) R s.
  Let h := retype (retypes req).
  Hypothesis converted : forall r s, In r R -> In s R -> value_at r A = value_at s A -> value_at (h r) A = value_at (h s) A.
  Hypothesis alike : forall r s, In r R -> In s R -> value_at r A = value_at s A ->
    value_at (rewrite_of x (h r)) A = value_at (rewrite_of x (h s)) A.

  Lemma becomes_alike r s : In r R -> In s R -> key G r = key G s ->
    value_at (becomes req x R r) A = value_at (becomes req x R s) A.
  Proof.
    intros IR IS E. assert (V := key_at G r s E A HG). unfold becomes. rewrite (whole r s) by auto.
    destruct (is_affected (asserts req) R s); [now apply alike|now apply converted].
  Qed.

  (** Classes merge, so what unions keep is kept: lower bounds on counts, upper bounds on shares of other columns. *)
  Theorem classes_merge f U : ~ aggregates_column f A -> reads_key G U -> kept_by_merging f U ->
    summable f (map (becomes req x R) R) -> fact f (fun _ => true) G (fun r => U (becomes req x R r)) R ->
    fact f (fun _ => true) G U (fst (step req (R, rho))).
  Proof.
    intros NA HU K E F. apply fact_permutation with (1 := Permutation_sym (step_by_function req x A R rho HX HA)).
    apply joined with A G; auto using incl_refl.
    - intros r B N. now apply (becomes_alone req x A).
    - intros r s IR IS _ _ KE. now apply becomes_alike.
  Qed.

  Theorem merging_keeps_k_anonymity k : k_anonymous G k R -> k_anonymous G k (fst (step req (R, rho))).
  Proof.
    rewrite !k_anonymous_fact. intro F.
    apply (classes_merge Count (fun _ v => below (exact (integer k)) v)); simpl; auto.
    - intros r s v _. auto.
    - apply is_kept_by_merging_count. intros r v w L K. now apply below_trans with v.
  Qed.

  (** An upper bound on a share of another column: (n, k) dominance, (α, k)-anonymity. *)
  Theorem merging_keeps_shares f c : match f with ShareOfMode B | ShareOfLargest _ B => A <> B | _ => False end ->
    fact f (fun _ => true) G (fun _ v => below v (exact c)) R ->
    fact f (fun _ => true) G (fun _ v => below v (exact c)) (fst (step req (R, rho))).
  Proof.
    intros HF F. assert (D : downward (fun (_ : record) v => below v (exact c))).
    { intros r v w L K. now apply below_trans with v. }
    apply (classes_merge f (fun _ v => below v (exact c))); auto.
    - now destruct f.
    - intros r s v _. auto.
    - destruct f; try easy; [now apply is_kept_by_merging_largest|now apply is_kept_by_merging_mode].
    - now destruct f.
  Qed.
End Functions.

(** NEAREST gives equal values equal multiples, so it is such a function. *)
Lemma rounded_alike A t m r s : length r = length s -> value_at r A = value_at s A ->
  value_at (round_to A t m r) A = value_at (round_to A t m s) A.
Proof.
  intros L E. unfold round_to. destruct (Nat.lt_ge_cases A (length r)) as [H|H].
  - rewrite !value_at_update by lia. apply nearest_equal. now rewrite <- !value_at_get.
  - now rewrite !update_outside by lia.
Qed.

Corollary nearest_keeps_k_anonymity req A t m G k n R rho : acts req = Some (Certain (Write (Nearest A t m))) ->
  retypes_only req A -> on_schema n R -> In A G ->
  (forall r s, In r R -> In s R -> key G r = key G s -> is_affected (asserts req) R r = is_affected (asserts req) R s) ->
  (forall r s, In r R -> In s R -> value_at r A = value_at s A ->
     value_at (retype (retypes req) r) A = value_at (retype (retypes req) s) A) ->
  k_anonymous G k R -> k_anonymous G k (fst (step req (R, rho))).
Proof.
  intros HX HT HR HG whole converted. apply (merging_keeps_k_anonymity req (Write (Nearest A t m)) A); auto; [reflexivity|].
  intros r s IR IS E. apply rounded_alike; [|now apply converted]. now rewrite !length_retype, !HR.
Qed.

(** * PSEUDONYM *)

(** Of two values for each record: if they are equal in the same records, they are equally often distinct and frequent. *)
Section Pattern.
  Variable L : list (value * value).
  Hypothesis pattern : forall x y, In x L -> In y L -> fst x = fst y <-> snd x = snd y.

  Lemma same_distinct M : incl M L -> length (distinct (map fst M)) = length (distinct (map snd M)).
  Proof.
    unfold distinct. induction M as [|x M IH]; intro H; auto. assert (HX : In x L) by (apply H; now left).
    assert (HM : incl M L) by (intros y I; apply H; now right). cbn [map nodup].
    assert (E : In (fst x) (map fst M) <-> In (snd x) (map snd M)).
    { rewrite !in_map_iff. split; intros (y & E & I); exists y; split; auto; apply pattern; auto. }
    destruct (in_dec value_eq_dec (fst x) (map fst M)), (in_dec value_eq_dec (snd x) (map snd M)); try tauto; auto.
    cbn [length]. now rewrite IH.
  Qed.

  Lemma same_count x M : In x L -> incl M L ->
    count_occ value_eq_dec (map fst M) (fst x) = count_occ value_eq_dec (map snd M) (snd x).
  Proof.
    intro HX. induction M as [|y M IH]; intro H; auto. assert (HY : In y L) by (apply H; now left).
    assert (E := pattern y x HY HX). cbn [map count_occ]. rewrite IH by (intros z I; apply H; now right).
    destruct (value_eq_dec (fst y) (fst x)), (value_eq_dec (snd y) (snd x)); tauto.
  Qed.

  Lemma same_mode : mode_count (map fst L) = mode_count (map snd L).
  Proof.
    unfold mode_count. f_equal. rewrite !map_map. apply map_ext_in. intros x I. now apply same_count, incl_refl.
  Qed.
End Pattern.

Section Pseudonyms.
  (** p_K is an injective function of values: of the texts that the values of A have become. *)
  Variables (req : requirement) (p : text -> text) (A n : nat) (R : bag) (rho : trace).
  Let x := Write (Pseudonym A p).
  Let after := becomes req x R.
  Hypotheses (HX : acts req = Some (Certain x)) (HT : retypes_only req A) (HR : on_schema n R) (HN : A < n).
  Hypothesis always : asserts req = Always.
  Hypothesis injective : forall r s, In r R -> In s R ->
    p (text_of (get (retype (retypes req) r) A)) = p (text_of (get (retype (retypes req) s) A)) <-> value_at r A = value_at s A.

  Lemma after_is_pseudonym r : In r R -> value_at (after r) A = value_of (Text (p (text_of (get (retype (retypes req) r) A)))).
  Proof.
    intro I. unfold after, becomes. rewrite always. simpl. unfold label. apply value_at_update.
    now rewrite length_retype, HR.
  Qed.

  Lemma equal_pseudonyms r s : In r R -> In s R -> value_at (after r) A = value_at (after s) A <-> value_at r A = value_at s A.
  Proof.
    intros IR IS. rewrite !after_is_pseudonym, <- injective by auto. simpl.
    split; [now intros [= ->]|now intros ->].
  Qed.

  Lemma elsewhere r B : B <> A -> value_at (after r) B = value_at r B.
  Proof. intro N. now apply (becomes_alone req x A). Qed.

  (** Classes stay as they are, by A and by other columns. *)
  Theorem pseudonyms_keep_classes G r s : In r R -> In s R -> key G (after r) = key G (after s) <-> key G r = key G s.
  Proof.
    intros IR IS. assert (V : forall B, value_at (after r) B = value_at (after s) B <-> value_at r B = value_at s B).
    { intro B. destruct (Nat.eq_dec B A) as [->|N]; [now apply equal_pseudonyms|]. now rewrite !elsewhere. }
    split; intro E; apply key_ext; intros B I; apply V; now apply (key_at G).
  Qed.

  Lemma step_pseudonyms : Permutation (fst (step req (R, rho))) (map after R).
  Proof. exact (step_by_function req x A R rho HX eq_refl). Qed.

  (** Every fact about classes whose aggregate reads another column, or counts records. *)
  Theorem pseudonyms_keep_facts f W G U : ~ aggregates_column f A -> reads_key G U ->
    fact f (fun r => W (after r)) G (fun r => U (after r)) R -> fact f W G U (fst (step req (R, rho))).
  Proof.
    intros NA HU F. apply fact_permutation with (1 := Permutation_sym step_pseudonyms).
    apply carried_by_function with G; auto.
    - intros r _ _. apply (not_aggregated f A); auto. intros s B. apply elsewhere.
    - intros r s IR IS _ _. now apply pseudonyms_keep_classes.
    - intros r s IR IS _ _. now apply pseudonyms_keep_classes.
  Qed.

  (** The pseudonyms of a class are as many as its values, and the most frequent one has as many records: l-diversity and
      (α, k)-anonymity of A itself are kept. *)
  Theorem pseudonyms_keep_diversity f G r : f = CountDistinct A \/ f = ShareOfMode A -> In r R ->
    aggregated f (class G (map after R) (after r)) = aggregated f (class G R r).
  Proof.
    intros HF IR. assert (C : class G (map after R) (after r) = map after (class G R r)).
    { unfold class, group. rewrite filter_map. f_equal. apply filter_ext_in. intros s IS. apply eq_true_iff_eq.
      rewrite !has_key_true. now apply pseudonyms_keep_classes. }
    rewrite C. set (S := class G R r). set (L := map (fun s => (value_at (after s) A, value_at s A)) S).
    assert (F : column A (map after S) = map fst L) by (unfold column, L; now rewrite !map_map).
    assert (E : column A S = map snd L) by (unfold column, L; now rewrite map_map).
    assert (P : forall x y, In x L -> In y L -> fst x = fst y <-> snd x = snd y).
    { intros v w I J. apply in_map_iff in I as (s & <- & I). apply in_map_iff in J as (t & <- & J).
      apply in_class in I as [I _]. apply in_class in J as [J _]. now apply equal_pseudonyms. }
    destruct HF as [-> | ->]; simpl; rewrite F, E.
    - f_equal. now apply (same_distinct L), incl_refl.
    - unfold share_of_mode. now rewrite (same_mode L P), !map_length.
  Qed.

  Theorem pseudonyms_keep_k_anonymity G k : k_anonymous G k R -> k_anonymous G k (fst (step req (R, rho))).
  Proof.
    rewrite !k_anonymous_fact. intro F.
    apply (pseudonyms_keep_facts Count (fun _ => true) G (fun _ v => below (exact (integer k)) v)); auto.
    now intros r s v.
  Qed.
End Pseudonyms.
