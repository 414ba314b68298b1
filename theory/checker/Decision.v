(** The decision of claims about records, for programs whose requirements are about records: [decide].

    A claim is proved if no record violates its weakest precondition. It is refuted by a record on which it fails. *)
From Coq Require Import List ZArith QArith Bool Lia.
From Acompass Require Import Order Bags Texts Values Tables Syntax Results Assertions Actions Histories.
From Acompass Require Import Exactness Regions Satisfiability Formulas Weakest Witnesses Conclusions Candidates.
Import ListNotations.
Open Scope nat_scope.

(** * Programs about records *)

Definition is_about_records (a : assertion) : bool :=
  match a with Each Result _ | Each (Filter _) _ => true | _ => false end.
Definition is_always (a : assertion) : bool := match a with Each Result Never => true | _ => false end.

Definition is_proper_action (req : requirement) (x : action) : bool :=
  match x with WithProbability q _ => less 0 q && less q 1 | Certain _ => true end &&
  match plain_of x with
  | Reject => match retypes req with [] => true | _ => false end
  | Drop _ => is_always (asserts req) && is_certain x
  | Random _ _ l u => (l <=? u)%Z
  | RandomFrom _ balls => match balls with [] => false | _ => true end
  | Replace _ _ | Generalize _ _ => true
  | Write _ => false
  end.

Definition is_proper (req : requirement) : bool :=
  is_about_records (asserts req) && match acts req with None => true | Some x => is_proper_action req x end.

Lemma less_lt x y : less x y = true -> (x < y)%Q.
Proof.
  unfold less. intro H. apply negb_true_iff, not_true_iff_false in H. rewrite Qle_bool_iff in H. now apply Qnot_le_lt.
Qed.

Lemma is_about_records_sound a : is_about_records a = true -> about_records a.
Proof. destruct a as [[]|]; easy. Qed.

