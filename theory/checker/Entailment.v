(** The test that certificates are checked with: conditions on two records and some further values, such as counts, and a
    sound test that nothing satisfies them. *)
From Coq Require Import List ZArith Bool PeanoNat Lia.
From Acompass Require Import Order Values Tables Syntax Results Aggregates Regions Satisfiability.
Import ListNotations.
Open Scope nat_scope.

(** * Conditions in an environment that is a function *)

Fixpoint true_in (eta : attribute -> value) (phi : condition) : bool :=
  match phi with
  | Compare A theta c => compares (eta A) theta c
  | Not phi => negb (true_in eta phi)
  | And phi psi => true_in eta phi && true_in eta psi
  | Or phi psi => true_in eta phi || true_in eta psi
  | Never => false
  end.

Lemma satisfies_true_in phi t : satisfies phi t = true_in (environment t) phi.
Proof. induction phi; simpl; congruence. Qed.

Lemma holds_of_true_in phi r : holds_of phi r = true_in (value_at r) phi.
Proof. apply satisfies_true_in. Qed.

Fixpoint renamed (move : attribute -> attribute) (phi : condition) : condition :=
  match phi with
  | Compare A theta c => Compare (move A) theta c
  | Not phi => Not (renamed move phi)
  | And phi psi => And (renamed move phi) (renamed move psi)
  | Or phi psi => Or (renamed move phi) (renamed move psi)
  | Never => Never
  end.

Fixpoint columns (phi : condition) : list attribute :=
  match phi with
  | Compare A _ _ => [A]
  | Not phi => columns phi
  | And phi psi | Or phi psi => columns phi ++ columns psi
  | Never => []
  end.

Lemma true_in_renamed move phi eta : true_in eta (renamed move phi) = true_in (fun A => eta (move A)) phi.
Proof. induction phi; simpl; congruence. Qed.

Lemma true_in_agree phi eta eta' : (forall A, In A (columns phi) -> eta A = eta' A) -> true_in eta phi = true_in eta' phi.
Proof.
  induction phi; simpl; intro H; auto; [rewrite H; auto|now rewrite IHphi| |];
    rewrite IHphi1, IHphi2; auto; intros; apply H, in_or_app; auto.
Qed.

Definition anything : condition := Not Never.
Definition all_of : list condition -> condition := fold_right And anything.
Definition any_of : list condition -> condition := fold_right Or Never.

Lemma true_in_all_of eta phis : true_in eta (all_of phis) = forallb (true_in eta) phis.
Proof. induction phis; simpl; congruence. Qed.

Lemma true_in_any_of eta phis : true_in eta (any_of phis) = existsb (true_in eta) phis.
Proof. induction phis; simpl; congruence. Qed.

(** * Scenes: a record, another record, and further values

    Columns of the first record are at the positions [here], of the second at [there], the other values at [extra]. *)

Definition here (A : attribute) : attribute := 3 * A.
Definition there (A : attribute) : attribute := 3 * A + 1.
Definition extra (j : nat) : attribute := 3 * j + 2.

Definition by_place {X} (p : attribute) (first second further : nat -> X) : X :=
  match p mod 3 with 0 => first (p / 3) | 1 => second (p / 3) | _ => further (p / 3) end.

Definition scene (r s : record) (e : nat -> value) (p : attribute) : value := by_place p (value_at r) (value_at s) e.

Lemma by_place_here {X} A (x y z : nat -> X) : by_place (here A) x y z = x A.
Proof.
  unfold by_place, here. rewrite Nat.mul_comm, Nat.mod_mul, Nat.div_mul; auto.
Qed.

Lemma by_place_there {X} A (x y z : nat -> X) : by_place (there A) x y z = y A.
Proof.
  unfold by_place, there. rewrite Nat.add_comm, Nat.mul_comm, Nat.mod_add, Nat.div_add; auto.
Qed.

Lemma by_place_extra {X} j (x y z : nat -> X) : by_place (extra j) x y z = z j.
Proof.
  unfold by_place, extra. rewrite Nat.add_comm, Nat.mul_comm, Nat.mod_add, Nat.div_add; auto.
Qed.

Lemma scene_here r s e A : scene r s e (here A) = value_at r A. Proof. apply by_place_here. Qed.
Lemma scene_there r s e A : scene r s e (there A) = value_at s A. Proof. apply by_place_there. Qed.
Lemma scene_extra r s e j : scene r s e (extra j) = e j. Proof. apply by_place_extra. Qed.

Lemma renamed_here r s e phi : true_in (scene r s e) (renamed here phi) = holds_of phi r.
Proof.
  rewrite true_in_renamed, holds_of_true_in. apply true_in_agree. intros. apply scene_here.
Qed.

(** [ks] are the kinds of the columns, [es] those of the further values; nothing is known of one without a kind. *)
Definition kinds : Type := list (option kind).
Definition kind_at (ks : kinds) (A : nat) : option kind := nth A ks None.
Definition is_of_kind (k : option kind) (v : value) : Prop := match k with Some k => has_kind k v | None => True end.
Definition is_of (ks : kinds) (r : record) : Prop := forall A, is_of_kind (kind_at ks A) (value_at r A).

