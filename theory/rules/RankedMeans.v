(** MICROAGGREGATE (X18): every value that it writes stands in at least n records, where n records are affected. *)
From Coq Require Import List ZArith Bool Permutation Lia.
From Acompass Require Import Order Bags Values Numbers Tables Syntax Results Assertions Actions Anonymity Writes PublishedWrites.
Import ListNotations.
Open Scope nat_scope.

(** * Groups *)

(** Groups have n to 2n − 1 records; all records are one group if there are fewer than n. *)
Theorem groups_have_sizes {X} n : 0 < n -> forall fuel (l : list X), length l <= fuel ->
  forall g, In g (groups_of fuel n l) -> length g < 2 * n /\ (n <= length l -> n <= length g).
Proof.
  intro P. induction fuel as [|fuel IH]; intros l L g I; cbn [groups_of] in I.
  - destruct I as [<-|[]]. lia.
  - destruct (Nat.ltb_spec (length l) (2 * n)) as [H|H]; [destruct I as [<-|[]]; lia|].
    destruct I as [<-|I]; [rewrite firstn_length; lia|].
    destruct (IH (skipn n l)) with (g := g) as [A B]; auto; rewrite ?skipn_length in *; lia.
Qed.

Lemma length_filter_flat_map {X Y} (p : Y -> bool) (f : X -> list Y) x l : In x l ->
  length (filter p (f x)) <= length (filter p (flat_map f l)).
Proof.
  intro I. apply in_split in I as (l1 & l2 & ->). rewrite flat_map_app. cbn [flat_map].
  rewrite !filter_app, !app_length. lia.
Qed.

(** * Means *)

Lemma averaged_alike A t g r s : (forall r, In r g -> A < length r) -> In r (averaged A t g) -> In s (averaged A t g) ->
  key [A] s = key [A] r.
Proof.
  intros L I J. apply in_map_iff in I as (r0 & <- & I). apply in_map_iff in J as (s0 & <- & J). cbn [key map].
  now rewrite !value_at_update by auto.
Qed.

Theorem ranked_means A t n V : 0 < n -> n <= length V -> (forall r, In r V -> A < length r) ->
  k_anonymous [A] (Z.of_nat n) (microaggregate A t n V).
Proof.
  intros P N L r I. apply Znat.inj_le. unfold microaggregate in *. apply in_flat_map in I as (g & G & I).
  set (gs := groups_of (length V) n (sort (compare_by A) V)) in *.
  assert (E : length (sort (compare_by A) V) = length V) by (apply Permutation_length, sort_permutation).
  assert (M : forall s, In s g -> In s V).
  { intros s J. apply (Permutation_in _ (sort_permutation (compare_by A) V)). rewrite <- (groups_concat n (length V)).
    apply in_concat. now exists g. }
  destruct (groups_have_sizes n P (length V) (sort (compare_by A) V)) with (g := g) as [_ S]; auto; [lia|].
  apply Nat.le_trans with (length g); [apply S; lia|].
  apply Nat.le_trans with (length (filter (has_key [A] (key [A] r)) (averaged A t g))).
  - rewrite filter_all; [unfold averaged; now rewrite map_length|]. intros s J. apply has_key_true.
    now apply (averaged_alike A t g); auto.
  - now apply (length_filter_flat_map _ (averaged A t)).
Qed.

(** In the table, where n records are affected: each written value stands in at least n records. *)
Corollary microaggregated A t n R rho V r : 0 < n -> n <= length V -> (forall r, In r V -> A < length r) ->
  In r (microaggregate A t n V) ->
  n <= length (class [A] (fst (perform_write (Microaggregate A t n) R rho V)) r).
Proof.
  intros P N L I. pose proof (ranked_means A t n V P N L r I) as K. apply Nat2Z.inj_le in K.
  apply Nat.le_trans with (1 := K). simpl. unfold class, group. rewrite filter_app, app_length. lia.
Qed.

(** ALWAYS : MICROAGGREGATE A BY n makes a table of at least n records n-anonymous by A. *)
Corollary microaggregate_k_anonymity req A t n m R rho : asserts req = Always ->
  acts req = Some (Certain (Write (Microaggregate A t n))) -> 0 < n -> n <= length R -> on_schema m R -> A < m ->
  k_anonymous [A] (Z.of_nat n) (fst (step req (R, rho))).
Proof.
  intros HA HX P N S L. unfold step. rewrite HX, HA. set (h := map (retype (retypes req))).
  destruct (holds Always R) eqn:H; [destruct R; [simpl in N; lia|discriminate]|].
  rewrite AFF_always. cbn [perform perform_plain perform_write rewritten fst].
  replace (minus (h R) (h R)) with (@nil record).
  - apply ranked_means; auto; [unfold h; now rewrite map_length|]. intros r I. apply in_map_iff in I as (s & <- & I).
    now rewrite length_retype, S.
  - symmetry. apply Permutation_nil, Permutation_sym. apply bag_equality with (eq_dec := record_eq_dec). intro r.
    unfold minus. rewrite multiplicity_difference. unfold multiplicity at 3. simpl. lia.
Qed.
