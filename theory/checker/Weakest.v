(** Weakest preconditions, by symbolic execution: what must be true of a record so that a claim about records holds for
    everything that a program can turn it into. *)
From Coq Require Import List ZArith QArith Bool Lia.
From Acompass Require Import Order Bags Texts Values Tables Syntax Results Assertions Actions Histories Reachability.
From Acompass Require Import Exactness Satisfiability Formulas.
Import ListNotations.
Open Scope nat_scope.

(** * Assertions about records *)

(** The condition of the records that violate an assertion. *)
Definition violating (a : assertion) : condition :=
  match a with
  | Each (Filter psi) phi => And psi (Not phi)
  | Each _ phi | Some_ _ phi => Not phi
  end.

Lemma affects_violating a r : about_records a -> affects a r = holds_of (violating a) r.
Proof. now destruct a as [[|psi|f psi G] phi|]. Qed.

Lemma holds_of_records a R : about_records a -> (holds a R = true <-> forall r, In r R -> affects a r = false).
Proof.
  intro H. split.
  - intros K r I. rewrite <- (affected_by_itself a R) by auto. now apply holds_affects_none.
  - destruct a as [[|psi|f psi G] phi|]; try easy; intro K; simpl; apply forallb_forall; intros t I;
      apply in_map_iff in I as (r & <- & I).
    + apply K in I. unfold affects in I. simpl in I. unfold affected_by_result, holds_of in I.
      now destruct (satisfies phi (values r)).
    + apply filter_In in I as [I P]. apply K in I. unfold affects in I. simpl in I. unfold affected_by_filter in I.
      rewrite P in I. unfold holds_of in I. now destruct (satisfies phi (values r)).
Qed.

(** * Programs whose checks hold where they stand (D31) *)

Fixpoint respected (p : program) (s : state) : bool :=
  match p with
  | [] => true
  | req :: p' =>
      match acts req with None => holds (asserts req) (fst s) | Some _ => true end && respected p' (step req s)
  end.

(** [can_reach] of records that violate no check. *)
Inductive can_pass : program -> record -> record -> Prop :=
| passed r : can_pass [] r r
| passing req p r s r' : can_become req r s -> (acts req = None -> affects (asserts req) r = false) ->
    can_pass p s r' -> can_pass (req :: p) r r'.

Theorem passed_from p : Forall is_requirement p -> forall R rho r', in_unit_interval rho -> respected p (R, rho) = true ->
  In r' (fst (run p (R, rho))) -> exists r, In r R /\ can_pass p r r'.
