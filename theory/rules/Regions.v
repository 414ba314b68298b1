(** docs/prove.md, section 1: regions. No condition distinguishes values of one region. *)
From Coq Require Import List ZArith NArith QArith Qcanon Bool Lia.
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

(** * Regions as numbers (`Regions.region_of`)

    The gap below the first constant is region 0, the first constant is region 1, the gap above it region 2. *)

Definition is_below (v c : value) : bool := match compare_value c v with Lt => true | _ => false end.

Definition region_of (cs : list value) (v : value) : N :=
  let point := if in_dec value_eq_dec v cs then 1%N else 0%N in
  (2 * N.of_nat (length (filter (is_below v) cs)) + point)%N.

Lemma filter_smaller {X} (p q : X -> bool) l : (forall x, In x l -> p x = true -> q x = true) ->
  (length (filter p l) <= length (filter q l))%nat.
Proof.
  induction l as [|x l IH]; simpl; intro H; auto. specialize (IH (fun y I => H y (or_intror I))).
  specialize (H x (or_introl eq_refl)). destruct (p x), (q x); simpl; lia.
Qed.

Lemma filter_strictly_smaller {X} (p q : X -> bool) l x : (forall x, In x l -> p x = true -> q x = true) ->
  In x l -> p x = false -> q x = true -> (length (filter p l) < length (filter q l))%nat.
Proof.
  induction l as [|y l IH]; simpl; [easy|]. intros H [->|I] P Q.
  - rewrite P, Q. simpl. pose proof (filter_smaller p q l (fun y I => H y (or_intror I))). lia.
  - specialize (IH (fun y I => H y (or_intror I)) I P Q). specialize (H y (or_introl eq_refl)).
    destruct (p y), (q y); simpl; lia.
Qed.

Lemma is_below_trans v w c : compare_value v w = Lt -> is_below v c = true -> is_below w c = true.
Proof.
  unfold is_below. intro H. destruct (compare_value c v) eqn:E; try discriminate. intros _.
  now rewrite (compare_trans order_value _ _ _ E H).
Qed.

Lemma is_below_itself v : is_below v v = false.
Proof. unfold is_below. now rewrite (compare_refl order_value). Qed.

(** Regions have the order of the values, and a constant is alone in its region. *)
Theorem regions_in_order cs v w : compare_value v w = Lt -> (region_of cs v <= region_of cs w)%N.
Proof.
  intro H. assert (M := fun c (_ : In c cs) => is_below_trans v w c H).
  pose proof (filter_smaller _ _ cs M). unfold region_of. destruct (in_dec value_eq_dec v cs) as [I|I].
  - assert (B : is_below w v = true) by (unfold is_below; now rewrite H).
    pose proof (filter_strictly_smaller _ _ cs v M I (is_below_itself v) B). destruct in_dec; lia.
  - destruct in_dec; lia.
Qed.

Theorem region_above_constant cs c v : In c cs -> compare_value c v = Lt -> (region_of cs c < region_of cs v)%N.
Proof.
  intros I H. assert (B : is_below v c = true) by (unfold is_below; now rewrite H).
  pose proof (filter_strictly_smaller _ _ cs c (fun x _ => is_below_trans c v x H) I (is_below_itself c) B).
  unfold region_of. destruct (in_dec value_eq_dec c cs); [|contradiction]. destruct in_dec; lia.
Qed.

Theorem region_below_constant cs c v : In c cs -> compare_value v c = Lt -> (region_of cs v < region_of cs c)%N.
Proof.
  intros I H. assert (M := fun x (_ : In x cs) => is_below_trans v c x H). pose proof (filter_smaller _ _ cs M).
  unfold region_of. destruct (in_dec value_eq_dec c cs); [|contradiction].
  destruct (in_dec value_eq_dec v cs) as [J|J]; [|lia].
  assert (B : is_below c v = true) by (unfold is_below; now rewrite H).
  pose proof (filter_strictly_smaller _ _ cs v M J (is_below_itself v) B). lia.
Qed.

(** A value compares with a constant as its region with the region of the constant. *)
Theorem region_compares cs v c : In c cs -> compare_value v c = N.compare (region_of cs v) (region_of cs c).
Proof.
  intro I. destruct (compare_value v c) eqn:E; symmetry.
  - apply (compare_eq order_value) in E as ->. apply N.compare_refl.
  - apply N.compare_lt_iff. now apply region_below_constant.
  - apply N.compare_gt_iff. apply region_above_constant; auto. now rewrite (compare_opp order_value v c), E.
Qed.

Corollary same_region_of cs v w : region_of cs v = region_of cs w -> same_region cs v w.
Proof. intros E c I. now rewrite !(region_compares cs) by auto; rewrite E. Qed.

(** The regions whose values satisfy a comparison (`Regions.satisfying`); [full] leaves out regions without values. *)
Definition satisfying (full region : N) (theta : operator) : N :=
  let below := N.ones region in
  let point := N.setbit 0 region in
  match theta with
  | LT => N.land below full
  | LE => N.land (N.lor below point) full
  | EQ => N.land point full
  | GE => N.ldiff full below
  | GT => N.ldiff full (N.lor below point)
  end.

Lemma ones_bits k r : N.testbit (N.ones k) r = (r <? k)%N.
Proof.
  destruct (N.ltb_spec r k); [now apply N.ones_spec_low|now apply N.ones_spec_high].
Qed.

Theorem satisfying_is_comparison full cs v theta c : In c cs -> N.testbit full (region_of cs v) = true ->
  N.testbit (satisfying full (region_of cs c) theta) (region_of cs v) = compares v theta c.
Proof.
  intros I F. unfold compares. rewrite (region_compares cs v c I).
  unfold satisfying. destruct theta; rewrite ?N.land_spec, ?N.ldiff_spec, ?N.lor_spec, F, ?N.setbit_eqb, ?ones_bits,
    ?N.bits_0;
    destruct (N.compare_spec (region_of cs v) (region_of cs c)) as [E|E|E];
    rewrite ?(proj2 (N.ltb_lt _ _) E), ?E, ?N.ltb_irrefl, ?N.eqb_refl; simpl; auto;
    replace (region_of cs c =? region_of cs v)%N with false by (symmetry; apply N.eqb_neq; lia);
    try replace (region_of cs v <? region_of cs c)%N with false by (symmetry; apply N.ltb_ge; lia); auto.
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
