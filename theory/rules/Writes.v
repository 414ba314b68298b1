(** docs/prove.md, section 6: the rules of the irrelevant column, the WHERE, the merge and the merge of labels, for
    actions that rewrite a record by a function: REPLACE, GENERALIZE, PSEUDONYM. *)
From Coq Require Import List ZArith Bool Permutation Lia.
From Acompass Require Import Order Bags Texts Values Tables Syntax Results Assertions Actions Determinism Anonymity Aggregates.
From Acompass Require Import Facts Laws Histories Rules.
Import ListNotations.
Open Scope nat_scope.
Implicit Types (f : aggregate) (W : record -> bool) (G : list attribute) (U : record -> value -> Prop).

(** * The table after, as a function of each record *)

Definition rewrite_of (x : plain) (r : record) : record :=
  match x with
  | Replace A a => update r A a
  | Generalize A g | Write (Pseudonym A g) => label A g r
  | Write (Nearest A t n) => round_to A t n r
  | _ => r
  end.

(** The column that a function rewrites *)
Definition rewrites (x : plain) (A : attribute) : Prop :=
  match x with
  | Replace B _ | Generalize B _ | Write (Pseudonym B _) | Write (Nearest B _ _) => A = B
  | _ => False
  end.

(** What becomes of a record of R *)
Definition becomes (req : requirement) (x : plain) (R : bag) (r : record) : record :=
  if is_affected (asserts req) R r then rewrite_of x (retype (retypes req) r) else retype (retypes req) r.

Theorem step_by_function req x A R rho : acts req = Some (Certain x) -> rewrites x A ->
  Permutation (fst (step req (R, rho))) (map (becomes req x R) R).
Proof.
  intros HX HA. unfold step. rewrite HX. set (h := retype (retypes req)). destruct (holds (asserts req) R) eqn:H.
  - simpl. rewrite (map_ext_in (becomes req x R) h); auto. intros r I. unfold becomes.
    now rewrite (holds_affects_none _ _ _ H I).
  - assert (P : Permutation (fst (perform (Certain x) (map h R) rho (map h (AFF R (asserts req)))))
      (map h (minus R (AFF R (asserts req))) ++ map (fun r => rewrite_of x (h r)) (AFF R (asserts req)))).
    { rewrite <- (map_map h (rewrite_of x)).
      destruct x as [| | | | | |[]]; try easy; apply Permutation_app_tail, difference_map, AFF_subset. }
    apply perm_trans with (1 := P). set (aff := is_affected (asserts req) R).
    apply perm_trans with (map (becomes req x R) (filter (fun r => negb (aff r)) R ++ filter aff R));
      [|apply Permutation_sym, Permutation_map, partition_permutation].
    rewrite map_app. apply Permutation_app.
    + rewrite (map_ext_in (becomes req x R) h).
      * apply Permutation_map. apply difference_filter.
      * intros r I. apply filter_In in I as [_ I]. unfold becomes. fold aff. now destruct (aff r).
    + unfold AFF. fold aff. rewrite (map_ext_in (becomes req x R) (fun r => rewrite_of x (h r))); auto.
      intros r I. apply filter_In in I as [_ I]. unfold becomes. fold aff. now rewrite I.
Qed.

(** * Tracing back through a function *)

