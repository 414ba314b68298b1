(** docs/prove.md, section 1: the regions that values reach when their column changes its type (`images`). *)
From Coq Require Import List ZArith NArith QArith Bool Lia.
From Acompass Require Import Order Texts Floats Values Tables Aggregates Conversions TextOrder TextRuns ValueOrder.
Import ListNotations.
Open Scope Z_scope.

(** * Among exact numbers (`_is_reached`)

    A number of rank n has the rank k · n at a larger scale, so bounds of the new ranks are bounds of the old ones,
      divided. *)

Lemma unit_positive k : 0 < k -> (0 < inject_Z k)%Q.
Proof. intro K. change 0%Q with (inject_Z 0). now rewrite <- Zlt_Qlt. Qed.

Lemma times_divided k q : 0 < k -> (q / inject_Z k * inject_Z k == q)%Q.
Proof.
  intro K. rewrite Qmult_comm. apply Qmult_div_r. intro E. pose proof (unit_positive k K) as P. rewrite E in P.
  now apply Qlt_irrefl in P.
Qed.

Lemma scaled_below k n q : 0 < k -> ((q < inject_Z (k * n))%Q <-> (q / inject_Z k < inject_Z n)%Q).
Proof.
  intro K. rewrite inject_Z_mult, (Qmult_comm (inject_Z k)), <- (times_divided k q K) at 1.
  apply Qmult_lt_r. now apply unit_positive.
Qed.

Lemma scaled_above k n q : 0 < k -> ((inject_Z (k * n) < q)%Q <-> (inject_Z n < q / inject_Z k)%Q).
Proof.
  intro K. rewrite inject_Z_mult, (Qmult_comm (inject_Z k)), <- (times_divided k q K) at 1.
  apply Qmult_lt_r. now apply unit_positive.
Qed.

(** A gap of the new type is reached by a rank between the greater of the lower and the lesser of the upper bounds. *)
Theorem exact_image k n low high below above : 0 < k ->
  ((low < inject_Z n /\ inject_Z n < high)%Q /\ (below < inject_Z (k * n) /\ inject_Z (k * n) < above)%Q <->
   (low < inject_Z n /\ below / inject_Z k < inject_Z n)%Q /\ (inject_Z n < high /\ inject_Z n < above / inject_Z k)%Q).
Proof. intro K. rewrite (scaled_below k n below K), (scaled_above k n above K). tauto. Qed.

(** The rank at a larger scale. *)
Theorem rank_at_scale negative n scale more :
  exists m, at_scale (scale + more) negative n scale = Decimal negative m (scale + more) /\
            Z.of_N m = 10 ^ Z.of_nat more * Z.of_N n.
Proof.
  unfold at_scale. replace (scale <=? scale + more)%nat with true by (symmetry; apply Nat.leb_le; lia).
  eexists. split; [reflexivity|]. replace (scale + more - scale)%nat with more by lia.
  rewrite N2Z.inj_mul, N2Z.inj_pow, nat_N_Z. simpl (Z.of_N 10). lia.
Qed.

(** * Numbers of any scale as text (`image_of_any_scale`)

    A text belongs to one number, whatever its scale; it is reached only from the region of this number. *)

Lemma text_parts n scale : exists whole, text_of_decimal false n scale
    = whole ++ match scale with O => [] | _ => point :: skipn (length whole) (padded (S scale) n) end /\
  whole = firstn (length whole) (padded (S scale) n) /\ Forall is_digit whole /\
  (length whole + scale = length (padded (S scale) n))%nat.
Proof.
  pose proof (padded_length (S scale) n) as L. pose proof (padded_digits (S scale) n) as D.
  exists (firstn (length (padded (S scale) n) - scale) (padded (S scale) n)).
  assert (F : length (firstn (length (padded (S scale) n) - scale) (padded (S scale) n)) = (length (padded (S scale) n) -
    scale)%nat)
    by (rewrite firstn_length; lia).
  rewrite F. repeat split; auto; [|lia]. rewrite <- (firstn_skipn (length (padded (S scale) n) - scale)) in D.
  now apply Forall_app in D as [D _].
