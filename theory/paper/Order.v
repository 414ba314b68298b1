(** Total orders as comparison functions, and sorting by them (Definition 5).

    A comparison is lawful if equal values are identical, so that a sorted list is a function of the bag. *)
From Coq Require Import List ZArith Bool Permutation QArith Qcanon Lia.
Import ListNotations.
Open Scope nat_scope.

Record total_order {X} (compare : X -> X -> comparison) : Prop := {
  compare_eq : forall x y, compare x y = Eq <-> x = y;
  compare_opp : forall x y, compare y x = CompOpp (compare x y);
  compare_trans : forall x y z, compare x y = Lt -> compare y z = Lt -> compare x z = Lt
}.
Arguments compare_eq {X compare}. Arguments compare_opp {X compare}. Arguments compare_trans {X compare}.

Lemma compare_refl {X} {compare : X -> X -> comparison} (H : total_order compare) x : compare x x = Eq.
Proof. now apply compare_eq. Qed.

(** * Orders of numbers *)

Lemma order_Z : total_order Z.compare.
Proof.
  constructor; intros *.
  - apply Z.compare_eq_iff.
  - now rewrite Z.compare_antisym.
  - rewrite !Z.compare_lt_iff. lia.
Qed.

Lemma order_Qc : total_order Qccompare.
Proof.
  constructor; intros *.
  - symmetry. apply Qceq_alt.
  - unfold Qccompare, Qcompare. now rewrite Z.compare_antisym.
  - rewrite <- !Qclt_alt. apply Qclt_trans.
Qed.

(** * Orders of pairs, lists, and things with a key *)

Definition first_difference (c d : comparison) : comparison := match c with Eq => d | _ => c end.

