(** The decision of claims about records, for programs whose requirements are about records: [decide].

    A claim is proved if no record violates its weakest precondition. It is refuted by a record on which it fails. *)
From Coq Require Import List ZArith QArith Qcanon Bool Lia.
From Acompass Require Import Order Bags Texts Values Tables Syntax Results Assertions Actions Histories Exactness Regions.
From Acompass Require Import Satisfiability Formulas Weakest Witnesses Conclusions.
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
Qed.

(** * The pool of fields that a source is tried with *)

Fixpoint atoms (f : formula) : list (view * value) :=
  match f with
  | Atom v _ c => [(v, c)]
  | Neg f => atoms f
  | Conj f g | Disj f g => atoms f ++ atoms g
  | Falsum => []
  end.

Definition is_from (x : source) (v : view) : bool := if view_eq_dec (x, []) (fst v, []) then true else false.

Definition is_plain (v : view) : bool := match snd v with [] => true | _ => false end.

(** An integer as a field of a kind. *)
Definition from_integer (k : kind) (z : Z) : field :=
  match k with
  | DecimalKind scale => at_scale scale (z <? 0)%Z (Z.abs_N z) 0
  | NumberKind => Decimal (z <? 0)%Z (Z.abs_N z) 0
  | FloatKind => convert AsFloat (Integer z)
  | _ => Integer z
  end.

Definition digits_and_minus : list Z := [45; 48; 49; 50; 51; 52; 53; 54; 55; 56; 57]%Z.

(** Texts that begin as a text does, and go on as a number. *)
Definition texts_near (t : text) : list text :=
  flat_map (fun j => flat_map (fun c => map (fun zeros => firstn j t ++ [c] ++ repeat zero_digit zeros) [0; 1; 2; 3])
                              digits_and_minus) (seq 0 (S (length t))).

Definition integers_of (t : text) : list Z := match read_integer t with Some z => [z] | None => [] end.

(** The digits of a text as a number. *)
Definition digits_in (t : text) : N :=
  fold_left (fun n c => if (48 <=? c)%Z && (c <=? 57)%Z then (10 * n + Z.to_N (c - 48))%N else n) t 0%N.

Fixpoint digits_after_point (t : text) : nat :=
  match t with [] => 0 | c :: t' => if (c =? point)%Z then length t' else digits_after_point t' end.

(** The field whose text it may be. *)
Definition read_field (k : kind) (t : text) : list field :=
  let n := digits_in t in
  let negative := match t with c :: _ => (c =? minus_sign)%Z | [] => false end in
  match k with
  | DecimalKind scale => [Decimal negative n scale]
  | NumberKind => [Decimal negative n (digits_after_point t)]
  | DateKind => [Date n]
  | TimestampKind => [Timestamp (if length t <=? 19 then n * 1000000 else n)]
  | _ => map (from_integer k) (integers_of t)
  end.

Definition text_in (c : value) : text := snd (snd c).

(** The integers from z on. *)
Fixpoint counted (n : nat) (z : Z) : list Z := match n with O => [] | S n' => z :: counted n' (z + 1)%Z end.

(** At most this many integers are tried one by one. *)
Definition FEW : Z := 64.

