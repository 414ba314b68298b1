(** Certificates: what a proof of a claim rests on, for a checker whose soundness is proved.

    A certificate annotates each step of a policy, before each requirement and after the last, with the types of the columns,
    an invariant of all records, and lines: facts about classes, each with the reason why it holds. *)
From Coq Require Import List ZArith QArith Bool Permutation PeanoNat Lia.
From Acompass Require Import Order Bags Texts Values Tables Syntax Results Assertions Actions Determinism Anonymity Aggregates.
From Acompass Require Import Facts Histories Reachability Satisfiability Entailment ClassFacts Outcomes Typing Situations BranchTests Backward.
Import ListNotations.
Open Scope nat_scope.

(** Why a fact holds of the table at hand: from the values of its records; from a line; or, among the classes that a
    requirement leaves alone, from its own assertion, as far as this says U of the aggregate j. *)
Inductive reason : Type :=
| ByValues (among : list value)
| FromLine (i : nat) (singles : list (attribute * value))
| FromOwn (j : nat) (U : condition) (singles : list (attribute * value)).

(** Why a fact holds of the classes in one branch of the requirement before: there is none; the counted column is written
    as a whole; or a fact about the classes before leads to it. *)
Inductive premise : Type := Void | Fresh | Before (K : class_fact) (why : reason).

(** A line holds for a reason at its own step, or by the requirement before it: in each of its branches, or in all at once. *)
Inductive origin : Type := Here (why : reason) | Back (spared hit : premise) | Through (p : premise).

(** [may] and [must] have the records that the next requirement affects in some table, or in every table. *)
Record annotation : Type := {
  column_types : types;
  invariant : condition;
  may : condition;
  must : condition;
  lines : list (class_fact * origin)
}.

(** The claim follows from what is known of some of its aggregates: each part has the position of one, and what is allowed. *)
Record certificate : Type := {
  start : annotation;
  steps : list annotation;
  grounds : list (nat * condition * reason)
}.

(** * The checker *)

Definition facts_of (a : annotation) : list class_fact := map fst (lines a).

Definition own_fact (a : assertion) (j : nat) (U : condition) : option class_fact :=
  match a with
  | Each (Process fs psi G) _ =>
      option_map (fun f => {| function := f; selection := where_condition psi; groups := G; allowed := U |}) (nth_error fs j)
  | _ => None
  end.

Definition own_says (ks : kinds) (inv : condition) (a : assertion) (j : nat) (U : condition) : bool :=
  match a with
  | Each (Process fs psi G) phi =>
      never ks (kinds_of_aggregates fs)
        (all_of ([renamed here (And inv (where_condition psi)); renamed (lifted G) phi; Not (renamed (at_count j here) U)]
                 ++ bounds G 0 fs))
  | _ => false
  end.

(** [care] holds of the records in question, [inv] of all records of the table. [own] is the assertion that is known to hold
    of the classes in question. *)
Definition is_justified (ks : kinds) (inv care : condition) (H : list attribute) (own : option assertion)
    (known : list class_fact) (K : class_fact) (why : reason) : bool :=
  match why with
  | ByValues among => by_values ks care among K
  | FromLine i singles =>
      match nth_error known i with
      | Some K0 => (all_in H (groups K0) && implied ks care singles K0 K) || (all_in H (groups K) && implied ks inv singles K0 K)
      | None => false
      end
  | FromOwn j U singles =>
      match own with
      | Some a => match own_fact a j U with
                  | Some K0 => own_says ks inv a j U && implied ks care singles K0 K
                  | None => false
                  end
      | None => false
      end
  end.

