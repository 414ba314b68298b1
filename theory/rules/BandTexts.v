(** docs/prove.md, section 7: the texts of the labels of BANDS (`Bands._band_label`).
    Each text belongs to one band, so the bounds of the band can be read from it (`band_bounds`). *)
From Coq Require Import List ZArith NArith Bool Lia.
From Acompass Require Import Order Texts Values Conversions TextOrder BandLabels.
Import ListNotations.
Open Scope Z_scope.

Definition less_sign : Z := 60.
Definition left_bracket : Z := 91.
Definition right_bracket : Z := 41.
Definition comma : Z := 44.
Definition blank_to_blank : text := [32; 116; 111; 32].

Definition numeral (scale : nat) (unit : Z) : text := text_of_decimal (unit <? 0) (Z.abs_N unit) scale.

Definition named (integer : bool) (scale : nat) (i : interval) : text :=
  match i with
  | (None, None) => []
  | (None, Some u) => less_sign :: numeral scale u
  | (Some l, None) => numeral scale l ++ [plus_sign]
  | (Some l, Some u) =>
      if integer then
        if u =? l + 1 then numeral scale l
        else numeral scale l ++ (if 0 <=? l then [minus_sign] else blank_to_blank) ++ numeral scale (u - 1)
      else [left_bracket] ++ numeral scale l ++ [comma] ++ numeral scale u ++ [right_bracket]
  end.

Lemma numeral_injective scale u v : numeral scale u = numeral scale v -> u = v.
Proof.
  unfold numeral. rewrite signed_text, (signed_text (v <? 0)). intro H.
  destruct (Z.ltb_spec u 0), (Z.ltb_spec v 0); simpl in H.
  - injection H as H. apply decimal_text_digits in H. lia.
  - symmetry in H. now apply decimal_text_no_minus in H.
  - now apply decimal_text_no_minus in H.
  - apply decimal_text_digits in H. lia.
Qed.

(** A numeral has digits, one sign in front, and points. *)
Definition is_numeral_character (c : Z) : Prop := is_digit c \/ c = point.

Lemma unsigned_characters n scale : Forall is_numeral_character (text_of_decimal false n scale).
Proof.
  unfold text_of_decimal, signed. pose proof (padded_digits (S scale) n) as D.
  assert (W : Forall is_numeral_character (padded (S scale) n)) by (eapply Forall_impl; [|exact D]; now left).
  rewrite <- (firstn_skipn (length (padded (S scale) n) - scale) (padded (S scale) n)) in W.
  apply Forall_app in W as [A B]. apply Forall_app. split; auto. destruct scale; auto. constructor; auto. now right.
Qed.

Lemma numeral_characters scale u : 0 <= u -> Forall is_numeral_character (numeral scale u).
Proof. intro H. unfold numeral. replace (u <? 0) with false by lia. apply unsigned_characters. Qed.

Lemma numeral_negative scale u : u < 0 -> exists t, numeral scale u = minus_sign :: t /\ Forall is_numeral_character t.
Proof.
  intro H. unfold numeral. replace (u <? 0) with true by lia. rewrite signed_text. simpl.
  eexists. split; [reflexivity|]. apply unsigned_characters.
Qed.

Lemma unsigned_nonempty n scale : text_of_decimal false n scale <> [].
Proof.
  unfold text_of_decimal, signed. pose proof (padded_length (S scale) n) as L. intro E.
  apply (f_equal (@length Z)) in E. rewrite app_length, firstn_length in E. simpl in E. lia.
Qed.

(** What follows a numeral does not begin as one. *)
Definition ends_numeral (r : text) : Prop := match r with [] => True | c :: _ => ~ is_numeral_character c end.

Lemma characters_end a a' r r' : Forall is_numeral_character a -> Forall is_numeral_character a' ->
  ends_numeral r -> ends_numeral r' -> a ++ r = a' ++ r' -> a = a' /\ r = r'.
Proof.
  intro A. revert a'. induction A as [|c a C A IH]; intros [|c' a'] A' R R' E; simpl in *; auto.
  - subst r. inversion A'; subst. contradiction.
  - subst r'. contradiction.
  - injection E as -> E. inversion A'; subst. destruct (IH a') as [-> ->]; auto.
Qed.

Lemma numeral_ends scale l l' r r' : ends_numeral r -> ends_numeral r' ->
  numeral scale l ++ r = numeral scale l' ++ r' -> l = l' /\ r = r'.
