(** docs/prove.md, section 1: regions. No condition distinguishes values of one region. *)
From Coq Require Import List ZArith QArith Qcanon Bool Lia.
From Acompass Require Import Order Bags Texts Values Tables Syntax Results Anonymity Aggregates.
Import ListNotations.
Open Scope Z_scope.

(** Two values are in the same region of constants if each constant compares alike with both (`Regions.region_of`). *)
Definition same_region (cs : list value) (v w : value) : Prop :=
  forall c, In c cs -> compare_value v c = compare_value w c.

Fixpoint constants (phi : condition) : list (attribute * value) :=
  match phi with
  | Compare A _ c => [(A, c)]
  | Not phi => constants phi
  | And phi psi | Or phi psi => constants phi ++ constants psi
  | Never => []
  end.

(** A cell: records whose values are in the same regions, column by column. *)
Definition same_cell (cs : list (attribute * value)) (t u : tuple) : Prop :=
  forall A c, In (A, c) cs -> compare_value (environment t A) c = compare_value (environment u A) c.

Theorem regions phi t u : same_cell (constants phi) t u -> satisfies phi t = satisfies phi u.
Proof.
  induction phi; simpl; intro H; auto.
  - unfold compares. now rewrite (H A c (or_introl eq_refl)).
  - now rewrite IHphi.
  - rewrite IHphi1, IHphi2; auto; intros A c I; apply H, in_or_app; auto.
  - rewrite IHphi1, IHphi2; auto; intros A c I; apply H, in_or_app; auto.
Qed.

(** * Empty regions (`value_order`) *)

Definition between (v w x : value) : Prop := compare_value v x = Lt /\ compare_value x w = Lt.

(** No integer lies between n and n + 1. *)
Theorem no_integer_between n m : ~ between (exact (integer n)) (exact (integer (n + 1))) (exact (integer m)).
Proof. unfold between. rewrite !compare_integers, !Z.compare_lt_iff. lia. Qed.

(** But a number of a larger scale does: the middle. *)
Theorem decimals_between p q : (p < q)%Qc -> exists x, between (exact p) (exact q) (exact x).
Proof.
  intro H. exists ((p + q) * Q2Qc (1 # 2))%Qc. unfold between. rewrite !compare_exact, <- !Qclt_alt.
  assert (Half : forall x : Qc, (x = (x + x) * Q2Qc (1 # 2))%Qc).
  { intro x. replace ((x + x) * Q2Qc (1 # 2))%Qc with (x * (Q2Qc (2 # 1) * Q2Qc (1 # 2)))%Qc.
    - replace (Q2Qc (2 # 1) * Q2Qc (1 # 2))%Qc with 1%Qc by now apply Qc_is_canon. ring.
    - replace (Q2Qc (2 # 1)) with (1 + 1)%Qc by now apply Qc_is_canon. ring. }
  assert (Positive : (0 < Q2Qc (1 # 2))%Qc) by reflexivity.
  split; [rewrite (Half p) at 1|rewrite (Half q) at 2]; apply Qcmult_lt_compat_r; auto.
  - apply Qclt_minus_iff. replace (p + q + - (p + p))%Qc with (q + - p)%Qc by ring. now apply Qclt_minus_iff in H.
  - apply Qclt_minus_iff. replace (q + q + - (p + q))%Qc with (q + - p)%Qc by ring. now apply Qclt_minus_iff in H.
Qed.

Definition text_value (t : text) : value := value_of (Text t).

Lemma compare_texts t u : compare_value (text_value t) (text_value u) = compare_text t u.
Proof. unfold compare_value, compare_pair, text_value. simpl. now destruct (compare_text t u). Qed.

(** No text comes before the empty text. *)
Theorem no_text_before_empty t : compare_value (text_value t) (text_value []) <> Lt.
Proof. rewrite compare_texts. now destruct t. Qed.

(** No text lies between a text and the same text followed by NUL, the least code point. *)
Theorem no_text_before_nul t u : (forall c, In c u -> 0 <= c) ->
  ~ between (text_value t) (text_value (t ++ [0])) (text_value u).
Proof.
  unfold between. rewrite !compare_texts. revert u. induction t as [|c t IH]; intros u H [A B].
  - destruct u as [|d u]; [easy|]. unfold compare_text in B. simpl in B.
    assert (0 <= d) by (apply H; now left). destruct (Z.compare_spec d 0); simpl in B; try discriminate; try lia.
    destruct u; discriminate.
  - destruct u as [|d u]; [easy|]. unfold compare_text in A, B. simpl in A, B.
    destruct (Z.compare_spec c d) as [->|L|L]; simpl in A; try discriminate.
    + rewrite Z.compare_refl in B. simpl in B. apply (IH u); [|now split]. intros e I. apply H. now right.
    + destruct (Z.compare_spec d c); simpl in B; try discriminate; lia.
Qed.
