(** Which conditions no record of a schema satisfies: a search over ranges, column by column.

    Every constant that a column is compared with splits the column's range into three. Only comparisons that can still
    matter cause a split, and ranges without values are left out. *)
From Coq Require Import List ZArith QArith Qcanon Bool Lia.
From Acompass Require Import Order Bags Texts Floats Values Tables Syntax Results Anonymity Aggregates Regions.
From Acompass Require Export Kinds.
Import ListNotations.
Open Scope nat_scope.

(** * Comparisons over a range *)

Definition answers (theta : operator) (o : comparison) : bool :=
  match theta, o with
  | LT, Lt | LE, Lt | LE, Eq | EQ, Eq | GE, Eq | GE, Gt | GT, Gt => true
  | _, _ => false
  end.

Lemma compares_answers v theta c : compares v theta c = answers theta (compare_value v c).
Proof. reflexivity. Qed.

(** How all values of a range compare with a constant, if they compare alike. *)
Definition place (x : range) (c : value) : option comparison :=
  match x with
  | Point p => Some (compare_value p c)
  | Gap low high =>
      match option_map (fun h => compare_value h c) high with
      | Some Lt | Some Eq => Some Lt
      | _ => match option_map (fun l => compare_value c l) low with
             | Some Lt | Some Eq => Some Gt
             | _ => None
             end
      end
  end.

Lemma place_sound x c o v : place x c = Some o -> in_range x v -> compare_value v c = o.
Proof.
  destruct x as [p|low high]; simpl; [intros [= <-] ->; auto|]. intros E [L H].
  assert (Under : forall h, high = Some h -> compare_value h c <> Gt -> compare_value v c = Lt).
  { intros h -> N. specialize (H h eq_refl).
    destruct (compare_value h c) eqn:C; [|now apply (compare_trans order_value v h)|easy].
    apply (compare_eq order_value) in C. now subst. }
  assert (Above : forall l, low = Some l -> compare_value c l <> Gt -> compare_value v c = Gt).
  { intros l -> N. specialize (L l eq_refl). rewrite (compare_opp order_value c v).
    replace (compare_value c v) with Lt; auto. symmetry.
    destruct (compare_value c l) eqn:C; [|now apply (compare_trans order_value c l)|easy].
    apply (compare_eq order_value) in C. now subst. }
  destruct high as [h|]; simpl in E.
  - destruct (compare_value h c) eqn:C.
    1, 2: injection E as <-; now apply (Under h); rewrite ?C.
    destruct low as [l|]; simpl in E; [|discriminate].
    destruct (compare_value c l) eqn:D; try discriminate; injection E as <-; now apply (Above l); rewrite ?D.
  - destruct low as [l|]; simpl in E; [|discriminate].
    destruct (compare_value c l) eqn:D; try discriminate; injection E as <-; now apply (Above l); rewrite ?D.
Qed.

(** * Conditions over ranges *)

Definition ranges : Type := attribute -> range.
Definition in_ranges (xs : ranges) (t : tuple) : Prop := forall A, in_range (xs A) (environment t A).

Definition truth (b : bool) : condition := if b then Not Never else Never.
Definition negate (phi : condition) : condition := match phi with Not psi => psi | _ => Not phi end.
Definition both (phi psi : condition) : condition :=
  match phi, psi with
  | Never, _ | _, Never => Never
  | Not Never, _ => psi
  | _, Not Never => phi
  | _, _ => And phi psi
  end.
Definition either (phi psi : condition) : condition :=
  match phi, psi with
  | Never, _ => psi
  | _, Never => phi
  | Not Never, _ | _, Not Never => Not Never
  | _, _ => Or phi psi
  end.

Lemma satisfies_truth b t : satisfies (truth b) t = b.
Proof. now destruct b. Qed.
Lemma satisfies_negate phi t : satisfies (negate phi) t = negb (satisfies phi t).
Proof. destruct phi; simpl; auto. now rewrite negb_involutive. Qed.
Lemma satisfies_both phi psi t : satisfies (both phi psi) t = satisfies phi t && satisfies psi t.
Proof.
  destruct phi as [|[]| | |], psi as [|[]| | |]; simpl; auto; rewrite ?andb_true_r, ?andb_false_r; auto.
Qed.
Lemma satisfies_either phi psi t : satisfies (either phi psi) t = satisfies phi t || satisfies psi t.
Proof.
  destruct phi as [|[]| | |], psi as [|[]| | |]; simpl; auto; rewrite ?orb_true_r, ?orb_false_r; auto.