(** No two records and further values of these kinds satisfy the condition. *)
Definition kind_in (ks es : kinds) (p : attribute) : kind :=
  match by_place p (kind_at ks) (kind_at ks) (kind_at es) with Some k => k | None => AnyKind end.
Definition never (ks es : kinds) (phi : condition) : bool :=
  unsatisfiable (map (kind_in ks es) (seq 0 (S (fold_right Nat.max 0 (columns phi))))) phi.

Lemma at_most_last A l : In A l -> A <= fold_right Nat.max 0 l.
Proof. induction l; simpl; [easy|]. intros [->|I]; [lia|]. specialize (IHl I). lia. Qed.

Theorem never_sound ks es phi r s e : never ks es phi = true -> is_of ks r -> is_of ks s ->
  (forall j, is_of_kind (kind_at es j) (e j)) -> true_in (scene r s e) phi = false.
Proof.
  unfold never. set (last := fold_right _ _ _). intros H R S E.
  assert (T : satisfies phi (map (scene r s e) (seq 0 (Datatypes.S last))) = false).
  { apply (unsatisfiable_tuple _ _ _ H). generalize (seq 0 (Datatypes.S last)). intro l.
    induction l; simpl; constructor; auto. unfold kind_in, scene, by_place.
    specialize (R (a / 3)). specialize (S (a / 3)). specialize (E (a / 3)).
    destruct (a mod 3) as [|[|?]]; [destruct (kind_at ks _)|destruct (kind_at ks _)|destruct (kind_at es _)]; auto; exact I. }
  rewrite <- T, satisfies_true_in. apply true_in_agree. intros A I. unfold environment.
  assert (A < Datatypes.S last) by (apply at_most_last in I; unfold last; lia).
  rewrite (nth_indep _ nothing (scene r s e 0)) by (now rewrite map_length, seq_length).
  now rewrite map_nth, seq_nth.
Qed.

(** * Conditions on a record's key and an aggregate

    Position 0 is the aggregate, position A + 1 the column A. *)

Definition with_count (v : value) (eta : attribute -> value) (p : attribute) : value :=
  match p with 0 => v | S A => eta A end.

Definition at_count (j : nat) (cell : attribute -> attribute) (p : attribute) : attribute :=
  match p with 0 => extra j | S A => cell A end.

Lemma renamed_at_count j cell U r s e : true_in (scene r s e) (renamed (at_count j cell) U) =
  true_in (with_count (e j) (fun A => scene r s e (cell A))) U.
Proof.
  rewrite true_in_renamed. apply true_in_agree. intros [|A] _; simpl; auto. apply scene_extra.
Qed.

Inductive relation : Type := Same | AtLeast | AtMost.      (* of another aggregate to the one that is known *)

Definition related (how : relation) (known wanted : value) : Prop :=
  match how with Same => known = wanted | AtLeast => below known wanted | AtMost => below wanted known end.

Definition counts_in (U : condition) : list value :=
  flat_map (fun p => match p with (0, c) => [c] | _ => [] end) (constants U).

(** The two counts are on different sides of a constant. *)
Definition apart (how : relation) (c : value) : condition :=
  match how with
  | Same => Never
  | AtLeast => Or (And (Compare (extra 0) LE c) (Compare (extra 1) GT c)) (And (Compare (extra 0) LT c) (Compare (extra 1) GE c))
  | AtMost => Or (And (Compare (extra 0) GE c) (Compare (extra 1) LT c)) (And (Compare (extra 0) GT c) (Compare (extra 1) LE c))
  end.

(** Where the context holds, what [known] allows with a count, [wanted] allows with every related count. [cell] is where
    [wanted] finds its columns. *)
Definition allowed_follows (how : relation) (ks es : kinds) (context : condition) (cell : attribute -> attribute)
    (known wanted : condition) : bool :=
  never ks es (all_of [context; renamed (at_count 0 here) known; Not (renamed (at_count 0 cell) wanted)]) &&
  forallb (fun c => never ks es (all_of [context; renamed (at_count 0 here) known;
                                         Not (renamed (at_count 1 cell) wanted); apart how c]))
          (match how with Same => [] | _ => counts_in wanted end).

Lemma counts_in_spec U c : In c (counts_in U) <-> In (0, c) (constants U).
Proof.
  unfold counts_in. rewrite in_flat_map. split.
  - intros ([[|A] d] & I & J); simpl in J; [destruct J as [->|[]]; auto|easy].
  - intro I. exists (0, c). split; simpl; auto.
Qed.

Lemma true_in_same_count U v w eta : (forall c, In c (counts_in U) -> compare_value v c = compare_value w c) ->
  true_in (with_count v eta) U = true_in (with_count w eta) U.
