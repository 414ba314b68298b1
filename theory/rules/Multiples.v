(** NEAREST (X12): the multiple is nearest to the value, rounding is idempotent, and rounding to m first changes nothing
    where n is an odd multiple of m. *)
From Coq Require Import ZArith QArith Bool Lia.
From Acompass Require Import Numbers.
Open Scope Z_scope.

Definition rounded (n d : Z) : Z := Z.sgn n * ((2 * Z.abs n + d) / (2 * d)).

(** At most half away; a half goes away from zero. *)
Lemma rounded_is_nearest n d : 0 < d ->
  - d <= 2 * n - 2 * d * rounded n d <= d /\ (0 < n -> 2 * n - 2 * d * rounded n d < d) /\
  (n < 0 -> - d < 2 * n - 2 * d * rounded n d).
Proof.
  intro P. unfold rounded. pose proof (Z.div_mod (2 * Z.abs n + d) (2 * d)) as D.
  pose proof (Z.mod_pos_bound (2 * Z.abs n + d) (2 * d)) as M. set (q := (2 * Z.abs n + d) / (2 * d)) in *.
  set (m := (2 * Z.abs n + d) mod (2 * d)) in *. clearbody q m.
  destruct (Z.lt_trichotomy n 0) as [N|[->|N]]; [rewrite Z.sgn_neg, Z.abs_neq in * by lia| |rewrite Z.sgn_pos, Z.abs_eq in * by lia];
    cbn [Z.sgn] in *; repeat split; intros; try lia.
Qed.

