(** Theorem 6, RANDOM soundness with respect to outlier treatment. *)
From Coq Require Import List ZArith QArith Qround Bool Permutation Lia.
From Acompass Require Import Order Bags Values Tables Syntax Actions.
Import ListNotations.
Open Scope nat_scope.

(** random(l, u, ρ) ∈ [l, u] *)
Lemma random_between l u rho : (l <= u)%Z -> (0 <= rho)%Q -> (rho < 1)%Q -> (l <= random l u rho <= u)%Z.
Proof.
  intros H low high. unfold random. set (w := (u - l + 1)%Z). assert (W : (0 < w)%Z) by lia.
  assert (A : (0 <= Qfloor (rho * inject_Z w))%Z).
  { apply (Qfloor_resp_le 0). apply Qmult_le_0_compat; auto. unfold Qle; simpl; lia. }
  assert (B : (rho * inject_Z w < inject_Z w)%Q).
  { setoid_replace (inject_Z w) with (1 * inject_Z w)%Q at 2 by ring.
    apply Qmult_lt_compat_r; auto. unfold Qlt; simpl; lia. }
  pose proof (Qfloor_le (rho * inject_Z w)) as C. pose proof (Qle_lt_trans _ _ _ C B) as D.
  rewrite <- Zlt_Qlt in D. lia.
Qed.

Lemma with_trace_nth rs : forall rho i r,
  nth_error rs i = Some r -> nth_error (with_trace rho rs) i = Some (r, rho i).
Proof.
  induction rs as [|s rs IH]; intros rho [|i] r H; try discriminate; simpl in *; [congruence|].
  now rewrite (IH (tail 1 rho) i r H).
Qed.

Lemma map_fst_with_trace rs : forall rho, map fst (with_trace rho rs) = rs.
Proof. induction rs as [|r rs IH]; intro rho; simpl; auto. now rewrite IH. Qed.

Lemma redraw_nth A draw rho V i r : nth_error (order V) i = Some r ->
  nth_error (redraw A draw rho V) i = Some (update r A (draw (rho i))).
Proof.
  intro H. unfold redraw. apply with_trace_nth with (rho := rho) in H.
  now rewrite (map_nth_error (fun '(r, rho_i) => update r A (draw rho_i)) i _ H).
Qed.

(** Theorem 6. The i-th record r of order(V) becomes r', which is in R'. Its A is another value, unless it was in [l, u]
    and is drawn again. A is a column of integers (docs/paper.md, 34). *)
Theorem random_soundness n R V A l u rho : on_schema n R -> A < n -> subset V R ->
  (l <= u)%Z -> in_unit_interval rho ->
  forall i r, nth_error (order V) i = Some r ->
  exists r', nth_error (redraw A (fun x => convert Unchanged (Integer (random l u x))) rho V) i = Some r' /\
    In r' (fst (perform_plain (Random A Unchanged l u) R rho V)) /\
    (value_at r' A <> value_at r A \/
     exists z, value_at r A = exact (integer z) /\ (l <= z <= u)%Z /\ random l u (rho i) = z).
Proof.
  intros S HA HV L unit i r H. exists (update r A (Integer (random l u (rho i)))).
  pose proof (redraw_nth A (fun x => convert Unchanged (Integer (random l u x))) rho V i r H) as E.
  split; [exact E|split; [apply in_or_app; right; now apply nth_error_In with i|]].
  assert (I : In r V) by (apply (Permutation_in _ (proj1 (order_is_canonical V))); now apply nth_error_In with i).
  rewrite value_at_update by (rewrite (S r); auto; now apply (sub_bag_in record_eq_dec V R)).
  destruct (value_eq_dec (value_at r A) (exact (integer (random l u (rho i))))) as [same|other]; [right|left].
  - exists (random l u (rho i)). split; auto. split; auto. apply random_between; auto; apply unit.
  - intro same. elim other. now rewrite <- same.
Qed.
