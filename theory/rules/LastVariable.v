(** docs/prove.md, sections 1 and 4: `substitute` of a variable that is tested last, as those of aggregates are
    (`Laws.map_aggregates`, `Laws.possible`). The replacement then sees all regions that the variable has with a key, so it
    need not be additive. *)
From Coq Require Import List NArith Bool Arith Lia.
From Acompass Require Import Order Diagrams Edges SetOperations Quantification Canonical.
Import ListNotations.
Open Scope nat_scope.
Implicit Types (d e : diagram) (es : list edge) (c : cell) (m : mask) (r : N) (x y : nat).

(** No variable after x is tested. *)
Inductive tests_up_to x : diagram -> Prop :=
| up_to_empty : tests_up_to x Empty
| up_to_all : tests_up_to x All
| up_to_node y es : y <= x -> (forall a, In a es -> tests_up_to x (snd a)) -> tests_up_to x (Node y es).

Section Manager.
  Variable full : nat -> mask.
  Notation reduced := (reduced full).
  Notation valid := (valid full).
  Hypothesis inhabited : forall x, full x <> 0%N.
  Variables (x : nat) (replacement : mask -> diagram).
  Hypothesis rep_reduced : forall m, reduced 0 (replacement m).

  (** The regions that the variable has in the set, in cells that are otherwise as c. *)
  Definition is_mask_at d c m : Prop := forall r, r ∈ m <-> r ∈ full x /\ member d (set_region c x r) = true.

  Lemma no_region m : (forall r, ~ r ∈ m) -> m = 0%N.
  Proof. intro H. apply N.bits_inj_0. intro r. now apply not_true_iff_false. Qed.

  (** A node that tests the last variable has one edge, to all. *)
  Lemma last_node n es : reduced n (Node x es) -> tests_up_to x (Node x es) -> exists m, es = [(m, All)] /\ m <> 0%N.
  Proof.
    intros R T. inversion T as [| |? ? _ C]; subst. inversion R as [| |? ? ? _ NE P D A _ _]; subst.
    assert (L : forall a, In a es -> snd a = All).
    { intros a I. destruct (P a I) as (_ & _ & N). specialize (C a I). specialize (D a I).
      destruct (snd a) as [| |y fs]; auto; [easy|]. inversion C; subst. inversion D; subst. lia. }
    destruct es as [|[m d] es]; [easy|]. assert (d = All) as -> by apply (L (m, d) (or_introl eq_refl)).
    destruct es as [|b es]; [exists m; split; auto; now apply (P (m, All)); left|]. exfalso.
    inversion A as [|? ? F _]; subst. inversion F as [|? ? [_ N] _]; subst. apply N. simpl. symmetry. apply L. simpl. auto.
  Qed.

  (** At each key, the replacement of all that the variable has there. *)
  Theorem substitute_last d : forall n c m, reduced n d -> tests_up_to x d -> valid c -> is_mask_at d c m ->
    (member (substitute full x replacement d) c = true <-> m <> 0%N /\ member (replacement m) c = true).
  Proof.
    induction d as [| |y es IH] using diagram_induction; intros n c m R T V M.
    - split; [discriminate|]. intros [N _]. elim N. apply no_region. intros r B. now apply M in B.
    - assert (E : m = full x).
      { apply N.bits_inj. intro r. apply eq_true_iff_eq. rewrite (M r). simpl. tauto. }
      cbn [substitute]. rewrite (both full All (replacement (full x)) c (reduced_all full 0) (rep_reduced _) V), E. simpl.
      split; [intros [_ H]; split; auto|tauto].
    - destruct (edges_of _ _ _ _ R) as (P & L & C). inversion T as [| |? ? U Ts]; subst. cbn [substitute].
      destruct (Nat.compare_spec y x) as [->|G|G]; [| |lia].
      + destruct (last_node n es R T) as (k & -> & NZ). assert (E : m = k).
        { apply N.bits_inj. intro r. apply eq_true_iff_eq. rewrite (M r), follows. split.
          - intros [_ (a & [<-|[]] & B & _)]. now rewrite set_same in B.
          - intro B. split; [now apply (C (k, All) (or_introl eq_refl))|]. exists (k, All). rewrite set_same. simpl. auto. }
        subst m. cbn [map fst snd]. destruct (union_of_is_union full [intersection full (replacement k) All] 0) as [_ W].
        { intros d [<-|[]]. apply intersection_is_intersection; auto using reduced_all. }
        rewrite W by auto. cbn [existsb]. rewrite orb_false_r, (both full _ _ c (rep_reduced k) (reduced_all full 0) V).
        simpl. tauto.
      + assert (R' : forall a, In a es -> reduced 0 (intersection full (literal full y (fst a)) (substitute full x
          replacement (snd a)))).
        { intros a A. apply intersection_is_intersection; [apply literal_is_test; lia|].
          apply (substitute_reduced full x replacement rep_reduced (snd a) (S y)). now apply C. }
        destruct (union_of_is_union full
          (map (fun a => intersection full (literal full y (fst a)) (substitute full x replacement (snd a))) es) 0) as [_ W].
        { intros d I. apply in_map_iff in I as (a & <- & I). auto. }
        assert (Through : forall a, In a es -> c y ∈ fst a -> is_mask_at (snd a) c m).
        { intros a A B r. rewrite (M r), follows. split; intros [F H]; split; auto.
          - destruct H as (b & J & K & H). rewrite set_other in K by lia.
            now rewrite (same_edge full n y es a b (c y) R A J B K).
          - exists a. rewrite set_other by lia. auto. }
        assert (S : forall a, In a es ->
          member (intersection full (literal full y (fst a)) (substitute full x replacement (snd a))) c = true <->
          c y ∈ fst a /\ member (substitute full x replacement (snd a)) c = true).
        { intros a A. destruct (literal_is_test full y (fst a) 0) as [RL ML]; [lia|].
          rewrite (both full _ _ c RL); [now rewrite ML|apply (substitute_reduced full x replacement rep_reduced (snd a)
            (Datatypes.S y)); now apply C|auto]. }
        rewrite W, existsb_exists by auto. split.
        * intros (d & I & H). apply in_map_iff in I as (a & <- & I). apply (S a I) in H as [B H].
          apply (IH a I (Datatypes.S y) c m); auto. now apply C.
        * intros [N H]. destruct (nonzero_bit m N) as (r & B). apply M in B as [F B]. apply follows in B as (a & I & K & _).
          rewrite set_other in K by lia. exists (intersection full (literal full y (fst a)) (substitute full x replacement
            (snd a))).
          split; [now apply in_map with (f := fun a => intersection full (literal full y (fst a)) (substitute full x
            replacement (snd a)))|].
          apply (S a I). split; auto. apply (IH a I (Datatypes.S y) c m); auto. now apply C.
  Qed.
End Manager.