Section Step.
  Variables (known is_alike : bool) (req : requirement) (a : annotation) (after : types).

  Definition kinds_here : kinds := kinds_of (column_types a).
  Definition branch_for (violating : bool) : branch := branch_of known req (invariant a) (may a) (must a) violating.

  (** A requirement about records has one branch. *)
  Definition has_branch (violating : bool) : bool :=
    violating || match asserts req with Each (Process _ _ _) _ | Some_ _ _ => true | _ => false end.

  Definition is_premise (b : branch) (H : list attribute) (own : option assertion) (F : class_fact) (p : premise) : bool :=
    match p with
    | Void => is_readable_fact req F && is_void (column_types a) after req b F
    | Fresh => is_fresh (column_types a) after req H b F
    | Before K why =>
        leads_to (column_types a) after req is_alike H b K F &&
        is_justified kinds_here (invariant a) (care_of b) H own (facts_of a) K why
    end.

  Definition is_line (earlier : list class_fact) (ks : kinds) (inv : condition) (line : class_fact * origin) : bool :=
    let H := together (asserts req) in
    match snd line with
    | Here why => is_justified ks inv inv [] None earlier (fst line) why
    | Back spared hit =>
        (negb (has_branch false) || is_premise (branch_for false) H (Some (asserts req)) (fst line) spared) &&
        is_premise (branch_for true) H None (fst line) hit
    | Through p => is_premise (only_branch known req (invariant a) (may a) (must a)) [] None (fst line) p
    end.

  Fixpoint are_lines (earlier : list class_fact) (ks : kinds) (inv : condition) (ls : list (class_fact * origin)) : bool :=
    match ls with
    | [] => true
    | line :: ls' => is_line earlier ks inv line && are_lines (earlier ++ [fst line]) ks inv ls'
    end.

  Definition keeps_invariant (inv' : condition) (violating : bool) : bool :=
    negb (has_branch violating) ||
    is_never_in (column_types a) after req (branch_for violating) Count (fun cell => Not (renamed cell inv')).
End Step.

Definition is_step (known is_alike : bool) (req : requirement) (a a' : annotation) : bool :=
  let ks := kinds_here a in
  is_well_formed req &&
  match written req with Some A => A <? length (column_types a) | None => true end &&
  types_fit req (column_types a) (column_types a') &&
  may_is_sound ks (invariant a) (asserts req) (may a) && must_is_sound ks (invariant a) (asserts req) (must a) &&
  is_readable req (invariant a') &&
  keeps_invariant known req a (column_types a') (invariant a') false &&
  keeps_invariant known req a (column_types a') (invariant a') true &&
  are_lines known is_alike req a (column_types a') [] (kinds_here a') (invariant a') (lines a').

Fixpoint are_steps (known alike : list nat) (i : nat) (p : program) (a : annotation) (rest : list annotation) : option annotation :=
  match p, rest with
  | [], [] => Some a
  | req :: p', a' :: rest' =>
      if is_step (mem i known) (mem i alike) req a a' then are_steps known alike (S i) p' a' rest' else None
  | _, _ => None
  end.

Definition is_claim (a : annotation) (claim : assertion) (ps : list (nat * condition * reason)) : bool :=
  let ks := kinds_here a in
  let inv := invariant a in
  match claim with
  | Each Result phi => implies_in ks inv phi
  | Each (Filter psi) phi => implies_in ks (And inv psi) phi
  | Each (Process fs psi G) phi =>
      forallb (fun '(j, U, why) => match own_fact claim j U with
                                   | Some F => is_justified ks inv inv [] None (facts_of a) F why
                                   | None => false
                                   end) ps &&
      never ks (kinds_of_aggregates fs)
        (all_of ([renamed here (And inv (where_condition psi)); Not (renamed (lifted G) phi)] ++ bounds G 0 fs ++
                 map (fun '(j, U, _) => renamed (at_count j here) U) ps))
  | Some_ _ _ => false
  end.

Definition column_type_eq_dec (t u : column_type) : {t = u} + {t <> u}.
Proof. decide equality; apply kind_eq_dec. Defined.

(** Nothing is known of the table at the start but its types. *)
Definition is_start (ts : types) (a : annotation) : bool :=
  (if list_eq_dec column_type_eq_dec (column_types a) ts then true else false) &&
  implies_in (kinds_here a) anything (invariant a) &&
  match lines a with [] => true | _ => false end.

(** [known] are the steps of checks that the run is known to pass; [alike] those of maps that give equal values equal labels. *)
Definition check (known alike : list nat) (ts : types) (p : program) (claim : assertion) (c : certificate) : bool :=
  is_start ts (start c) &&
  match are_steps known alike 0 p (start c) (steps c) with
  | Some last => is_claim last claim (grounds c)
  | None => false
  end.
