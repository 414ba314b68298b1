(** docs/prove.md, section 1: the operations of `DiagramManager` are those on sets of cells, and keep diagrams reduced. *)
From Coq Require Import List NArith Bool Arith Lia.
From Acompass Require Import Order Diagrams Edges.
Import ListNotations.
Open Scope nat_scope.
Implicit Types (d e : diagram) (es fs : list edge) (c : cell) (m : mask) (r : N) (x y : nat).

Section Manager.
  Variable full : nat -> mask.
  Notation node := (node full).
  Notation reduced := (reduced full).
  Notation valid := (valid full).
  Notation untaken := (untaken full).
  Notation denotes := (denotes full).

  Definition literal x m : diagram := node x [(N.land m (full x), All)].

  (** * Intersection, union, difference *)

  Fixpoint intersection d : diagram -> diagram :=
    fix with_d e : diagram :=
      match d, e with
      | Empty, _ | _, Empty => Empty
      | All, _ => e
      | _, All => d
      | Node x es, Node y fs =>
          match Nat.compare x y with
          | Lt => node x (map (fun a => (fst a, intersection (snd a) e)) es)
          | Gt => node y (map (fun b => (fst b, with_d (snd b))) fs)
          | Eq => node x (common intersection es fs)
          end
      end.

  Fixpoint union d : diagram -> diagram :=
    fix with_d e : diagram :=
      match d, e with
      | Empty, _ => e
      | _, Empty => d
      | All, _ | _, All => All
      | Node x es, Node y fs =>
          match Nat.compare x y with
          | Lt => node x (map (fun a => (fst a, union (snd a) e)) es ++ [(untaken x es, e)])
          | Gt => node y (map (fun b => (fst b, with_d (snd b))) fs ++ [(untaken y fs, d)])
          | Eq => node x (common union es fs
                          ++ map (fun a => (N.land (fst a) (untaken x fs), snd a)) es
                          ++ map (fun b => (N.land (fst b) (untaken x es), snd b)) fs)
          end
      end.

  Definition union_of (ds : list diagram) : diagram := fold_left union ds Empty.

  Fixpoint difference d : diagram -> diagram :=
    fix from_d e : diagram :=
      match d, e with
      | Empty, _ | _, All => Empty
      | _, Empty => d
      | All, Node y fs => node y (map (fun b => (fst b, from_d (snd b))) fs ++ [(untaken y fs, d)])
      | Node x es, Node y fs =>
          match Nat.compare x y with
          | Lt => node x (map (fun a => (fst a, difference (snd a) e)) es)
          | Gt => node y (map (fun b => (fst b, from_d (snd b))) fs ++ [(untaken y fs, d)])
          | Eq => node x (common difference es fs ++ map (fun a => (N.land (fst a) (untaken x fs), snd a)) es)
          end
      end.

  Definition complement d : diagram := difference All d.

  Lemma intersection_nodes x es y fs : intersection (Node x es) (Node y fs) =
    match Nat.compare x y with
    | Lt => node x (map (fun a => (fst a, intersection (snd a) (Node y fs))) es)
    | Gt => node y (map (fun b => (fst b, intersection (Node x es) (snd b))) fs)
    | Eq => node x (common intersection es fs)
    end.
  Proof. reflexivity. Qed.

  (** An operation that goes down the edges of one node, with what the other diagram says of a cell. *)
  Lemma down_and n x es (f : diagram -> diagram) (q : cell -> bool) : n <= x -> ForallOrdPairs disjoint es ->
    (forall a, In a es -> within_full full x (fst a)) ->
    (forall a, In a es -> reduced (S x) (f (snd a)) /\
       forall c, valid c -> member (f (snd a)) c = member (snd a) c && q c) ->
    let found := node x (map (fun a => (fst a, f (snd a))) es) in
    reduced n found /\ forall c, valid c -> member found c = member (Node x es) c && q c.
  Proof.
    intros L P W H found. split.
    - unfold found. rewrite <- (app_nil_r (map _ es)). apply (reduced_map full n x f); auto. intros a A.
      split; [now apply W|now apply H].
    - intros c V. unfold found. rewrite member_node by auto.
      rewrite (reaches_map f (fun b => b && q c)); [|intros; now apply H].
      apply (exists_and (fun a => N.testbit (fst a) (c x)) (fun a => member (snd a) c)).
  Qed.

  (** The same with a diagram that has the regions that follow no edge. *)
  Lemma down_or n x es (f : diagram -> diagram) e : n <= x -> ForallOrdPairs disjoint es -> reduced (S x) e ->
    (forall a, In a es -> within_full full x (fst a)) ->
    (forall a, In a es -> reduced (S x) (f (snd a)) /\
       forall c, valid c -> member (f (snd a)) c = member (snd a) c || member e c) ->
    let found := node x (map (fun a => (fst a, f (snd a))) es ++ [(untaken x es, e)]) in
    reduced n found /\ forall c, valid c -> member found c = member (Node x es) c || member e c.
  Proof.
    intros L P E W H found. split.
    - apply (reduced_map full n x f); auto; [|right; now exists e]. intros a A. split; [now apply W|now apply H].
    - intros c V. unfold found. rewrite member_node, reaches_app, reaches_one, untaken_bits, V by auto.
      rewrite (reaches_map f (fun b => b || member e c)); [|intros; now apply H].
      rewrite (exists_or (fun a => N.testbit (fst a) (c x)) (fun a => member (snd a) c)).
      change (member (Node x es) c) with (reaches es c (c x)). unfold reaches. fold (taken es (c x)).
      destruct (existsb (fun a => N.testbit (fst a) (c x) && member (snd a) c) es), (taken es (c x)), (member e c);
        reflexivity.
  Qed.

  Theorem intersection_is_intersection d : forall e, denotes intersection andb d e.
  Proof.
    induction d as [| |x es IH] using diagram_induction; intro e.
    - intros n _ _. destruct e; split; simpl; auto using reduced_empty.
    - intros n _ R. destruct e; split; simpl; auto.
    - induction e as [| |y fs IHe] using diagram_induction; intros n D E.
      + split; [constructor|]. intros c _. now rewrite andb_false_r.
      + split; auto. intros c _. now rewrite andb_true_r.
      + rewrite intersection_nodes.
        destruct (edges_of _ _ _ _ D) as (PD & LD & CD), (edges_of _ _ _ _ E) as (PE & LE & CE).
        destruct (Nat.compare_spec x y) as [<-|L|L].
        * destruct (common_edges full x intersection andb es fs CD CE) as [C M]; [auto|]. split.
          -- apply node_reduced; auto using pairs_common.
          -- intros c V. rewrite member_node, M by auto. apply (product_and _ _ (fun a => member (snd a) c)).
        * apply (down_and n x es (fun d => intersection d (Node y fs)) (member (Node y fs))); auto; [intros; now apply CD|].
          intros a A. apply (IH a A (Node y fs) (S x)); [now apply CD|]. apply reduced_later with n; auto.
        * destruct (down_and n y fs (intersection (Node x es)) (member (Node x es))) as [R M]; auto;
            [intros; now apply CE| |].
          -- intros b B. destruct (IHe b B (S y)) as [R M]; [now apply reduced_later with n|now apply CE|].
             split; auto. intros c V. now rewrite andb_comm, M.
          -- split; auto. intros c V. now rewrite M, andb_comm.
  Qed.

  Lemma union_nodes x es y fs : union (Node x es) (Node y fs) =
    match Nat.compare x y with
    | Lt => node x (map (fun a => (fst a, union (snd a) (Node y fs))) es ++ [(untaken x es, Node y fs)])
    | Gt => node y (map (fun b => (fst b, union (Node x es) (snd b))) fs ++ [(untaken y fs, Node x es)])
    | Eq => node x (common union es fs
                    ++ map (fun a => (N.land (fst a) (untaken x fs), snd a)) es
                    ++ map (fun b => (N.land (fst b) (untaken x es), snd b)) fs)
    end.
  Proof. reflexivity. Qed.

  Theorem union_is_union d : forall e, denotes union orb d e.
  Proof.
    induction d as [| |x es IH] using diagram_induction; intro e.
    - intros n _ R. destruct e; split; simpl; auto.
    - intros n _ R. destruct e; split; simpl; auto using reduced_all.
    - induction e as [| |y fs IHe] using diagram_induction; intros n D E.
      + split; auto. intros c _. now rewrite orb_false_r.
      + split; [constructor|]. intros c _. now rewrite orb_true_r.
      + rewrite union_nodes. destruct (edges_of _ _ _ _ D) as (PD & LD & CD), (edges_of _ _ _ _ E) as (PE & LE & CE).
        destruct (Nat.compare_spec x y) as [<-|L|L].
        * destruct (common_edges full x union orb es fs CD CE) as [C M]; [auto|].
          destruct (rest_edges full x es fs PD CD) as (P1 & C1 & T1), (rest_edges full x fs es PE CE) as (P2 & C2 & T2).
          split.
          -- apply node_reduced; auto.
             ++ apply pairs_app; [auto using pairs_common|apply pairs_app; auto|].
                ** intros a b A B. apply disjoint_of_taken with es; intros r K; [now apply (T1 a)|now apply (T2 b)].
                ** intros a b A B. apply in_common in A as (k & k' & K & K' & ->). apply in_app_or in B as [B|B].
                   --- apply disjoint_of_taken with fs; intros r I; [|now apply (T1 b)].
                       apply (taken_by k'); auto. now apply land_right in I.
                   --- apply disjoint_of_taken with es; intros r I; [|now apply (T2 b)].
                       apply (taken_by k); auto. now apply land_left in I.
             ++ intros a I. apply in_app_or in I as [I|I]; auto. apply in_app_or in I as [I|I]; auto.
          -- intros c V. rewrite member_node, !reaches_app, !reaches_land, M, !untaken_bits, V by auto.
             rewrite (product_or _ _ (fun a => member (snd a) c)).
             change (member (Node x es) c) with (reaches es c (c x)). change (member (Node x fs) c) with (reaches fs c (c
               x)).
             fold (reaches es c (c x)) (reaches fs c (c x)) (taken es (c x)) (taken fs (c x)).
             pose proof (reaches_taken es c (c x)) as T. pose proof (reaches_taken fs c (c x)) as T'.
             destruct (reaches es c (c x)), (reaches fs c (c x)), (taken es (c x)), (taken fs (c x)); auto; now
               discriminate T || discriminate T'.
        * apply (down_or n x es (fun d => union d (Node y fs))); auto; [now apply reduced_later with n|intros; now apply CD|].
          intros a A. apply (IH a A (Node y fs) (S x)); [now apply CD|]. apply reduced_later with n; auto.
        * destruct (down_or n y fs (union (Node x es)) (Node x es)) as [R M]; auto;
            [now apply reduced_later with n|intros; now apply CE| |].
          -- intros b B. destruct (IHe b B (S y)) as [R M]; [now apply reduced_later with n|now apply CE|].
             split; auto. intros c V. now rewrite orb_comm, M.
          -- split; auto. intros c V. now rewrite M, orb_comm.
  Qed.

  Lemma difference_nodes x es y fs : difference (Node x es) (Node y fs) =
    match Nat.compare x y with
    | Lt => node x (map (fun a => (fst a, difference (snd a) (Node y fs))) es)
    | Gt => node y (map (fun b => (fst b, difference (Node x es) (snd b))) fs ++ [(untaken y fs, Node x es)])
    | Eq => node x (common difference es fs ++ map (fun a => (N.land (fst a) (untaken x fs), snd a)) es)
    end.
  Proof. reflexivity. Qed.

  Lemma difference_all y fs :
    difference All (Node y fs) = node y (map (fun b => (fst b, difference All (snd b))) fs ++ [(untaken y fs, All)]).
  Proof. reflexivity. Qed.

  Definition but_not (a b : bool) : bool := a && negb b.

  (** What a node leaves of a diagram that tests later variables. *)
  Lemma difference_below n d y fs : n <= y -> ForallOrdPairs disjoint fs -> reduced (S y) d ->
    (forall b, In b fs -> within_full full y (fst b) /\ reduced (S y) (snd b)) ->
    (forall b, In b fs -> denotes difference but_not d (snd b)) ->
    let left := node y (map (fun b => (fst b, difference d (snd b))) fs ++ [(untaken y fs, d)]) in
    reduced n left /\ forall c, valid c -> member left c = but_not (member d c) (member (Node y fs) c).
  Proof.
    intros L P D C H left. split.
    - apply (reduced_map full n y (difference d)); auto; [|right; now exists d].
      intros b B. split; [now apply C|]. apply (H b B (S y)); auto. now apply C.
    - intros c V. unfold left. rewrite member_node, reaches_app, reaches_one, untaken_bits, V by auto.
      rewrite (reaches_map (difference d) (but_not (member d c))).
      + change (member (Node y fs) c) with (reaches fs c (c y)). unfold but_not.
        pose proof (reaches_taken fs c (c y)) as T.
        assert (N : existsb (fun b => N.testbit (fst b) (c y) && negb (member (snd b) c)) fs
          = taken fs (c y) && negb (reaches fs c (c y))) by exact (exists_not fs (fun b => member (snd b) c) (c y) P).
        destruct (member d c); cbn [andb]; [rewrite N|].
        * destruct (reaches fs c (c y)), (taken fs (c y)); auto. now specialize (T eq_refl).
        * rewrite andb_false_r, orb_false_r. clear. induction fs; simpl; auto. now rewrite andb_false_r.
      + intros b B. apply (H b B (S y)); auto. now apply C.
  Qed.

  Theorem difference_is_difference d : forall e, denotes difference but_not d e.
  Proof.
    induction d as [| |x es IH] using diagram_induction; intro e.
    - intros n _ _. destruct e; split; simpl; auto using reduced_empty.
    - induction e as [| |y fs IHe] using diagram_induction; intros n D E.
      + split; [constructor|auto].
      + split; [constructor|auto].
      + rewrite difference_all. destruct (edges_of _ _ _ _ E) as (PE & LE & CE).
        apply difference_below; auto using reduced_all.
    - induction e as [| |y fs IHe] using diagram_induction; intros n D E.
      + split; auto. intros c _. unfold but_not. now rewrite andb_true_r.
      + split; [constructor|]. intros c _. unfold but_not. now rewrite andb_false_r.
      + rewrite difference_nodes.
        destruct (edges_of _ _ _ _ D) as (PD & LD & CD), (edges_of _ _ _ _ E) as (PE & LE & CE).
        destruct (Nat.compare_spec x y) as [<-|L|L].
        * destruct (common_edges full x difference but_not es fs CD CE) as [C M]; [auto|].
          destruct (rest_edges full x es fs PD CD) as (P1 & C1 & T1). split.
          -- apply node_reduced; auto.
             ++ apply pairs_app; auto using pairs_common. intros a b A B. apply in_common in A as (k & k' & K & K' & ->).
                apply disjoint_of_taken with fs; intros r I; [|now apply (T1 b)].
                apply (taken_by k'); auto. now apply land_right in I.
             ++ intros a I. apply in_app_or in I as [I|I]; auto.
          -- intros c V. rewrite member_node, !reaches_app, !reaches_land, M, !untaken_bits, V by auto. unfold but_not.
             rewrite (product_and _ _ (fun a => member (snd a) c) (fun b => negb (member (snd b) c))).
             rewrite (exists_not fs (fun b => member (snd b) c)) by auto.
             change (member (Node x es) c) with (reaches es c (c x)). change (member (Node x fs) c) with (reaches fs c (c
               x)).
             fold (reaches es c (c x)) (reaches fs c (c x)). pose proof (reaches_taken fs c (c x)) as T.
             destruct (reaches es c (c x)), (reaches fs c (c x)), (taken fs (c x)); auto; now discriminate T.
        * apply (down_and n x es (fun d => difference d (Node y fs)) (fun c => negb (member (Node y fs) c))); auto;
            [intros; now apply CD|].
          intros a A. apply (IH a A (Node y fs) (S x)); [now apply CD|]. apply reduced_later with n; auto.
        * apply difference_below; auto. apply reduced_later with n; auto; lia.
  Qed.

  Theorem complement_is_complement d n : reduced n d ->
    reduced n (complement d) /\ forall c, valid c -> member (complement d) c = negb (member d c).
  Proof. intro D. exact (difference_is_difference All d n (reduced_all _ n) D). Qed.

  Theorem union_of_is_union ds n : (forall d, In d ds -> reduced n d) ->
    reduced n (union_of ds) /\ forall c, valid c -> member (union_of ds) c = existsb (fun d => member d c) ds.
  Proof.
    intro H. assert (K : forall d, reduced n d -> reduced n (fold_left union ds d) /\
      forall c, valid c -> member (fold_left union ds d) c = member d c || existsb (fun d => member d c) ds).
    { induction ds as [|e ds IH]; intros d D; simpl; [split; auto; intros; now rewrite orb_false_r|].
      destruct (union_is_union d e n D (H e (or_introl eq_refl))) as [R M].
      destruct (IH (fun d' I => H d' (or_intror I)) (union d e) R) as [R' M']. split; auto.
      intros c V. now rewrite M', M, orb_assoc. }
    exact (K Empty (reduced_empty _ n)).
  Qed.

  Theorem literal_is_test x m n : n <= x ->
    reduced n (literal x m) /\ forall c, valid c -> member (literal x m) c = N.testbit m (c x).
  Proof.
    intro L. split.
    - apply node_reduced; auto; [repeat constructor|]. intros a [<-|[]]. split; [|constructor]. intros r B.
      now apply land_right in B.
    - intros c V. unfold literal. rewrite member_node, reaches_one, N.land_spec, V by auto. simpl. now rewrite !andb_true_r.
  Qed.
End Manager.