Qed.

(** The condition with every comparison decided that the ranges decide. *)
Fixpoint simplify (xs : ranges) (phi : condition) : condition :=
  match phi with
  | Compare A theta c => match place (xs A) c with Some o => truth (answers theta o) | None => phi end
  | Not phi => negate (simplify xs phi)
  | And phi psi => match simplify xs phi with Never => Never | phi' => both phi' (simplify xs psi) end
  | Or phi psi => match simplify xs phi with Not Never => Not Never | phi' => either phi' (simplify xs psi) end
  | Never => Never
  end.

Lemma simplify_sound xs phi t : in_ranges xs t -> satisfies (simplify xs phi) t = satisfies phi t.
Proof.
  intro H. induction phi as [A theta c|phi IH|phi IH psi IH'|phi IH psi IH'|]; cbn [simplify].
  - destruct (place (xs A) c) as [o|] eqn:P; auto. rewrite satisfies_truth. simpl. rewrite compares_answers.
    now rewrite (place_sound _ _ _ _ P (H A)).
  - now rewrite satisfies_negate, IH.
  - cbn [satisfies]. rewrite <- IH, <- IH'. destruct (simplify xs phi); try (rewrite satisfies_both); auto.
  - cbn [satisfies]. rewrite <- IH, <- IH'.
    destruct (simplify xs phi) as [|[]| | |]; try (rewrite satisfies_either); auto.
  - reflexivity.
Qed.

Definition is_never (phi : condition) : bool := match phi with Never => true | _ => false end.

Fixpoint first_comparison (phi : condition) : option (attribute * value) :=
  match phi with
  | Compare A _ c => Some (A, c)
  | Not phi => first_comparison phi
  | And phi psi | Or phi psi =>
      match first_comparison phi with Some found => Some found | None => first_comparison psi end
  | Never => None
  end.

(** * The search *)

Definition kind_of (s : list kind) (A : attribute) : kind := nth A s MissingKind.

Lemma typed_at s t A : typed_tuple s t -> has_kind (kind_of s A) (environment t A).
Proof.
  unfold kind_of, environment. intro H. revert A. induction H as [|k v s t K _ IH]; intros [|A]; simpl; auto.
Qed.

Definition within_range (xs : ranges) (A : attribute) (x : range) : ranges := fun B => if B =? A then x else xs B.

(** The three parts of a gap that a constant in it makes. A point has one part. *)
Definition parts (x : range) (c : value) : list range :=
  match x with
  | Point p => [Point p]
  | Gap low high => [Point c; Gap low (Some c); Gap (Some c) high]
  end.

Lemma parts_cover x c v : in_range x v -> exists y, In y (parts x c) /\ in_range y v.
Proof.
  destruct x as [p|low high]; simpl; intro H; [exists (Point p); auto|]. destruct H as [L H].
  destruct (compare_value v c) eqn:C.
  - exists (Point c). split; auto. now apply (compare_eq order_value) in C.
  - exists (Gap low (Some c)). split; auto. split; auto. now intros h [= <-].
  - exists (Gap (Some c) high). split; auto. split; auto. intros l [= <-].
    now rewrite (compare_opp order_value v c), C.
Qed.

(** What a search finds: nothing, as there is nothing; something; or nothing, though there may be something. *)
Inductive found (X : Type) : Type := Nowhere | Somewhere (x : X) | Perhaps.
Arguments Nowhere {X}. Arguments Somewhere {X}. Arguments Perhaps {X}.

