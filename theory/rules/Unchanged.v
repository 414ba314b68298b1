(** docs/prove.md, sections 2 and 4: an assertion that is known to hold still holds if no line changes what it reads
    (`Prover.attempt` for SOME, `_attempt_established` for conditions on several aggregates). *)
From Coq Require Import List Bool Permutation.
From Acompass Require Import Bags Values Tables Syntax Results Assertions Determinism Anonymity Facts Histories Rules.
Import ListNotations.

Section Unchanged.
  (** The columns that are read, and a history that leaves them as they are and removes no record. *)
  Variables (reads : attribute -> Prop) (L : history).
  Hypothesis unchanged : forall p A, In p L -> reads A -> value_at (snd p) A = value_at (fst p) A.

  Lemma satisfies_unchanged phi t t' : reads_only reads phi ->
    (forall A, reads A -> environment t A = environment t' A) -> satisfies phi t = satisfies phi t'.
  Proof.
    intros H E. induction phi; simpl in *; auto; [now rewrite E|now rewrite IHphi| |];
      destruct H; now rewrite IHphi1, IHphi2.
  Qed.

  Lemma holds_of_unchanged phi p : reads_only reads phi -> In p L -> holds_of phi (snd p) = holds_of phi (fst p).
  Proof. intros H I. apply satisfies_unchanged; auto. intros A HA. now apply unchanged. Qed.

  Definition reads_aggregate (f : aggregate) : Prop :=
    match f with
    | Count => True
    | Sum B | Min B | Max B | CountDistinct B | ShareOfLargest _ B | ShareOfMode B => reads B
    | InReference _ _ _ => False
    end.

  Definition reads_result (P : result) (phi : condition) : Prop :=
    match P with
    | Result => reads_only reads phi
    | Filter psi => reads_only reads psi /\ reads_only reads phi
    | Process fs psi G => (forall A, In A G -> reads A) /\ (forall f, In f fs -> reads_aggregate f) /\
                          match psi with None => True | Some psi => reads_only reads psi end
    end.

  Lemma process_unchanged fs psi G phi : reads_result (Process fs psi G) phi ->
    process fs psi G (map snd L) = process fs psi G (map fst L).
  Proof.
    intros (HG & HF & HP). unfold process.
    assert (W : forall p, In p L -> where_holds psi (snd p) = where_holds psi (fst p)).
    { intros p I. destruct psi; auto. now apply holds_of_unchanged. }
    assert (K : forall p, In p L -> key G (snd p) = key G (fst p)).
    { intros p I. apply key_ext. intros A HA. apply unchanged; auto. }
    set (M := filter (fun p => where_holds psi (fst p)) L).
    assert (S : where_filtered psi (map snd L) = map snd M).
    { unfold where_filtered. rewrite filter_map. unfold M. f_equal. now apply filter_ext_in. }
    assert (F : where_filtered psi (map fst L) = map fst M) by (unfold where_filtered; now rewrite filter_map).
    assert (HM : forall p, In p M -> In p L) by (intros p I; now apply filter_In in I as [I _]).
    rewrite S, F. assert (Keys : keys G (map snd M) = keys G (map fst M)).
    { unfold keys. f_equal. rewrite !map_map. apply map_ext_in. auto. }
    rewrite Keys. apply map_ext. intro g. unfold aggregate_record. f_equal. apply map_ext_in. intros f IF.
    unfold group. rewrite !filter_map.
    rewrite (filter_ext_in (fun p => has_key G g (snd p)) (fun p => has_key G g (fst p))).
    - apply aggregated_before. intros p I. apply filter_In in I as [I _]. specialize (HF f IF).
      destruct f; simpl in *; auto. easy.
    - intros p I. unfold has_key. now rewrite K by auto.
  Qed.

  Definition reads_assertion (a : assertion) : Prop :=
    match a with Each P phi | Some_ P phi => reads_result P phi end.

  Lemma records_unchanged (R : history) phi : (forall p, In p R -> In p L) -> reads_only reads phi ->
    map (satisfies phi) (map values (map snd R)) = map (satisfies phi) (map values (map fst R)).
  Proof. intros H HP. rewrite !map_map. apply map_ext_in. intros p I. now apply holds_of_unchanged; auto. Qed.

  Lemma verdicts_unchanged P phi : reads_result P phi ->
    map (satisfies phi) (result_of P (map snd L)) = map (satisfies phi) (result_of P (map fst L)).
  Proof.
    intro H. destruct P as [|psi|fs psi G]; simpl.
    - now apply records_unchanged.
    - destruct H as [HF HP]. unfold filtered. rewrite !filter_map.
      rewrite (filter_ext_in (fun p => holds_of psi (snd p)) (fun p => holds_of psi (fst p))).
      + apply records_unchanged; auto. intros p I. now apply filter_In in I as [I _].
      + intros p I. now apply holds_of_unchanged.
    - now rewrite (process_unchanged fs psi G phi H).
  Qed.

  Lemma forallb_map {X} (p : X -> bool) l : forallb p l = forallb (fun b => b) (map p l).
  Proof. induction l; simpl; congruence. Qed.
  Lemma existsb_map {X} (p : X -> bool) l : existsb p l = existsb (fun b => b) (map p l).
  Proof. induction l; simpl; congruence. Qed.

  Theorem assertion_unchanged a : reads_assertion a -> holds a (map snd L) = holds a (map fst L).
  Proof.
    intro H. destruct a as [P phi|P phi]; simpl in *;
      [rewrite !(forallb_map (satisfies phi))|rewrite !(existsb_map (satisfies phi))]; now rewrite verdicts_unchanged.
  Qed.
End Unchanged.
