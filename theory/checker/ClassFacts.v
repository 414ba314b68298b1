(** The facts in certificates, and the laws that derive them from the values of records or from other facts. Each test
    is a program that decides by an entailment of [Entailment], with a proof that it is sound. *)
From Coq Require Import List ZArith Bool Permutation PeanoNat Lia.
From Acompass Require Import Order Bags Values Tables Syntax Results Assertions Determinism Anonymity Aggregates Facts Laws.
From Acompass Require Import Regions Satisfiability Entailment.
Import ListNotations.
Open Scope nat_scope.

(** EACH PROCESS f WHERE W GROUP BY G : U, where U has the aggregate at position 0 and column A at A + 1. *)
Record class_fact : Type := {
  function : aggregate;
  selection : condition;
  groups : list attribute;
  allowed : condition
}.

Definition allows (U : condition) (r : record) (v : value) : Prop := true_in (with_count v (value_at r)) U = true.

Definition true_of (F : class_fact) (R : bag) : Prop :=
  fact (function F) (holds_of (selection F)) (groups F) (allows (allowed F)) R.

(** U reads nothing but the key and the aggregate. *)
Definition mem (A : attribute) (G : list attribute) : bool := existsb (Nat.eqb A) G.
Definition all_in (G H : list attribute) : bool := forallb (fun A => mem A H) G.
Definition is_keyed (G : list attribute) (U : condition) : bool :=
  forallb (fun p => match p with 0 => true | S A => mem A G end) (columns U).

Lemma mem_in A G : mem A G = true <-> In A G.
Proof.
  unfold mem. rewrite existsb_exists. split; [intros (B & I & E); apply Nat.eqb_eq in E; now subst|].
  intro I. exists A. split; auto. apply Nat.eqb_refl.
Qed.

Lemma all_in_incl G H : all_in G H = true -> incl G H.
Proof. unfold all_in. rewrite forallb_forall. intros K A I. now apply mem_in, K. Qed.

Lemma is_keyed_reads G U : is_keyed G U = true -> reads_key G (allows U).
Proof.
  unfold is_keyed, allows. rewrite forallb_forall. intros H r s v K HU. rewrite <- HU. apply true_in_agree.
  intros [|A] I; simpl; auto. specialize (H _ I). simpl in H. apply mem_in in H. symmetry. now apply (key_at G).
Qed.

(** * Counts *)

Definition aggregate_eq_dec (f g : aggregate) : {f = g} + {f <> g}.
Proof.
  decide equality; try apply Nat.eq_dec; try apply value_eq_dec; apply list_eq_dec; try apply Nat.eq_dec.
  decide equality; [apply value_eq_dec|apply tuple_eq_dec].
Defined.

Definition is_count (f : aggregate) : bool := match f with Count | CountDistinct _ => true | _ => false end.

Definition one : value := number_of_records 1.
Definition positive (f : aggregate) (j : nat) : condition := if is_count f then Compare (extra j) GE one else anything.
Definition kind_of_aggregate (f : aggregate) : option kind := if is_count f then Some IntegerKind else None.

Lemma of_values_positive f S : is_count f = true -> S <> [] -> below one (aggregated f S).
Proof. destruct f; try discriminate; intros _; [apply of_values_count|apply of_values_count_distinct]. Qed.

Lemma compares_ge v w : below w v -> compares v GE w = true.
Proof.
  unfold below, at_most, compares. rewrite (compare_opp order_value). now destruct (compare_value v w).
Qed.

Lemma compares_le v w : below v w -> compares v LE w = true.
Proof. unfold below, at_most, compares. now destruct (compare_value v w). Qed.

Lemma compares_eq v : compares v EQ v = true.
Proof. unfold compares. now rewrite (compare_refl order_value). Qed.

Lemma positive_true f j r s e S : S <> [] -> e j = aggregated f S -> true_in (scene r s e) (positive f j) = true.
Proof.
  intros N E. unfold positive. destruct (is_count f) eqn:C; auto. cbn [true_in]. rewrite scene_extra, E.
  now apply compares_ge, of_values_positive.
Qed.

Lemma kind_of_aggregated f S : is_of_kind (kind_of_aggregate f) (aggregated f S).
Proof. unfold kind_of_aggregate. destruct f; simpl; auto; eexists; reflexivity. Qed.