Section Search.
  (** [leaf] looks at ranges in which the condition is true. *)
  Context {X : Type} (leaf : ranges -> found X) (s : list kind).

  (** The first part in which something is found. *)
  Fixpoint first_found (look : range -> found X) (xs : list range) : found X :=
    match xs with
    | [] => Nowhere
    | x :: xs' =>
        match look x with
        | Somewhere y => Somewhere y
        | Nowhere => first_found look xs'
        | Perhaps => match first_found look xs' with Nowhere => Perhaps | other => other end
        end
    end.

  Fixpoint search (splits : nat) (xs : ranges) (phi : condition) : found X :=
    let phi' := simplify xs phi in
    if is_never phi' then Nowhere else
    match first_comparison phi', splits with
    | Some (A, c), S splits =>
        first_found (fun x => if is_empty (kind_of s A) x then Nowhere else search splits (within_range xs A x) phi')
                    (parts (xs A) c)
    | _, _ => leaf xs
    end.

  Lemma first_found_nowhere look xs : first_found look xs = Nowhere -> forall x, In x xs -> look x = Nowhere.
  Proof.
    induction xs as [|y xs IH]; simpl; [easy|]. destruct (look y) eqn:E; try discriminate.
    - intros H x [<-|I]; auto.
    - destruct (first_found look xs); discriminate.
  Qed.

  Lemma first_found_somewhere look xs y : first_found look xs = Somewhere y -> exists x, look x = Somewhere y.
  Proof.
    induction xs as [|x xs IH]; simpl; [easy|]. destruct (look x) eqn:E; auto.
    - intros [= <-]. now exists x.
    - destruct (first_found look xs); try discriminate. auto.
  Qed.

  Lemma search_nowhere splits xs phi t : (forall xs, leaf xs = Nowhere -> in_ranges xs t -> satisfies phi t = false) ->
    search splits xs phi = Nowhere -> typed_tuple s t -> in_ranges xs t -> satisfies phi t = false.
  Proof.
    revert xs phi. induction splits as [|splits IH]; intros xs phi N E T I; cbn [search] in E;
      destruct (is_never (simplify xs phi)) eqn:P;
      try (rewrite <- (simplify_sound xs phi t I); now destruct (simplify xs phi));
      destruct (first_comparison (simplify xs phi)) as [[A c]|]; eauto.
    destruct (parts_cover (xs A) c (environment t A) (I A)) as (x & J & H).
    apply (first_found_nowhere _ _) with (x := x) in E; auto.
    destruct (is_empty (kind_of s A) x) eqn:M; [exfalso; now apply (is_empty_sound _ _ _ M (typed_at s t A T))|].
    rewrite <- (simplify_sound xs phi t I). apply (IH (within_range xs A x)); auto.
    - intros ys L K. rewrite simplify_sound by auto. now apply (N ys).
    - intro B. unfold within_range. destruct (Nat.eqb_spec B A); subst; auto.
  Qed.

  Lemma search_somewhere splits xs phi y : search splits xs phi = Somewhere y -> exists xs, leaf xs = Somewhere y.
  Proof.
    revert xs phi. induction splits as [|splits IH]; intros xs phi E; cbn [search] in E;
      destruct (is_never (simplify xs phi)); try discriminate;
      destruct (first_comparison (simplify xs phi)) as [[A c]|]; eauto.
    apply first_found_somewhere in E as [x E]. destruct (is_empty (kind_of s A) x); [discriminate|now apply IH in E].
  Qed.
End Search.

(** A search splits on each comparison at most once. *)
Definition search_within {X} (leaf : ranges -> found X) (s : list kind) (xs : ranges) (phi : condition) : found X :=
  search leaf s (S (length (constants phi))) xs phi.

Definition unsatisfiable_within (s : list kind) (xs : ranges) (phi : condition) : bool :=
  match search_within (fun _ => Somewhere tt) s xs phi with Nowhere => true | _ => false end.

Theorem unsatisfiable_within_sound s xs phi t : unsatisfiable_within s xs phi = true ->
  typed_tuple s t -> in_ranges xs t -> satisfies phi t = false.
Proof.
  unfold unsatisfiable_within. destruct search_within eqn:E; try discriminate. intros _ T I.
  apply (search_nowhere _ s _ _ _ t) with (2 := E); auto. intros ys L. discriminate L.
Qed.

Definition unsatisfiable (s : list kind) (phi : condition) : bool := unsatisfiable_within s (fun _ => everything) phi.

Lemma in_everything t : in_ranges (fun _ => everything) t.
Proof. intro A. split; discriminate. Qed.

Theorem unsatisfiable_tuple s phi t : unsatisfiable s phi = true -> typed_tuple s t -> satisfies phi t = false.
Proof. intros U T. exact (unsatisfiable_within_sound s _ phi t U T (in_everything t)). Qed.

Theorem unsatisfiable_sound s phi r : unsatisfiable s phi = true -> typed s r -> holds_of phi r = false.
Proof. intros U T. now apply (unsatisfiable_tuple s). Qed.

Definition entails (s : list kind) (phi psi : condition) : bool := unsatisfiable s (And phi (Not psi)).

Theorem entails_sound s phi psi r : entails s phi psi = true ->
  typed s r -> holds_of phi r = true -> holds_of psi r = true.
Proof.
  intros E T H. pose proof (unsatisfiable_sound s _ r E T) as U. unfold holds_of in *. simpl in U. rewrite H in U.
  now destruct (satisfies psi (values r)).
Qed.
