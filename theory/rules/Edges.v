(** The edges of decision diagrams: what their masks have in common, and which regions no edge covers. *)
From Coq Require Import List NArith Bool Arith Lia.
From Acompass Require Import Order Diagrams.
Import ListNotations.
Open Scope nat_scope.
Implicit Types (d e : diagram) (es fs : list edge) (c : cell) (m : mask) (r : N) (x y : nat).

(** * Lists of edges with disjoint masks *)

Lemma pairs_app {X} (P : X -> X -> Prop) l l' : ForallOrdPairs P l -> ForallOrdPairs P l' ->
  (forall a b, In a l -> In b l' -> P a b) -> ForallOrdPairs P (l ++ l').
Proof.
  induction 1 as [|a l F R IH]; intros H C; simpl; auto. constructor; [|apply IH; auto; intros; apply C; simpl; auto].
  rewrite Forall_forall in *. intros b I. apply in_app_or in I as [I|I]; auto. apply C; simpl; auto.
Qed.

Lemma disjoint_narrow (a a' b b' : edge) : disjoint a' b' ->
  (forall r, r ∈ fst a -> r ∈ fst a') -> (forall r, r ∈ fst b -> r ∈ fst b') -> disjoint a b.
Proof.
  unfold disjoint. rewrite !disjoint_bits. intros H A B r I. apply not_true_iff_false. intro J.
  specialize (H r (A r I)). now rewrite (B r J) in H.
Qed.

Lemma pairs_map (g : edge -> edge) es : (forall a r, r ∈ fst (g a) -> r ∈ fst a) ->
  ForallOrdPairs disjoint es -> ForallOrdPairs disjoint (map g es).
