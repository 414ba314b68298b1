(** Theorem 1, determinism, and Theorem 2, sequential composition.

    Any function of lists is deterministic. The theorem is about bags: lists that represent the same bag are mapped to
    lists that represent the same bag, and the same trace is left. *)
From Coq Require Import List ZArith Bool Permutation QArith Qcanon Lia.
From Acompass Require Import Order Bags Values Tables Syntax Results Assertions Actions.
Import ListNotations.
Open Scope nat_scope.

(** * Aggregates and results are functions of the bag *)

Lemma sum_permutation vs vs' :
  Permutation vs vs' -> fold_right Qcplus 0%Qc (map number_of vs) = fold_right Qcplus 0%Qc (map number_of vs').
Proof. induction 1; simpl; try congruence. rewrite !Qcplus_assoc. f_equal. apply Qcplus_comm. Qed.

Lemma total_permutation vs vs' : Permutation vs vs' -> total vs = total vs'.
Proof.
  intro P. unfold total. rewrite (existsb_permutation _ _ _ P), (sum_permutation _ _ P).
  now rewrite (sort_of_bag _ order_value _ _ P).
Qed.

Lemma distinct_permutation vs vs' : Permutation vs vs' -> Permutation (distinct vs) (distinct vs').
Proof.
  intro P. apply NoDup_Permutation; try apply NoDup_nodup. intro v. unfold distinct. rewrite !nodup_In.
  split; apply Permutation_in; auto using Permutation_sym.
Qed.

Lemma order_descending : total_order descending.
Proof.
  constructor; intros *; unfold descending.
  - rewrite (compare_eq order_Qc). split; congruence.
  - apply (compare_opp order_Qc).
  - intros H K. now apply (compare_trans order_Qc) with y.
Qed.

Lemma sum_of_permutation qs qs' : Permutation qs qs' -> sum_of qs = sum_of qs'.
Proof. unfold sum_of. induction 1; simpl; try congruence. rewrite !Qcplus_assoc. f_equal. apply Qcplus_comm. Qed.

Lemma share_of_largest_permutation n vs vs' : Permutation vs vs' -> share_of_largest n vs = share_of_largest n vs'.
Proof.
  intro P. assert (Q : Permutation (amounts vs) (amounts vs')).
  { unfold amounts. rewrite (existsb_permutation _ _ _ P). now apply Permutation_map. }
  unfold share_of_largest, largest. now rewrite (sum_of_permutation _ _ Q), (sort_of_bag _ order_descending _ _ Q).
Qed.

Lemma maximum_permutation ns ns' : Permutation ns ns' -> fold_right Nat.max 0 ns = fold_right Nat.max 0 ns'.
Proof. induction 1; simpl; try congruence; lia. Qed.

Lemma mode_count_permutation vs vs' : Permutation vs vs' -> mode_count vs = mode_count vs'.
Proof.
  intro P. unfold mode_count. rewrite (map_ext _ _ (proj1 (Permutation_count_occ value_eq_dec vs vs') P)).
  now apply maximum_permutation, Permutation_map.
Qed.

Lemma share_of_mode_permutation vs vs' : Permutation vs vs' -> share_of_mode vs = share_of_mode vs'.
Proof. intro P. unfold share_of_mode. now rewrite (mode_count_permutation _ _ P), (Permutation_length P). Qed.

Lemma aggregated_permutation f R R' : Permutation R R' -> aggregated f R = aggregated f R'.
Proof.
  intro P. assert (C : forall B, Permutation (column B R) (column B R')) by (intro; now apply Permutation_map).
  destruct f; simpl.
  - now apply total_permutation.
  - unfold minimum. now rewrite (sort_of_bag _ order_value _ _ (C B)).
  - unfold maximum. now rewrite (sort_of_bag _ order_value _ _ (C B)).
  - now rewrite (Permutation_length P).
  - now rewrite (Permutation_length (distinct_permutation _ _ (C B))).
  - now apply share_of_largest_permutation.
  - now apply share_of_mode_permutation.
  - unfold reference_total. now rewrite (order_of_bag _ _ P).
Qed.

Lemma keys_permutation G R R' : Permutation R R' -> Permutation (keys G R) (keys G R').
Proof.
  intro P. apply NoDup_Permutation; try apply NoDup_nodup. intro g. unfold keys. rewrite !nodup_In.
  split; apply Permutation_in; now apply Permutation_map; auto using Permutation_sym.
Qed.

Lemma aggregate_record_permutation f G R R' g :
  Permutation R R' -> aggregate_record f G R g = aggregate_record f G R' g.
Proof.
  intro P. unfold aggregate_record. f_equal. apply map_ext. intro each.
  now apply aggregated_permutation, filter_permutation.
Qed.

Lemma process_permutation f psi G R R' : Permutation R R' -> Permutation (process f psi G R) (process f psi G R').
Proof.
  intro P. apply (filter_permutation (where_holds psi)) in P. unfold process.
  rewrite (map_ext _ _ (fun g => aggregate_record_permutation f G _ _ g P)).
  now apply Permutation_map, keys_permutation.
Qed.

Lemma result_permutation P R R' : Permutation R R' -> Permutation (result_of P R) (result_of P R').
Proof.
  intro H. destruct P; simpl.
  - now apply Permutation_map.
  - now apply Permutation_map, filter_permutation.
  - now apply process_permutation.
Qed.

Lemma holds_permutation a R R' : Permutation R R' -> holds a R = holds a R'.
Proof.
  intro H. destruct a; simpl; [apply forallb_permutation|apply existsb_permutation]; now apply result_permutation.
Qed.

Lemma AFF_permutation a R R' : Permutation R R' -> Permutation (AFF R a) (AFF R' a).
Proof.
  intro H. unfold AFF. apply perm_trans with (filter (is_affected a R) R'); [now apply filter_permutation|].
  rewrite (filter_ext_in (is_affected a R) (is_affected a R')); auto.
  intros r I. destruct a as [[|psi|f psi G] phi|]; auto; unfold is_affected.
  - rewrite !affected_by_process_own; auto; [|now apply Permutation_in with R'; [apply Permutation_sym|]].
    unfold where_filtered. now rewrite (aggregate_record_permutation f G _ _ (key G r) (filter_permutation _ _ _ H)).
  - now rewrite (holds_permutation _ _ _ H).
Qed.

(** * Actions are functions of the bags *)

Definition same_state (s s' : state) : Prop := Permutation (fst s) (fst s') /\ snd s = snd s'.

Lemma order_compare_by A : total_order (compare_by A).
Proof.
  apply (order_by_key (fun r => (value_at r A, r))); [|now intros x y [= _ ->]].
  apply order_pair; [apply order_value|apply order_record].
Qed.

Lemma rewritten_permutation x rho V V' : Permutation V V' -> same_state (rewritten x rho V) (rewritten x rho V').
Proof.
  intro K. destruct x; split; simpl; auto using Permutation_map; try (rewrite (Permutation_length K); reflexivity).
  - unfold add_random. now rewrite (order_of_bag _ _ K).
  - unfold microaggregate. now rewrite (sort_of_bag _ (order_compare_by A) _ _ K), (Permutation_length K).
Qed.

Lemma perform_plain_permutation x R R' rho V V' : Permutation R R' -> Permutation V V' ->
  same_state (perform_plain x R rho V) (perform_plain x R' rho V').
Proof.
  intros H K. assert (M : Permutation (minus R V) (minus R' V')) by now apply difference_permutation.
  destruct x; split; simpl; auto; try (rewrite (Permutation_length K); reflexivity).
  - now apply Permutation_app; [|apply Permutation_map].
  - unfold redraw. rewrite (order_of_bag _ _ K). now apply Permutation_app_tail.
  - unfold redraw. rewrite (order_of_bag _ _ K). now apply Permutation_app_tail.
  - now apply Permutation_app; [|apply Permutation_map].
  - now apply Permutation_map.
  - destruct (rewritten_permutation x rho V V' K). unfold perform_write. destruct (rewritten x rho V), (rewritten x rho V').
    now apply Permutation_app.
  - destruct (rewritten_permutation x rho V V' K). unfold perform_write. now destruct (rewritten x rho V), (rewritten x rho V').
Qed.

Lemma perform_permutation x R R' rho V V' : Permutation R R' -> Permutation V V' ->
  same_state (perform x R rho V) (perform x R' rho V').
Proof.
  intros H K. destruct x as [x|q x]; simpl; [now apply perform_plain_permutation|].
  unfold drawn. rewrite (order_of_bag _ _ K), (Permutation_length K). now apply perform_plain_permutation.
Qed.

(** * Theorem 1, determinism *)

Theorem determinism r R R' rho : Permutation R R' -> same_state (step r (R, rho)) (step r (R', rho)).
Proof.
  intro H. unfold step. assert (C : same_state (map (retype (retypes r)) R, rho) (map (retype (retypes r)) R', rho)).
  { split; simpl; auto. now apply Permutation_map. }
  destruct (acts r) as [x|]; auto. rewrite (holds_permutation (asserts r) _ _ H).
  destruct (holds (asserts r) R'); auto.
  apply perform_permutation; apply Permutation_map; auto. now apply AFF_permutation.
Qed.

(** The state [s] is ⟦r⟧(R, ρ), whatever list stands for the bag R. *)
Definition meaning (r : requirement) (R : bag) (rho : trace) (s : state) : Prop :=
  exists R0, Permutation R R0 /\ same_state (step r (R0, rho)) s.

(** As the paper has it: there is exactly one such state. *)
Theorem determinism_unique r R rho :
  exists s, meaning r R rho s /\ forall s', meaning r R rho s' -> same_state s s'.
Proof.
  exists (step r (R, rho)). split; [exists R; now repeat split|].
  intros s' (R0 & P & [E F]). destruct (determinism r R R0 rho P) as [E' F'].
  split; [now apply perm_trans with (fst (step r (R0, rho)))|now transitivity (snd (step r (R0, rho)))].
Qed.

Corollary determinism_of_programs p : forall s s', same_state s s' -> same_state (run p s) (run p s').
Proof.
  induction p as [|r p IH]; intros [R rho] [R' rho'] [H E]; simpl in *; [now split|].
  subst rho'. apply IH. now apply determinism.
Qed.

(** * Theorem 2, sequential composition *)

Definition compose (fs : list (state -> state)) : state -> state :=
  fold_left (fun composed f s => f (composed s)) fs (fun s => s).

Theorem sequential_composition (p : program) s : run p s = compose (map step p) s.
Proof.
  unfold run, compose. change s with ((fun s : state => s) s) at 1.
  generalize (fun s : state => s) as first. induction p as [|r p IH]; intro first; simpl; auto.
  apply (IH (fun s => step r (first s))).
Qed.

Corollary run_app p q s : run (p ++ q) s = run q (run p s).
Proof. apply fold_left_app. Qed.