(** The further values of a scene: two aggregates, and others. *)
Definition two (v w : value) (j : nat) : value := match j with 0 => v | 1 => w | _ => nothing end.

(** * Entailments between conditions on records *)

Definition implies_in (ks : kinds) (care phi : condition) : bool := never ks [] (And (renamed here care) (Not (renamed here phi))).

Lemma implies_in_sound ks care phi r : implies_in ks care phi = true -> is_of ks r -> holds_of care r = true ->
  holds_of phi r = true.
Proof.
  intros H K C. apply (never_sound _ _ _ r r (fun _ => nothing)) in H; auto; [|intros [|j]; exact I].
  cbn [true_in] in H. rewrite !renamed_here, C in H. simpl in H. now apply negb_false_iff in H.
Qed.

(** Records of [care] with the same key all satisfy the condition, or none does. *)
Definition is_decided (ks : kinds) (G : list attribute) (care phi : condition) : bool :=
  let shared A := if mem A G then here A else there A in
  never ks [] (all_of [renamed here care; renamed here phi; renamed shared care; Not (renamed shared phi)]).

Lemma is_decided_sound ks G care phi r s : is_decided ks G care phi = true -> is_of ks r -> is_of ks s ->
  holds_of care r = true -> holds_of care s = true -> key G r = key G s -> holds_of phi r = holds_of phi s.
Proof.
  intros H. enough (One : forall r s, is_of ks r -> is_of ks s -> holds_of care r = true -> holds_of care s = true ->
    key G r = key G s -> holds_of phi r = true -> holds_of phi s = true).
  { intros KR KS CR CS E. destruct (holds_of phi r) eqn:P, (holds_of phi s) eqn:Q; auto.
    - now rewrite (One r s) in Q.
    - symmetry in E. now rewrite (One s r) in P. }
  clear r s. intros r s KR KS CR CS E P.
  apply (never_sound _ _ _ r s (fun _ => nothing)) in H; auto; [|intros [|j]; exact I].
  rewrite true_in_all_of in H. cbn [forallb true_in] in H. rewrite !renamed_here, CR, P in H.
  assert (Shared : forall psi, true_in (scene r s (fun _ => nothing)) (renamed (fun A => if mem A G then here A else there A) psi)
    = holds_of psi s).
  { intro psi. rewrite true_in_renamed, holds_of_true_in. apply true_in_agree. intros A _.
    destruct (mem A G) eqn:M; [|apply scene_there]. rewrite scene_here. apply mem_in in M. now apply (key_at G). }
  rewrite !Shared, CS in H. simpl in H. rewrite andb_true_r in H. now apply negb_false_iff in H.
Qed.

(** * Law of the values (`follows`), with the law of the empty class *)

(** [within] are values of the counted column, if there are few. *)
Definition possible_counts (ks : kinds) (records : condition) (G : list attribute) (f : aggregate) (among : list value) : condition :=
  match f with
  | CountDistinct B =>
      if mem B G then Compare (extra 0) EQ one
      else if never ks [] (And (renamed here records) (Not (any_of (map (Compare (here B) EQ) among))))
      then Compare (extra 0) LE (number_of_records (length among))
      else anything
  | _ => anything
  end.

Definition by_values (ks : kinds) (care : condition) (among : list value) (F : class_fact) : bool :=
  let records := And care (selection F) in
  never ks [kind_of_aggregate (function F)]
    (all_of [renamed here records; positive (function F) 0;
             possible_counts ks records (groups F) (function F) among; Not (renamed (at_count 0 here) (allowed F))]).

Lemma kinds_of_one f S e : e 0 = aggregated f S -> forall j, is_of_kind (kind_at [kind_of_aggregate f] j) (e j).
Proof. intros E [|j]; unfold kind_at; simpl; [rewrite E; apply kind_of_aggregated|now destruct j]. Qed.

Lemma allowed_here U r s e j : true_in (scene r s e) (renamed (at_count j here) U) = true_in (with_count (e j) (value_at r)) U.
Proof. rewrite renamed_at_count. apply true_in_agree. intros [|A] _; simpl; auto. apply scene_here. Qed.

Definition in_care (ks : kinds) (care : condition) (R : bag) : Prop :=
  forall r, In r R -> is_of ks r /\ holds_of care r = true.

Lemma possible_counts_sound ks records G f among R r e : in_care ks records R -> In r R ->
  e 0 = aggregated f (class G R r) -> true_in (scene r r e) (possible_counts ks records G f among) = true.
