(** docs/prove.md, sections 5 and 6: branches, the finer class, the requirement's own assertion, the check. *)
From Coq Require Import List Bool Permutation Lia.
From Acompass Require Import Bags Values Tables Syntax Results Assertions Actions Determinism Anonymity.
From Acompass Require Import Aggregates Facts Laws Histories Rules.
Import ListNotations.
Open Scope nat_scope.
Implicit Types (f : aggregate) (W : record -> bool) (G H : list attribute) (U : record -> value -> Prop).

(** * Branches (`_branches`) *)

(** A requirement about classes affects all records of a class by H that satisfy ψ, or none. *)
Theorem branches_each fs psi H phi R s : In s R -> let a := Each (Process fs psi H) phi in
  (forall t, In t R -> key H t = key H s -> is_affected a R t = false) \/
  (forall t, In t R -> key H t = key H s -> is_affected a R t = where_holds psi t).
Proof.
  intros I a. destruct (satisfies phi (aggregate_record fs H (where_filtered psi R) (key H s))) eqn:E.
  - left. intros t J K. unfold a, is_affected. rewrite affected_by_process_own, K, E by auto. apply andb_false_r.
  - right. intros t J K. unfold a, is_affected. rewrite affected_by_process_own, K, E by auto. apply andb_true_r.
Qed.

(** A SOME affects the whole table or nothing (D17). *)
Theorem branches_some P phi R : let a := Some_ P phi in
  (forall t, is_affected a R t = false) \/ (forall t, is_affected a R t = true).
Proof. intro a. unfold a, is_affected. destruct (holds (Some_ P phi) R); auto. Qed.

(** A requirement about records has a single branch. *)
Theorem branch_of_records psi phi R t :
  is_affected (Each Result phi) R t = negb (holds_of phi t) /\
  is_affected (Each (Filter psi) phi) R t = holds_of psi t && negb (holds_of phi t).
Proof. now split. Qed.

(** A fact holds if it holds in each branch, and each class is in one of them. *)
Theorem by_branch f W1 W2 W G U1 U2 U R :
  (forall s, In s R -> W s = true ->
     (forall t, In t R -> key G t = key G s -> W t = W1 t) /\ (forall v, U1 s v -> U s v) \/
     (forall t, In t R -> key G t = key G s -> W t = W2 t) /\ (forall v, U2 s v -> U s v)) ->
  fact f W1 G U1 R -> fact f W2 G U2 R -> fact f W G U R.
Proof.
  intros B F1 F2 s I HW.
  assert (K : forall W0, (forall t, In t R -> key G t = key G s -> W t = W0 t) ->
    class G (filter W R) s = class G (filter W0 R) s).
  { intros W0 E. unfold class, group. rewrite !filter_filter. apply filter_ext_in. intros t J.
    destruct (has_key G (key G s) t) eqn:F; [|now rewrite !andb_false_r]. apply has_key_true in F. now rewrite E. }
  destruct (B s I HW) as [[E HU]|[E HU]]; rewrite (K _ E); apply HU; [apply F1|apply F2]; auto; now rewrite <- E.
Qed.

(** * Rule of the finer class (`_refined`) *)

Theorem refined f W G H U R : reads_key G U -> kept_by_merging f U -> summable f R ->
  fact f W (G ++ H) U R -> fact f W G U R.
Proof.
  intros HU K E F. assert (Same : map snd (map (fun r => (r, r)) R) = R) by (rewrite map_map; apply map_id).
  assert (One : forall p, In p (map (fun r => (r, r)) R) -> fst p = snd p).
  { intros p I. now apply in_map_iff in I as (r & <- & _). }
  rewrite <- Same. apply regrouped with W (G ++ H) U; auto.
  - intros p I. now rewrite (One p I).
  - intros p I _. destruct f; simpl; now rewrite ?(One p I).
  - intros p q I J _ _. rewrite (One p I), (One q J). apply key_incl. intros A HA. apply in_or_app. now left.
  - intros p v I _. now rewrite (One p I).
  - now rewrite map_map, map_id.
  - now rewrite Same.
Qed.

(** * Rule of the requirement's own assertion (`_unkept`)

    The classes that are left alone satisfy the assertion. *)
Theorem is_kept f psi H phi R : let a := Each (Process [f] psi H) phi in
  fact f (fun r => negb (is_affected a R r) && where_holds psi r) H (allowed_by H phi) R.
Proof.
  intros a r I HW. apply andb_true_iff in HW as [N HW]. apply negb_true_iff in N.
  assert (E : class H (filter (fun r => negb (is_affected a R r) && where_holds psi r) R) r =
              class H (where_filtered psi R) r).
  { unfold class, group, where_filtered. rewrite !filter_filter. apply filter_ext_in. intros t J.
    destruct (has_key H (key H r) t) eqn:F; [|now rewrite !andb_false_r]. apply has_key_true in F.
    destruct (where_holds psi t) eqn:WT; [|now rewrite andb_false_r].
    replace (is_affected a R t) with false; auto. symmetry. rewrite <- N.
    unfold a, is_affected. rewrite !affected_by_process_own, F by auto. now rewrite WT, HW. }
  rewrite E. unfold a, is_affected in N. rewrite affected_by_process_own, HW in N by auto.
  now apply negb_false_iff in N.
Qed.

(** So a REJECT establishes its assertion, also one on several aggregates (`_attempt_established`): of the affected classes
    nothing is left. *)
Theorem reject_establishes fs psi H phi req R rho : asserts req = Each (Process fs psi H) phi ->
  acts req = Some (Certain Reject) -> retypes req = [] ->
  holds (asserts req) (fst (step req (R, rho))) = true.
Proof.
  intros HA HX HT. rewrite (holds_permutation _ _ _ (history_of_reject req R rho HX HT)), HA.
  apply holds_each_process. intros r I HW. apply filter_In in I as [I N]. apply negb_true_iff in N.
  unfold is_affected in N. rewrite affected_by_process_own, HW in N by auto. simpl in N. apply negb_false_iff in N.
  rewrite <- N. f_equal. unfold aggregate_record. f_equal. apply map_ext. intro f. f_equal.
  unfold group, where_filtered. rewrite !filter_filter. apply filter_ext_in. intros t J.
  destruct (has_key H (key H r) t) eqn:F; [|now rewrite !andb_false_r]. apply has_key_true in F.
  destruct (where_holds psi t) eqn:WT; [|now rewrite !andb_false_r]. rewrite !andb_true_r.
  apply negb_true_iff. unfold is_affected. rewrite affected_by_process_own, WT, F by auto. simpl.
  now apply negb_false_iff.
Qed.

(** * Rule of the check (`_before_check`)

    A check leaves the table as it is. Where it is known to hold, its fact is known. *)
Theorem is_checked f psi H phi req R rho : asserts req = Each (Process [f] psi H) phi ->
  acts req = None -> retypes req = [] -> holds (asserts req) R = true ->
  fst (step req (R, rho)) = R /\ fact f (where_holds psi) H (allowed_by H phi) R.
Proof.
  intros HA HX HT K. rewrite history_of_check by auto. rewrite HT. split; [apply map_id|].
  apply class_assertion_one. now rewrite <- HA.
Qed.
