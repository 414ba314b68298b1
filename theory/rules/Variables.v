(** docs/prove.md, section 1: conditions and changes of columns as operations on sets of cells (`variables`).

    A column has one variable for each type that it takes on, and an aggregate has one. A record has a value for each
    variable; its cell has the regions of these values. *)
From Coq Require Import List NArith Bool Arith Lia.
From Acompass Require Import Order Values Tables Syntax Results Regions Diagrams Edges SetOperations Quantification.
Import ListNotations.
Open Scope nat_scope.
Implicit Types (d e : diagram) (c : cell) (m : mask) (r : N) (x y old new : nat) (v w : nat -> value).

Section Variables.
  (** The constants that cut each variable into regions, and the regions that have values. *)
  Variables (cuts : nat -> list value) (full : nat -> mask).
  Notation reduced := (reduced full).
  Notation valid := (valid full).
  Notation union_of := (union_of full).
  Notation complement := (complement full).
  Notation literal := (literal full).

  Definition cell_of v : cell := fun x => region_of (cuts x) (v x).

  (** * Conditions (`Variables.condition`) *)

  Section Condition.
    Variable variable_at : attribute -> nat.

    Fixpoint condition_diagram (phi : condition) : diagram :=
      match phi with
      | Compare A theta k =>
          let x := variable_at A in literal x (satisfying (full x) (region_of (cuts x) k) theta)
      | Not phi => complement (condition_diagram phi)
      | And phi psi => complement (union_of [complement (condition_diagram phi); complement (condition_diagram psi)])
      | Or phi psi => union_of [condition_diagram phi; condition_diagram psi]
      | Never => union_of []
      end.

    Definition cut_at (phi : condition) : Prop := forall A k, In (A, k) (constants phi) -> In k (cuts (variable_at A)).

    Lemma union_of_two d e : reduced 0 d -> reduced 0 e -> reduced 0 (union_of [d; e]) /\
      forall c, valid c -> member (union_of [d; e]) c = member d c || member e c.
    Proof.
      intros D E. destruct (union_of_is_union full [d; e] 0) as [R M]; [intros k [<-|[<-|[]]]; auto|].
      split; auto. intros c V. rewrite M by auto. simpl. now rewrite orb_false_r.
    Qed.

    Lemma condition_reduced phi : reduced 0 (condition_diagram phi).
    Proof.
      induction phi; simpl.
      - apply literal_is_test. lia.
      - now apply complement_is_complement.
      - apply complement_is_complement, union_of_two; now apply complement_is_complement.
      - now apply union_of_two.
      - apply reduced_empty.
    Qed.

    (** The cells where a condition holds are those of the records that satisfy it. *)
    Theorem condition_is_satisfied phi t v : cut_at phi -> (forall A, environment t A = v (variable_at A)) ->
      valid (cell_of v) -> member (condition_diagram phi) (cell_of v) = satisfies phi t.
    Proof.
      intros C E V. induction phi as [A theta k|phi IH|phi IHphi psi IHpsi|phi IHphi psi IHpsi|]; cbn [condition_diagram
        satisfies].
      - rewrite (proj2 (literal_is_test full _ _ 0 (Nat.le_0_l _))) by auto. unfold cell_of. rewrite E.
        apply satisfying_is_comparison; [apply C; now left|apply V].
      - rewrite (proj2 (complement_is_complement full _ 0 (condition_reduced phi))), IH by auto. reflexivity.
      - destruct (complement_is_complement full _ 0 (condition_reduced phi)) as [R1 M1].
        destruct (complement_is_complement full _ 0 (condition_reduced psi)) as [R2 M2].
        destruct (union_of_two _ _ R1 R2) as [R M].
        rewrite (proj2 (complement_is_complement full _ 0 R)), M, M1, M2, IHphi, IHpsi by
          (auto; intros A k I; apply C, in_or_app; auto).
        now destruct (satisfies phi t), (satisfies psi t).
      - rewrite (proj2 (union_of_two _ _ (condition_reduced phi) (condition_reduced psi))), IHphi, IHpsi by
          (auto; intros A k I; apply C, in_or_app; auto).
        reflexivity.
      - reflexivity.
    Qed.
  End Condition.

  (** * Another variable in place of one (`Variables.rename`) *)

  Definition rename d old new (translate : mask -> mask) : diagram :=
    substitute full old (fun m => literal new (translate m)) d.

  (** The image of a mask is the union of the images of its regions (`_image_of`). *)
  Definition is_image_of (image : N -> mask) (translate : mask -> mask) : Prop :=
    forall m q, q ∈ translate m <-> exists r, r ∈ m /\ q ∈ image r.

  Lemma region_bits r q : q ∈ region r <-> q = r.
  Proof.
    unfold region. rewrite N.setbit_eqb, N.bits_0, orb_false_r, N.eqb_eq. split; auto.
  Qed.

  Theorem rename_is_image d old new image translate c : is_image_of image translate -> reduced 0 d -> valid c ->
    (member (rename d old new translate) c = true <->
     exists r, r ∈ full old /\ member d (set_region c old r) = true /\ c new ∈ image r).
  Proof.
    intros T R V. assert (L := fun m => literal_is_test full new (translate m) 0 (Nat.le_0_l _)).
    assert (S : forall r, c new ∈ translate (region r) <-> c new ∈ image r).
    { intro r. rewrite (T (region r) (c new)). split.
      - intros (q & Q & I). now apply region_bits in Q as ->.
      - intro I. exists r. split; auto. now apply region_bits. }
    unfold rename. rewrite (substitute_is_image full old _ (fun m => proj1 (L m))) with (n := 0); auto.
    - split; intros (r & B & M & K); exists r; rewrite (proj2 (L (region r)) c V) in *; repeat split; auto; now apply S.
    - intros m c' W V'. rewrite (proj2 (L m) c' V'). rewrite (T m (c' new)).
      split; intros (r & B & K); exists r; split; auto; rewrite (proj2 (L (region r)) c' V') in *.
      + apply T. exists r. split; auto. now apply region_bits.
      + apply T in K as (q & Q & K). now apply region_bits in Q as ->.
  Qed.

  (** * Values that change with their column's type or become labels (`Variables.convert`, `Variables.label`) *)

  Definition ignores d x : Prop := forall c r, member d (set_region c x r) = member d c.

  (** The image of a region has the region of everything that its values become. *)
  Definition includes (image : N -> mask) old new (f : value -> value) : Prop :=
    forall a, region_of (cuts new) (f a) ∈ image (region_of (cuts old) a).

  (** [w] has f of the value that [v] has, in a variable of its own. *)
  Definition becomes old new (f : value -> value) v w : Prop :=
    w new = f (v old) /\ forall x, x <> old -> x <> new -> w x = v x.

  Lemma cell_before d old new f v w n : reduced n d -> ignores d new -> becomes old new f v w ->
    member d (set_region (cell_of w) old (cell_of v old)) = member d (cell_of v).
  Proof.
    intros R I [_ E]. rewrite <- (I _ (cell_of v new)), <- (I (cell_of v) (cell_of v new)).
    apply (member_later full d n); auto. intros x _. unfold set_region.
    destruct (Nat.eqb_spec x new) as [->|]; auto. destruct (Nat.eqb_spec x old) as [->|]; auto.
    unfold cell_of. now rewrite E.
  Qed.

  Theorem convert_includes d old new image translate f v w : is_image_of image translate -> includes image old new f ->
    reduced 0 d -> ignores d new -> valid (cell_of v) -> valid (cell_of w) -> becomes old new f v w ->
    member d (cell_of v) = true -> member (rename d old new translate) (cell_of w) = true.
  Proof.
    intros T F R I V W B M. apply (rename_is_image d old new image); auto. exists (cell_of v old).
    split; [apply V|]. split; [now rewrite (cell_before d old new f v w 0)|]. destruct B as [E _]. unfold cell_of.
    rewrite E. apply F.
  Qed.

  (** What can become a record of a set (`Variables.before_labels`): the regions whose image meets the mask. *)
  Definition meets (image : N -> mask) (preimage : mask -> mask) old : Prop :=
    forall m r, r ∈ preimage m <-> r ∈ full old /\ exists q, q ∈ m /\ q ∈ image r.

  Lemma meets_is_image image preimage old : meets image preimage old ->
    is_image_of (fun q => preimage (region q)) preimage.
  Proof.
    intros H m r. rewrite (H m r). split.
    - intros [F (q & Q & I)]. exists q. split; auto. apply H. split; auto. exists q. split; auto. now apply region_bits.
    - intros (q & Q & I). apply H in I as [F (q' & Q' & I)]. apply region_bits in Q' as ->. split; auto. now exists q.
  Qed.

  Lemma cell_after d old new f v w n q : reduced n d -> ignores d old -> becomes old new f v w ->
    q = cell_of w new -> member d (set_region (cell_of v) new q) = member d (cell_of w).
  Proof.
    intros R I [_ E] ->. rewrite <- (I _ (cell_of w old)), <- (I (cell_of w) (cell_of w old)).
    apply (member_later full d n); auto. intros x _. unfold set_region.
    destruct (Nat.eqb_spec x old) as [->|]; auto. destruct (Nat.eqb_spec x new) as [->|]; auto.
    unfold cell_of. now rewrite E.
  Qed.

  Theorem before_labels_includes d old new image preimage f v w : meets image preimage old -> includes image old new f ->
    reduced 0 d -> ignores d old -> valid (cell_of v) -> valid (cell_of w) -> becomes old new f v w ->
    member d (cell_of w) = true -> member (rename d new old preimage) (cell_of v) = true.
  Proof.
    intros P F R I V W B M. apply (rename_is_image d new old (fun q => preimage (region q))); auto;
      [now apply (meets_is_image image preimage old)|].
    exists (cell_of w new). split; [apply W|]. split; [now rewrite (cell_after d old new f v w 0)|].
    apply P. split; [apply V|]. exists (cell_of w new). split; [now apply region_bits|].
    destruct B as [E _]. unfold cell_of. rewrite E. apply F.
  Qed.

  (** If no image of a region has both cells of the set and others, the answer is exact (`Variables.before_conversion`,
      where `_exact_preimage` refuses the other case). *)
  Theorem before_conversion_is_exact d old new image preimage f v w :
    meets image preimage old -> includes image old new f -> reduced 0 d -> ignores d old -> valid (cell_of v) ->
    valid (cell_of w) -> becomes old new f v w ->
    (forall q q', q ∈ image (cell_of v old) -> q' ∈ image (cell_of v old) -> q ∈ full new -> q' ∈ full new ->
       member d (set_region (cell_of v) new q) = member d (set_region (cell_of v) new q')) ->
    member (rename d new old preimage) (cell_of v) = member d (cell_of w).
  Proof.
    intros P F R I V W B U. apply eq_true_iff_eq. split; [|now apply (before_labels_includes d old new image preimage f)].
    intro M. assert (T := meets_is_image image preimage old P).
    apply (rename_is_image d new old (fun q => preimage (region q)) preimage (cell_of v) T R V) in M as (q & Q & M & K).
    apply P in K as [_ (q' & Q' & K)]. apply region_bits in Q' as ->.
    rewrite <- (cell_after d old new f v w 0 (cell_of w new)), <- M by auto. symmetry. apply U; auto.
    destruct B as [E _]. unfold cell_of. rewrite E. apply F.
  Qed.
End Variables.
