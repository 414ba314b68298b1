(** Section 4.1: bags as lists up to permutation, with the paper's operations on multiplicities. *)
From Coq Require Import List Bool Permutation PeanoNat Lia.
Import ListNotations.

(** * Selections *)

Lemma filter_permutation {X} (p : X -> bool) R R' : Permutation R R' -> Permutation (filter p R) (filter p R').
Proof.
  induction 1 as [|x R R' _ IH|x y R|R1 R2 R3 _ IH _ IH']; simpl; auto.
  - destruct (p x); auto.
  - destruct (p x), (p y); auto. constructor.
  - now apply perm_trans with (filter p R2).
Qed.

Lemma filter_all {X} (p : X -> bool) R : (forall x, In x R -> p x = true) -> filter p R = R.
Proof.
  induction R as [|x R IH]; simpl; intro H; auto. rewrite (H x); auto. now rewrite IH; auto.
Qed.

Lemma filter_none {X} (p : X -> bool) R : (forall x, In x R -> p x = false) -> filter p R = [].
Proof. induction R as [|x R IH]; simpl; intro H; auto. rewrite (H x); auto. Qed.

Lemma filter_filter {X} (p q : X -> bool) R : filter p (filter q R) = filter (fun x => q x && p x) R.
Proof.
  induction R as [|x R IH]; simpl; auto. destruct (q x); simpl; [destruct (p x)|]; now rewrite IH.
Qed.

Lemma filter_comm {X} (p q : X -> bool) R : filter p (filter q R) = filter q (filter p R).
Proof. rewrite !filter_filter. apply filter_ext. intro. apply andb_comm. Qed.

Lemma partition_permutation {X} (p : X -> bool) R :
  Permutation R (filter (fun x => negb (p x)) R ++ filter p R).
Proof.
  induction R as [|x R IH]; simpl; auto. destruct (p x); simpl; [|now constructor].
  apply Permutation_cons_app. exact IH.
Qed.

Lemma filter_map {X Y} (p : Y -> bool) (f : X -> Y) R : filter p (map f R) = map f (filter (fun x => p (f x)) R).
Proof. induction R as [|x R IH]; simpl; auto. destruct (p (f x)); simpl; now rewrite IH. Qed.

Lemma forallb_permutation {X} (p : X -> bool) R R' : Permutation R R' -> forallb p R = forallb p R'.
Proof.
  intro P. apply eq_true_iff_eq. rewrite !forallb_forall.
  split; intros H x I; apply H; eauto using Permutation_in, Permutation_sym.
Qed.

Lemma existsb_permutation {X} (p : X -> bool) R R' : Permutation R R' -> existsb p R = existsb p R'.
Proof.
  intro P. apply eq_true_iff_eq. rewrite !existsb_exists.
  split; intros (x & I & H); exists x; eauto using Permutation_in, Permutation_sym.
Qed.

(** * Multiplicities *)

Section Multiplicity.
  Context {X : Type} (eq_dec : forall x y : X, {x = y} + {x <> y}).

  (** #(r, R) *)
  Definition multiplicity (r : X) (R : list X) : nat := count_occ eq_dec R r.

  (** R − V: each record of V takes away one copy. *)
  Fixpoint without (r : X) (R : list X) : list X :=
    match R with
    | [] => []
    | s :: R' => if eq_dec r s then R' else s :: without r R'
    end.
  Definition difference (R V : list X) : list X := fold_right without R V.

  (** S ⊆ R *)
  Definition sub_bag (S R : list X) : Prop := forall r, multiplicity r S <= multiplicity r R.

  Lemma bag_equality R R' : Permutation R R' <-> forall r, multiplicity r R = multiplicity r R'.
  Proof. apply Permutation_count_occ. Qed.

  Lemma multiplicity_union r R S : multiplicity r (R ++ S) = multiplicity r R + multiplicity r S.
  Proof. apply count_occ_app. Qed.

  Lemma multiplicity_without r s R :
    multiplicity r (without s R) = multiplicity r R - if eq_dec s r then 1 else 0.
  Proof.
    unfold multiplicity. induction R as [|t R IH]; simpl; [now destruct (eq_dec s r)|].
    destruct (eq_dec s t) as [->|N]; [destruct (eq_dec t r); lia|].
    simpl. destruct (eq_dec t r) as [->|]; rewrite IH; auto.
    destruct (eq_dec s r); [contradiction|lia].
  Qed.

  (** #(r, R − V) = max(#(r, R) − #(r, V), 0) *)
  Lemma multiplicity_difference r R V :
    multiplicity r (difference R V) = multiplicity r R - multiplicity r V.
  Proof.
    induction V as [|s V IH]; simpl; [unfold multiplicity; simpl; lia|].
    rewrite multiplicity_without, IH. unfold multiplicity; simpl. destruct (eq_dec s r); lia.
  Qed.

  Lemma multiplicity_filter p r R : multiplicity r (filter p R) = if p r then multiplicity r R else 0.
  Proof.
    unfold multiplicity. induction R as [|s R IH]; simpl; [now destruct (p r)|].
    destruct (p s) eqn:E; simpl; destruct (eq_dec s r) as [->|]; rewrite IH; try rewrite E; auto.
  Qed.

  (** #(r, ε(R)) = min(#(r, R), 1) *)
  Lemma multiplicity_distinct r R : multiplicity r (nodup eq_dec R) = Nat.min (multiplicity r R) 1.
  Proof.
    unfold multiplicity. pose proof (NoDup_nodup eq_dec R) as N. rewrite (NoDup_count_occ eq_dec) in N.
    specialize (N r). destruct (in_dec eq_dec r R) as [I|I].
    - pose proof (proj1 (count_occ_In eq_dec _ _) I).
      pose proof (proj1 (count_occ_In eq_dec _ _) (proj2 (nodup_In eq_dec R r) I)). lia.
    - rewrite (proj1 (count_occ_not_In eq_dec R r) I).
      rewrite (proj1 (count_occ_not_In eq_dec _ r)); auto. now rewrite nodup_In.
  Qed.

  Lemma in_multiplicity r R : In r R <-> 0 < multiplicity r R.
  Proof. unfold multiplicity. rewrite (count_occ_In eq_dec). lia. Qed.

  Lemma difference_permutation R R' V V' :
    Permutation R R' -> Permutation V V' -> Permutation (difference R V) (difference R' V').
  Proof. rewrite !bag_equality. intros H K r. now rewrite !multiplicity_difference, H, K. Qed.

  Lemma difference_filter p R : Permutation (difference R (filter p R)) (filter (fun r => negb (p r)) R).
  Proof.
    apply bag_equality. intro r. rewrite multiplicity_difference, !multiplicity_filter.
    destruct (p r); simpl; lia.
  Qed.

  Lemma sub_bag_filter p R : sub_bag (filter p R) R.
  Proof. intro r. rewrite multiplicity_filter. destruct (p r); lia. Qed.

  Lemma sub_bag_filters p S R : sub_bag S R -> sub_bag (filter p S) (filter p R).
  Proof. intros H r. rewrite !multiplicity_filter. destruct (p r); auto. Qed.

  Lemma sub_bag_in S R r : sub_bag S R -> In r S -> In r R.
  Proof. rewrite !in_multiplicity. intro H. specialize (H r). lia. Qed.

  (** If V ⊆ R, then R = (R − V) ∪ V. *)
  Lemma difference_union R V : sub_bag V R -> Permutation R (difference R V ++ V).
  Proof.
    intro H. apply bag_equality. intro r. rewrite multiplicity_union, multiplicity_difference.
    specialize (H r). lia.
  Qed.

  Lemma union_difference R V U : Permutation R (U ++ V) -> Permutation (difference R V) U.
  Proof.
    intro P. apply bag_equality. intro r. rewrite multiplicity_difference.
    apply bag_equality with (r := r) in P. rewrite P, multiplicity_union. lia.
  Qed.

  Lemma sub_bag_union S R : sub_bag S R <-> exists U, Permutation R (U ++ S).
  Proof.
    split; [eexists; now apply difference_union|].
    intros (U & P) r. apply bag_equality with (r := r) in P. rewrite P, multiplicity_union. lia.
  Qed.

  Lemma sub_bag_length S R : sub_bag S R -> length S <= length R.
  Proof.
    intro H. apply sub_bag_union in H as (U & P). apply Permutation_length in P.
    rewrite P, app_length. lia.
  Qed.
End Multiplicity.

Lemma sub_bag_map {X Y} (dx : forall x y : X, {x = y} + {x <> y}) (dy : forall x y : Y, {x = y} + {x <> y})
    (f : X -> Y) S R : sub_bag dx S R -> sub_bag dy (map f S) (map f R).
Proof.
  intro H. apply sub_bag_union in H as (U & P). apply sub_bag_union.
  exists (map f U). rewrite <- map_app. now apply Permutation_map.
Qed.

Lemma difference_map {X Y} (dx : forall x y : X, {x = y} + {x <> y}) (dy : forall x y : Y, {x = y} + {x <> y})
    (f : X -> Y) R V : sub_bag dx V R ->
  Permutation (difference dy (map f R) (map f V)) (map f (difference dx R V)).
Proof.
  intro H. apply union_difference. rewrite <- map_app. apply Permutation_map. now apply difference_union.
Qed.
