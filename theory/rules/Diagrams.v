(** docs/prove.md, section 1: sets of cells as decision diagrams (`decision_diagram`).

    A cell has a region, the number of a bit, for each variable. Masks are sets of regions. The operations are those of
    `DiagramManager`, without memoization; structural equality replaces the identity of shared nodes. *)
From Coq Require Import List NArith Bool Arith Lia Sorted Permutation.
From Acompass Require Import Order.
Import ListNotations.
Open Scope nat_scope.

Notation mask := N.
Definition cell : Type := nat -> N.
Notation "r ∈ m" := (N.testbit m r = true) (at level 70).

Inductive diagram : Type :=
| Empty
| All
| Node (x : nat) (edges : list (mask * diagram)).

Notation edge := (mask * diagram)%type.
Implicit Types (d e : diagram) (es fs : list edge) (c : cell) (m : mask) (r : N) (x y : nat).

(** A node tests its variable and follows the edge whose mask has the variable's region. *)
Fixpoint member d c : bool :=
  match d with
  | Empty => false
  | All => true
  | Node x es => existsb (fun a => N.testbit (fst a) (c x) && member (snd a) c) es
  end.

Section DiagramInduction.
  Variable P : diagram -> Prop.
  Hypotheses (empty : P Empty) (all : P All) (node : forall x es, (forall a, In a es -> P (snd a)) -> P (Node x es)).

  Fixpoint diagram_induction d : P d :=
    match d with
    | Empty => empty
    | All => all
    | Node x es =>
        node x es ((fix each es : forall a, In a es -> P (snd a) :=
          match es with
          | [] => fun a impossible => match impossible with end
          | b :: es' => fun a I =>
              match I with
              | or_introl E => eq_ind b (fun a => P (snd a)) (diagram_induction (snd b)) a E
              | or_intror I' => each es' a I'
              end
          end) es)
    end.
End DiagramInduction.

Definition diagram_eq_dec : forall d e, {d = e} + {d <> e}.
Proof.
  fix same 1. destruct d as [| |x es], e as [| |y fs]; try (left; reflexivity); try (right; discriminate).
  destruct (Nat.eq_dec x y) as [<-|N]; [|right; congruence].
  assert (S : {es = fs} + {es <> fs}).
  { revert fs. induction es as [|[m d] es IH]; intros [|[n e] fs]; try (left; reflexivity); try (right; discriminate).
    destruct (N.eq_dec m n) as [<-|]; [|right; congruence]. destruct (same d e) as [<-|]; [|right; congruence].
    destruct (IH fs) as [<-|]; [now left|right; congruence]. }
  destruct S as [<-|]; [now left|right; congruence].
Defined.

(** * Building nodes *)

Section Manager.
  (** The mask of all regions of a variable (`DiagramManager.full`). *)
  Variable full : nat -> mask.

  Definition valid c : Prop := forall x, c x ∈ full x.

  (** Edges to one child become one edge. *)
  Fixpoint put m d es : list edge :=
    match es with
    | [] => [(m, d)]
    | (n, e) :: es' => if diagram_eq_dec d e then (N.lor n m, e) :: es' else (n, e) :: put m d es'
    end.

  Definition leads_nowhere (a : edge) : bool :=
    N.eqb (fst a) 0 || match snd a with Empty => true | _ => false end.

  Definition merged es : list edge :=
    fold_right (fun a kept => if leads_nowhere a then kept else put (fst a) (snd a) kept) [] es.

  Definition by_mask (a b : edge) : comparison := N.compare (fst a) (fst b).

  Definition node x es : diagram :=
    match sort by_mask (merged es) with
    | [] => Empty
    | [(m, d)] => if N.eqb m (full x) then d else Node x [(m, d)]
    | sorted => Node x sorted
    end.

  Definition reaches es c r : bool := existsb (fun a => N.testbit (fst a) r && member (snd a) c) es.

  Lemma reaches_put m d es c r : reaches (put m d es) c r = N.testbit m r && member d c || reaches es c r.
  Proof.
    unfold reaches. induction es as [|[n e] es IH]; simpl; auto. destruct diagram_eq_dec as [<-|]; simpl.
    - rewrite N.lor_spec. destruct (N.testbit n r), (N.testbit m r), (member d c); reflexivity.
    - rewrite IH. destruct (N.testbit n r && member e c), (N.testbit m r && member d c); reflexivity.
  Qed.

  Lemma reaches_merged es c r : reaches (merged es) c r = reaches es c r.
  Proof.
    induction es as [|[m d] es IH]; auto. cbn [merged fold_right]. fold (merged es). unfold reaches at 2.
    cbn [existsb fst snd]. fold (reaches es c r). unfold leads_nowhere. cbn [fst snd].
    destruct (N.eqb_spec m 0) as [->|_]; cbn [orb]; [rewrite N.bits_0; exact IH|].
    destruct d; [rewrite andb_false_r; exact IH| |]; now rewrite reaches_put, IH.
  Qed.

  Lemma existsb_permutation {X} (f : X -> bool) l l' : Permutation l l' -> existsb f l = existsb f l'.
  Proof. induction 1; simpl; try congruence. now rewrite !orb_assoc, (orb_comm (f y)). Qed.

  Lemma member_node x es c : valid c -> member (node x es) c = reaches es c (c x).
  Proof.
    intro V. rewrite <- reaches_merged. unfold node, reaches.
    rewrite <- (existsb_permutation _ _ _ (sort_permutation by_mask (merged es))).
    destruct (sort by_mask (merged es)) as [|[m d] [|b l]]; auto.
    destruct (N.eqb_spec m (full x)) as [->|]; auto. simpl. now rewrite V, orb_false_r.
  Qed.

  (** * Ordered, reduced diagrams *)

  (** Masks of edges are disjoint, and their children differ. *)
  Definition apart (a b : edge) : Prop := N.land (fst a) (fst b) = 0%N /\ snd a <> snd b.

  Definition within_full x m : Prop := forall r, r ∈ m -> r ∈ full x.

  (** The variables that are tested come after n; no edge leads nowhere, and no test has one outcome. *)
  Inductive reduced : nat -> diagram -> Prop :=
  | reduced_empty n : reduced n Empty
  | reduced_all n : reduced n All
  | reduced_node n x es : n <= x -> es <> [] ->
      (forall a, In a es -> fst a <> 0%N /\ within_full x (fst a) /\ snd a <> Empty) ->
      (forall a, In a es -> reduced (S x) (snd a)) ->
      ForallOrdPairs apart es -> StronglySorted (fun a b => N.lt (fst a) (fst b)) es ->
      (forall d, es <> [(full x, d)]) -> reduced n (Node x es).

  Lemma reduced_weaken n n' d : reduced n d -> n' <= n -> reduced n' d.
  Proof. intros H L. destruct H; constructor; auto; lia. Qed.

  Lemma reduced_later n n' x es : reduced n (Node x es) -> n' <= x -> reduced n' (Node x es).
  Proof. intros H L. inversion H; subst. now constructor. Qed.

  (** Edges as they are given to [node]: their masks are disjoint. *)
  Definition disjoint (a b : edge) : Prop := N.land (fst a) (fst b) = 0%N.

  Lemma disjoint_bits m m' : N.land m m' = 0%N <-> forall r, r ∈ m -> N.testbit m' r = false.
  Proof.
    split.
    - intros H r B. assert (E : N.testbit (N.land m m') r = false) by (rewrite H; apply N.bits_0).
      now rewrite N.land_spec, B in E.
    - intro H. apply N.bits_inj_0. intro r. rewrite N.land_spec. specialize (H r). destruct (N.testbit m r); auto.
  Qed.

  Lemma disjoint_sym a b : disjoint a b -> disjoint b a.
  Proof. unfold disjoint. now rewrite N.land_comm. Qed.

  Lemma apart_sym a b : apart a b -> apart b a.
  Proof. intros [H N]. split; [now rewrite N.land_comm|auto]. Qed.

  Section Merged.
    Variable x : nat.
    Definition proper (a : edge) : Prop := fst a <> 0%N /\ within_full x (fst a) /\ snd a <> Empty.

    (** An edge of the list: one that was there, a new one, or one that leads to the same child and has grown. *)
    Lemma put_in m d es a : In a (put m d es) ->
      In a es \/ (a = (m, d) /\ forall b, In b es -> snd b <> d) \/ exists n, In (n, d) es /\ a = (N.lor n m, d).
    Proof.
      induction es as [|[n e] es IH]; simpl.
      - intros [<-|[]]. right. left. split; [reflexivity|easy].
      - destruct diagram_eq_dec as [<-|N]; simpl; intros [<-|I]; auto.
        + right. right. exists n. auto.
        + destruct (IH I) as [J|[[-> J]|(k & J & ->)]]; auto.
          * right. left. split; auto. intros b [<-|K]; simpl; auto.
          * right. right. exists k. auto.
    Qed.

    Lemma put_pairs m d es : (forall a, In a es -> disjoint (m, d) a) ->
      ForallOrdPairs apart es -> ForallOrdPairs apart (put m d es).
    Proof.
      induction es as [|[n e] es IH]; simpl; intros D H; [repeat constructor|].
      inversion H as [|? ? F R]; subst. rewrite Forall_forall in F.
      destruct diagram_eq_dec as [<-|N].
      - constructor; auto. apply Forall_forall. intros b I. destruct (F b I) as [E C]. split; auto. cbn [fst snd] in *.
        apply disjoint_bits. intros r B. rewrite N.lor_spec in B. apply orb_true_iff in B as [B|B].
        + revert r B. now apply disjoint_bits.
        + revert r B. apply disjoint_bits. exact (D b (or_intror I)).
      - constructor; [|apply IH; auto]. apply Forall_forall. intros b I.
        apply put_in in I as [I|[[-> _]|(k & I & ->)]]; auto.
        + split; [|simpl; auto]. now apply (disjoint_sym (m, d) (n, e)), D; left.
        + split; [|simpl; auto]. destruct (F _ I) as [E _]. cbn [fst snd] in *. apply disjoint_bits. intros r B.
          rewrite N.lor_spec. apply orb_false_iff. split; revert r B; apply disjoint_bits; auto.
          now apply (disjoint_sym (m, d) (n, e)), D; left.
    Qed.

    Lemma merged_proper es : (forall a, In a es -> within_full x (fst a)) ->
      forall a, In a (merged es) -> proper a /\ exists b, In b es /\ snd b = snd a.
    Proof.
      induction es as [|[m d] es IH]; simpl; intros W a I; [easy|].
      assert (IH' := IH (fun b J => W b (or_intror J))). unfold leads_nowhere in I. cbn [fst snd] in I.
      assert (K : In a (merged es) -> proper a /\ exists b, ((m, d) = b \/ In b es) /\ snd b = snd a).
      { intro J. destruct (IH' a J) as [P (b & B & E)]. split; auto. exists b. auto. }
      destruct (N.eqb_spec m 0) as [->|NZ]; cbn [orb] in I; auto.
      destruct (match d with Empty => true | _ => false end) eqn:D; auto.
      assert (NE : d <> Empty) by (intros ->; discriminate). pose proof (W (m, d) (or_introl eq_refl)) as Wm. simpl in Wm.
      apply put_in in I as [I|[[-> _]|(n & I & ->)]]; auto.
      - split; [now repeat split|]. exists (m, d). auto.
      - destruct (IH' _ I) as [(Nn & Wn & _) _]. simpl in *. split; [split; [|split]; simpl; auto|].
        + intro E. apply N.lor_eq_0_l in E. contradiction.
        + intros r B. rewrite N.lor_spec in B. apply orb_true_iff in B as [B|B]; auto.
        + exists (m, d). auto.
    Qed.

    Lemma merged_bits es a r : In a (merged es) -> r ∈ fst a -> exists b, In b es /\ r ∈ fst b.
    Proof.
      revert a. induction es as [|[m d] es IH]; simpl; intros a I B; [easy|].
      destruct (leads_nowhere (m, d)); [destruct (IH a I B) as (b & J & K); exists b; auto|].
      apply put_in in I as [I|[[-> _]|(n & I & ->)]].
      - destruct (IH a I B) as (b & J & K); exists b; auto.
      - exists (m, d). auto.
      - simpl in B. rewrite N.lor_spec in B. apply orb_true_iff in B as [B|B]; [|exists (m, d); auto].
        destruct (IH _ I B) as (b & J & K); exists b; auto.
    Qed.

    Lemma merged_pairs es : ForallOrdPairs disjoint es -> ForallOrdPairs apart (merged es).
    Proof.
      induction 1 as [|[m d] es F R IH]; simpl; [constructor|]. destruct leads_nowhere; auto. apply put_pairs; auto.
      intros b I. unfold disjoint. simpl. apply disjoint_bits. intros r B. apply not_true_iff_false. intro C.
      destruct (merged_bits _ _ _ I C) as (b' & J & K). rewrite Forall_forall in F. specialize (F b' J).
      unfold disjoint in F. simpl in F. rewrite disjoint_bits in F. now rewrite (F r B) in K.
    Qed.
  End Merged.

  Lemma pairs_permutation {X} (P : X -> X -> Prop) l l' : (forall a b, P a b -> P b a) ->
    Permutation l l' -> ForallOrdPairs P l -> ForallOrdPairs P l'.
  Proof.
    intros S. induction 1 as [|a l l' H IH|a b l|l l' l'' _ IH _ IH']; intro F; auto.
    - inversion F; subst. constructor; auto. rewrite Forall_forall in *. intros b I.
      apply H2. now apply (Permutation_in _ (Permutation_sym H)).
    - inversion F as [|? ? A R]; subst. inversion R as [|? ? B R']; subst. inversion A; subst.
      repeat constructor; auto.
  Qed.

  Lemma sorted_by_mask es : ForallOrdPairs apart es -> (forall a, In a es -> fst a <> 0%N) ->
    StronglySorted (fun a b => N.lt (fst a) (fst b)) (sort by_mask es).
  Proof.
    induction es as [|a es IH]; intros F NZ; [constructor|]. inversion F as [|? ? A R]; subst. rewrite Forall_forall in A.
    assert (IH' := IH R (fun b I => NZ b (or_intror I))). clear IH. cbn [sort fold_right].
    fold (sort by_mask es). assert (A' : forall b, In b (sort by_mask es) -> fst b <> fst a).
    { intros b I E. apply (Permutation_in _ (sort_permutation by_mask es)) in I. destruct (A b I) as [D _].
      rewrite E, N.land_diag in D. now apply (NZ a); [left|]. }
    revert IH' A'. generalize (sort by_mask es). clear. induction l as [|b l IH]; intros S A; [repeat constructor|].
    inversion S as [|? ? S' L]; subst. rewrite Forall_forall in L. simpl. unfold by_mask at 1.
    assert (fst b <> fst a) by (apply A; now left).
    destruct (N.compare_spec (fst a) (fst b)) as [E|E|E]; [congruence| |].
    - constructor; auto. apply Forall_forall. intros b' [<-|I]; auto. now apply N.lt_trans with (fst b); [|apply L].
    - constructor; [apply IH; auto; intros b' I; apply A; now right|]. apply Forall_forall. intros b' I.
      apply (Permutation_in _ (insert_permutation by_mask a l)) in I as [<-|I]; auto.
  Qed.

  (** What [node] builds is reduced. *)
  Lemma node_reduced n x es : n <= x -> ForallOrdPairs disjoint es ->
    (forall a, In a es -> within_full x (fst a) /\ reduced (S x) (snd a)) -> reduced n (node x es).
  Proof.
    intros L F H. assert (W : forall a, In a es -> within_full x (fst a)) by (intros; now apply H).
    pose proof (merged_proper x es W) as P. pose proof (merged_pairs es F) as A.
    pose proof (sort_permutation by_mask (merged es)) as T.
    assert (P' : forall a, In a (sort by_mask (merged es)) -> proper x a /\ reduced (S x) (snd a)).
    { intros a I. apply (Permutation_in _ T) in I. destruct (P a I) as [Q (b & B & <-)]. split; auto. now apply H. }
    apply (pairs_permutation apart _ _ apart_sym (Permutation_sym T)) in A as A'.
    assert (O := sorted_by_mask (merged es) A (fun a I => proj1 (proj1 (P a I)))).
    unfold node. destruct (sort by_mask (merged es)) as [|[m d] [|b l]]; [constructor| |].
    - destruct (P' (m, d) (or_introl eq_refl)) as [Q R]. simpl in R.
      destruct (N.eqb_spec m (full x)) as [->|]; [apply reduced_weaken with (S x); auto|].
      constructor; auto; try easy; try congruence; intros a I; now apply P'.
    - constructor; auto; try easy; intros a I; now apply P'.
  Qed.
End Manager.