(** The same for fractions that are not in lowest terms. *)
Lemma rounded_equal n d n' d' : 0 < d -> 0 < d' -> n * d' = n' * d -> rounded n d = rounded n' d'.
Proof.
  intros P P' E. unfold rounded. assert (S : Z.sgn n = Z.sgn n').
  { apply (f_equal Z.sgn) in E. rewrite !Z.sgn_mul, (Z.sgn_pos d), (Z.sgn_pos d') in E by auto. lia. }
  rewrite S. f_equal. rewrite <- (Z.div_mul_cancel_r (2 * Z.abs n + d) (2 * d) d') by lia.
  rewrite <- (Z.div_mul_cancel_r (2 * Z.abs n' + d') (2 * d') d) by lia. f_equal; [|lia].
  assert (A : Z.abs n * d' = Z.abs n' * d).
  { apply (f_equal Z.abs) in E. now rewrite !Z.abs_mul, (Z.abs_eq d), (Z.abs_eq d') in E by lia. }
  lia.
Qed.

Lemma half_away_rounded n d : half_away (n # d) = rounded n (Zpos d).
Proof.
  unfold half_away. destruct (Qred (n # d)) as [n' d'] eqn:E. pose proof (Qred_correct (n # d)) as Q. rewrite E in Q.
  unfold Qeq in Q. simpl in Q. now apply rounded_equal.
Qed.

(** Rounding to an integer, then to an odd multiple, is rounding to the multiple. *)
Lemma rounded_twice n d j : 0 < d -> 0 <= j -> rounded (rounded n d) (2 * j + 1) = rounded n (d * (2 * j + 1)).
Proof.
  intros P J. set (k := 2 * j + 1). unfold rounded at 2. set (z := (2 * Z.abs n + d) / (2 * d)).
  assert (Z0 : 0 <= z) by (unfold z; apply Z.div_pos; lia).
  assert (H : (2 * z + k) / (2 * k) = (2 * Z.abs n + d * k) / (2 * (d * k))).
  { replace (2 * (d * k)) with (2 * d * k) by lia. rewrite <- (Z.div_div _ 2 k), <- (Z.div_div _ (2 * d) k) by lia. f_equal.
    replace (2 * Z.abs n + d * k) with (2 * Z.abs n + d + j * (2 * d)) by lia. rewrite Z.div_add by lia. fold z.
    replace (2 * z + k) with (1 + (z + j) * 2) by lia. now rewrite Z.div_add by lia. }
  unfold rounded. destruct (Z.lt_trichotomy n 0) as [N|[->|N]].
  - rewrite (Z.sgn_neg n) by lia. destruct (Z.eq_dec z 0) as [E|E].
    + rewrite <- H, E. replace ((2 * 0 + k) / (2 * k)) with 0 by (symmetry; apply Z.div_small; lia). reflexivity.
    + rewrite Z.sgn_neg, Z.abs_neq by lia. rewrite <- H. now replace (- (-1 * z)) with z by lia.
  - reflexivity.
  - rewrite (Z.sgn_pos n) by lia. destruct (Z.eq_dec z 0) as [E|E].
    + rewrite <- H, E. replace ((2 * 0 + k) / (2 * k)) with 0 by (symmetry; apply Z.div_small; lia). reflexivity.
    + rewrite Z.sgn_pos, Z.abs_eq by lia. rewrite <- H. now replace (1 * z) with z by lia.
Qed.

(** The multiple is at most half of n away. *)
Theorem multiple_is_nearest n q : (0 < n)%Q ->
  (- n <= 2 * (q - nearest_multiple n q) /\ 2 * (q - nearest_multiple n q) <= n)%Q.
Proof.
  intro P. unfold nearest_multiple. set (x := (q / n)%Q). assert (E : (q == x * n)%Q).
  { unfold x. field. intro Z. rewrite Z in P. discriminate P. }
  assert (H : (- (1) <= 2 * (x - inject_Z (half_away x)) /\ 2 * (x - inject_Z (half_away x)) <= 1)%Q).
  { destruct x as [a d]. rewrite half_away_rounded. destruct (rounded_is_nearest a (Zpos d) eq_refl) as [[L U] _].
    unfold Qle, Qminus, Qplus, Qopp, Qmult, inject_Z. cbn [Qnum Qden]. rewrite !Pos.mul_1_r. split; lia. }
  destruct H as [L U]. rewrite E. split.
  - apply Qle_trans with (- (1) * n)%Q; [ring_simplify; apply Qle_refl|].
    apply Qle_trans with (2 * (x - inject_Z (half_away x)) * n)%Q; [|ring_simplify; apply Qle_refl].
    apply Qmult_le_compat_r; auto. now apply Qlt_le_weak.
  - apply Qle_trans with (2 * (x - inject_Z (half_away x)) * n)%Q; [ring_simplify; apply Qle_refl|].
    apply Qle_trans with (1 * n)%Q; [|ring_simplify; apply Qle_refl].
    apply Qmult_le_compat_r; auto. now apply Qlt_le_weak.
Qed.

(** Rounding to m first changes nothing where n is an odd multiple of m. *)
Theorem odd_multiple m j q : (0 < m)%Q -> 0 <= j -> let n := (inject_Z (2 * j + 1) * m)%Q in
  (nearest_multiple n (nearest_multiple m q) == nearest_multiple n q)%Q.
Proof.
  intros P J n. unfold nearest_multiple. assert (NZ : ~ (m == 0)%Q) by (intro Z; rewrite Z in P; discriminate P).
  assert (K : exists k, Zpos k = 2 * j + 1) by (exists (Z.to_pos (2 * j + 1)); apply Z2Pos.id; lia). destruct K as [k K].
  assert (KZ : ~ (inject_Z (2 * j + 1) == 0)%Q) by (rewrite <- K; discriminate).
  set (x := (q / m)%Q). assert (E1 : (q / n == x * (1 # k))%Q).
  { unfold n, x. rewrite (Qmake_Qdiv 1 k), K. field. auto. }
  assert (E2 : (inject_Z (half_away x) * m / n == half_away x # k)%Q).
  { unfold n. rewrite (Qmake_Qdiv (half_away x) k), K. field. auto. }
  rewrite (half_away_equal _ _ E1), (half_away_equal _ _ E2), half_away_rounded. clearbody x. destruct x as [a d].
  change ((a # d) * (1 # k))%Q with (a * 1 # d * k).
  rewrite !half_away_rounded, Pos2Z.inj_mul, K, Z.mul_1_r. rewrite rounded_twice by (auto; reflexivity). reflexivity.
Qed.

(** Rounding is monotone: the multiples of a range of numbers are those between the multiples of its ends. *)
Lemma rounded_in_order n m d : 0 < d -> n <= m -> rounded n d <= rounded m d.
Proof.
  intros P L. unfold rounded.
  assert (Up : forall x, 0 <= (2 * Z.abs x + d) / (2 * d)) by (intro x; apply Z.div_pos; lia).
  pose proof (Up n) as UN. pose proof (Up m) as UM.
  destruct (Z.lt_trichotomy n 0) as [N|[->|N]], (Z.lt_trichotomy m 0) as [M|[->|M]]; try lia;
    rewrite ?(Z.sgn_neg n), ?(Z.sgn_neg m), ?(Z.sgn_pos n), ?(Z.sgn_pos m) by lia; try (cbn [Z.sgn]; lia).
  - enough ((2 * Z.abs m + d) / (2 * d) <= (2 * Z.abs n + d) / (2 * d)) by lia. apply Z.div_le_mono; lia.
  - enough ((2 * Z.abs n + d) / (2 * d) <= (2 * Z.abs m + d) / (2 * d)) by lia. apply Z.div_le_mono; lia.
Qed.

Theorem nearest_in_order n p q : (0 < n)%Q -> (p <= q)%Q -> (nearest_multiple n p <= nearest_multiple n q)%Q.
Proof.
  intros P L. unfold nearest_multiple. apply Qmult_le_compat_r; [|now apply Qlt_le_weak].
  assert (H : (p / n <= q / n)%Q) by (apply Qmult_le_compat_r; auto; apply Qlt_le_weak, Qinv_lt_0_compat; auto).
  revert H. generalize (p / n)%Q as x, (q / n)%Q as y. intros [a d] [b e] H. rewrite !half_away_rounded.
  unfold Qle in H. simpl in H. rewrite <- Zle_Qle.
  rewrite (rounded_equal a (Zpos d) (a * Zpos e) (Zpos d * Zpos e)), (rounded_equal b (Zpos e) (b * Zpos d) (Zpos d * Zpos e)) by lia.
  now apply rounded_in_order.
Qed.

(** Rounding twice is rounding once. *)
Corollary nearest_idempotent n q : (0 < n)%Q -> (nearest_multiple n (nearest_multiple n q) == nearest_multiple n q)%Q.
Proof.
  intro P. assert (E : (inject_Z (2 * 0 + 1) * n == n)%Q) by (change (inject_Z (2 * 0 + 1)) with 1%Q; ring).
  pose proof (odd_multiple n 0 q P (Z.le_refl 0)) as H. cbv zeta in H.
  assert (C : forall p, (nearest_multiple (inject_Z (2 * 0 + 1) * n) p == nearest_multiple n p)%Q).
  { intro p. unfold nearest_multiple. rewrite (half_away_equal (p / (inject_Z (2 * 0 + 1) * n)) (p / n)); rewrite E; reflexivity. }
  now rewrite !C in H.
Qed.
