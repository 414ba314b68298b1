(** Conditions on the values that a record had at the start and on those drawn since, each after the conversions that it
    went through (D12). *)
From Coq Require Import List ZArith Bool Lia.
From Acompass Require Import Texts Values Tables Syntax Results Satisfiability.
Import ListNotations.
Open Scope nat_scope.

(** Where a field comes from: a column of the first table, the draw of the i-th requirement, or what that requirement wrote
    otherwise, of which nothing is known. *)
Inductive source : Type := Column (A : attribute) | Drawn (i : nat) (l u : Z) | Written (i : nat).

Definition source_eq_dec (x y : source) : {x = y} + {x <> y}.
Proof. decide equality; auto using Nat.eq_dec, Z.eq_dec. Defined.

Definition view : Type := source * list type.

Definition view_eq_dec (v w : view) : {v = w} + {v <> w}.
Proof.
  assert (type_eq_dec : forall x y : type, {x = y} + {x <> y}) by (decide equality; apply Nat.eq_dec).
  decide equality; [now apply list_eq_dec|apply source_eq_dec].
Defined.

(** A field at some place of the program: a constant, or what was there. *)
Inductive term : Type := Known (f : field) | Viewed (v : view).

Inductive formula : Type :=
| Atom (v : view) (theta : operator) (c : value)
| Neg (f : formula)
| Conj (f g : formula)
| Disj (f g : formula)
| Falsum.

Definition Verum : formula := Neg Falsum.

Section Meaning.
  Variables (r : record) (draws : nat -> field).

  Definition source_field (x : source) : field :=
    match x with
    | Column A => get r A
    | Drawn i l u => match draws i with Integer z => Integer (Z.max l (Z.min u z)) | _ => Integer l end
    | Written i => draws i
    end.
  Definition view_field (v : view) : field := fold_left (fun f t => convert t f) (snd v) (source_field (fst v)).
  Definition view_value (v : view) : value := value_of (view_field v).
  Definition term_field (t : term) : field := match t with Known f => f | Viewed v => view_field v end.

  Fixpoint meaning (f : formula) : bool :=
    match f with
    | Atom v theta c => compares (view_value v) theta c
    | Neg f => negb (meaning f)
    | Conj f g => meaning f && meaning g
    | Disj f g => meaning f || meaning g
    | Falsum => false
    end.
End Meaning.

(** * Small formulas *)

Definition opposite (f : formula) : formula := match f with Neg g => g | _ => Neg f end.
Definition conj (f g : formula) : formula :=
  match f, g with
  | Falsum, _ | _, Falsum => Falsum
  | Neg Falsum, _ => g
  | _, Neg Falsum => f
  | _, _ => Conj f g
  end.
Definition disj (f g : formula) : formula := opposite (conj (opposite f) (opposite g)).
Definition all (fs : list formula) : formula := fold_right conj Verum fs.

(** If f then g else h; what cannot be reached is not computed. *)
Definition cases (f : formula) (g h : Datatypes.unit -> formula) : formula :=
  match f with
  | Falsum => h tt
  | Neg Falsum => g tt
  | _ => conj (disj (opposite f) (g tt)) (disj f (h tt))
  end.

Section Small.
  Variables (r : record) (draws : nat -> field).

  Lemma meaning_opposite f : meaning r draws (opposite f) = negb (meaning r draws f).
  Proof. destruct f; simpl; auto. now rewrite negb_involutive. Qed.

  Lemma meaning_conj f g : meaning r draws (conj f g) = meaning r draws f && meaning r draws g.
  Proof. destruct f as [|[]| | |], g as [|[]| | |]; simpl; auto; rewrite ?andb_true_r, ?andb_false_r; auto. Qed.

  Lemma meaning_disj f g : meaning r draws (disj f g) = meaning r draws f || meaning r draws g.
  Proof.
    unfold disj. rewrite meaning_opposite, meaning_conj, !meaning_opposite.
    now rewrite negb_andb, !negb_involutive.
  Qed.

  Lemma meaning_all fs : meaning r draws (all fs) = forallb (meaning r draws) fs.
  Proof. induction fs as [|f fs IH]; simpl; auto. now rewrite meaning_conj, IH. Qed.

  Lemma meaning_cases f g h :
    meaning r draws (cases f g h) = if meaning r draws f then meaning r draws (g tt) else meaning r draws (h tt).
  Proof.
    assert (E : meaning r draws (conj (disj (opposite f) (g tt)) (disj f (h tt))) =
                if meaning r draws f then meaning r draws (g tt) else meaning r draws (h tt)).
    { rewrite meaning_conj, !meaning_disj, meaning_opposite. destruct (meaning r draws f); simpl; auto.
      now rewrite andb_true_r. }
    destruct f as [|[]| | |]; auto.
  Qed.
