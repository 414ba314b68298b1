(** What is known of the values of a typed record, and of the texts that they become (D12). *)
From Coq Require Import List ZArith QArith Qcanon Bool Lia.
From Acompass Require Import Order Bags Texts Floats Values Tables Syntax Results Assertions Actions Histories Exactness.
From Acompass Require Import Anonymity Aggregates Regions Conversions Satisfiability Formulas Weakest Witnesses.
Import ListNotations.
Open Scope nat_scope.

(** * Views of a kind *)

Definition source_kind (s : list kind) (x : source) : kind :=
  match x with Column A => kind_of s A | Drawn _ l u => if (l <=? u)%Z then BoundedKind l u else IntegerKind end.

Definition view_kind (s : list kind) (v : view) : kind :=
  match snd v with [] => source_kind s (fst v) | _ => AnyKind end.

Definition is_exact_kind (k : kind) : bool :=
  match k with IntegerKind | BoundedKind _ _ | DecimalKind _ | NumberKind => true | _ => false end.
Definition is_exact_type (t : type) : bool := match t with AsDecimal _ | AsSpelled => true | _ => false end.

(** Exact numbers that become other exact numbers keep their values. *)
Definition normal (s : list kind) (v : view) : view :=
  if is_exact_kind (source_kind s (fst v)) && forallb is_exact_type (snd v) then (fst v, []) else v.

Fixpoint normalized (s : list kind) (f : formula) : formula :=
  match f with
  | Atom v theta c => Atom (normal s v) theta c
  | Neg f => Neg (normalized s f)
  | Conj f g => Conj (normalized s f) (normalized s g)
  | Disj f g => Disj (normalized s f) (normalized s g)
  | Falsum => Falsum
  end.

(** Equal values of these kinds are equal fields. *)
Definition has_one_spelling (k : kind) : bool := match k with NumberKind | AnyKind => false | _ => true end.

Definition converted (ts : list type) (f : field) : field := fold_left (fun f t => convert t f) ts f.

Lemma signed_number_injective a n b m : negb (a && (n =? 0)%N) = true -> negb (b && (m =? 0)%N) = true ->
  signed_number a n = signed_number b m -> a = b /\ n = m.
Proof.
  unfold signed_number. intros A B H. destruct a, b; simpl in *; try (apply negb_true_iff, N.eqb_neq in A);
    try (apply negb_true_iff, N.eqb_neq in B); split; auto; lia.
Qed.

Lemma one_spelling k f g : has_one_spelling k = true -> fits k f = true -> fits k g = true ->
  value_of f = value_of g -> f = g.
Proof.
  intros K F G E. assert (Q : number_of (value_of f) = number_of (value_of g)) by now rewrite E.
  assert (T : snd (snd (value_of f)) = snd (snd (value_of g))) by now rewrite E. clear E.
  destruct k; try discriminate K; destruct f; try discriminate F; destruct g; try discriminate G;
    cbn [number_of value_of exact floating fst snd] in Q, T; simpl in F, G; auto.
  - apply integer_injective in Q. now subst.
  - apply integer_injective in Q. now subst.
  - apply andb_true_iff in F as [F F'], G as [G G']. apply Nat.eqb_eq in F, G. subst.
    unfold decimal in Q. rewrite Q2Qc_eq_iff in Q. unfold Qeq in Q. simpl in Q. apply Z.mul_cancel_r in Q; [|discriminate].
    now apply signed_number_injective in Q as [-> ->].
  - apply andb_true_iff in F as [F F'], G as [G G']. apply integer_injective in Q. unfold float_rank in Q.
    apply negb_true_iff in F, G. rewrite F, G in Q. now apply signed_number_injective in Q as [-> ->].
  - now subst.
  - apply integer_injective in Q. now destruct b, b0.
  - apply integer_injective, N2Z.inj in Q. now subst.
  - apply integer_injective, N2Z.inj in Q. now subst.
Qed.

(** * The record and the draws *)

