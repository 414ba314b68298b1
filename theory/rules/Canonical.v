(** docs/prove.md, section 1: two reduced diagrams are identical if and only if they represent the same set
    (`decision_diagram`), so a set is empty only if its diagram is [Empty]. Each variable has a region, because each type
    has a value. *)
From Coq Require Import List NArith Bool Arith Lia Sorted.
From Acompass Require Import Order Diagrams Edges SetOperations Quantification.
Import ListNotations.
Open Scope nat_scope.
Implicit Types (d e : diagram) (es fs : list edge) (c : cell) (m : mask) (r : N) (x y : nat).

Fixpoint size d : nat :=
  match d with
  | Node _ es => S (fold_right (fun a n => size (snd a) + n) 0 es)
  | _ => 0
  end.

Lemma size_child x es a : In a es -> size (snd a) < size (Node x es).
Proof.
  simpl. induction es as [|b es IH]; simpl; [easy|]. intros [<-|I]; [lia|]. specialize (IH I). lia.
Qed.

(** Lists that are strictly sorted by their masks and have the same edges are equal. *)
Lemma sorted_same es fs : StronglySorted (fun a b => N.lt (fst a) (fst b)) es ->
  StronglySorted (fun a b => N.lt (fst a) (fst b)) fs -> (forall a : edge, In a es <-> In a fs) -> es = fs.
Proof.
  intro A. revert fs. induction A as [|a es A IH F]; intros fs B H.
  - destruct fs as [|b fs]; auto. now destruct (proj2 (H b) (or_introl eq_refl)).
  - destruct B as [|b fs B G]; [now destruct (proj1 (H a) (or_introl eq_refl))|]. rewrite Forall_forall in F, G.
    assert (a = b) as <-.
    { destruct (proj1 (H a) (or_introl eq_refl)) as [|I]; auto. destruct (proj2 (H b) (or_introl eq_refl)) as [|J]; auto.
      specialize (F b J). specialize (G a I). lia. }
    f_equal. apply IH; auto. intro k. split; intro I.
    + destruct (proj1 (H k) (or_intror I)) as [<-|]; auto. specialize (F a I). lia.
    + destruct (proj2 (H k) (or_intror I)) as [<-|]; auto. specialize (G a I). lia.
Qed.