End Small.

(** * A condition about a record that is known as terms *)

Definition term_at (sigma : list term) (A : attribute) : term := nth A sigma (Known Missing).

Fixpoint instantiate (sigma : list term) (phi : condition) : formula :=
  match phi with
  | Compare A theta c =>
      match term_at sigma A with
      | Known f => if compares (value_of f) theta c then Verum else Falsum
      | Viewed v => Atom v theta c
      end
  | Not phi => opposite (instantiate sigma phi)
  | And phi psi => conj (instantiate sigma phi) (instantiate sigma psi)
  | Or phi psi => disj (instantiate sigma phi) (instantiate sigma psi)
  | Never => Falsum
  end.

Definition known_as (r : record) (draws : nat -> field) (sigma : list term) : record := map (term_field r draws) sigma.

Lemma get_known_as r draws sigma A : get (known_as r draws sigma) A = term_field r draws (term_at sigma A).
Proof. unfold get, known_as, term_at. exact (map_nth (term_field r draws) sigma (Known Missing) A). Qed.

Lemma meaning_instantiate r draws sigma phi :
  meaning r draws (instantiate sigma phi) = holds_of phi (known_as r draws sigma).
Proof.
  unfold holds_of. induction phi as [A theta c|phi IH|phi IH psi IH'|phi IH psi IH'|]; simpl.
  - change (environment _ A) with (value_at (known_as r draws sigma) A). rewrite value_at_get, get_known_as.
    destruct (term_at sigma A); simpl; auto. now destruct compares.
  - now rewrite meaning_opposite, IH.
  - now rewrite meaning_conj, IH, IH'.
  - now rewrite meaning_disj, IH, IH'.
  - reflexivity.
Qed.

(** * A formula as a condition about a tuple of its views *)

Fixpoint views_in (f : formula) : list view :=
  match f with
  | Atom v _ _ => [v]
  | Neg f => views_in f
  | Conj f g | Disj f g => views_in f ++ views_in g
  | Falsum => []
  end.

Fixpoint number (vs : list view) (v : view) : nat :=
  match vs with
  | [] => 0
  | w :: vs' => if view_eq_dec w v then 0 else S (number vs' v)
  end.

Fixpoint numbered (vs : list view) (f : formula) : condition :=
  match f with
  | Atom v theta c => Compare (number vs v) theta c
  | Neg f => Not (numbered vs f)
  | Conj f g => And (numbered vs f) (numbered vs g)
  | Disj f g => Or (numbered vs f) (numbered vs g)
  | Falsum => Never
  end.

Lemma number_at (h : view -> value) vs v : In v vs -> environment (map h vs) (number vs v) = h v.
Proof.
  unfold environment. induction vs as [|w vs IH]; simpl; [easy|]. intros [->|I].
  - now destruct view_eq_dec.
  - destruct view_eq_dec as [->|]; auto.
Qed.

Lemma numbered_meaning r draws vs f : incl (views_in f) vs ->
  satisfies (numbered vs f) (map (view_value r draws) vs) = meaning r draws f.
Proof.
  induction f as [v theta c|f IH|f IH g IH'|f IH g IH'|]; simpl; intro H; auto.
  - rewrite number_at; auto. apply H. now left.
  - now rewrite IH.
  - apply incl_app_inv in H as [H H']. now rewrite IH, IH'.
  - apply incl_app_inv in H as [H H']. now rewrite IH, IH'.
Qed.