Qed.

Lemma point_splits a a' b b' : Forall is_digit a -> Forall is_digit a' -> a ++ point :: b = a' ++ point :: b' -> a = a' /\
  b = b'.
Proof.
  intro A. revert a'. induction A as [|c a C A IH]; intros [|c' a'] A' E; simpl in E.
  - now injection E as ->.
  - injection E as <- _. inversion A' as [|? ? D _]. unfold is_digit, point in D. lia.
  - injection E as -> _. unfold is_digit, point in C. lia.
  - injection E as -> E. inversion A'; subst. destruct (IH a') as [-> ->]; auto.
Qed.

Lemma no_point a a' b : Forall is_digit a -> Forall is_digit a' -> a ++ [] <> a' ++ point :: b.
Proof.
  intros A A' E. rewrite app_nil_r in E. rewrite E in A. apply Forall_app in A as [_ A]. inversion A as [|? ? D _].
  unfold is_digit, point in D. lia.
Qed.

Lemma unsigned_text_of_one n scale m scale' :
  text_of_decimal false n scale = text_of_decimal false m scale' -> n = m /\ scale = scale'.
Proof.
  destruct (text_parts n scale) as (w & T & W & D & L), (text_parts m scale') as (w' & T' & W' & D' & L').
  rewrite T, T'. intro E. assert (S : scale = scale').
  { destruct scale, scale'; auto.
    - now apply no_point in E.
    - symmetry in E. now apply no_point in E.
    - apply point_splits in E as [-> E]; auto. apply (f_equal (@length Z)) in E. rewrite !skipn_length in E. lia. }
  subst scale'. split; auto. apply (decimal_text_digits n m scale). congruence.
Qed.

Theorem text_of_one_number a n scale b m scale' :
  text_of_decimal a n scale = text_of_decimal b m scale' -> a = b /\ n = m /\ scale = scale'.
Proof.
  rewrite signed_text, (signed_text b). destruct a, b; simpl; intro H.
  - injection H as H. apply unsigned_text_of_one in H. tauto.
  - symmetry in H. now apply decimal_text_no_minus in H.
  - now apply decimal_text_no_minus in H.
  - apply unsigned_text_of_one in H. tauto.
Qed.

Corollary any_scale_image a n scale b m scale' : text_of (Decimal a n scale) = text_of (Decimal b m scale') ->
  value_of (Decimal a n scale) = value_of (Decimal b m scale').
Proof. intro H. now apply text_of_one_number in H as (-> & -> & ->). Qed.

(** * A single value becomes one text

    Floats of a column that a policy names have no negative zero: every reader turns it into 0.0. *)
Definition is_read (f : field) : Prop := match f with Float true 0 => False | Float _ bits => is_nan bits = false | _ =>
  True end.

Theorem floats_have_one_text a n b m : is_read (Float a n) -> is_read (Float b m) ->
  value_of (Float a n) = value_of (Float b m) -> text_of (Float a n) = text_of (Float b m).
Proof.
  intros A B E. assert (R : float_rank a n = float_rank b m).
  { apply Z.compare_eq_iff. rewrite <- rank_of_float. now apply (compare_eq order_value). }
  unfold float_rank in R.
  assert (Na : is_nan n = false) by (destruct a, n; simpl in *; auto; contradiction).
  assert (Nb : is_nan m = false) by (destruct b, m; simpl in *; auto; contradiction).
  rewrite Na, Nb in R. destruct a, b.
  - now assert (n = m) as -> by lia.
  - destruct n; [now elim A|]. lia.
  - destruct m; [now elim B|]. lia.
  - now assert (n = m) as -> by lia.
Qed.