Proof.
  intros C I E. unfold possible_counts. destruct f; auto. destruct (mem B G) eqn:M.
  - cbn [true_in]. rewrite scene_extra, E. apply mem_in in M. rewrite of_values_count_distinct_grouped by auto. apply compares_eq.
  - destruct (never _ _ _) eqn:N; auto. cbn [true_in]. rewrite scene_extra, E. apply compares_le.
    apply of_values_count_distinct_at_most. intros s J. apply in_class in J as [J _]. destruct (C s J) as [KS CS].
    apply (never_sound _ _ _ s s (fun _ => nothing)) in N; auto; [|intros [|j]; exact Logic.I].
    cbn [true_in] in N. rewrite renamed_here, CS, true_in_any_of in N. simpl in N. apply negb_false_iff in N.
    apply existsb_exists in N as (phi & P & T). apply in_map_iff in P as (v & <- & P). cbn [true_in] in T.
    rewrite scene_here in T. unfold compares in T. destruct (compare_value _ v) eqn:Q; try discriminate.
    apply (compare_eq order_value) in Q. now rewrite Q.
Qed.

Theorem by_values_sound ks care among F R : by_values ks care among F = true -> in_care ks care R -> true_of F R.
Proof.
  intros H C r I W. set (S := class (groups F) (filter (holds_of (selection F)) R) r).
  assert (J : In r (filter (holds_of (selection F)) R)) by now apply filter_In.
  assert (N : S <> []) by now apply class_nonempty. destruct (C r I) as [K CR].
  set (e := two (aggregated (function F) S) nothing).
  apply (never_sound _ _ _ r r e) in H; auto; [|now apply (kinds_of_one _ S)].
  rewrite true_in_all_of in H. cbn [forallb true_in] in H.
  rewrite renamed_here, allowed_here in H. cbn [e two] in H. unfold allows. fold S.
  rewrite (positive_true _ 0 r r e S) in H by auto.
  rewrite (possible_counts_sound ks _ _ _ among (filter (holds_of (selection F)) R) r e) in H; auto.
  - assert (CW : holds_of (And care (selection F)) r = true) by (unfold holds_of in *; simpl; now rewrite CR, W).
    rewrite CW in H. simpl in H. rewrite andb_true_r in H. now apply negb_false_iff in H.
  - intros s JS. apply filter_In in JS as [JS WS]. destruct (C s JS). split; auto. unfold holds_of in *; simpl. now rewrite H1, WS.
Qed.

(** * Law of the classes (`implies`)

    A column with a single value in all known records splits no class, so it may be added to every key. *)

Definition has_single (ks : kinds) (records : condition) (single : attribute * value) : bool :=
  implies_in ks records (Compare (fst single) EQ (snd single)).

(** How the aggregate of a wanted class is related to that of a known class which shares a record with it: the class is
    made of whole known classes, or part of one. *)
Definition relation_of_classes (is_union is_part : bool) : option relation :=
  match is_union, is_part with
  | true, true => Some Same
  | true, false => Some AtLeast
  | false, true => Some AtMost
  | false, false => None
  end.

Definition relation_of_functions (known wanted : aggregate) : option relation :=
  match known, wanted with
  | CountDistinct _, Count => Some AtLeast
  | Count, CountDistinct _ => Some AtMost
  | _, _ => if aggregate_eq_dec known wanted then Some Same else None
  end.

Definition composed (x y : relation) : option relation :=
  match x, y with
  | Same, z | z, Same => Some z
  | AtLeast, AtLeast => Some AtLeast
  | AtMost, AtMost => Some AtMost
  | _, _ => None
  end.

Definition relation_of (ks : kinds) (care : condition) (singles : list attribute) (K F : class_fact) : option relation :=
  let G1 := groups K ++ singles in
  let G := groups F ++ singles in
  let is_union := all_in G G1 && is_decided ks G1 (And care (selection K)) (selection F) in
  match relation_of_classes is_union (all_in G1 G), relation_of_functions (function K) (function F) with
  | Some x, Some y => composed x y
  | _, _ => None
  end.