Section Manager.
  Variable full : nat -> mask.
  Notation reduced := (reduced full).
  Notation valid := (valid full).
  Hypothesis inhabited : forall x, full x <> 0%N.

  Definition same_set d e : Prop := forall c, valid c -> member d c = member e c.

  Definition some_cell : cell := fun x => N.log2 (full x).

  Lemma some_cell_valid : valid some_cell.
  Proof. intro x. now apply N.bit_log2. Qed.

  Lemma reduced_inhabited d : forall n, reduced n d -> d <> Empty -> exists c, valid c /\ member d c = true.
  Proof.
    induction d as [| |x es IH] using diagram_induction; intros n R NE; [easy| |].
    - exists some_cell. split; auto. apply some_cell_valid.
    - inversion R as [| |? ? ? L ES P C A O S]; subst. destruct es as [|a es]; [easy|].
      destruct (P a (or_introl eq_refl)) as (_ & _ & N). assert (Ra := C a (or_introl eq_refl)).
      destruct (IH a (or_introl eq_refl) (Datatypes.S x) Ra N) as (c & V & H).
      destruct (edge_region _ _ _ _ a R (or_introl eq_refl)) as (r & B & B'). exists (set_region c x r).
      split; [now apply valid_set|]. apply follows. exists a. rewrite set_same. repeat split; auto; [now left|].
      now rewrite (member_set_earlier full (snd a) (Datatypes.S x)) by auto.
  Qed.

  (** The edge that a region follows is the only one. *)
  Lemma pairs_in {X} (P : X -> X -> Prop) l a b : (forall a b, P a b -> P b a) -> ForallOrdPairs P l ->
    In a l -> In b l -> a = b \/ P a b.
  Proof.
    intros S. induction 1 as [|k l F R IH]; [easy|]. rewrite Forall_forall in F. intros [<-|I] [<-|J]; auto.
  Qed.

  Lemma same_edge n x es a b r : reduced n (Node x es) -> In a es -> In b es -> r ∈ fst a -> r ∈ fst b -> a = b.
  Proof.
    intros R I J A B. destruct (edges_of _ _ _ _ R) as (P & _ & _).
    destruct (pairs_in disjoint es a b disjoint_sym P I J) as [|D]; auto. unfold disjoint in D. rewrite disjoint_bits in D.
    now rewrite (D r A) in B.
  Qed.

  Lemma same_child n x es a b : reduced n (Node x es) -> In a es -> In b es -> snd a = snd b -> a = b.
  Proof.
    intros R I J E. inversion R as [| |? ? ? _ _ _ _ A _ _]; subst.
    destruct (pairs_in apart es a b apart_sym A I J) as [|[_ N]]; auto. contradiction.
  Qed.

  Lemma member_through n x es a c r : reduced n (Node x es) -> In a es -> r ∈ fst a ->
    member (Node x es) (set_region c x r) = member (snd a) c.
  Proof.
    intros R I B. destruct (edges_of _ _ _ _ R) as (_ & _ & C). apply eq_true_iff_eq. rewrite follows, set_same. split.
    - intros (b & J & K & H). rewrite (same_edge n x es a b r R I J B K).
      now rewrite <- (member_set_earlier full (snd b) (S x) c x r) by (auto; now apply C).
    - intro H. exists a. repeat split; auto. rewrite (member_set_earlier full (snd a) (S x)); auto. now apply C.
  Qed.

  (** A node differs from every set that does not depend on its variable. *)
  Lemma differs_from_later n x es e :
    (forall a, In a es -> same_set (snd a) e -> snd a = e) ->
    reduced n (Node x es) -> reduced (S x) e -> same_set (Node x es) e -> False.
  Proof.
    intros IH R E H. destruct (edges_of _ _ _ _ R) as (_ & _ & C).
    assert (F : forall a, In a es -> snd a = e).
    { intros a I. apply IH; auto. intros c V. destruct (edge_region _ _ _ _ a R I) as (r & B & B').
      rewrite <- (member_through n x es a c r R I B), H by now apply valid_set.
      now rewrite (member_set_earlier full e (S x)) by auto. }
    destruct (reduced_inhabited (Node x es) n R) as (c & V & M); [discriminate|]. rewrite H in M by auto.
    inversion R as [| |? ? ? _ ES P _ A _ S]; subst. destruct es as [|a es]; [easy|]. destruct es as [|b es].
    - apply (S e). rewrite <- (F a (or_introl eq_refl)). f_equal. destruct a as [m d]. cbn [fst snd] in *. f_equal.
      apply N.bits_inj. intro r. apply eq_true_iff_eq. split; [apply (P (m, d)); now left|]. intro B.
      rewrite <- (member_set_earlier full e (Datatypes.S x) c x r E), <- H in M by (auto using valid_set).
      apply follows in M as (b & [<-|[]] & K & _). now rewrite set_same in K.
    - inversion A as [|? ? A' _]; subst. inversion A' as [|? ? [_ N] _]; subst. apply N.
      rewrite (F a), (F b); simpl; auto.
  Qed.

  Theorem canonical d e n : reduced n d -> reduced n e -> (same_set d e <-> d = e).
  Proof.
    intros D E. split; [|intros -> c V; reflexivity]. revert d e n D E.
    enough (K : forall k d e n, size d + size e <= k -> reduced n d -> reduced n e -> same_set d e -> d = e)
      by (intros; now apply (K (size d + size e) d e n)).
    induction k as [k IH] using lt_wf_ind. intros d e n L D E H.
    assert (NE : forall d, reduced n d -> same_set d Empty -> d = Empty).
    { intros d' R S. destruct (diagram_eq_dec d' Empty) as [|N]; auto.
      destruct (reduced_inhabited d' n R N) as (c & V & M). now rewrite S in M. }
    assert (H' : same_set e d) by (intros c V; symmetry; auto).
    destruct e as [| |y fs]; [now apply NE| |].
    - destruct d as [| |x es]; auto; [now symmetry; apply NE|]. exfalso.
      apply (differs_from_later n x es All); auto using reduced_all. intros a I S.
      pose proof (size_child x es a I). destruct (edges_of _ _ _ _ D) as (_ & _ & C).
      apply (IH (size (snd a) + 0)) with (Datatypes.S x); auto using reduced_all; [simpl in *; lia|now apply C].
    - destruct d as [| |x es]; [now symmetry; apply NE| |].
      + exfalso. apply (differs_from_later n y fs All); auto using reduced_all. intros a I S.
        pose proof (size_child y fs a I). destruct (edges_of _ _ _ _ E) as (_ & _ & C).
        apply (IH (size (snd a) + 0)) with (Datatypes.S y); auto using reduced_all; [simpl in *; lia|now apply C].
      + destruct (edges_of _ _ _ _ D) as (_ & _ & CD), (edges_of _ _ _ _ E) as (_ & _ & CE).
        destruct (Nat.lt_trichotomy x y) as [G|[<-|G]].
        * exfalso. assert (E' : reduced (S x) (Node y fs)) by (apply reduced_later with n; auto).
          apply (differs_from_later n x es (Node y fs)); auto. intros a I S. pose proof (size_child x es a I).
          apply (IH (size (snd a) + size (Node y fs))) with (Datatypes.S x); auto; [lia|now apply CD].
        * assert (T : forall es fs, reduced n (Node x es) -> reduced n (Node x fs) ->
            same_set (Node x es) (Node x fs) ->
            (forall a b, In a es -> In b fs -> same_set (snd a) (snd b) -> snd a = snd b) ->
            forall a r, In a es -> r ∈ fst a -> exists b, In b fs /\ r ∈ fst b /\ snd a = snd b).
          { clear -inhabited. intros es fs D E H S a r I B. inversion D as [| |? ? ? _ _ P R _ _ _]; subst.
            destruct (P a I) as (_ & W & N). destruct (reduced_inhabited _ _ (R a I) N) as (c & V & M).
            rewrite <- (member_through n x es a c r D I B), H in M by auto using valid_set.
            apply follows in M as (b & J & K & _). rewrite set_same in K. exists b. repeat split; auto. apply S; auto.
            intros c' V'. rewrite <- (member_through n x es a c' r D I B), <- (member_through n x fs b c' r E J K).
            apply H. auto using valid_set. }
          assert (S1 : forall a b, In a es -> In b fs -> same_set (snd a) (snd b) -> snd a = snd b).
          { intros a b I J S. pose proof (size_child x es a I). pose proof (size_child x fs b J).
            apply (IH (size (snd a) + size (snd b))) with (Datatypes.S x); auto; [lia|now apply CD|now apply CE]. }
          assert (S2 : forall b a, In b fs -> In a es -> same_set (snd b) (snd a) -> snd b = snd a).
          { intros b a J I S. symmetry. apply S1; auto. intros c V. symmetry. auto. }
          assert (Both : forall es fs, reduced n (Node x es) -> reduced n (Node x fs) ->
            (forall a r, In a es -> r ∈ fst a -> exists b, In b fs /\ r ∈ fst b /\ snd a = snd b) ->
            (forall b r, In b fs -> r ∈ fst b -> exists a, In a es /\ r ∈ fst a /\ snd b = snd a) ->
            forall a, In a es -> In a fs).
          { clear -inhabited. intros es fs D E T T' a I. destruct (edge_region _ _ _ _ a D I) as (r & B & _).
            destruct (T a r I B) as (b & J & K & S). replace a with b; auto. destruct a as [m d], b as [m' d'].
            cbn [fst snd] in *. subst d'. f_equal. apply N.bits_inj. intro q. apply eq_true_iff_eq. split; intro Q.
            - destruct (T' (m', d) q J Q) as (k & I' & Q' & S). simpl in S.
              now rewrite <- (same_child n x es (m, d) k D I I' S) in Q'.
            - destruct (T (m, d) q I Q) as (k & J' & Q' & S). simpl in S.
              now rewrite <- (same_child n x fs (m', d) k E J J' S) in Q'. }
          f_equal. inversion D; subst. inversion E; subst. apply sorted_same; auto. intro a.
          pose proof (T es fs D E H S1). pose proof (T fs es E D H' S2). split; [now apply Both|now apply Both].
        * exfalso. assert (D' : reduced (S y) (Node x es)) by (apply reduced_later with n; auto).
          apply (differs_from_later n y fs (Node x es)); auto. intros b J S. pose proof (size_child y fs b J).
          apply (IH (size (snd b) + size (Node x es))) with (Datatypes.S y); auto; [lia|now apply CE].
  Qed.

  (** So a set is empty exactly if its diagram is. *)
  Corollary empty_is_empty d n : reduced n d -> ((forall c, valid c -> member d c = false) <-> d = Empty).
  Proof. intro R. rewrite <- (canonical d Empty n) by auto using reduced_empty. reflexivity. Qed.

  (** * The regions that a variable has in a set (`mask_of`) *)

  Definition mask_of d x : mask :=
    match project full (only x) d with
    | Empty => 0%N
    | All => full x
    | Node _ [] => 0%N
    | Node _ ((m, _) :: _) => m
    end.

  Lemma mask_where (p : N -> bool) m : exists m', forall r, N.testbit m' r = N.testbit m r && p r.
  Proof.
    assert (K : forall k : nat, exists m', forall r, N.testbit m' r = N.testbit m r && p r && (r <? N.of_nat k)%N).
    { induction k as [|k (m' & H)].
      - exists 0%N. intro r. rewrite N.bits_0. symmetry. apply andb_false_iff. right. apply N.ltb_ge. lia.
      - exists (if N.testbit m (N.of_nat k) && p (N.of_nat k) then N.setbit m' (N.of_nat k) else m'). intro r.
        assert (E : (r <? N.of_nat (S k))%N = (r <? N.of_nat k)%N || (N.of_nat k =? r)%N).
        { apply eq_true_iff_eq. rewrite orb_true_iff, !N.ltb_lt, N.eqb_eq. lia. }
        rewrite E. destruct (N.testbit m (N.of_nat k) && p (N.of_nat k)) eqn:B.
        + rewrite N.setbit_eqb, H. destruct (N.eqb_spec (N.of_nat k) r) as [Q|Q]; simpl; [|now rewrite orb_false_r].
          rewrite <- Q, B. now rewrite orb_true_r.
        + rewrite H. destruct (N.eqb_spec (N.of_nat k) r) as [Q|Q]; [rewrite <- Q, B; reflexivity|now rewrite orb_false_r]. }
    destruct (K (N.to_nat (N.succ (N.log2 m)))) as (m' & H). exists m'. intro r. rewrite H, N2Nat.id.
    destruct (N.ltb_spec r (N.succ (N.log2 m))) as [L|L]; [apply andb_true_r|].
    now rewrite (N.bits_above_log2 m r) by lia.
  Qed.

  Theorem mask_of_is_projection d x r : reduced 0 d ->
    (r ∈ mask_of d x <-> exists c, valid c /\ c x = r /\ member d c = true).
  Proof.
    intro R. assert (P : forall c, valid c -> (member (project full (only x) d) c = true <->
      exists c', valid c' /\ c' x = c x /\ member d c' = true)).
    { intros c V. rewrite (project_keeps full (only x) d 0 c R V). split; intros (c' & V' & A & M); exists c';
        repeat split; auto; [apply A; apply Nat.eqb_refl|]. unfold only. intros y Y. now apply Nat.eqb_eq in Y as <-. }
    destruct (mask_where (fun r => member (project full (only x) d) (set_region some_cell x r)) (full x)) as (m & B).
    assert (W : N.land m (full x) = m).
    { apply N.bits_inj. intro q. rewrite N.land_spec, B. destruct (N.testbit (full x) q); simpl; auto using andb_true_r. }
    destruct (literal_is_test full x m 0) as [RL ML]; [lia|].
    assert (E : project full (only x) d = literal full x m).
    { apply (canonical _ _ 0); auto; [now apply exists_reduced|]. intros c V. rewrite ML by auto. rewrite B, V. simpl.
      apply eq_true_iff_eq. rewrite !P by auto using valid_set, some_cell_valid. now rewrite set_same. }
    assert (M : mask_of d x = m).
    { unfold mask_of. rewrite E. unfold literal, node, merged. rewrite W. cbn [fold_right].
      unfold leads_nowhere. cbn [fst snd]. destruct (N.eqb_spec m 0) as [->|]; [reflexivity|]. cbn.
      destruct (N.eqb_spec m (full x)) as [->|]; reflexivity. }
    rewrite M, B, andb_true_iff. split.
    - intros [I H]. apply P in H as (c & V & A & H); [|auto using valid_set, some_cell_valid]. rewrite set_same in A.
      now exists c.
    - intros (c & V & <- & H). split; auto. apply P; [auto using valid_set, some_cell_valid|].
      exists c. now rewrite set_same.
  Qed.
End Manager.