Section Function.
  Variables (f : aggregate) (R : bag) (h : record -> record) (W : record -> bool) (G G1 : list attribute).
  Variable U : record -> value -> Prop.
  Hypothesis reads : reads_key G U.
  Hypothesis same : forall r, In r R -> W (h r) = true -> aggregates_the_same f (r, h r).
  Hypothesis as_a_whole : forall r s, In r R -> In s R -> W (h r) = true -> W (h s) = true ->
    key G1 r = key G1 s -> key G (h r) = key G (h s).

  Let L := map (fun r => (r, h r)) R.

  Lemma in_history p : In p L -> In (fst p) R /\ p = (fst p, h (fst p)).
  Proof. intro I. apply in_map_iff in I as (r & <- & I). now split. Qed.

  Lemma history_before : map fst L = R. Proof. unfold L. rewrite map_map. apply map_id. Qed.
  Lemma history_after : map snd L = map h R. Proof. unfold L. now rewrite map_map. Qed.

  Theorem merged_by_function : kept_by_merging f U -> summable f (map h R) ->
    fact f (fun r => W (h r)) G1 (fun r => U (h r)) R -> fact f W G U (map h R).
  Proof.
    intros K E F. rewrite <- history_after in *.
    apply (regrouped f L W (fun r => W (h r)) G G1 U (fun r => U (h r))); try assumption.
    - intros p I. now apply in_history in I as [_ ->].
    - intros p I HW. apply in_history in I as [I E']. rewrite E' in *. now apply same.
    - intros p q I J. apply in_history in I as [I ->]. apply in_history in J as [J ->]. now apply as_a_whole.
    - intros p v I HW. now apply in_history in I as [_ ->].
    - now rewrite history_before.
  Qed.

  Theorem carried_by_function :
    (forall r s, In r R -> In s R -> W (h r) = true -> W (h s) = true -> key G (h r) = key G (h s) -> key G1 r = key G1 s) ->
    fact f (fun r => W (h r)) G1 (fun r => U (h r)) R -> fact f W G U (map h R).
  Proof.
    intros apart F. rewrite <- history_after in *.
    apply (carried_back f L W (fun r => W (h r)) G G1 U (fun r => U (h r))); try assumption.
    - intros p I. now apply in_history in I as [_ ->].
    - intros p I HW. apply in_history in I as [I E']. rewrite E' in *. now apply same.
    - intros p q I J. apply in_history in I as [I ->]. apply in_history in J as [J ->]. now apply as_a_whole.
    - intros p v I HW. now apply in_history in I as [_ ->].
    - now rewrite history_before.
    - intros p q I J. apply in_history in I as [I ->]. apply in_history in J as [J ->]. now apply apart.
  Qed.
End Function.

(** * The rules

    [h] writes the column A alone, D12 included. *)

Definition aggregates_column f (A : attribute) : Prop :=
  match f with
  | Count => False
  | Sum B | Min B | Max B | CountDistinct B | ShareOfLargest _ B | ShareOfMode B => A = B
  | InReference _ _ _ => True
  end.

Section Column.
  Variables (f : aggregate) (A : attribute) (R : bag) (h : record -> record).
  Hypothesis alone : forall r B, B <> A -> value_at (h r) B = value_at r B.

  Lemma not_aggregated r : ~ aggregates_column f A -> aggregates_the_same f (r, h r).
  Proof. destruct f; simpl; auto; intro N; try (now elim N); apply alone; congruence. Qed.

  Lemma key_elsewhere G r : ~ In A G -> key G (h r) = key G r.
  Proof. intro N. apply key_ext. intros B I. apply alone. congruence. Qed.

  (** Rule of the irrelevant column (`carried_back`): the fact does not read A. *)
  Theorem irrelevant_column W G U : ~ In A G -> ~ aggregates_column f A -> reads_key G U ->
    (forall r, In r R -> W (h r) = W r) -> fact f W G U R -> fact f W G U (map h R).
  Proof.
    intros NG NA HU HW F. apply carried_by_function with G; auto using not_aggregated.
    - intros. now rewrite !key_elsewhere.
    - intros r s _ _ _ _. now rewrite !key_elsewhere.
    - intros r I HR. apply (HU r); [now rewrite key_elsewhere|].
      rewrite (filter_ext_in (fun r => W (h r)) W R HW). apply F; auto. now rewrite <- HW.
  Qed.

  (** Rule of the WHERE (`before_write`): W selects a record that is rewritten if it selects the new one. *)
  Theorem before_write W G U : ~ In A G -> ~ aggregates_column f A -> reads_key G U ->
    fact f (fun r => W (h r)) G U R -> fact f W G U (map h R).
  Proof.
    intros NG NA HU F. apply carried_by_function with G; auto using not_aggregated.
    - intros. now rewrite !key_elsewhere.
    - intros r s _ _ _ _. now rewrite !key_elsewhere.
    - intros r I HR. apply (HU r); [now rewrite key_elsewhere|]. now apply F.
  Qed.

  (** Rules of the merge (`_regrouped`) and of the merge of labels (`_joined`). The columns of G₁ decide what the new A is:
      which records are rewritten, and their A, which is all that a label depends on. *)
  Theorem joined W G G1 U : incl G G1 -> ~ aggregates_column f A -> reads_key G U -> kept_by_merging f U ->
    summable f (map h R) ->
    (forall r s, In r R -> In s R -> W (h r) = true -> W (h s) = true ->
       key G1 r = key G1 s -> value_at (h r) A = value_at (h s) A) ->
    fact f (fun r => W (h r)) G1 (fun r => U (h r)) R -> fact f W G U (map h R).
  Proof.
    intros I NA HU K E D F. apply merged_by_function with G1; auto using not_aggregated.
    intros r s HR HS WR WS KE. apply key_ext. intros B HB. destruct (Nat.eq_dec B A) as [->|N]; [now apply D|].
    rewrite !alone by auto. apply (key_at G1); auto.
  Qed.
End Column.

(** * For requirements, with the change of type that the written column may have (D12) *)

Definition retypes_only (req : requirement) (A : attribute) : Prop := forall B t, In (B, t) (retypes req) -> B = A.

Lemma retype_alone ts A B : (forall C t, In (C, t) ts -> C = A) -> B <> A ->
  forall r, value_at (retype ts r) B = value_at r B.
Proof.
  unfold retype. induction ts as [|[C t] ts IH]; intros H N r; auto. cbn [fold_left].
  rewrite IH; auto; [|intros D u I; apply (H D u); now right].
  rewrite (H C t) by now left. apply value_at_update_other. congruence.
Qed.

Lemma length_retype ts : forall r, length (retype ts r) = length r.
Proof.
  unfold retype. induction ts as [|[C t] ts IH]; intro r; auto. cbn [fold_left]. rewrite IH. apply length_update.
Qed.

Lemma becomes_alone req x A R r B : retypes_only req A -> rewrites x A -> B <> A ->
  value_at (becomes req x R r) B = value_at r B.
Proof.
  intros HT HA N. rewrite <- (retype_alone (retypes req) A B HT N r). unfold becomes.
  destruct (is_affected _ R r); auto. destruct x as [| | | | | |[]]; simpl in HA; try easy; subst; simpl;
    unfold label, round_to; apply value_at_update_other; congruence.
Qed.

Lemma value_at_updated r s A a : length r = length s -> value_at r A = value_at s A ->
  value_at (update r A a) A = value_at (update s A a) A.
Proof.
  intros Len V. destruct (Nat.lt_ge_cases A (length r)); [now rewrite !value_at_update by lia|].
  now rewrite !update_outside by lia.
Qed.

(** REPLACE of a column of G keeps what unions keep, if the columns of G₁ decide which records it rewrites, and equal
    values stay equal where the type changes. *)
Corollary regrouped_replace req A a f W G G1 U R rho n : acts req = Some (Certain (Replace A a)) -> retypes_only req A ->
  on_schema n R -> incl G G1 -> In A G -> ~ aggregates_column f A -> reads_key G U -> kept_by_merging f U ->
  summable f (map (becomes req (Replace A a) R) R) ->
  (forall r s, In r R -> In s R -> key G1 r = key G1 s -> is_affected (asserts req) R r = is_affected (asserts req) R s) ->
  (forall r s, In r R -> In s R -> value_at r A = value_at s A ->
     value_at (retype (retypes req) r) A = value_at (retype (retypes req) s) A) ->
  fact f (fun r => W (becomes req (Replace A a) R r)) G1 (fun r => U (becomes req (Replace A a) R r)) R ->
  fact f W G U (fst (step req (R, rho))).
Proof.
  intros HX HT S I IA NA HU K E D equal F.
  apply fact_permutation with (1 := Permutation_sym (step_by_function req _ A R rho HX eq_refl)).
  apply joined with A G1; auto; [intros r B N; now apply (becomes_alone req _ A)|].
  intros r s HR HS _ _ KE. unfold becomes. rewrite (D r s) by auto.
  assert (V : value_at (retype (retypes req) r) A = value_at (retype (retypes req) s) A).
  { apply equal; auto. apply (key_at G1); auto. }
  destruct (is_affected _ R s); auto. apply value_at_updated; auto. now rewrite !length_retype, !(S _).
Qed.

(** ALWAYS : GENERALIZE keeps k-anonymity, if equal values have equal texts (`_labels_equal_values_alike`). *)
Corollary generalization_keeps_k_anonymity req A g G k R rho n :
  asserts req = Always -> acts req = Some (Certain (Generalize A g)) -> retypes_only req A -> on_schema n R -> In A G ->
  (forall r s, In r R -> In s R -> value_at r A = value_at s A ->
     text_of (get (retype (retypes req) r) A) = text_of (get (retype (retypes req) s) A)) ->
  (forall r s, In r R -> In s R -> value_at r A = value_at s A ->
     value_at (retype (retypes req) r) A = value_at (retype (retypes req) s) A) ->
  k_anonymous G k R -> k_anonymous G k (fst (step req (R, rho))).
Proof.
  intros HA HX HT S IA alike equal H. set (U := fun (_ : record) v => below (exact (integer k)) v).
  assert (Facts : forall R, k_anonymous G k R <-> fact Count (fun _ => true) G U R).
  { intro R0. unfold k_anonymous, fact, U. rewrite filter_all by auto. simpl. unfold number_of_records, below, at_most.
    split; intros K r I; [intros _|]; specialize (K r I).
    - rewrite compare_integers, Z.compare_gt_iff. lia.
    - specialize (K eq_refl). rewrite compare_integers, Z.compare_gt_iff in K. lia. }
  rewrite Facts in *. apply fact_permutation with (1 := Permutation_sym (step_by_function req _ A R rho HX eq_refl)).
  apply joined with A G; auto.
  - intros r B N. now apply (becomes_alone req _ A).
  - apply incl_refl.
  - intros r s v _. auto.
  - apply is_kept_by_merging_count. intros r v w L K. now apply below_trans with v.
  - simpl. auto.
  - intros r s HR HS _ _ KE. assert (V := key_at G r s KE A IA). unfold becomes. rewrite HA. simpl. unfold label.
    rewrite (alike r s) by auto. apply value_at_updated; auto. now rewrite !length_retype, !(S _).
Qed.