Definition implied (ks : kinds) (care : condition) (singles : list (attribute * value)) (K F : class_fact) : bool :=
  let columns := map fst singles in
  forallb (has_single ks (And care (selection K))) singles &&
  implies_in ks (And care (selection F)) (selection K) &&
  match relation_of ks care columns K F with
  | Some how =>
      match how with Same => true | _ => is_count (function F) end &&
      allowed_follows how ks [kind_of_aggregate (function K); kind_of_aggregate (function F)]
        (all_of [renamed here (And care (selection F)); positive (function K) 0; positive (function F) 1]) here
        (allowed K) (allowed F)
  | None => false
  end.

Lemma more_records_count f S T : is_count f = true -> subset S T -> below (aggregated f S) (aggregated f T).
Proof. destruct f; try discriminate; intros _; [apply of_part_count|apply of_part_count_distinct]. Qed.

Lemma subset_of_classes R W W' G G' r :
  (forall t, In t R -> W t = true -> key G t = key G r -> W' t = true /\ key G' t = key G' r) ->
  subset (class G (filter W R) r) (class G' (filter W' R) r).
Proof.
  intros H t. unfold class, group. rewrite !multiplicity_filter. unfold has_key.
  destruct (tuple_eq_dec (key G t) (key G r)) as [K|]; [|lia]. destruct (W t) eqn:HW; [|lia].
  destruct (in_dec record_eq_dec t R) as [I|I].
  - destruct (H t I HW K) as [-> K']. destruct (tuple_eq_dec (key G' t) (key G' r)); [lia|easy].
  - unfold multiplicity. rewrite (proj1 (count_occ_not_In record_eq_dec R t) I).
    destruct (tuple_eq_dec (key G' t) (key G' r)); destruct (W' t); lia.
Qed.

(** The aggregates of two bags, one of which may contain the other. *)
Lemma related_aggregates f g x y how S T : S <> [] -> relation_of_functions f g = Some y -> composed x y = Some how ->
  (match how with Same => true | _ => is_count g end = true) ->
  (x <> AtMost -> subset S T) -> (x <> AtLeast -> subset T S) -> related how (aggregated f S) (aggregated g T).
Proof.
  intros N HF HC C HS HT.
  assert (Equal : x = Same -> aggregated f S = aggregated f T /\ aggregated g S = aggregated g T).
  { intros ->. assert (P : Permutation S T).
    { apply (bag_equality record_eq_dec). intro t. apply Nat.le_antisymm; [now apply HS|now apply HT]. }
    split; now apply aggregated_permutation. }
  assert (Y : (y = Same /\ f = g) \/ (y = AtLeast /\ exists B, f = CountDistinct B /\ g = Count)
              \/ (y = AtMost /\ exists B, f = Count /\ g = CountDistinct B)).
  { unfold relation_of_functions in HF.
    destruct f, g; try (destruct aggregate_eq_dec as [E|]; [|discriminate]); injection HF as <-; eauto 7. }
  destruct Y as [[-> <-]|[[-> (B & -> & ->)]|[-> (B & -> & ->)]]]; destruct x; simpl in HC; try discriminate;
    injection HC as <-; cbn [related]; try (now apply Equal).
  - apply more_records_count; [auto|]. apply HS. discriminate.
  - apply more_records_count; [auto|]. apply HT. discriminate.
  - destruct Equal as [_ E]; auto. rewrite <- E. apply in_terms_of_count.
  - apply below_trans with (aggregated Count S); [apply in_terms_of_count|]. apply of_part_count, HS. discriminate.
  - destruct Equal as [E _]; auto. rewrite E. apply in_terms_of_count.
  - apply below_trans with (aggregated Count T); [apply in_terms_of_count|]. apply of_part_count, HT. discriminate.
Qed.

Lemma key_app G H r : key (G ++ H) r = key G r ++ key H r.
Proof. apply map_app. Qed.

Lemma same_key_with G H r s : key H r = key H s -> (key G r = key G s <-> key (G ++ H) r = key (G ++ H) s).
Proof.
  intro E. rewrite !key_app, E. split; [now intros ->|]. intro K. now apply app_inv_tail in K.
Qed.

Lemma holds_of_and phi psi r : holds_of (And phi psi) r = holds_of phi r && holds_of psi r.
Proof. reflexivity. Qed.

Theorem implied_sound ks care singles K F R : implied ks care singles K F = true -> in_care ks care R ->
  true_of K R -> true_of F R.
Proof.
  unfold implied. set (cols := map fst singles). intros H C known. rewrite !andb_true_iff in H.
  destruct H as [[single covered] H]. destruct (relation_of ks care cols K F) as [how|] eqn:RE; [|discriminate].
  apply andb_true_iff in H as [counts follows].
  assert (Covered : forall r, In r R -> holds_of (selection F) r = true -> holds_of (selection K) r = true).
  { intros r I W. destruct (C r I) as [KR CR]. apply (implies_in_sound _ _ _ _ covered); auto. now rewrite holds_of_and, CR, W. }
  assert (Singles : forall r s, In r R -> In s R -> holds_of (selection K) r = true -> holds_of (selection K) s = true ->
    key cols r = key cols s).
  { intros r s I J WR WS. apply key_ext. intros A HA. apply in_map_iff in HA as ([B c] & <- & HA). cbn [fst].
    assert (One : forall t, In t R -> holds_of (selection K) t = true -> value_at t B = c).
    { intros t It Wt. destruct (C t It) as [Kt Ct]. rewrite forallb_forall in single. specialize (single _ HA).
      apply (implies_in_sound _ _ _ t) in single; auto; [|now rewrite holds_of_and, Ct, Wt].
      rewrite holds_of_true_in in single. cbn [true_in fst snd] in single. unfold compares in single.
      destruct (compare_value (value_at t B) c) eqn:E; try discriminate. now apply (compare_eq order_value) in E. }
    now rewrite (One r I WR), (One s J WS). }
  set (G1 := groups K ++ cols). set (G := groups F ++ cols).
  assert (known' : fact (function K) (holds_of (selection K)) G1 (allows (allowed K)) R).
  { apply fact_same_classes with (groups K); auto. intros r s I J WR WS. apply same_key_with. now apply Singles. }
  assert (goal : fact (function F) (holds_of (selection F)) G (allows (allowed F)) R).
  2:{ apply fact_same_classes with G; auto. intros r s I J WR WS. symmetry. apply same_key_with. apply Singles; auto. }
  intros r I W. destruct (C r I) as [KR CR].
  set (T := class G1 (filter (holds_of (selection K)) R) r). set (S := class G (filter (holds_of (selection F)) R) r).
  assert (NT : T <> []) by (apply class_nonempty, filter_In; auto).
  assert (NS : S <> []) by (apply class_nonempty, filter_In; auto).
  unfold relation_of in RE. fold G1 G in RE.
  destruct (relation_of_classes _ _) as [x|] eqn:RC; [|discriminate].
  destruct (relation_of_functions _ _) as [y|] eqn:RF; [|discriminate].
  assert (L : related how (aggregated (function K) T) (aggregated (function F) S)).
  { apply related_aggregates with x y; auto.
    - intro NX. apply subset_of_classes. intros t It Wt Kt.
      assert (U : all_in G G1 && is_decided ks G1 (And care (selection K)) (selection F) = true).
      { destruct (all_in G G1 && _); auto. destruct (all_in G1 G); simpl in RC; [|discriminate]. now injection RC as <-. }
      apply andb_true_iff in U as [U D]. split; [|now apply (key_incl G1); [apply all_in_incl|]].
      destruct (C t It) as [KT CT]. rewrite <- W. apply (is_decided_sound _ _ _ _ t r D); auto.
      + now rewrite holds_of_and, CT, Wt.
      + now rewrite holds_of_and, CR, Covered.
    - intro NX. apply subset_of_classes. intros t It Wt Kt. split; [now apply Covered|].
      apply (key_incl G); auto. apply all_in_incl. destruct (all_in G1 G); auto.
      destruct (all_in G G1 && _); simpl in RC; [|discriminate]. now injection RC as <-. }
  assert (U1 : allows (allowed K) r (aggregated (function K) T)) by now apply known'; [|apply Covered].
  set (e := two (aggregated (function K) T) (aggregated (function F) S)).
  unfold allows in *. rewrite (true_in_agree (allowed F) _ (with_count (e 1) (fun A => scene r r e (here A)))).
  - apply (allowed_follows_sound _ _ _ _ _ _ _ r r e follows); auto.
    + intros [|[|j]]; unfold kind_at; simpl; [apply kind_of_aggregated|apply kind_of_aggregated|now destruct j].
    + rewrite true_in_all_of. cbn [forallb]. rewrite renamed_here, holds_of_and, CR, W.
      now rewrite (positive_true _ 0 r r e T), (positive_true _ 1 r r e S).
  - intros [|A] _; simpl; auto. symmetry. apply scene_here.
Qed.