Lemma is_proper_sound req : is_proper req = true -> is_requirement req.
Proof.
  unfold is_proper, is_requirement, is_proper_action, is_action. intro H. apply andb_true_iff in H as [A H].
  split; [now apply is_about_records_sound|]. destruct (acts req) as [x|]; auto. apply andb_true_iff in H as [C H]. split.
  - destruct x; auto. apply andb_true_iff in C as [C C']. auto using less_lt.
  - destruct (plain_of x); auto.
    + now destruct (retypes req).
    + now apply Z.leb_le.
    + now destruct balls.
    + apply andb_true_iff in H as [H H']. split; auto. now destruct (asserts req) as [[] []|].
    + easy.
Qed.

(** * The facts that the decision rests on *)

(** What is known of the views of a source, if it has converted ones. *)
Definition facts_of_view (s : list kind) (f : formula) (v : view) : list formula :=
  flat_map (fun a => [fact_of_field s v a; fact_of_same_text s v a; fact_of_order s LT v a; fact_of_order s GT v a])
           (pool s f (fst v)) ++
  map (fun '(_, c) => fact_of_text s v (text_in c)) (atoms f) ++ facts_of_beginning s v.

Definition facts (s : list kind) (f : formula) (x : source) : formula :=
  all (flat_map (facts_of_view s f) (filter (fun v => is_from x v && negb (is_plain v)) (nodup view_eq_dec (views_in f)))).

Definition sources (f : formula) : list source :=
  nodup source_eq_dec (map fst (filter (fun v => negb (is_plain v)) (views_in f))).

Lemma facts_hold s f x r draws : (forall A, fits (kind_of s A) (get r A) = true) -> meaning r draws (facts s f x) = true.
Proof.
  intro F. unfold facts. rewrite meaning_all. apply forallb_forall. intros g I. apply in_flat_map in I as (v & _ & I).
  unfold facts_of_view in I. apply in_app_or in I as [I|I]; [|apply in_app_or in I as [I|I]].
  - apply in_flat_map in I as (a & _ & [<-|[<-|[<-|[<-|[]]]]]).
    + now apply fact_of_field_holds.
    + now apply fact_of_same_text_holds.
    + now apply fact_of_order_holds.
    + now apply fact_of_order_holds.
  - apply in_map_iff in I as ([w c] & <- & _). now apply fact_of_text_holds.
  - now apply (facts_of_beginning_hold s r draws F v).
Qed.

(** * The decision *)

Inductive answer : Type := Proved | Refuted (r : record) | Undecided.

Definition first_terms (n : nat) : list term := map (fun A => Viewed (Column A, [])) (seq 0 n).

Definition fails_on (s : list kind) (p : program) (claim : assertion) (draws : nat -> Z) (r : record) : bool :=
  fits_record s r && existsb (affects claim) (outcomes draws p 0 r).

Definition counterexample (s : list kind) (p : program) (claim : assertion) (f : formula) (vs : list view) (xs : ranges)
  : option record :=
  match chosen_record s f vs xs (seq 0 (length s)) with
  | Some r =>
      if fails_on s p claim (chosen_draws s f vs xs p) r then Some r else None
  | None => None
  end.

(** The sources are independent, so the facts about each are asked for alone. *)
Definition look (s : list kind) (p : program) (claim : assertion) (f : formula) (vs : list view) (known : list condition)
  (xs : ranges) : found record :=
  match counterexample s p claim f vs xs with
  | Some r => Somewhere r
  | None => if existsb (unsatisfiable_within (map (view_kind s) vs) xs) known then Nowhere else Perhaps
  end.

Definition decide (s : list kind) (tables : nat -> option table) (p : program) (claim : assertion) : answer :=
  if is_about_records claim && forallb is_proper p then
    let f := opposite (normalized s (weakest s tables claim p 0 (first_terms (length s)))) in
    let known := map (facts s f) (sources f) in
    let vs := nodup view_eq_dec (views_in f ++ flat_map views_in known) in
    let leaf := look s p claim f vs (map (numbered vs) known) in
    match search_within leaf (map (view_kind s) vs) (fun _ => everything) (numbered vs f) with
    | Nowhere => Proved
    | Somewhere r => Refuted r
    | Perhaps => Undecided
    end
  else Undecided.

Lemma fits_at s r : fits_record s r = true -> forall A, fits (kind_of s A) (get r A) = true.
Proof.
  unfold kind_of, get. revert r. induction s as [|k s IH]; intros [|f r]; simpl; try discriminate; intros H [|A]; auto.
  - now apply andb_true_iff in H.
  - apply andb_true_iff in H as [_ H]. auto.
Qed.

Lemma first_terms_are r draws s : fits_record s r = true -> known_as r draws (first_terms (length s)) = r.
Proof.
  intro H. assert (L : length s = length r).
  { revert r H. induction s as [|k s IH]; intros [|f r]; simpl; try discriminate; auto.
    intro H. apply andb_true_iff in H as [_ H]. auto. }
  rewrite L. clear. unfold known_as, first_terms. rewrite map_map. unfold term_field, view_field. simpl.
  induction r as [|f r IH]; auto. cbn [length seq map]. f_equal. rewrite <- seq_shift, map_map. exact IH.
Qed.

(** Where every map of GENERALIZE has its table. *)
Definition tables_fit (tables : nat -> option table) (p : program) : Prop :=
  forall i req, nth_error p i = Some req -> tabled tables i req.

Theorem decide_sound s tables p claim : tables_fit tables p -> decide s tables p claim = Proved ->
  forall R rho, in_unit_interval rho -> (forall r, In r R -> fits_record s r = true) -> respected p (R, rho) = true ->
  holds claim (fst (run p (R, rho))) = true.
Proof.
  unfold decide. intros T H R rho U F C. destruct (is_about_records claim) eqn:A; [|discriminate].
  destruct (forallb is_proper p) eqn:P; [|discriminate]. simpl in H.
  assert (HP : Forall is_requirement p).
  { rewrite forallb_forall in P. apply Forall_forall. intros req I. now apply is_proper_sound, P. }
  set (w := weakest s tables claim p 0 (first_terms (length s))) in *. set (f := opposite (normalized s w)) in *.
  set (known := map (facts s f) (sources f)) in *.
  set (vs := nodup view_eq_dec (views_in f ++ flat_map views_in known)) in *.
  destruct search_within eqn:N; try discriminate H. clear H.
  apply is_about_records_sound in A. apply holds_of_records; auto. intros r' I.
  destruct (passed_from p HP R rho r' U C I) as (r & J & Q). specialize (F r J).
  rewrite affects_violating by auto. pose proof (fits_at s r F) as FA.
  assert (First : forall d, known_as r d (first_terms (length s)) = r) by (intro d; now apply first_terms_are).
  destruct (weakest_is_sufficient s tables claim r FA p HP 0 T (first_terms (length s)) (fun _ => Missing) r')
    as (d & K); [intros d d' _; now rewrite !First|now rewrite First|].
  apply K. fold w. destruct (meaning r d w) eqn:M; auto. exfalso.
  assert (TT : typed_tuple (map (view_kind s) vs) (map (view_value r d) vs)).
  { unfold typed_tuple. clear - FA. induction vs as [|v l IH]; simpl; constructor; auto. now apply view_has_kind. }
  assert (V : satisfies (numbered vs f) (map (view_value r d) vs) = false).
  { apply (search_nowhere _ _ _ _ _ _) with (2 := N); auto using in_everything. intros xs L X. exfalso. unfold look in L.
    destruct counterexample; [discriminate|]. destruct (existsb _ _) eqn:E; [|discriminate].
    apply existsb_exists in E as (g & G & E). apply in_map_iff in G as (h & <- & G).
    apply (unsatisfiable_within_sound _ _ _ _ E TT) in X. rewrite numbered_meaning in X.
    - apply in_map_iff in G as (x & <- & _). now rewrite facts_hold in X.
    - intros v IV. apply nodup_In, in_or_app. right. apply in_flat_map. now exists h. }
  rewrite numbered_meaning in V by (intros v IV; apply nodup_In, in_or_app; now left). unfold f in V.
  rewrite meaning_opposite, normalized_meaning, M in V by auto. discriminate.
Qed.

Theorem decide_complete s tables p claim r : decide s tables p claim = Refuted r ->
  fits_record s r = true /\ exists rho, in_unit_interval rho /\ respected p ([r], rho) = true /\
    holds claim (fst (run p ([r], rho))) = false.
Proof.
  unfold decide. intro H. destruct (is_about_records claim) eqn:A; [|discriminate].
  destruct (forallb is_proper p) eqn:P; [|discriminate]. simpl in H.
  assert (HP : Forall is_requirement p).
  { rewrite forallb_forall in P. apply Forall_forall. intros req I. now apply is_proper_sound, P. }
  destruct search_within eqn:N; try discriminate H. injection H as ->. apply search_somewhere in N as (xs & N).
  unfold look in N. destruct counterexample as [r'|] eqn:E in N; [|now destruct (existsb _ _)]. injection N as ->.
  unfold counterexample in E. rename E into N. destruct chosen_record as [r'|]; [|discriminate].
  destruct fails_on eqn:E; [|discriminate]. injection N as ->. unfold fails_on in E. apply andb_true_iff in E as [F E].
  split; auto. apply existsb_exists in E as (r' & I & E). apply outcomes_pass in I; auto.
  destruct (one_passes p r r' HP I) as (rho & U & C & Q). exists rho. rewrite Q. repeat split; auto; try apply U.
  apply not_true_iff_false. rewrite holds_of_records by now apply is_about_records_sound. intro K.
  now rewrite (K r') in E by now left.
Qed.
