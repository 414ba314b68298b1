(** What is known about the values of a typed record, and about the texts that they become (D12). *)
From Coq Require Import List ZArith QArith Qcanon Bool Lia.
From Acompass Require Import Order Bags Texts Floats Values Tables Syntax Results Assertions Actions Histories Exactness.
From Acompass Require Import Anonymity Aggregates Regions Conversions TextOrder TimestampOrder.
From Acompass Require Import Satisfiability Formulas Weakest Witnesses Beginnings.
Import ListNotations.
Open Scope nat_scope.

(** * Views of a kind *)

Definition source_kind (s : list kind) (x : source) : kind :=
  match x with
  | Column A => kind_of s A
  | Drawn _ l u => if (l <=? u)%Z then BoundedKind l u else IntegerKind
  | Written _ => AnyKind
  end.

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
  Variables (s : list kind) (r : record) (draws : nat -> field).
  Hypothesis fitting : forall A, fits (kind_of s A) (get r A) = true.

  Lemma source_fits x : fits (source_kind s x) (source_field r draws x) = true.
  Proof.
    destruct x as [A|i l u|i]; simpl; auto. destruct (Z.leb_spec l u); destruct (draws i); auto; simpl;
      apply andb_true_iff; rewrite !Z.leb_le; lia.
  Qed.

  Lemma view_has_kind v : has_kind (view_kind s v) (view_value r draws v).
  Proof.
    destruct v as [x [|t ts]]; unfold view_kind; simpl; auto. unfold view_value, view_field. simpl.
    apply fits_has_kind, source_fits.
  Qed.

  Lemma exact_field k f : is_exact_kind k = true -> fits k f = true -> is_exact f.
  Proof.
    destruct k; try discriminate; intros _; destruct f; try discriminate; intros _; [left|left|right|left|right]; eauto.
  Qed.

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

  Definition implication (f g : formula) : formula := Disj (Neg f) g.

  (** A source with a known field: so are all its views. *)
  Definition fact_of_field (v : view) (f : field) : formula :=
    let k := source_kind s (fst v) in
    if has_one_spelling k && fits k f
    then implication (Atom (fst v, []) EQ (value_of f)) (Atom v EQ (value_of (converted (snd v) f))) else Verum.

  Lemma compares_equal v c : compares v EQ c = true <-> v = c.
  Proof. unfold compares. rewrite <- (compare_eq order_value). destruct (compare_value v c); split; easy. Qed.

  Lemma fact_of_field_holds v f : meaning r draws (fact_of_field v f) = true.
  Proof.
    unfold fact_of_field. destruct (has_one_spelling _) eqn:K; auto. destruct (fits _ f) eqn:F; auto.
    cbn [andb implication meaning]. unfold view_value at 1, view_field at 1. cbn [fst snd fold_left].
    destruct (compares (value_of (source_field r draws (fst v))) EQ (value_of f)) eqn:E; auto. simpl.
    apply compares_equal in E. apply (one_spelling _ _ _ K (source_fits (fst v)) F) in E.
    unfold view_value, view_field. rewrite E. now apply compares_equal.
  Qed.

  (** ** Texts *)

  Definition implies_text (v : view) (g : formula) : formula := match snd v with [AsText] => g | _ => Verum end.

  Lemma implies_text_holds v g :
    (snd v = [AsText] -> meaning r draws g = true) -> meaning r draws (implies_text v g) = true.
  Proof. intro H. unfold implies_text. destruct (snd v) as [|[] [|]]; auto. Qed.

  Lemma text_view x f : source_field r draws x = f -> f <> Missing ->
    view_value r draws (x, [AsText]) = text_value (text_of f).
  Proof. intros <- N. unfold view_value, view_field. simpl. now destruct (source_field r draws x). Qed.

  Lemma own_view x f : source_field r draws x = f -> view_value r draws (x, []) = value_of f.
  Proof. now intros <-. Qed.

  (** A text that an integer became is read back as this integer. *)
  Definition is_integer_kind (k : kind) : bool := match k with IntegerKind | BoundedKind _ _ => true | _ => false end.
  Definition fact_of_text (v : view) (t : text) : formula :=
    implies_text v (if is_integer_kind (source_kind s (fst v)) then
      implication (Atom v EQ (text_value t))
        (match read_integer t with Some n => Atom (fst v, []) EQ (exact (integer n)) | None => Falsum end)
      else Verum).

  Lemma integer_source x : is_integer_kind (source_kind s x) = true -> exists n, source_field r draws x = Integer n.
  Proof.
    intro K. pose proof (source_fits x) as F. destruct (source_kind s x); try discriminate K;
      destruct (source_field r draws x); try discriminate F; eauto.
  Qed.

  Lemma fact_of_text_holds v t : meaning r draws (fact_of_text v t) = true.
  Proof.
    apply implies_text_holds. destruct v as [x ts]. cbn [fst snd]. intros ->.
    destruct (is_integer_kind _) eqn:K; auto. destruct (integer_source x K) as (n & E). unfold implication. cbn [meaning].
    rewrite (text_view x (Integer n)) by easy. destruct (compares _ EQ (text_value t)) eqn:C; auto.
    apply compares_equal, text_value_injective in C. simpl in C. subst t. rewrite read_integer_of_text.
    cbn [meaning negb orb]. rewrite (own_view x (Integer n)) by easy. now apply compares_equal.
  Qed.

  (** Different fields of these kinds have different texts. *)
  Definition has_own_texts (k : kind) : bool :=
    match k with IntegerKind | BoundedKind _ _ | DecimalKind _ | DateKind | BooleanKind => true | _ => false end.
  Definition fact_of_same_text (v : view) (f : field) : formula :=
    let k := source_kind s (fst v) in
    implies_text v (if has_own_texts k && fits k f
      then implication (Atom v EQ (text_value (text_of f))) (Atom (fst v, []) EQ (value_of f)) else Verum).

  Lemma own_texts k f g : has_own_texts k = true -> fits k f = true -> fits k g = true -> text_of f = text_of g ->
    value_of f = value_of g.
  Proof.
    intros K F G E. destruct k; try discriminate K; destruct f; try discriminate F; destruct g; try discriminate G.
    - apply integers_as_text; eauto. simpl in *. now rewrite E.
    - apply integers_as_text; eauto. simpl in *. now rewrite E.
    - simpl in F, G. apply andb_true_iff in F as [F F'], G as [G G']. apply Nat.eqb_eq in F, G. subst.
      apply (decimals_as_text scale1).
      + exists negative, digits. split; auto. intros ->. now destruct negative.
      + exists negative0, digits0. split; auto. intros ->. now destruct negative0.
      + simpl in *. now rewrite E.
    - apply booleans_as_text; eauto. simpl in *. now rewrite E.
    - simpl in F, G. apply andb_true_iff in F as [_ F], G as [_ G]. apply Nat.eqb_eq in F, G.
      apply dates_as_text; [exists n; auto|exists n0; auto|]. simpl in *. now rewrite E.
  Qed.

  Lemma fact_of_same_text_holds v f : meaning r draws (fact_of_same_text v f) = true.
  Proof.
    apply implies_text_holds. destruct v as [x ts]. cbn [fst snd]. intros ->. destruct (has_own_texts _) eqn:K; auto.
    destruct (fits _ f) eqn:F; auto. cbn [andb]. unfold implication. cbn [meaning]. pose proof (source_fits x) as X.
    rewrite (text_view x _ eq_refl) by (intro M; rewrite M in X; destruct (source_kind s x); discriminate).
    rewrite (own_view x _ eq_refl). destruct (compares (text_value _) EQ _) eqn:C; auto.
    apply compares_equal, text_value_injective in C. apply compares_equal. now apply (own_texts _ _ _ K).
  Qed.

  (** The texts of dates and timestamps are in the order of time. *)
  Definition is_time (k : kind) : bool := match k with DateKind | TimestampKind => true | _ => false end.
  Definition fact_of_order (theta : operator) (v : view) (f : field) : formula :=
    let k := source_kind s (fst v) in
    implies_text v (if is_time k && fits k f
      then implication (Atom (fst v, []) theta (value_of f)) (Atom v theta (text_value (text_of f))) else Verum).

  Lemma compare_tagged t z w : compare_value (t, (integer z, [])) (t, (integer w, [])) = (z ?= w)%Z.
  Proof. exact (compare_ranks (ranked t None None) z w). Qed.

  Lemma times_in_order k f g : is_time k = true -> fits k f = true -> fits k g = true ->
    compare_value (text_value (text_of f)) (text_value (text_of g)) = compare_value (value_of f) (value_of g).
  Proof.
    intros K F G. rewrite compare_texts. destruct k; try discriminate K; destruct f; try discriminate F;
      destruct g; try discriminate G; simpl in F, G; apply andb_true_iff in F as [_ F], G as [_ G];
      apply Nat.eqb_eq in F, G; simpl text_of; simpl value_of; rewrite compare_tagged;
      [now apply dates_in_order|now apply timestamps_in_order].
  Qed.

  Lemma fact_of_order_holds theta v f : meaning r draws (fact_of_order theta v f) = true.
  Proof.
    apply implies_text_holds. destruct v as [x ts]. cbn [fst snd]. intros ->. pose proof (source_fits x) as X.
    destruct (is_time _) eqn:K; auto. destruct (fits _ f) eqn:F; auto. cbn [andb]. unfold implication. cbn [meaning].
    rewrite (own_view x _ eq_refl), (text_view x _ eq_refl)
      by (intro M; rewrite M in X; destruct (source_kind s x); discriminate).
    rewrite !compares_answers, (times_in_order _ _ _ K X F). now destruct answers.
  Qed.

  (** Texts of numbers and dates begin with a digit or a minus sign; those of integers from 0 on with a digit. *)
  Fixpoint is_text_of (ts : list type) : bool :=
    match ts with [AsText] => true | t :: ts' => is_exact_type t && is_text_of ts' | [] => false end.

  Definition facts_of_beginning (v : view) : list formula :=
    let k := source_kind s (fst v) in
    (if is_numeric_kind k && is_text_of (snd v)
     then [Atom v GE (text_value [45%Z]); Atom v LT (text_value [58%Z])] else []) ++
    [implies_text v (if is_integer_kind k
                     then implication (Atom (fst v, []) GE (exact (integer 0))) (Atom v GE (text_value [48%Z])) else Verum)].

  Lemma text_of_chain ts : is_text_of ts = true -> forall f, is_numeric f = true ->
    exists t, value_of (converted ts f) = text_value t /\ begins_from 45 t.
  Proof.
    unfold converted. induction ts as [|t ts IH]; intros T f F; [discriminate|]. cbn [fold_left].
    assert (E : t = AsText /\ ts = [] \/ is_exact_type t = true /\ is_text_of ts = true).
    { destruct t, ts; simpl in T; auto; try discriminate; right; now apply andb_true_iff in T. }
    destruct E as [[-> ->]|[E E']].
    - exists (text_of f). split; [now destruct f|now apply numeric_begins].
    - apply IH; auto. destruct t; try discriminate E; destruct f; try discriminate F; simpl; auto; unfold at_scale;
        now destruct (_ <=? _).
  Qed.

  Lemma facts_of_beginning_hold v g : In g (facts_of_beginning v) -> meaning r draws g = true.
  Proof.
    unfold facts_of_beginning. intro I. apply in_app_or in I as [I|[<-|[]]].
    - destruct (is_numeric_kind _) eqn:K; [|easy]. destruct (is_text_of (snd v)) eqn:T; [|easy].
      destruct (text_of_chain (snd v) T (source_field r draws (fst v))) as (t & E & B);
        [apply (numeric_fits _ _ K), source_fits|].
      destruct I as [<-|[<-|[]]]; cbn [meaning]; unfold view_value, view_field; unfold converted in E; rewrite E;
        [now apply begins_above|now apply begins_below in B].
    - apply implies_text_holds. destruct v as [x ts]. cbn [fst snd]. intros ->. destruct (is_integer_kind _) eqn:K; auto.
      destruct (integer_source x K) as (n & E). unfold implication. cbn [meaning].
      rewrite (text_view x (Integer n)), (own_view x (Integer n)) by easy. simpl value_of. simpl text_of.
      destruct (compares (exact (integer n)) GE (exact (integer 0))) eqn:C; auto. cbn [negb orb].
      apply begins_above. pose proof (integer_begins n) as B. replace (n <? 0)%Z with false in B; auto.
      symmetry. apply Z.ltb_ge. rewrite compares_answers, compare_integers in C.
      destruct (Z.compare_spec n 0); try discriminate; lia.
  Qed.
End Facts.