Proof.
  induction 1 as [|req p Hreq _ IH]; intros R rho r' U C I; [exists r'; split; [exact I|constructor]|].
  change (run (req :: p) (R, rho)) with (run p (step req (R, rho))) in I. cbn [respected fst] in C.
  apply andb_true_iff in C as [C C'].
  pose proof (trace_in_unit_interval req R rho U) as U'. pose proof (from_one_record req R rho) as B.
  destruct (step req (R, rho)) as [R' rho']. destruct (IH R' rho' r' U' C' I) as (s & J & H).
  destruct (B s Hreq U J) as (r & K & D). exists r. split; auto. apply passing with s; auto.
  intro N. rewrite N in C. now apply (holds_of_records (asserts req) R (proj1 Hreq)).
Qed.

Theorem one_passes p r r' : Forall is_requirement p -> can_pass p r r' -> exists rho,
  in_unit_interval rho /\ respected p ([r], rho) = true /\ fst (run p ([r], rho)) = [r'].
Proof.
  intros HP H. induction H as [r|req p r s r' B N _ IH]; [now exists (fun _ => 0%Q)|].
  inversion HP as [|? ? Hreq HP']; subst. destruct (IH HP') as (rho & U & C & E).
  destruct (one_step req r s rho Hreq B U) as (rho' & U' & S). exists rho'. split; auto. cbn [respected fst].
  change (run (req :: p) ([r], rho')) with (run p (step req ([r], rho'))). rewrite S, C. split; auto.
  destruct (acts req); auto. rewrite violated by apply Hreq. now rewrite N.
Qed.

(** * Records as terms *)

Fixpoint set_term (sigma : list term) (A : attribute) (x : term) : list term :=
  match sigma, A with
  | [], _ => []
  | _ :: sigma', O => x :: sigma'
  | y :: sigma', S A' => y :: set_term sigma' A' x
  end.

Definition convert_term (t : type) (x : term) : term :=
  match x, t with
  | Known f, _ => Known (convert t f)
  | _, Unchanged => x
  | Viewed (x, ts), _ => Viewed (x, ts ++ [t])
  end.

Definition retype_terms (ts : list (attribute * type)) (sigma : list term) : list term :=
  fold_left (fun sigma '(A, t) => set_term sigma A (convert_term t (term_at sigma A))) ts sigma.

Definition drop_terms (As : list attribute) (sigma : list term) : list term :=
  fold_left (fun sigma A => set_term sigma A (Known Missing)) As sigma.

Section Terms.
  Variables (r : record) (draws : nat -> field).

  Lemma known_set sigma A x :
    known_as r draws (set_term sigma A x) = update (known_as r draws sigma) A (term_field r draws x).
  Proof. unfold known_as. revert A. induction sigma as [|y sigma IH]; intros [|A]; simpl; auto. now rewrite IH. Qed.

  Lemma known_convert t x : term_field r draws (convert_term t x) = convert t (term_field r draws x).
  Proof.
    destruct x as [f|[x ts]]; auto. destruct t; auto; simpl; unfold view_field; simpl; now rewrite fold_left_app.
  Qed.

  Lemma known_retype ts : forall sigma, known_as r draws (retype_terms ts sigma) = retype ts (known_as r draws sigma).
  Proof.
    induction ts as [|[A t] ts IH]; intro sigma; auto. unfold retype_terms, retype in *. cbn [fold_left].
    now rewrite IH, known_set, known_convert, get_known_as.
  Qed.

  Lemma known_drop As : forall sigma,
    known_as r draws (drop_terms As sigma) = without_columns As (known_as r draws sigma).
  Proof.
    induction As as [|A As IH]; intro sigma; auto. unfold drop_terms, without_columns in *. cbn [fold_left].
    now rewrite IH, known_set.
  Qed.
End Terms.

(** * Draws one by one, if they are few *)

(** The integers from z on. *)
Fixpoint counted (n : nat) (z : Z) : list Z := match n with O => [] | S n' => z :: counted n' (z + 1)%Z end.

Lemma in_counted n : forall z w, (z <= w < z + Z.of_nat n)%Z -> In w (counted n z).
Proof.
  induction n as [|n IH]; intros z w H; [lia|]. destruct (Z.eq_dec z w) as [->|]; [now left|]. right. apply IH. lia.
Qed.

Lemma counted_between n : forall z w, In w (counted n z) -> (z <= w < z + Z.of_nat n)%Z.
Proof.
  induction n as [|n IH]; intros z w; [easy|]. intros [->|I]; [lia|]. apply IH in I. lia.
Qed.

Definition draws_of (l u : Z) : list Z := counted (Z.to_nat (u - l + 1)) l.
Definition are_few (l u : Z) : bool := (u - l <? 4)%Z.

(** * Maps as tables: for each part of the values of a kind, which a condition about attribute 0 describes, a label *)

Record table : Type := { maps : kind; labels : list (condition * text) }.

Definition is_table_of (tab : table) (g : text -> text) : Prop := forall f, fits (maps tab) f = true ->
  exists guard, In (guard, g (text_of f)) (labels tab) /\ satisfies guard [value_of f] = true.

(** Conversions that leave the text as it is. *)
Definition keep_text (ts : list type) : bool := match ts with [] | [AsText] => true | _ => false end.

Lemma keep_text_of ts f : keep_text ts = true -> text_of (fold_left (fun f t => convert t f) ts f) = text_of f.
Proof. destruct ts as [|[] [|]]; try discriminate; simpl; auto. now destruct f. Qed.

(** * The weakest precondition

    [tables] has the maps of GENERALIZE by the positions of their requirements. *)
Section Weakest.
  Variables (s : list kind) (tables : nat -> option table) (claim : assertion).

  Definition is_of_kind (x : source) (k : kind) : bool :=
    match x with Column A => if kind_eq_dec (kind_of s A) k then true else false | _ => false end.

  (** What GENERALIZE makes of a term, case by case. Without a table, the label can be any text. *)
  Definition label_cases (i : nat) (g : text -> text) (x : term) (rest : term -> formula) : formula :=
    let unknown := fun _ : Datatypes.unit => rest (Viewed (Written i, [])) in
    match x, tables i with
    | Known f, _ => rest (Known (Text (g (text_of f))))
    | Viewed (x, ts), Some tab =>
        if keep_text ts && is_of_kind x (maps tab) then
          all (map (fun '(guard, l) => cases (instantiate [Viewed (x, [])] guard) (fun _ => rest (Known (Text l)))
                                             (fun _ => Verum)) (labels tab))
        else unknown tt
    | Viewed _, None => unknown tt
    end.

  Definition after_plain (x : plain) (i : nat) (sigma : list term) (rest : list term -> formula) : formula :=
    match x with
    | Reject => Verum
    | Replace A a => rest (set_term sigma A (Known a))
    | Random A t l u =>
        if are_few l u then all (map (fun z => rest (set_term sigma A (Known (convert t (Integer z))))) (draws_of l u))
        else rest (set_term sigma A (convert_term t (Viewed (Drawn i l u, []))))
    | RandomFrom A balls => all (map (fun '(_, a) => rest (set_term sigma A (Known a))) balls)
    | Generalize A g => label_cases i g (term_at sigma A) (fun x => rest (set_term sigma A x))
    | Drop As => rest (drop_terms As sigma)
    | Write _ => Falsum
    end.

  Fixpoint weakest (p : program) (i : nat) (sigma : list term) : formula :=
    match p with
    | [] => opposite (instantiate sigma (violating claim))
    | req :: p' =>
        let phi := instantiate sigma (violating (asserts req)) in
        let sigma' := retype_terms (retypes req) sigma in
        let rest := weakest p' (S i) in
        match acts req with
        | None => cases phi (fun _ => Verum) (fun _ => rest sigma')
        | Some x =>
            cases phi
              (fun _ => let done := after_plain (plain_of x) i sigma' rest in
                        if is_certain x then done else conj done (rest sigma'))
              (fun _ => rest sigma')
        end
    end.

  (** * It is sufficient *)

  Variable r : record.
  Hypothesis fitting : forall A, fits (kind_of s A) (get r A) = true.

  Definition agree (i : nat) (d d' : nat -> field) : Prop := forall j, j < i -> d j = d' j.
  Definition fresh (i : nat) (sigma : list term) : Prop :=
    forall d d', agree i d d' -> known_as r d sigma = known_as r d' sigma.
  Definition tabled (i : nat) (req : requirement) : Prop :=
    match acts req with
    | Some x => match plain_of x with
                | Generalize _ g => forall tab, tables i = Some tab -> is_table_of tab g
                | _ => True
                end
    | None => True
    end.

  Lemma agree_sym i d d' : agree i d d' -> agree i d' d.
  Proof. intros H j L. symmetry. auto. Qed.

  Lemma fresh_more i sigma : fresh i sigma -> fresh (S i) sigma.
  Proof. intros F d d' H. apply F. intros j L. apply H. lia. Qed.

  Lemma fresh_retype i ts sigma : fresh i sigma -> fresh i (retype_terms ts sigma).
  Proof. intros F d d' H. now rewrite !known_retype, (F d d' H). Qed.

  Lemma fresh_set i sigma A f : fresh i sigma -> fresh i (set_term sigma A (Known f)).
  Proof. intros F d d' H. now rewrite !known_set, (F d d' H). Qed.

  (** One way of an action: the terms and the draws after it, and that the precondition includes theirs. *)
  Definition follows_way (i : nat) (d0 : nat -> field) (f : formula) (rest : list term -> formula) (s' : record) : Prop :=
    exists sigma d1, agree i d1 d0 /\ fresh (S i) sigma /\ known_as r d1 sigma = s' /\
      forall d, agree (S i) d d1 -> meaning r d f = true -> meaning r d (rest sigma) = true.

  Lemma stays i d0 sigma rest s' : fresh i sigma -> known_as r d0 sigma = s' -> follows_way i d0 (rest sigma) rest s'.
  Proof. intros F E. exists sigma, d0. repeat split; auto using fresh_more. Qed.

  Lemma written_way i d0 x sigma rest A a : fresh i sigma ->
    (forall tab g, x = Generalize A g -> tables i = Some tab -> is_table_of tab g) ->
    writes_column x A -> writes x A (known_as r d0 sigma) a ->
    follows_way i d0 (after_plain x i sigma rest) rest (update (known_as r d0 sigma) A a).
  Proof.
    intros F T HA HW.
    assert (Set_ : forall b f,
      (forall d, meaning r d f = true -> meaning r d (rest (set_term sigma A (Known b))) = true) ->
      follows_way i d0 f rest (update (known_as r d0 sigma) A b)).
    { intros b f H. exists (set_term sigma A (Known b)), d0. split; [now intros j L|].
      split; [now apply fresh_more, fresh_set|]. split; [now rewrite known_set|auto]. }
    assert (Chance : forall x c b, (forall d d', d i = d' i -> term_field r d x = term_field r d' x) ->
      (forall d, d i = c -> term_field r d x = b) ->
      follows_way i d0 (rest (set_term sigma A x)) rest (update (known_as r d0 sigma) A b)).
    { intros y c b X Y. set (d1 := fun j => if j =? i then c else d0 j).
      assert (D : agree i d1 d0) by (intros j J; unfold d1; destruct (Nat.eqb_spec j i); [lia|auto]).
      exists (set_term sigma A y), d1. split; auto. split; [|split; [|auto]].
      - intros d d' H. rewrite !known_set. f_equal; [apply F; intros j J; apply H; lia|]. apply X, H. lia.
      - rewrite known_set, (F d1 d0 D). f_equal. apply Y. unfold d1. now rewrite Nat.eqb_refl. }
    destruct x as [|B b|B t l u|B balls|B g|As|y]; simpl in HA, HW; try easy; cbn [after_plain].
    - destruct HW as [-> ->]. now apply Set_.
    - destruct HA as [-> L]. destruct HW as [_ (z & Z & ->)]. destruct (are_few l u).
      { apply Set_. intros d H. rewrite meaning_all, forallb_forall in H. apply H.
        apply (in_map (fun z => rest (set_term sigma B (Known (convert t (Integer z)))))), in_counted. lia. }
      apply (Chance (convert_term t (Viewed (Drawn i l u, []))) (Integer z)).
      + intros d d' H. rewrite !known_convert. simpl. unfold view_field. simpl. now rewrite H.
      + intros d H. rewrite known_convert. simpl. unfold view_field. simpl. rewrite H. f_equal. f_equal. lia.
    - destruct HW as [-> I]. apply Set_. intros d H. rewrite meaning_all, forallb_forall in H.
      apply in_map_iff in I as ([w b] & E & I). simpl in E. subst b. apply H. apply in_map_iff. now exists (w, a).
    - destruct HW as [-> ->]. rewrite get_known_as. unfold label_cases.
      assert (Unknown : follows_way i d0 (rest (set_term sigma B (Viewed (Written i, [])))) rest
        (update (known_as r d0 sigma) B (Text (g (text_of (term_field r d0 (term_at sigma B))))))).
      { apply (Chance (Viewed (Written i, [])) (Text (g (text_of (term_field r d0 (term_at sigma B)))))); auto. }
      destruct (term_at sigma B) as [f|[x ts]]; [now apply Set_|]. destruct (tables i) as [tab|] eqn:E; auto.
      destruct (keep_text ts && is_of_kind x (maps tab)) eqn:K; auto. apply andb_true_iff in K as [K KX].
      destruct x as [C| |]; simpl in KX; try discriminate. destruct kind_eq_dec as [KE|]; [|discriminate].
      cbn [term_field]. unfold view_field. cbn [snd fst source_field]. rewrite keep_text_of by auto.
      apply Set_. intros d H.
      destruct (T tab g eq_refl eq_refl (get r C)) as (guard & I & G); [rewrite <- KE; auto|].
      rewrite meaning_all, forallb_forall in H.
      specialize (H _ (in_map (fun '(guard, l) => cases (instantiate [Viewed (Column C, [])] guard)
        (fun _ => rest (set_term sigma B (Known (Text l)))) (fun _ => Verum)) _ _ I)). cbv beta in H.
      rewrite meaning_cases, meaning_instantiate in H. unfold holds_of in H.
      change (values (known_as r d [Viewed (Column C, [])])) with [value_of (get r C)] in H. now rewrite G in H.
  Qed.

  Lemma way req p i sigma d0 s' : is_requirement req -> tabled i req -> fresh i sigma ->
    can_become req (known_as r d0 sigma) s' -> (acts req = None -> affects (asserts req) (known_as r d0 sigma) = false) ->
    follows_way i d0 (weakest (req :: p) i sigma) (weakest p (S i)) s'.
  Proof.
    intros [HA HX] T F B N. set (sigma' := retype_terms (retypes req) sigma).
    assert (F' : fresh i sigma') by now apply fresh_retype.
    assert (E : known_as r d0 sigma' = retype (retypes req) (known_as r d0 sigma)) by apply known_retype.
    assert (Way : forall f, follows_way i d0 f (weakest p (S i)) s' ->
      (forall d, agree i d d0 -> meaning r d (weakest (req :: p) i sigma) = true -> meaning r d f = true) ->
      follows_way i d0 (weakest (req :: p) i sigma) (weakest p (S i)) s').
    { intros f (sigma1 & d1 & A & G & K & H) W. exists sigma1, d1. repeat split; auto. intros d D M. apply H, W; auto.
      intros j J. rewrite D by lia. now apply A. }
    assert (Phi : forall d, agree i d d0 -> meaning r d (instantiate sigma (violating (asserts req))) =
                                            affects (asserts req) (known_as r d0 sigma)).
    { intros d D. rewrite meaning_instantiate, affects_violating, (F d d0 D) by auto. reflexivity. }
    unfold can_become in B. cbn [weakest] in Way |- *. fold sigma' in Way |- *. unfold tabled in T.
    destruct (acts req) as [x|].
    2: { apply Way with (weakest p (S i) sigma'); [apply stays; auto; now rewrite E|].
         intros d D. now rewrite meaning_cases, Phi, N. }
    destruct (affects (asserts req) (known_as r d0 sigma)).
    2: { apply Way with (weakest p (S i) sigma'); [apply stays; auto; now rewrite E|].
         intros d D. now rewrite meaning_cases, Phi. }
    destruct B as [[C B]|B].
    { apply Way with (weakest p (S i) sigma'); [apply stays; auto; now rewrite E|].
      intros d D. rewrite meaning_cases, Phi, C by auto. now rewrite meaning_conj, andb_true_iff. }
    apply Way with (after_plain (plain_of x) i sigma' (weakest p (S i))).
    2: { intros d D. rewrite meaning_cases, Phi by auto. destruct (is_certain x); auto.
         now rewrite meaning_conj, andb_true_iff. }
    destruct (plain_of x) as [|A a|A t l u|A balls|A g|As|y] eqn:P; [easy| | | | | |now destruct B as (B & b & [] & _)].
    5: { subst s'. rewrite <- E, <- known_drop. exists (drop_terms As sigma'), d0. repeat split; auto.
         apply fresh_more. intros d d' D. now rewrite !known_drop, (F' d d' D). }
    all: destruct B as (B & b & HB & HW & ->); rewrite <- E in *; apply written_way; auto; try discriminate.
    intros tab g' [= <- <-]. auto.
  Qed.

  Theorem weakest_is_sufficient p : Forall is_requirement p -> forall i,
    (forall j req, nth_error p j = Some req -> tabled (i + j) req) -> forall sigma d0 r', fresh i sigma ->
    can_pass p (known_as r d0 sigma) r' ->
    exists d, meaning r d (weakest p i sigma) = true -> holds_of (violating claim) r' = false.
  Proof.
    intros HP. enough (H : forall i, (forall j req, nth_error p j = Some req -> tabled (i + j) req) ->
      forall sigma d0 r', fresh i sigma -> can_pass p (known_as r d0 sigma) r' ->
      exists d, agree i d d0 /\ (meaning r d (weakest p i sigma) = true -> holds_of (violating claim) r' = false)).
    { intros i T sigma d0 r' F C. destruct (H i T sigma d0 r' F C) as (d & _ & K). now exists d. }
    induction HP as [|req p Hreq _ IH]; intros i T sigma d0 r' F C; inversion C as [|? ? ? s' ? B N C']; subst.
    - exists d0. split; [now intros j L|]. cbn [weakest]. rewrite meaning_opposite, meaning_instantiate.
      now rewrite negb_true_iff.
    - pose proof (T 0 req eq_refl) as T0. rewrite Nat.add_0_r in T0.
      destruct (way req p i sigma d0 s' Hreq T0 F B N) as (sigma1 & d1 & A & F1 & E & H). subst s'.
      destruct (IH (S i)) with (sigma := sigma1) (d0 := d1) (r' := r') as (d & A' & K); auto.
      { intros j req' J. rewrite Nat.add_succ_l, <- Nat.add_succ_r. apply (T (S j)). exact J. }
      exists d. split; [intros j L; rewrite A' by lia; auto|]. auto.
  Qed.
End Weakest.