Definition spread (zs : list Z) : list Z :=
  match zs with
  | [] => [0]%Z
  | z :: zs' =>
      let low := (fold_left Z.min zs' z - 1)%Z in
      let high := (fold_left Z.max zs' z + 1)%Z in
      if (high - low <=? FEW)%Z then counted (Z.to_nat (high - low + 1)) low
      else flat_map (fun z => [z - 1; z; z + 1]%Z) zs
  end.

Definition integer_near (c : value) : Z := (Qnum (number_of c) / Zpos (Qden (number_of c)))%Z.

Definition pool (s : list kind) (f : formula) (x : source) : list field :=
  let k := source_kind s x in
  let own := filter (fun '(v, _) => is_from x v) (atoms f) in
  let plain := filter (fun '(v, _) => is_plain v) own in
  let others := filter (fun '(v, _) => negb (is_plain v)) own in
  match others with
  | [] => []
  | _ =>
      let bounds := match k with BoundedKind l u => [l; u] | _ => [] end in
      let read := flat_map (fun '(_, c) => integers_of (text_in c)) others in
      let integers := match k with
        | IntegerKind | BoundedKind _ _ => spread (bounds ++ read ++ map (fun '(_, c) => integer_near c) plain)
        | _ => []
        end in
      match k with BooleanKind => [Boolean true; Boolean false] | _ => [] end ++
      flat_map (fun '(_, c) => read_field k (text_in c)) others ++ map (from_integer k) integers ++
      map (fun '(_, c) => field_of k c) plain
  end.

(** What is known of the views of a source, if it has converted ones. *)
Definition facts_of_view (s : list kind) (f : formula) (v : view) : list formula :=
  flat_map (fun a => [fact_of_field s v a; fact_of_same_text s v a; fact_of_order s LT v a; fact_of_order s GT v a])
           (pool s f (fst v)) ++
  map (fun '(_, c) => fact_of_text s v (text_in c)) (atoms f) ++ facts_of_beginning s v.

Definition facts (s : list kind) (f : formula) (x : source) : formula :=
  all (flat_map (facts_of_view s f) (filter (fun v => is_from x v && negb (is_plain v)) (nodup view_eq_dec (views_in f)))).

Definition source_eq_dec (x y : source) : {x = y} + {x <> y}.
Proof. decide equality; auto using Nat.eq_dec, Z.eq_dec. Defined.

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

(** * A record of ranges *)

Section Choice.
  Variables (s : list kind) (f : formula) (vs : list view) (xs : ranges).

  (** A field whose views are all in their ranges, if one is found. *)
  Definition chosen (x : source) : option field :=
    let k := source_kind s x in
    let own := filter (is_from x) vs in
    let in_place (a : field) := fits k a &&
      forallb (fun v => is_in (xs (number vs v)) (value_of (converted (snd v) a))) own in
    let range_of := fun v => xs (number vs v) in
    let range := if in_dec view_eq_dec (x, []) vs then range_of (x, []) else everything in
    match find in_place (examples k range) with
    | Some a => Some a
    | None =>
        let texts := flat_map (fun v => match range_of v with
          | Gap (Some l) (Some h) => texts_near (text_in l) ++ texts_near (text_in h)
          | Gap (Some l) None => texts_near (text_in l)
          | Gap None (Some h) => texts_near (text_in h)
          | _ => []
          end) own in
        match find in_place (pool s f x) with
        | Some a => Some a
        | None => find in_place (flat_map (read_field k) texts)
        end
    end.

  Fixpoint chosen_record (As : list attribute) : option record :=
    match As with
    | [] => Some []
    | A :: As' => match chosen (Column A), chosen_record As' with Some a, Some r => Some (a :: r) | _, _ => None end
    end.

  Definition chosen_draws (i : nat) : Z :=
    match find (fun v => match fst v with Drawn j _ _ => j =? i | _ => false end) vs with
    | Some v => match chosen (fst v) with Some (Integer z) => z | _ => 0%Z end
    | None => 0%Z
    end.
End Choice.

(** * The decision *)

Inductive answer : Type := Proved | Refuted (r : record) | Undecided.

(** The first draw of each range serves where the formula does not depend on it. *)
Fixpoint lowest_draws (p : program) (i : nat) : Z :=
  match p, i with
  | [], _ => 0%Z
  | req :: _, O => match acts req with
                   | Some x => match plain_of x with Random _ _ l _ => l | _ => 0%Z end
                   | None => 0%Z
                   end
  | _ :: p', S i' => lowest_draws p' i'
  end.

Definition first_terms (n : nat) : list term := map (fun A => Viewed (Column A, [])) (seq 0 n).

Definition fails_on (s : list kind) (p : program) (claim : assertion) (draws : nat -> Z) (r : record) : bool :=
  fits_record s r && existsb (affects claim) (outcomes draws p 0 r).

Definition counterexample (s : list kind) (p : program) (claim : assertion) (f : formula) (vs : list view) (xs : ranges)
  : option record :=
  match chosen_record s f vs xs (seq 0 (length s)) with
  | Some r =>
      let draws i := if existsb (fun v => match fst v with Drawn j _ _ => j =? i | _ => false end) vs
                     then chosen_draws s f vs xs i else lowest_draws p i in
      if fails_on s p claim draws r then Some r else None
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
