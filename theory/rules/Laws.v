(** docs/prove.md, section 4: the laws. Each is named after the function in src/acompass/prove/rules/laws.py that uses it. *)
From Coq Require Import List ZArith QArith Qcanon Bool Permutation Lia.
From Acompass Require Import Order Bags Values Tables Syntax Results Determinism Anonymity Aggregates Facts.
Import ListNotations.
Open Scope nat_scope.
Implicit Types (f : aggregate) (care : record -> Prop) (W : record -> bool) (G : list attribute) (U : record -> value -> Prop).

(** Law of the empty class. *)
Theorem is_empty f care W G U R : within care R -> (forall r, care r -> W r = false) -> fact f W G U R.
Proof. intros C E r I HW. rewrite E in HW; [discriminate|now apply C]. Qed.

(** Law of the values. *)
Theorem follows f (care : record -> Prop) W G U R : within care R ->
  (forall r S, care r -> W r = true -> S <> [] ->
     (forall s, In s S -> care s /\ W s = true /\ key G s = key G r) -> U r (aggregated f S)) ->
  fact f W G U R.
Proof.
  intros C H r I HW. apply H; auto.
  - apply class_nonempty. now apply filter_In.
  - intros s J. apply in_class in J as [J K]. apply filter_In in J as [J HS]. repeat split; auto.
Qed.

(** * Unions and parts *)

(** Bags that consist of one or more bags with a property. *)
Inductive union_of (P : bag -> Prop) : bag -> Prop :=
| union_one S : S <> [] -> P S -> union_of P S
| union_more S T : union_of P S -> union_of P T -> union_of P (S ++ T)
| union_same S T : Permutation S T -> union_of P S -> union_of P T.

Lemma union_nonempty P S : union_of P S -> S <> [].
Proof.
  induction 1 as [S N _|S T _ IH _ _|S T Q _ IH]; auto.
  - now destruct S.
  - intros ->. apply IH. now apply Permutation_nil, Permutation_sym.
Qed.

Lemma union_by_classes (P : bag -> Prop) G S : S <> [] -> (forall s, In s S -> P (class G S s)) -> union_of P S.
Proof.
  intros N H. apply (by_classes (union_of P) G) with (length S); auto.
  - intros. now apply union_same with S0.
  - intros. now apply union_more.
  - intros s I. apply union_one; auto. now apply class_nonempty.
Qed.

(** * Law of the classes *)