Section Facts.
  Variables (s : list kind) (r : record) (draws : nat -> Z).
  Hypothesis fitting : forall A, fits (kind_of s A) (get r A) = true.

  Lemma source_fits x : fits (source_kind s x) (source_field r draws x) = true.
  Proof.
    destruct x as [A|i l u]; simpl; auto. destruct (Z.leb_spec l u); auto. simpl. apply andb_true_iff.
    rewrite !Z.leb_le. lia.
  Qed.

  Lemma view_has_kind v : has_kind (view_kind s v) (view_value r draws v).
  Proof.
    destruct v as [x [|t ts]]; unfold view_kind; simpl; auto. unfold view_value, view_field. simpl.
    apply fits_has_kind, source_fits.
  Qed.

  Lemma exact_field k f : is_exact_kind k = true -> fits k f = true -> is_exact f.
  Proof. destruct k; try discriminate; intros _; destruct f; try discriminate; intros _; [left|left|right|left|right]; eauto. Qed.

  Lemma exact_chain ts : forall f, forallb is_exact_type ts = true -> is_exact f -> value_of (converted ts f) = value_of f.
  Proof.
    unfold converted. induction ts as [|t ts IH]; intros f T E; auto. cbn [fold_left]. apply andb_true_iff in T as [T T'].
    assert (X : t = AsSpelled \/ exists scale, t = AsDecimal scale) by (destruct t; try discriminate T; eauto).
    rewrite IH; auto; [now apply exact_stays_exact|].
    destruct X as [->|(scale & ->)], E as [(n & ->)|(a & n & k & ->)]; right; simpl; eauto; unfold at_scale;
      destruct (_ <=? _); eauto.
  Qed.

  Lemma normal_value v : view_value r draws (normal s v) = view_value r draws v.
  Proof.
    unfold normal. destruct (is_exact_kind _) eqn:K; auto. destruct (forallb _ _) eqn:T; auto. simpl.
    symmetry. apply exact_chain; auto. apply (exact_field _ _ K), source_fits.
  Qed.

  Lemma normalized_meaning f : meaning r draws (normalized s f) = meaning r draws f.
  Proof. induction f; simpl; rewrite ?normal_value; congruence. Qed.

  (** * Facts about converted values *)

  Definition implies_ (f g : formula) : formula := Disj (Neg f) g.

  (** A source with a known field: so are all its views. *)
  Definition fact_of_field (v : view) (f : field) : formula :=
    let k := source_kind s (fst v) in
    if has_one_spelling k && fits k f
    then implies_ (Atom (fst v, []) EQ (value_of f)) (Atom v EQ (value_of (converted (snd v) f))) else Verum.

  Lemma compares_equal v c : compares v EQ c = true <-> v = c.
  Proof. unfold compares. rewrite <- (compare_eq order_value). destruct (compare_value v c); split; easy. Qed.

  Lemma fact_of_field_holds v f : meaning r draws (fact_of_field v f) = true.
  Proof.
    unfold fact_of_field. destruct (has_one_spelling _) eqn:K; auto. destruct (fits _ f) eqn:F; auto.
    cbn [andb implies_ meaning]. unfold view_value at 1, view_field at 1. cbn [fst snd fold_left].
    destruct (compares (value_of (source_field r draws (fst v))) EQ (value_of f)) eqn:E; auto. simpl.
    apply compares_equal in E. apply (one_spelling _ _ _ K (source_fits (fst v)) F) in E.
    unfold view_value, view_field. rewrite E. now apply compares_equal.
  Qed.

  (** A text that an integer became is read back as this integer. *)
  Definition is_integer_kind (k : kind) : bool := match k with IntegerKind | BoundedKind _ _ => true | _ => false end.
  Definition fact_of_text (v : view) (t : text) : formula :=
    match snd v with
    | [AsText] =>
        if is_integer_kind (source_kind s (fst v)) then
          implies_ (Atom v EQ (text_value t))
            (match read_integer t with Some n => Atom (fst v, []) EQ (exact (integer n)) | None => Falsum end)
        else Verum
    | _ => Verum
    end.

  Lemma integer_source x : is_integer_kind (source_kind s x) = true -> exists n, source_field r draws x = Integer n.
  Proof.
    intro K. pose proof (source_fits x) as F. destruct (source_kind s x); try discriminate K;
      destruct (source_field r draws x); try discriminate F; eauto.
  Qed.

  Lemma fact_of_text_holds v t : meaning r draws (fact_of_text v t) = true.
  Proof.
    unfold fact_of_text. destruct v as [x ts]. cbn [fst snd]. destruct ts as [|[] [|]]; auto.
    destruct (is_integer_kind _) eqn:K; auto. destruct (integer_source x K) as (n & E).
    unfold implies_. cbn [meaning]. unfold view_value at 1, view_field at 1. cbn [fst snd fold_left]. rewrite E. cbn [convert text_of].
    change (value_of (Text (text_of_integer n))) with (text_value (text_of_integer n)).
    destruct (compares (text_value (text_of_integer n)) EQ (text_value t)) eqn:C; auto. apply compares_equal in C.
    injection C as <-. rewrite read_integer_of_text. simpl. apply compares_equal. unfold view_value, view_field. simpl.
    now rewrite E.
  Qed.
End Facts.