Proof.
  intros R R' E. assert (K : numeral scale l = numeral scale l' /\ r = r').
  { assert (Mixed : forall k k' s s', k < 0 -> 0 <= k' -> numeral scale k ++ s <> numeral scale k' ++ s').
    { clear. intros k k' s s' N P H. destruct (numeral_negative scale k N) as (t & T & _). rewrite T in H.
      pose proof (numeral_characters scale k' P) as C. unfold numeral in H, C. replace (k' <? 0) with false in H, C by lia.
      pose proof (unsigned_nonempty (Z.abs_N k') scale) as NE. destruct (text_of_decimal false (Z.abs_N k') scale); [easy|].
      simpl in H. injection H as <- _. inversion C as [|? ? [D|D] _]; [unfold is_digit, minus_sign in D; lia|discriminate
        D]. }
    destruct (Z.lt_ge_cases l 0) as [N|P], (Z.lt_ge_cases l' 0) as [N'|P'].
    - destruct (numeral_negative scale l N) as (t & T & C), (numeral_negative scale l' N') as (t' & T' & C').
      rewrite T, T' in *. simpl in E. injection E as E. destruct (characters_end t t' r r') as [-> ->]; auto.
    - now elim (Mixed l l' r r').
    - symmetry in E. now elim (Mixed l' l r' r).
    - apply characters_end; auto using numeral_characters. }
  destruct K as [K ->]. split; auto. now apply numeral_injective in K.
Qed.

Lemma plus_ends : ends_numeral [plus_sign].
Proof. intros [H|H]; [unfold is_digit, plus_sign in H; lia|discriminate H]. Qed.

Lemma minus_ends r : ends_numeral (minus_sign :: r).
Proof. intros [H|H]; [unfold is_digit, minus_sign in H; lia|discriminate H]. Qed.

Lemma blank_ends r : ends_numeral (32 :: r).
Proof. intros [H|H]; [unfold is_digit in H; lia|discriminate H]. Qed.

Lemma comma_ends r : ends_numeral (comma :: r).
Proof. intros [H|H]; [unfold is_digit, comma in H; lia|discriminate H]. Qed.

Lemma bracket_ends : ends_numeral [right_bracket].
Proof. intros [H|H]; [unfold is_digit, right_bracket in H; lia|discriminate H]. Qed.

(** What follows the lower bound in a label that begins with it. *)
Definition ending (scale : nat) (l : Z) (u : option Z) : text :=
  match u with
  | None => [plus_sign]
  | Some u => if u =? l + 1 then [] else (if 0 <=? l then [minus_sign] else blank_to_blank) ++ numeral scale (u - 1)
  end.

Lemma ending_ends scale l u : ends_numeral (ending scale l u).
Proof.
  destruct u as [u|]; [|apply plus_ends]. simpl. destruct (u =? l + 1); [exact I|].
  destruct (0 <=? l); [apply minus_ends|apply blank_ends].
Qed.

Lemma ending_injective scale l u u' : ending scale l u = ending scale l u' -> u = u'.
Proof.
  destruct u as [u|], u' as [u'|]; simpl; auto; destruct (0 <=? l);
    repeat match goal with |- context [?a =? ?b] => destruct (Z.eqb_spec a b) end; subst; auto; try discriminate;
    intro H; f_equal; unfold blank_to_blank in H; simpl in H; injection H as H; apply numeral_injective in H; lia.
Qed.

Lemma begins_numeral scale l r c t : numeral scale l ++ r = c :: t -> is_digit c \/ c = point \/ c = minus_sign.
Proof.
  intro E. destruct (Z.lt_ge_cases l 0) as [N|P].
  - destruct (numeral_negative scale l N) as (t' & T & _). rewrite T in E. injection E as <- _. auto.
  - pose proof (numeral_characters scale l P) as C. pose proof (unsigned_nonempty (Z.abs_N l) scale) as NE.
    unfold numeral in *. replace (l <? 0) with false in * by lia.
    destruct (text_of_decimal false (Z.abs_N l) scale); [easy|]. injection E as <- _. inversion C as [|? ? [D|D] _]; auto.
Qed.

(** Different bands have different labels. *)
Theorem label_has_one_band integer scale i j : i <> (None, None) -> j <> (None, None) ->
  named integer scale i = named integer scale j -> i = j.
Proof.
  assert (Begins : forall l u, exists r, named integer scale (Some l, u) = numeral scale l ++ r \/
    named integer scale (Some l, u) = left_bracket :: numeral scale l ++ r).
  { intros l [u|]; simpl; [destruct integer; [destruct (u =? l + 1)|]|]; eexists; try (left; reflexivity).
    - left. symmetry. apply app_nil_r.
    - right. reflexivity. }
  assert (Open : forall l u v, named integer scale (Some l, u) <> less_sign :: numeral scale v).
  { intros l u v H. destruct (Begins l u) as (r & [B|B]); rewrite B in H; [|discriminate].
    apply begins_numeral in H as [D|[D|D]]; [unfold is_digit, less_sign in D; lia|discriminate|discriminate]. }
  intros I J H. destruct i as [[l|] u], j as [[l'|] u'].
  - assert (Plus : forall k v v', integer = false -> named integer scale (Some k, Some v) <> numeral scale v' ++
      [plus_sign]).
    { intros k v v' -> E. simpl in E. symmetry in E. apply begins_numeral in E as [D|[D|D]];
        [unfold is_digit, left_bracket in D; lia|discriminate|discriminate]. }
    assert (Ending : integer = true \/ u = None \/ u' = None -> (Some l, u) = (Some l', u')).
    { intro C. assert (E : numeral scale l ++ ending scale l u = numeral scale l' ++ ending scale l' u').
      { destruct u as [u|], u' as [u'|]; simpl in *.
        - destruct C as [->|[C|C]]; try discriminate. destruct (u =? l + 1), (u' =? l' + 1); rewrite ?app_nil_r; auto.
        - destruct integer; [destruct (u =? l + 1); rewrite ?app_nil_r; auto|]. now elim (Plus l u l').
        - destruct integer; [destruct (u' =? l' + 1); rewrite ?app_nil_r; auto|]. symmetry in H. now elim (Plus l' u' l).
        - auto. }
      apply numeral_ends in E as [<- E]; auto using ending_ends. f_equal. now apply ending_injective in E. }
    destruct integer; [auto|]. destruct u as [u|]; [|auto]. destruct u' as [u'|]; [|auto]. simpl in H. injection H as H.
    apply numeral_ends in H as [<- H]; auto using comma_ends. injection H as H.
    apply numeral_ends in H as [<- _]; auto using bracket_ends.
  - destruct u' as [u'|]; [|easy]. now elim (Open l u u').
  - destruct u as [u|]; [|easy]. symmetry in H. now elim (Open l' u' u).
  - destruct u as [u|], u' as [u'|]; try easy. simpl in H. injection H as H. apply numeral_injective in H. now subst.
Qed.