Section Lexicographic.
  Context {X Y : Type} {cx : X -> X -> comparison} {cy : Y -> Y -> comparison}.
  Hypotheses (HX : total_order cx) (HY : total_order cy).

  Definition compare_pair (a b : X * Y) : comparison :=
    first_difference (cx (fst a) (fst b)) (cy (snd a) (snd b)).

  Lemma order_pair : total_order compare_pair.
  Proof.
    constructor; unfold compare_pair.
    - intros [x y] [x' y']; simpl. destruct (cx x x') eqn:E; simpl.
      + apply (compare_eq HX) in E as ->. rewrite (compare_eq HY). split; congruence.
      + split; [discriminate|]. intros [= -> ->]. now rewrite (compare_refl HX) in E.
      + split; [discriminate|]. intros [= -> ->]. now rewrite (compare_refl HX) in E.
    - intros [x y] [x' y']; simpl. rewrite (compare_opp HX x x').
      destruct (cx x x'); simpl; auto. apply (compare_opp HY).
    - intros [x y] [x' y'] [x'' y'']; simpl.
      destruct (cx x x') eqn:E, (cx x' x'') eqn:F; simpl; intros A B; try discriminate.
      + apply (compare_eq HX) in E as ->. rewrite F; simpl. now apply (compare_trans HY) with y'.
      + apply (compare_eq HX) in E as ->. now rewrite F.
      + apply (compare_eq HX) in F as <-. now rewrite E.
      + now rewrite (compare_trans HX _ _ _ E F).
  Qed.

  Fixpoint compare_list (a b : list X) : comparison :=
    match a, b with
    | [], [] => Eq
    | [], _ :: _ => Lt
    | _ :: _, [] => Gt
    | x :: a', y :: b' => first_difference (cx x y) (compare_list a' b')
    end.

  Lemma order_list : total_order compare_list.
  Proof.
    constructor.
    - induction x as [|x a IH]; destruct y as [|y b]; simpl; try easy.
      destruct (cx x y) eqn:E; simpl.
      + apply (compare_eq HX) in E as ->. rewrite IH. split; congruence.
      + split; [discriminate|]. intros [= -> ->]. now rewrite (compare_refl HX) in E.
      + split; [discriminate|]. intros [= -> ->]. now rewrite (compare_refl HX) in E.
    - induction x as [|x a IH]; destruct y as [|y b]; simpl; try easy.
      rewrite (compare_opp HX x y). destruct (cx x y); simpl; auto.
    - induction x as [|x a IH]; destruct y as [|y b], z as [|z c]; simpl; try easy.
      destruct (cx x y) eqn:E, (cx y z) eqn:F; simpl; intros A B; try discriminate.
      + apply (compare_eq HX) in E as ->. rewrite F; simpl. eauto.
      + apply (compare_eq HX) in E as ->. now rewrite F.
      + apply (compare_eq HX) in F as <-. now rewrite E.
      + now rewrite (compare_trans HX _ _ _ E F).
  Qed.
End Lexicographic.

Lemma order_by_key {X K} (key : X -> K) {compare : K -> K -> comparison} :
  total_order compare -> (forall x y, key x = key y -> x = y) -> total_order (fun x y => compare (key x) (key y)).
Proof.
  intros H injective. constructor; intros *.
  - rewrite (compare_eq H). split; [apply injective|congruence].
  - apply (compare_opp H).
  - apply (compare_trans H).
Qed.

(** * Sorting *)

Section Sort.
  Context {X : Type} (compare : X -> X -> comparison).

  Fixpoint insert (x : X) (l : list X) : list X :=
    match l with
    | [] => [x]
    | y :: l' => match compare x y with Gt => y :: insert x l' | _ => x :: l end
    end.

  Definition sort (l : list X) : list X := fold_right insert [] l.

  Lemma insert_permutation x l : Permutation (insert x l) (x :: l).
  Proof.
    induction l as [|y l IH]; simpl; auto. destruct (compare x y); auto.
    apply perm_trans with (y :: x :: l); auto. constructor.
  Qed.

  Lemma sort_permutation l : Permutation (sort l) l.
  Proof.
    induction l as [|x l IH]; simpl; auto.
    apply perm_trans with (x :: sort l); auto using insert_permutation.
  Qed.

  Definition at_most x y : Prop := compare x y <> Gt.

  Inductive sorted : list X -> Prop :=
  | sorted_nil : sorted []
  | sorted_cons x l : (forall y, In y l -> at_most x y) -> sorted l -> sorted (x :: l).

  Hypothesis lawful : total_order compare.

  Lemma at_most_trans x y z : at_most x y -> at_most y z -> at_most x z.
  Proof.
    unfold at_most. intros A B.
    destruct (compare x y) eqn:E; [apply (compare_eq lawful) in E as ->; auto| |easy].
    destruct (compare y z) eqn:F; [apply (compare_eq lawful) in F as <-; now rewrite E| |easy].
    now rewrite (compare_trans lawful _ _ _ E F).
  Qed.

  Lemma at_most_antisym x y : at_most x y -> at_most y x -> x = y.
  Proof.
    unfold at_most. rewrite (compare_opp lawful x y). intros A B. apply (compare_eq lawful).
    destruct (compare x y); easy.
  Qed.

  Lemma at_most_total x y : at_most x y \/ at_most y x.
  Proof.
    unfold at_most. rewrite (compare_opp lawful x y).
    destruct (compare x y); simpl; (left; discriminate) || (right; discriminate).
  Qed.

  Lemma insert_sorted x l : sorted l -> sorted (insert x l).
  Proof.
    induction 1 as [|y l least S IH]; simpl; [constructor; [intros y []|constructor]|].
    destruct (compare x y) eqn:E.
    1, 2: constructor; [|now constructor]; intros z [<-|Hz]; [unfold at_most; now rewrite E|];
      apply at_most_trans with y; auto; unfold at_most; now rewrite E.
    constructor; auto. intros z Hz. apply (Permutation_in _ (insert_permutation x l)) in Hz as [<-|]; auto.
    unfold at_most. rewrite (compare_opp lawful x y), E. easy.
  Qed.

  Lemma sort_sorted l : sorted (sort l).
  Proof. induction l; simpl; [constructor|now apply insert_sorted]. Qed.

  Lemma sorted_unique l : sorted l -> forall l', sorted l' -> Permutation l l' -> l = l'.
  Proof.
    induction 1 as [|x l least _ IH]; intros l' S P.
    - now apply Permutation_nil in P.
    - destruct S as [|x' l' least' S']; [now apply Permutation_sym, Permutation_nil in P|].
      assert (x = x') as <-.
      { destruct (Permutation_in x P) as [->|I]; [now left|reflexivity|].
        destruct (Permutation_in x' (Permutation_sym P)) as [->|I']; [now left|reflexivity|].
        apply at_most_antisym; auto. }
      f_equal. apply IH; auto. now apply Permutation_cons_inv with x.
  Qed.

  (** Equal bags have the same canonical order. *)
  Theorem sort_of_bag l l' : Permutation l l' -> sort l = sort l'.
  Proof.
    intro P. apply sorted_unique; try apply sort_sorted.
    apply perm_trans with l; [apply sort_permutation|].
    apply perm_trans with l'; auto. apply Permutation_sym, sort_permutation.
  Qed.
End Sort.