Proof.
  intro S. induction 1 as [|a es F R IH]; simpl; constructor; auto. rewrite Forall_forall in *. intros b I.
  apply in_map_iff in I as (b' & <- & I). now apply disjoint_narrow with a b'; auto.
Qed.

(** The edges of two nodes that test one variable, for the regions that both have. *)
Definition common (op : diagram -> diagram -> diagram) es fs : list edge :=
  flat_map (fun a => map (fun b => (N.land (fst a) (fst b), op (snd a) (snd b))) fs) es.

Lemma in_common op es fs a : In a (common op es fs) <->
  exists b b', In b es /\ In b' fs /\ a = (N.land (fst b) (fst b'), op (snd b) (snd b')).
Proof.
  unfold common. rewrite in_flat_map. split.
  - intros (b & I & J). apply in_map_iff in J as (b' & <- & J). exists b, b'. auto.
  - intros (b & b' & I & J & ->). exists b. split; auto. apply in_map_iff. exists b'. auto.
Qed.

Lemma land_left m m' r : r ∈ N.land m m' -> r ∈ m.
Proof. rewrite N.land_spec. intro H. now apply andb_true_iff in H. Qed.

Lemma land_right m m' r : r ∈ N.land m m' -> r ∈ m'.
Proof. rewrite N.land_spec. intro H. now apply andb_true_iff in H. Qed.

Lemma pairs_common op es fs :
  ForallOrdPairs disjoint es -> ForallOrdPairs disjoint fs -> ForallOrdPairs disjoint (common op es fs).
Proof.
  intros E F. induction E as [|a es A R IH]; [constructor|]. apply pairs_app; auto.
  - change (fun b => _) with (fun b : edge => (N.land (fst a) (fst b), op (snd a) (snd b))).
    apply pairs_map; auto. intros b r. apply land_right.
  - intros b b' I J. apply in_map_iff in I as (k & <- & I). apply in_common in J as (l & l' & L & _ & ->).
    rewrite Forall_forall in A. apply disjoint_narrow with a l; auto; intro r; apply land_left.
Qed.

Lemma reaches_common op es fs c r (f : bool -> bool -> bool) :
  (forall a b, In a es -> In b fs -> member (op (snd a) (snd b)) c = f (member (snd a) c) (member (snd b) c)) ->
  reaches (common op es fs) c r = existsb (fun a => N.testbit (fst a) r
    && existsb (fun b => N.testbit (fst b) r && f (member (snd a) c) (member (snd b) c)) fs) es.
Proof.
  intro H. apply eq_true_iff_eq. unfold reaches. rewrite !existsb_exists. split.
  - intros (a & I & J). apply in_common in I as (b & b' & B & B' & ->). cbn [fst snd] in J.
    rewrite H, N.land_spec in J by auto. apply andb_true_iff in J as [J K]. apply andb_true_iff in J as [J L].
    exists b. split; auto. cbn beta. rewrite J. apply existsb_exists. exists b'. split; auto. cbn beta. now rewrite L, K.
  - intros (b & B & J). apply andb_true_iff in J as [J K]. apply existsb_exists in K as (b' & B' & K).
    apply andb_true_iff in K as [K L]. exists (N.land (fst b) (fst b'), op (snd b) (snd b')). split.
    + apply in_common. exists b, b'. auto.
    + cbn [fst snd]. now rewrite H, N.land_spec, J, K, L.
Qed.

Section Manager.
  Variable full : nat -> mask.
  Notation node := (node full).
  Notation reduced := (reduced full).
  Notation valid := (valid full).

  (** The regions of the root's variable that follow no edge (`_untaken`). *)
  Definition untaken x es : mask := fold_right (fun a m => N.ldiff m (fst a)) (full x) es.

  Definition taken es r : bool := existsb (fun a => N.testbit (fst a) r) es.

  Lemma untaken_bits x es r : N.testbit (untaken x es) r = N.testbit (full x) r && negb (taken es r).
  Proof.
    unfold untaken, taken. induction es as [|a es IH]; simpl; [now rewrite andb_true_r|].
    rewrite N.ldiff_spec, IH. destruct (N.testbit (fst a) r), (N.testbit (full x) r); simpl; auto using andb_false_r,
      andb_true_r.
  Qed.

  Lemma untaken_disjoint x es a d : In a es -> disjoint a (untaken x es, d).
  Proof.
    intro I. unfold disjoint. cbn [fst]. apply disjoint_bits. intros r B. rewrite untaken_bits. apply andb_false_iff. right.
    apply negb_false_iff, existsb_exists. now exists a.
  Qed.

  (** What is known of the edges of a reduced node. *)
  Lemma edges_of n x es : reduced n (Node x es) ->
    ForallOrdPairs disjoint es /\ n <= x /\ forall a, In a es -> within_full full x (fst a) /\ reduced (S x) (snd a).
  Proof.
    intro H. inversion H as [| |? ? ? L NE P R A O S]; subst. repeat split; auto; try (now apply P); try (now apply R).
    clear -A. induction A as [|a es F A IH]; constructor; auto. rewrite Forall_forall in *. intros b I. now apply F.
  Qed.

  (** An operation that goes down the edges of one node, and perhaps gives the regions that follow no edge to [d]. *)
  Lemma reduced_map n x (f : diagram -> diagram) es (rest : list edge) : n <= x -> ForallOrdPairs disjoint es ->
    (forall a, In a es -> within_full full x (fst a) /\ reduced (S x) (f (snd a))) ->
    (rest = [] \/ exists d, rest = [(untaken x es, d)] /\ reduced (S x) d) ->
    reduced n (node x (map (fun a => (fst a, f (snd a))) es ++ rest)).
  Proof.
    intros L F H R. apply node_reduced; auto.
    - apply pairs_app.
      + apply pairs_map; auto.
      + destruct R as [->|(d & -> & _)]; repeat constructor.
      + intros a b I J. apply in_map_iff in I as (a' & <- & I). destruct R as [->|(d & -> & _)]; [easy|].
        destruct J as [<-|[]]. now apply (untaken_disjoint x es a' d).
    - intros a I. apply in_app_or in I as [I|I].
      + apply in_map_iff in I as (a' & <- & I). exact (H a' I).
      + destruct R as [->|(d & -> & R)]; [easy|]. destruct I as [<-|[]]. split; auto. intros r B. cbn [fst] in B.
        rewrite untaken_bits in B. now apply andb_true_iff in B.
  Qed.

  Lemma reaches_map (f : diagram -> diagram) (g : bool -> bool) es c r :
    (forall a, In a es -> member (f (snd a)) c = g (member (snd a) c)) ->
    reaches (map (fun a => (fst a, f (snd a))) es) c r
    = existsb (fun a => N.testbit (fst a) r && g (member (snd a) c)) es.
  Proof.
    unfold reaches. induction es as [|a es IH]; intro H; simpl; auto. now rewrite H, IH by auto with datatypes.
  Qed.

  Lemma reaches_app es fs c r : reaches (es ++ fs) c r = reaches es c r || reaches fs c r.
  Proof. apply existsb_app. Qed.

  Lemma reaches_land m es c r :
    reaches (map (fun a => (N.land (fst a) m, snd a)) es) c r = reaches es c r && N.testbit m r.
  Proof.
    unfold reaches. induction es as [|a es IH]; simpl; auto. rewrite IH, N.land_spec.
    destruct (N.testbit (fst a) r), (N.testbit m r), (member (snd a) c); simpl; auto using andb_false_r, andb_true_r.
  Qed.

  Lemma exists_and (p : edge -> bool) (q : edge -> bool) b es :
    existsb (fun a => p a && (q a && b)) es = existsb (fun a => p a && q a) es && b.
  Proof.
    induction es as [|a es IH]; simpl; auto. rewrite IH.
    destruct (p a), (q a), b, (existsb (fun a => p a && q a) es); reflexivity.
  Qed.

  Lemma exists_or (p : edge -> bool) (q : edge -> bool) b es :
    existsb (fun a => p a && (q a || b)) es = existsb (fun a => p a && q a) es || (existsb p es && b).
  Proof.
    induction es as [|a es IH]; simpl; auto. rewrite IH.
    destruct (p a), (q a), b, (existsb p es), (existsb (fun a => p a && q a) es); reflexivity.
  Qed.

  (** A region follows at most one edge. *)
  Lemma exists_not es (q : edge -> bool) r : ForallOrdPairs disjoint es ->
    existsb (fun a => N.testbit (fst a) r && negb (q a)) es
    = taken es r && negb (existsb (fun a => N.testbit (fst a) r && q a) es).
  Proof.
    unfold taken. induction 1 as [|a es F R IH]; simpl; auto. rewrite Forall_forall in F.
    destruct (N.testbit (fst a) r) eqn:B; simpl; auto.
    assert (Z : forall p : edge -> bool, existsb (fun b => N.testbit (fst b) r && p b) es = false).
    { intro p. apply not_true_iff_false. rewrite existsb_exists. intros (b & I & J). apply andb_true_iff in J as [J _].
      specialize (F b I). unfold disjoint in F. rewrite disjoint_bits in F. now rewrite (F r B) in J. }
    rewrite !Z, !orb_false_r. now rewrite ?orb_false_r.
  Qed.

  Lemma reaches_taken es c r : reaches es c r = true -> taken es r = true.
  Proof.
    unfold reaches, taken. rewrite !existsb_exists. intros (a & I & J). exists a. split; auto. now apply andb_true_iff in J.
  Qed.

  (** Both of two nodes' edges *)
  Lemma product_and p q f g es fs :
    existsb (fun a : edge => p a && existsb (fun b : edge => q b && (f a && g b)) fs) es
    = existsb (fun a => p a && f a) es && existsb (fun b => q b && g b) fs.
  Proof.
    induction es as [|a es IH]; simpl; auto. rewrite IH. assert (E : existsb (fun b => q b && (f a && g b)) fs
      = f a && existsb (fun b => q b && g b) fs).
    { destruct (f a); simpl; auto. clear. induction fs; simpl; auto. now rewrite andb_false_r. }
    rewrite E. destruct (p a), (f a), (existsb (fun b => q b && g b) fs), (existsb (fun a => p a && f a) es); reflexivity.
  Qed.

  Lemma product_or p q f g es fs :
    existsb (fun a : edge => p a && existsb (fun b : edge => q b && (f a || g b)) fs) es
    = existsb (fun a => p a && f a) es && existsb q fs || existsb p es && existsb (fun b => q b && g b) fs.
  Proof.
    induction es as [|a es IH]; simpl; auto. rewrite IH. assert (E : existsb (fun b => q b && (f a || g b)) fs
      = existsb (fun b => q b && g b) fs || existsb q fs && f a).
    { destruct (f a); simpl.
      - rewrite andb_true_r. clear. induction fs as [|b fs IH]; simpl; auto. rewrite IH, andb_true_r.
        destruct (q b), (g b), (existsb q fs), (existsb (fun b => q b && g b) fs); reflexivity.
      - now rewrite andb_false_r, orb_false_r. }
    rewrite E. destruct (p a), (f a), (existsb (fun b => q b && g b) fs), (existsb (fun a => p a && f a) es),
      (existsb q fs), (existsb p es); reflexivity.
  Qed.

  Lemma reaches_one m d c r : reaches [(m, d)] c r = N.testbit m r && member d c.
  Proof. unfold reaches. simpl. apply orb_false_r. Qed.

  (** For reduced diagrams, an operation builds a reduced diagram of the cells that [f] says. *)
  Definition denotes (op : diagram -> diagram -> diagram) (f : bool -> bool -> bool) d e : Prop :=
    forall n, reduced n d -> reduced n e ->
      reduced n (op d e) /\ forall c, valid c -> member (op d e) c = f (member d c) (member e c).

  Lemma common_edges x op f es fs :
    (forall a, In a es -> within_full full x (fst a) /\ reduced (S x) (snd a)) ->
    (forall b, In b fs -> within_full full x (fst b) /\ reduced (S x) (snd b)) ->
    (forall a b, In a es -> In b fs -> denotes op f (snd a) (snd b)) ->
    (forall a, In a (common op es fs) -> within_full full x (fst a) /\ reduced (S x) (snd a)) /\
    forall c, valid c -> reaches (common op es fs) c (c x) = existsb (fun a => N.testbit (fst a) (c x)
      && existsb (fun b => N.testbit (fst b) (c x) && f (member (snd a) c) (member (snd b) c)) fs) es.
  Proof.
    intros D E H. split.
    - intros a I. apply in_common in I as (b & b' & B & B' & ->). cbn [fst snd]. split.
      + intros r K. apply (D b B). now apply land_left in K.
      + apply (H b b' B B' (S x)); [now apply D|now apply E].
    - intros c V. apply reaches_common. intros a b A B. apply (H a b A B (S x)); auto; [now apply D|now apply E].
  Qed.

  (** The edges of a node, as far as those of another do not go. *)
  Lemma rest_edges x es fs : ForallOrdPairs disjoint es ->
    (forall a, In a es -> within_full full x (fst a) /\ reduced (S x) (snd a)) ->
    let rest := map (fun a => (N.land (fst a) (untaken x fs), snd a)) es in
    ForallOrdPairs disjoint rest /\
    (forall a, In a rest -> within_full full x (fst a) /\ reduced (S x) (snd a)) /\
    (forall a r, In a rest -> r ∈ fst a -> taken es r = true /\ taken fs r = false).
  Proof.
    intros P C rest. split; [|split].
    - apply (pairs_map (fun a => (N.land (fst a) (untaken x fs), snd a))); auto. intros a r. apply land_left.
    - intros a I. apply in_map_iff in I as (b & <- & I). split; [|exact (proj2 (C b I))]. intros r K. apply (C b I).
      now apply land_left in K.
    - intros a r I K. apply in_map_iff in I as (b & <- & I). cbn [fst] in K.
      split; [apply existsb_exists; exists b; split; auto; now apply land_left in K|]. apply land_right in K.
      rewrite untaken_bits in K. apply andb_true_iff in K as [_ K]. now apply negb_true_iff in K.
  Qed.

  Lemma taken_by a es r : In a es -> r ∈ fst a -> taken es r = true.
  Proof. intros I B. apply existsb_exists. now exists a. Qed.

  Lemma disjoint_of_taken es (a b : edge) : (forall r, r ∈ fst a -> taken es r = true) ->
    (forall r, r ∈ fst b -> taken es r = false) -> disjoint a b.
  Proof.
    intros A B. unfold disjoint. apply disjoint_bits. intros r I. apply not_true_iff_false. intro J.
    specialize (A r I). now rewrite (B r J) in A.
  Qed.
End Manager.