Proof.
  intro H. assert (K : forall c, In (0, c) (constants U) -> compare_value v c = compare_value w c).
  { intros c I. now apply H, counts_in_spec. } clear H.
  induction U; simpl in *; auto.
  - destruct A; simpl; auto. unfold compares. now rewrite K by auto.
  - now rewrite IHU.
  - rewrite IHU1, IHU2; auto; intros; apply K, in_or_app; auto.
  - rewrite IHU1, IHU2; auto; intros; apply K, in_or_app; auto.
Qed.

Definition comparison_eq_dec (c d : comparison) : {c = d} + {c <> d}.
Proof. decide equality. Defined.

Lemma separated U v w eta : true_in (with_count v eta) U <> true_in (with_count w eta) U ->
  exists c, In c (counts_in U) /\ compare_value v c <> compare_value w c.
Proof.
  intro N. destruct (Exists_dec (fun c => compare_value v c <> compare_value w c) (counts_in U)) as [H|H].
  - intro c. destruct (comparison_eq_dec (compare_value v c) (compare_value w c)); [right|left]; auto.
  - now apply Exists_exists in H.
  - elim N. apply true_in_same_count. intros c I.
    destruct (comparison_eq_dec (compare_value v c) (compare_value w c)) as [|D]; auto. elim H. apply Exists_exists. eauto.
Qed.

Lemma below_compare v w c : below v w -> compare_value v c <> compare_value w c ->
  (compare_value v c = Lt /\ compare_value w c <> Lt) \/ (compare_value v c = Eq /\ compare_value w c = Gt).
Proof.
  intros L N. destruct (compare_value v c) eqn:E.
  - right. split; auto. apply (compare_eq order_value) in E. subst c. destruct (compare_value w v) eqn:F; auto.
    + now elim N.
    + elim L. now rewrite (compare_opp order_value), F.
  - left. split; auto.
  - exfalso. assert (G : compare_value w c = Gt); [|congruence]. rewrite (compare_opp order_value) in E |- *.
    destruct (compare_value c v) eqn:F; try discriminate. replace (compare_value c w) with Lt; auto. symmetry.
    destruct (compare_value v w) eqn:H.
    + apply (compare_eq order_value) in H. now subst.
    + now apply (compare_trans order_value) with v.
    + now elim L.
Qed.

Theorem allowed_follows_sound how ks es context cell known wanted r s e :
  allowed_follows how ks es context cell known wanted = true -> is_of ks r -> is_of ks s ->
  (forall j, is_of_kind (kind_at es j) (e j)) -> true_in (scene r s e) context = true -> related how (e 0) (e 1) ->
  true_in (with_count (e 0) (value_at r)) known = true ->
  true_in (with_count (e 1) (fun A => scene r s e (cell A))) wanted = true.
Proof.
  unfold allowed_follows. intros H R S E C L K. apply andb_true_iff in H as [H0 H1].
  apply (never_sound _ _ _ r s e) in H0; auto. rewrite true_in_all_of in H0. cbn [forallb] in H0. rewrite C in H0.
  cbn [true_in] in H0. rewrite !renamed_at_count in H0.
  assert (KH : true_in (with_count (e 0) (fun A => scene r s e (here A))) known = true).
  { rewrite <- K. apply true_in_agree. intros [|A] _; simpl; auto. apply scene_here. }
  rewrite KH in H0. simpl in H0. rewrite andb_true_r in H0. apply negb_false_iff in H0.
  destruct (true_in (with_count (e 1) (fun A => scene r s e (cell A))) wanted) eqn:W; auto. exfalso.
  destruct (separated wanted (e 0) (e 1) (fun A => scene r s e (cell A))) as (c & I & N); [congruence|].
  destruct how; simpl in L; [now rewrite L in N| |].
  - rewrite forallb_forall in H1. specialize (H1 c I). apply (never_sound _ _ _ r s e) in H1; auto.
    rewrite true_in_all_of in H1. cbn [forallb] in H1. cbn [apart true_in] in H1.
    rewrite C, !renamed_at_count, KH, W, !scene_extra in H1. simpl in H1. rewrite andb_true_r in H1.
    unfold compares in H1. destruct (below_compare _ _ _ L N) as [[Q D]|[Q D]]; rewrite Q in H1; [|now rewrite D in H1].
    now destruct (compare_value (e 1) c).
  - rewrite forallb_forall in H1. specialize (H1 c I). apply (never_sound _ _ _ r s e) in H1; auto.
    rewrite true_in_all_of in H1. cbn [forallb] in H1. cbn [apart true_in] in H1.
    rewrite C, !renamed_at_count, KH, W, !scene_extra in H1. simpl in H1. rewrite andb_true_r in H1.
    unfold compares in H1. destruct (below_compare _ _ _ L (not_eq_sym N)) as [[Q D]|[Q D]]; rewrite Q in H1;
      [|now rewrite D in H1]. now destruct (compare_value (e 0) c).
Qed.