Section Implies.
  Variables (f : aggregate) (care : record -> Prop) (R : bag).
  Variables (W1 W : record -> bool) (G1 G : list attribute) (U1 U : record -> value -> Prop).
  Hypotheses (in_care : within care R) (covered : forall r, care r -> W r = true -> W1 r = true).
  Hypothesis known : fact f W1 G1 U1 R.

  (** Records of W1 with the same key are all in W or all outside. *)
  Definition whole : Prop := incl G G1 /\
    forall r s, care r -> care s -> W1 r = true -> W1 s = true -> key G1 r = key G1 s -> W r = W s.

  Lemma known_class r s : whole -> In r R -> W r = true -> In s (class G (filter W R) r) ->
    class G1 (class G (filter W R) r) s = class G1 (filter W1 R) s.
  Proof.
    intros [I D] HR HW HS. apply in_class in HS as [HS K]. apply filter_In in HS as [HS WS].
    unfold class, group. rewrite !filter_filter. apply filter_ext_in. intros t HT.
    destruct (has_key G1 (key G1 s) t) eqn:E; [|now rewrite !andb_false_r]. rewrite !andb_true_r.
    apply has_key_true in E. assert (Q : has_key G (key G r) t = true).
    { apply has_key_true. rewrite <- K. now apply (key_incl G1). }
    rewrite Q, andb_true_r. destruct (W1 t) eqn:F.
    - rewrite (D t s); auto.
    - destruct (W t) eqn:F'; auto. rewrite (covered t) in F; auto.
  Qed.

  (** G₁ = G: the wanted class is a known class. *)
  Theorem implies_same : whole -> incl G1 G -> (forall r v, care r -> W r = true -> U1 r v -> U r v) -> fact f W G U R.
  Proof.
    intros H I HU r HR HW. apply HU; auto.
    assert (J : In r (filter W R)) by now apply filter_In.
    assert (E : class G1 (class G (filter W R) r) r = class G (filter W R) r).
    { apply filter_all. intros s HS. apply has_key_true. apply in_class in HS as [_ K]. now apply (key_incl G). }
    rewrite <- E. rewrite (known_class r r H HR HW) by now apply in_own_class. apply known; auto.
  Qed.

  (** G ⊂ G₁: the wanted class is a union of known classes. *)
  Theorem implies_merged : whole ->
    (forall r S, care r -> W r = true ->
       union_of (fun T => exists s, care s /\ W s = true /\ key G s = key G r /\ U1 s (aggregated f T)) S ->
       U r (aggregated f S)) -> fact f W G U R.
  Proof.
    intros H HU r HR HW. apply HU; auto. apply union_by_classes with G1; [apply class_nonempty; now apply filter_In|].
    intros s HS. exists s. rewrite known_class; auto. apply in_class in HS as [HS K]. apply filter_In in HS as [HS WS].
    repeat split; auto.
  Qed.

  Lemma known_part r s : In r R -> W r = true -> In s (class G (filter W R) r) ->
    subset (class G1 (class G (filter W R) r) s) (class G1 (filter W1 R) s).
  Proof.
    intros HR HW HS. apply sub_bag_filters. intro t. unfold class, group. rewrite !multiplicity_filter.
    destruct (has_key G (key G r) t); [|lia]. destruct (W t) eqn:E; [|lia].
    destruct (W1 t) eqn:F; [lia|]. destruct (in_dec record_eq_dec t R) as [I|I].
    - rewrite covered in F; [discriminate|auto|auto].
    - unfold multiplicity. rewrite (proj1 (count_occ_not_In record_eq_dec R t) I). lia.
  Qed.

  Definition part_of_known (s : record) (S : bag) : Prop := exists T, S <> [] /\ subset S T /\
    (forall t, In t T -> care t /\ W1 t = true) /\ U1 s (aggregated f T).

  Lemma part_is_known r s : In r R -> W r = true -> In s (class G (filter W R) r) ->
    part_of_known s (class G1 (class G (filter W R) r) s).
  Proof.
    intros HR HW HS. assert (HS' := HS). apply in_class in HS' as [HS' K]. apply filter_In in HS' as [HS' WS].
    exists (class G1 (filter W1 R) s). repeat split.
    - now apply class_nonempty.
    - now apply known_part.
    - apply in_care. apply in_class in H as [H _]. now apply filter_In in H as [H _].
    - apply in_class in H as [H _]. now apply filter_In in H as [_ H].
    - apply known; auto.
  Qed.

  (** Otherwise: part of a known class if G₁ ⊆ G, and a union of parts if not. *)
  Theorem implies_part : incl G1 G ->
    (forall r S, care r -> W r = true -> part_of_known r S -> U r (aggregated f S)) -> fact f W G U R.
  Proof.
    intros I HU r HR HW. assert (J : In r (filter W R)) by now apply filter_In.
    assert (E : class G1 (class G (filter W R) r) r = class G (filter W R) r).
    { apply filter_all. intros s HS. apply has_key_true. apply in_class in HS as [_ K]. now apply (key_incl G). }
    rewrite <- E. apply HU; auto. apply part_is_known; auto. now apply in_own_class.
  Qed.

  Theorem implies_parts :
    (forall r S, care r -> W r = true ->
       union_of (fun T => exists s, care s /\ W s = true /\ key G s = key G r /\ part_of_known s T) S ->
       U r (aggregated f S)) -> fact f W G U R.
  Proof.
    intros HU r HR HW. apply HU; auto. apply union_by_classes with G1; [apply class_nonempty; now apply filter_In|].
    intros s HS. exists s. pose proof (part_is_known r s HR HW HS) as P. apply in_class in HS as [HS K].
    apply filter_In in HS as [HS WS]. repeat split; auto.
  Qed.
End Implies.

(** The same classes by another function. *)
Theorem implies_in_terms f g W G U1 U R : (forall r S, S <> [] -> U1 r (aggregated g S) -> U r (aggregated f S)) ->
  fact g W G U1 R -> fact f W G U R.
Proof. intros H K r I HW. apply H; [apply class_nonempty; now apply filter_In|auto]. Qed.

(** Law of the single value. *)
Theorem without_single f care W G U R A a : within care R -> (forall r, care r -> W r = true -> value_at r A = a) ->
  fact f W (A :: G) U R <-> fact f W G U R.
Proof.
  intros C H. assert (E : forall r s, In r R -> In s R -> W r = true -> W s = true ->
    (key (A :: G) r = key (A :: G) s <-> key G r = key G s)).
  { intros r s HR HS WR WS. simpl. rewrite (H r), (H s); auto. split; [intro K; now injection K|congruence]. }
  split; apply fact_same_classes; auto. intros r s HR HS WR WS. symmetry. auto.
Qed.

(** * Law of the union *)

(** A sum needs exact numbers: sums of floats are rounded. *)
Definition summable (f : aggregate) (S : bag) : Prop := match f with Sum B => are_exact (column B S) | _ => True end.

Lemma summable_sub f S T : subset S T -> summable f T -> summable f S.
Proof. destruct f; simpl; auto. intros H E v I. apply E. now apply (in_column B S T). Qed.

Definition kept_by_merging (f : aggregate) (U : record -> value -> Prop) : Prop :=
  forall r S T, S <> [] -> T <> [] -> summable f (S ++ T) ->
  U r (aggregated f S) -> U r (aggregated f T) -> U r (aggregated f (S ++ T)).

Definition upward (U : record -> value -> Prop) : Prop := forall r v w, below v w -> U r v -> U r w.
Definition downward (U : record -> value -> Prop) : Prop := forall r v w, below w v -> U r v -> U r w.

Theorem is_kept_by_merging_count U : upward U -> kept_by_merging Count U.
Proof. intros H r S T _ _ _ K _. apply H with (2 := K). apply of_merged_count. Qed.

Theorem is_kept_by_merging_count_distinct B U : upward U -> kept_by_merging (CountDistinct B) U.
Proof. intros H r S T _ _ _ K _. apply H with (2 := K). apply of_merged_count_distinct. Qed.

Theorem is_kept_by_merging_min B U : kept_by_merging (Min B) U.
Proof. intros r S T NS NT _ HS HT. now destruct (of_merged_min B S T NS NT) as [->| ->]. Qed.

Theorem is_kept_by_merging_max B U : kept_by_merging (Max B) U.
Proof. intros r S T NS NT _ HS HT. now destruct (of_merged_max B S T NS NT) as [->| ->]. Qed.

Lemma sum_is_exact B S : summable (Sum B) S -> aggregated (Sum B) S = exact (number_of (aggregated (Sum B) S)).
Proof. simpl. intro E. now rewrite total_exact. Qed.

Theorem is_kept_by_merging_sum B U : upward U -> (forall r v, U r v -> (0 <= number_of v)%Qc) ->
  kept_by_merging (Sum B) U.
Proof.
  intros H N r S T _ _ E HS HT. assert (ET : summable (Sum B) T) by now apply are_exact_app in E.
  apply H with (2 := HT). rewrite (sum_is_exact B (S ++ T) E), (sum_is_exact B T ET).
  apply below_exact. rewrite (of_merged_sum B S T E). apply add_nonnegative. now apply (N r).
Qed.

Theorem is_kept_by_merging_sum_nonpositive B U : downward U -> (forall r v, U r v -> (number_of v <= 0)%Qc) ->
  kept_by_merging (Sum B) U.
Proof.
  intros H N r S T _ _ E HS HT. assert (ET : summable (Sum B) T) by now apply are_exact_app in E.
  apply H with (2 := HT). rewrite (sum_is_exact B (S ++ T) E), (sum_is_exact B T ET).
  apply below_exact. rewrite (of_merged_sum B S T E). apply add_nonpositive. now apply (N r).
Qed.

(** A union of allowed bags is allowed. *)
Lemma kept_by_union f U r (P : bag -> Prop) S : kept_by_merging f U -> (forall T, P T -> U r (aggregated f T)) ->
  union_of P S -> summable f S -> U r (aggregated f S).
Proof.
  intros K H. induction 1 as [S N HP|S T HS IHS HT IHT|S T Q HS IHS]; intro E; auto.
  - apply K; try (now apply (union_nonempty P)); auto.
    + apply IHS. now apply summable_sub with (S ++ T); [apply subset_app_l|].
    + apply IHT. apply summable_sub with (S ++ T); [|auto]. intro t. rewrite multiplicity_union. lia.
  - rewrite <- (aggregated_permutation f _ _ Q). apply IHS. apply summable_sub with T; auto.
    intro t. now rewrite (proj1 (bag_equality record_eq_dec S T) Q).
Qed.

(** * Law of the part *)

Definition kept_by_parts (f : aggregate) (care : record -> Prop) (U : record -> value -> Prop) : Prop :=
  forall r S T, S <> [] -> subset S T -> (forall t, In t T -> care t) -> U r (aggregated f T) -> U r (aggregated f S).

Theorem is_kept_by_parts_count care U : downward U -> kept_by_parts Count care U.
Proof. intros H r S T _ HS _ K. apply H with (2 := K). now apply of_part_count. Qed.

Theorem is_kept_by_parts_count_distinct B care U : downward U -> kept_by_parts (CountDistinct B) care U.
Proof. intros H r S T _ HS _ K. apply H with (2 := K). now apply of_part_count_distinct. Qed.

Theorem is_kept_by_parts_max B care U : downward U -> kept_by_parts (Max B) care U.
Proof. intros H r S T N HS _ K. apply H with (2 := K). now apply of_part_max. Qed.

Theorem is_kept_by_parts_min B care U : upward U -> kept_by_parts (Min B) care U.
Proof. intros H r S T N HS _ K. apply H with (2 := K). now apply of_part_min. Qed.

(** U has all numbers between 0 and a sum that it has, and the whole class has no negative number. *)
Theorem is_kept_by_parts_sum B (care : record -> Prop) U :
  (forall r v w, below (exact 0%Qc) w -> below w v -> U r v -> U r w) ->
  (forall r, care r -> exists q, value_at r B = exact q /\ (0 <= q)%Qc) -> kept_by_parts (Sum B) care U.
Proof.
  intros H N r S T _ HS C K.
  assert (E : forall v, In v (column B T) -> exists q, v = exact q /\ (0 <= q)%Qc).
  { intros v I. unfold column in I. apply in_map_iff in I as (t & <- & I). apply N, C, I. }
  destruct (of_part_sum B S T HS) as [low high].
  - intros v I. destruct (E v I) as (q & -> & _). now exists q.
  - intros v I. now destruct (E v I) as (q & -> & Q).
  - now apply H with (3 := K).
Qed.
