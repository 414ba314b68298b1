(** docs/prove.md, section 1: `exists`, `project`, `assign` and `substitute` of `DiagramManager`. *)
From Coq Require Import List NArith Bool Arith Lia.
From Acompass Require Import Order Diagrams Edges SetOperations.
Import ListNotations.
Open Scope nat_scope.
Implicit Types (d e : diagram) (es fs : list edge) (c : cell) (m : mask) (r : N) (x y : nat).

(** A cell with another region for one variable. *)
Definition set_region c x r : cell := fun y => if Nat.eqb y x then r else c y.

Lemma set_same c x r : set_region c x r x = r.
Proof. unfold set_region. now rewrite Nat.eqb_refl. Qed.

Lemma set_other c x r y : y <> x -> set_region c x r y = c y.
Proof. unfold set_region. intro H. now apply Nat.eqb_neq in H as ->. Qed.

Section Manager.
  Variable full : nat -> mask.
  Notation node := (node full).
  Notation reduced := (reduced full).
  Notation valid := (valid full).
  Notation intersection := (intersection full).
  Notation union_of := (union_of full).
  Notation literal := (literal full).

  Lemma valid_set c x r : valid c -> r ∈ full x -> valid (set_region c x r).
  Proof. intros V B y. unfold set_region. destruct (Nat.eqb_spec y x) as [->|]; auto. Qed.

  (** Variables that are not tested make no difference. *)
  Lemma member_later d : forall n c c', reduced n d -> (forall x, n <= x -> c x = c' x) -> member d c = member d c'.
  Proof.
    induction d as [| |x es IH] using diagram_induction; intros n c c' R H; auto.
    destruct (edges_of _ _ _ _ R) as (_ & L & C). simpl. rewrite (H x L).
    assert (E : forall a, In a es -> member (snd a) c = member (snd a) c').
    { intros a A. apply (IH a A (S x)); [now apply C|]. intros y G. apply H. lia. }
    clear -E. induction es as [|a es IH]; simpl; auto. rewrite E, IH by auto with datatypes. reflexivity.
  Qed.

  Corollary member_set_earlier d n c x r : reduced n d -> x < n -> member d (set_region c x r) = member d c.
  Proof. intros R L. apply (member_later d n); auto. intros y G. apply set_other. lia. Qed.

  Lemma follows x es c : member (Node x es) c = true <-> exists a, In a es /\ c x ∈ fst a /\ member (snd a) c = true.
  Proof.
    simpl. rewrite existsb_exists. split; intros (a & I & H); exists a; split; auto; now apply andb_true_iff in H || apply
      andb_true_iff.
  Qed.

  (** * Existential quantification *)

  Fixpoint exists_ (xs : nat -> bool) d : diagram :=
    match d with
    | Node x es =>
        if xs x then union_of (map (fun a => exists_ xs (snd a)) es)
        else node x (map (fun a => (fst a, exists_ xs (snd a))) es)
    | _ => d
    end.

  Lemma exists_reduced xs d : forall n, reduced n d -> reduced n (exists_ xs d).
  Proof.
    induction d as [| |x es IH] using diagram_induction; intros n R; auto. destruct (edges_of _ _ _ _ R) as (P & L & C).
    simpl. destruct (xs x).
    - apply union_of_is_union. intros d I. apply in_map_iff in I as (a & <- & I). apply IH; auto.
      apply reduced_weaken with (S x); [now apply C|lia].
    - rewrite <- (app_nil_r (map _ es)). apply (reduced_map full n x (exists_ xs)); auto. intros a A.
      split; [now apply C|]. apply IH; auto. now apply C.
  Qed.

  Lemma nonzero_bit m : m <> 0%N -> exists r, r ∈ m.
  Proof. intro H. exists (N.log2 m). now apply N.bit_log2. Qed.

  Lemma edge_region n x es a : reduced n (Node x es) -> In a es -> exists r, r ∈ fst a /\ r ∈ full x.
  Proof.
    intros R I. inversion R as [| |? ? ? _ _ P _ _ _ _]; subst. destruct (P a I) as (NZ & W & _).
    destruct (nonzero_bit _ NZ) as (r & B). exists r. split; auto.
  Qed.

  (** The cells that some regions of the variables complete to a member. *)
  Theorem exists_is_projection xs d : forall n c, reduced n d -> valid c ->
    (member (exists_ xs d) c = true <->
     exists c', valid c' /\ (forall x, xs x = false -> c' x = c x) /\ member d c' = true).
  Proof.
    induction d as [| |x es IH] using diagram_induction; intros n c R V.
    - split; [discriminate|]. now intros (c' & _ & _ & H).
    - split; auto. intros _. now exists c.
    - destruct (edges_of _ _ _ _ R) as (P & L & C).
      assert (IH' : forall a, In a es -> member (exists_ xs (snd a)) c = true <->
        exists c', valid c' /\ (forall x, xs x = false -> c' x = c x) /\ member (snd a) c' = true).
      { intros a A. apply (IH a A (S x)); auto. now apply C. }
      cbn [exists_]. destruct (xs x) eqn:X.
      + destruct (union_of_is_union full (map (fun a => exists_ xs (snd a)) es) n) as [_ M].
        { intros d I. apply in_map_iff in I as (a & <- & I). apply exists_reduced.
          apply reduced_weaken with (S x); [now apply C|lia]. }
        rewrite M, existsb_exists by auto. split.
        * intros (d & I & H). apply in_map_iff in I as (a & <- & I). apply (IH' a I) in H as (c' & V' & A & H).
          destruct (edge_region _ _ _ a R I) as (r & B & B'). exists (set_region c' x r).
          split; [now apply valid_set|]. split.
          -- intros y Y. rewrite set_other; auto. congruence.
          -- apply follows. exists a. rewrite set_same. repeat split; auto.
             rewrite (member_set_earlier (snd a) (S x)); auto. now apply C.
        * intros (c' & V' & A & H). apply follows in H as (a & I & B & H). exists (exists_ xs (snd a)).
          split; [now apply in_map with (f := fun a => exists_ xs (snd a))|]. apply IH'; auto. now exists c'.
      + rewrite member_node by auto. unfold reaches. rewrite existsb_exists. split.
        * intros (b & I & H). apply in_map_iff in I as (a & <- & I). cbn [fst snd] in H.
          apply andb_true_iff in H as [B H]. apply (IH' a I) in H as (c' & V' & A & H). exists c'. repeat split; auto.
          apply follows. exists a. now rewrite (A x X).
        * intros (c' & V' & A & H). apply follows in H as (a & I & B & H). exists (fst a, exists_ xs (snd a)).
          split; [now apply in_map with (f := fun a => (fst a, exists_ xs (snd a)))|]. cbn [fst snd].
          apply andb_true_iff. split; [now rewrite <- (A x X)|]. apply IH'; auto. now exists c'.
  Qed.

  Definition only x : nat -> bool := Nat.eqb x.

  Lemma member_exists_only d x n c : reduced n d -> valid c ->
    (member (exists_ (only x) d) c = true <-> exists r, r ∈ full x /\ member d (set_region c x r) = true).
  Proof.
    intros R V. rewrite (exists_is_projection (only x) d n c R V). split.
    - intros (c' & V' & A & H). exists (c' x). split; auto. rewrite <- H. apply (member_later d n); auto.
      intros y _. unfold set_region. destruct (Nat.eqb_spec y x) as [->|N]; auto. symmetry. apply A. unfold only.
      apply Nat.eqb_neq. congruence.
    - intros (r & B & H). exists (set_region c x r). split; [now apply valid_set|]. split; auto.
      intros y Y. apply set_other. unfold only in Y. apply Nat.eqb_neq in Y. congruence.
  Qed.

  (** * Any region of a mask in place of the variable's own *)

  Definition assign d x m : diagram := intersection (exists_ (only x) d) (literal x m).

  Theorem assign_is_update d x m c : reduced 0 d -> valid c ->
    (member (assign d x m) c = true <-> c x ∈ m /\ exists r, r ∈ full x /\ member d (set_region c x r) = true).
  Proof.
    intros R V. unfold assign. destruct (literal_is_test full x m 0) as [RL ML]; [lia|].
    destruct (intersection_is_intersection full (exists_ (only x) d) (literal x m) 0) as [_ M]; auto using exists_reduced.
    rewrite M, ML, andb_true_iff, (member_exists_only d x 0) by auto. tauto.
  Qed.

  (** * The diagram over some variables alone *)

  Definition project (xs : nat -> bool) d : diagram := exists_ (fun x => negb (xs x)) d.

  Theorem project_keeps xs d n c : reduced n d -> valid c ->
    (member (project xs d) c = true <->
     exists c', valid c' /\ (forall x, xs x = true -> c' x = c x) /\ member d c' = true).
  Proof.
    intros R V. unfold project. rewrite (exists_is_projection _ d n c R V). split; intros (c' & V' & A & H);
      exists c'; repeat split; auto; intros x X; apply A; [now rewrite X|now apply negb_false_iff].
  Qed.

  (** * Substitution *)

  (** Every test of the variable for a mask becomes the diagram of [replacement]. *)
  Fixpoint substitute x (replacement : mask -> diagram) d : diagram :=
    match d with
    | Empty => Empty
    | All => intersection All (replacement (full x))
    | Node y es =>
        match Nat.compare y x with
        | Gt => intersection d (replacement (full x))
        | Eq => union_of (map (fun a => intersection (replacement (fst a)) (snd a)) es)
        | Lt => union_of (map (fun a => intersection (literal y (fst a)) (substitute x replacement (snd a))) es)
        end
    end.

  Definition region r : mask := N.setbit 0 r.

  (** The replacement of a mask is the union of those of its regions. *)
  Definition additive x (replacement : mask -> diagram) : Prop := forall m c, within_full full x m -> valid c ->
    (member (replacement m) c = true <-> exists r, r ∈ m /\ member (replacement (region r)) c = true).

  Section Substitute.
    Variables (x : nat) (replacement : mask -> diagram).
    Hypotheses (rep_reduced : forall m, reduced 0 (replacement m)) (rep_additive : additive x replacement).

    Lemma both d e c : reduced 0 d -> reduced 0 e -> valid c ->
      (member (intersection d e) c = true <-> member d c = true /\ member e c = true).
    Proof.
      intros D E V. destruct (intersection_is_intersection full d e 0 D E) as [_ M]. now rewrite M, andb_true_iff.
    Qed.

    Lemma substitute_reduced d n : reduced n d -> reduced 0 (substitute x replacement d).
    Proof.
      revert n. induction d as [| |y es IH] using diagram_induction; intros n R; cbn [substitute]; [constructor| |].
      - apply intersection_is_intersection; auto using reduced_all.
      - assert (R0 : reduced 0 (Node y es)) by (apply reduced_weaken with n; auto; lia).
        destruct (edges_of _ _ _ _ R) as (P & L & C).
        destruct (Nat.compare y x).
        + apply union_of_is_union. intros d I. apply in_map_iff in I as (a & <- & I).
          apply intersection_is_intersection; auto. apply reduced_weaken with (S y); [now apply C|lia].
        + apply union_of_is_union. intros d I. apply in_map_iff in I as (a & <- & I).
          apply intersection_is_intersection; [apply literal_is_test; lia|]. apply (IH a I (S y)). now apply C.
        + now apply intersection_is_intersection.
    Qed.

    Lemma not_tested d n c : reduced n d -> x < n -> valid c ->
      (member (intersection d (replacement (full x))) c = true <->
       exists r, r ∈ full x /\ member d (set_region c x r) = true /\ member (replacement (region r)) c = true).
    Proof.
      intros R L V. rewrite both by (auto; apply reduced_weaken with n; auto; lia).
      rewrite (rep_additive (full x) c) by (auto; intros r B; auto). split.
      - intros [H (r & B & K)]. exists r. now rewrite (member_set_earlier d n).
      - intros (r & B & H & K). rewrite (member_set_earlier d n) in H by auto. split; auto. now exists r.
    Qed.

    Theorem substitute_is_image d : forall n c, reduced n d -> valid c ->
      (member (substitute x replacement d) c = true <->
       exists r, r ∈ full x /\ member d (set_region c x r) = true /\ member (replacement (region r)) c = true).
    Proof.
      induction d as [| |y es IH] using diagram_induction; intros n c R V.
      - split; [discriminate|]. now intros (r & _ & H & _).
      - apply (not_tested All (S x)); auto using reduced_all.
      - destruct (edges_of _ _ _ _ R) as (P & L & C).
        assert (C0 : forall a, In a es -> reduced 0 (snd a)) by (intros a A; apply reduced_weaken with (S y); [now apply
          C|lia]).
        cbn [substitute]. destruct (Nat.compare_spec y x) as [->|G|G].
        + destruct (union_of_is_union full (map (fun a => intersection (replacement (fst a)) (snd a)) es) 0) as [_ M].
          { intros d I. apply in_map_iff in I as (a & <- & I). apply intersection_is_intersection; auto. }
          rewrite M, existsb_exists by auto. split.
          * intros (d & I & H). apply in_map_iff in I as (a & <- & I). apply both in H as [H K]; auto.
            apply rep_additive in H as (r & B & H); [|now apply C|auto]. exists r.
            split; [now apply (C a I)|]. split; auto. apply follows. exists a. rewrite set_same. repeat split; auto.
            rewrite (member_set_earlier (snd a) (S x)); auto. now apply C.
          * intros (r & B & H & K). apply follows in H as (a & I & B' & H). rewrite set_same in B'.
            exists (intersection (replacement (fst a)) (snd a)).
            split; [now apply in_map with (f := fun a => intersection (replacement (fst a)) (snd a))|].
            apply both; auto. rewrite (member_set_earlier (snd a) (S x)) in H; auto; [|now apply C]. split; auto.
            apply rep_additive; [now apply C|auto|]. now exists r.
        + destruct (union_of_is_union full (map (fun a => intersection (literal y (fst a)) (substitute x replacement (snd
            a))) es) 0)
            as [_ M].
          { intros d I. apply in_map_iff in I as (a & <- & I). apply intersection_is_intersection;
              [apply literal_is_test; lia|]. apply (substitute_reduced (snd a) (S y)). now apply C. }
          assert (T : forall a, In a es -> member (intersection (literal y (fst a)) (substitute x replacement (snd a))) c =
            true <->
            c y ∈ fst a /\ exists r, r ∈ full x /\ member (snd a) (set_region c x r) = true /\
                                     member (replacement (region r)) c = true).
          { intros a A. destruct (literal_is_test full y (fst a) 0) as [RL ML]; [lia|].
            rewrite both, ML, (IH a A (S y)) by (auto; try (now apply C); apply (substitute_reduced (snd a) (S y)); now
              apply C).
            tauto. }
          rewrite M, existsb_exists by auto. split.
          * intros (d & I & H). apply in_map_iff in I as (a & <- & I). apply (T a I) in H as (B & r & B' & H & K).
            exists r. split; auto. split; auto. apply follows. exists a. rewrite set_other by lia. auto.
          * intros (r & B & H & K). apply follows in H as (a & I & B' & H). rewrite set_other in B' by lia.
            exists (intersection (literal y (fst a)) (substitute x replacement (snd a))).
            split; [now apply in_map with (f := fun a => intersection (literal y (fst a)) (substitute x replacement (snd
              a)))|].
            apply (T a I). split; auto. now exists r.
        + apply (not_tested (Node y es) y); auto. now apply reduced_later with n.
    Qed.
  End Substitute.
End Manager.
