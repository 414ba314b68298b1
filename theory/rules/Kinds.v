(** The values that a column of each type can have, and ranges of them (docs/prove.md, section 1, `value_order`).

    Every kind but text and numbers of any scale is discrete: its values have integers as ranks. So whether a range has
    a value is a question about integers. *)
From Coq Require Import List ZArith QArith Qcanon Bool Lia.
From Acompass Require Import Order Bags Texts Floats Values Tables Syntax Results Anonymity Aggregates Regions Calendar.
Import ListNotations.
Open Scope Z_scope.

Inductive kind : Type :=
| IntegerKind
| BoundedKind (l u : Z)            (* the integers that RANDOM l u draws *)
| DecimalKind (scale : nat)
| NumberKind                       (* exact numbers of any scale *)
| FloatKind
| TextKind
| BooleanKind
| DateKind
| TimestampKind
| MissingKind                      (* a dropped column *)
| AnyKind.                         (* nothing is known *)

Definition kind_eq_dec (k k' : kind) : {k = k'} + {k <> k'}.
Proof. decide equality; auto using Nat.eq_dec, Z.eq_dec. Defined.

(** * The values of a kind *)

Definition is_text (t : text) : Prop := forall c, In c t -> 0 <= c.

Definition has_kind (k : kind) (v : value) : Prop :=
  match k with
  | IntegerKind => exists n, v = exact (integer n)
  | BoundedKind l u => exists n, l <= n <= u /\ v = exact (integer n)
  | DecimalKind scale => exists n, v = exact (Q2Qc (n # power_of_ten scale))
  | NumberKind => exists q, v = exact q
  | FloatKind => exists rank, - infinite_bits <= rank <= infinite_bits /\ v = floating rank
  | TextKind => exists t, is_text t /\ v = text_value t
  | BooleanKind => exists b, v = value_of (Boolean b)
  | DateKind => exists n, is_date (Z.of_N n) = true /\ 10101 <= Z.of_N n <= 99991231 /\ v = value_of (Date n)
  | TimestampKind => exists n, is_timestamp (Z.of_N n) = true /\
      10101000000000000 <= Z.of_N n <= 99991231235959999999 /\ v = value_of (Timestamp n)
  | MissingKind => v = nothing
  | AnyKind => True
  end.

(** A tuple with a value of each kind, as conditions see it, and a record whose values are such a tuple. *)
Definition typed_tuple (s : list kind) (t : tuple) : Prop := Forall2 has_kind s t.
Definition typed (s : list kind) (r : record) : Prop := typed_tuple s (values r).

(** A field of a kind. In columns of a fixed scale and of floats, 0 has no sign. Years have four digits. *)
Definition fits (k : kind) (f : field) : bool :=
  match k, f with
  | IntegerKind, Integer _ => true
  | BoundedKind l u, Integer n => (l <=? n) && (n <=? u)
  | DecimalKind scale, Decimal negative n scale' => (scale =? scale')%nat && negb (negative && (n =? 0)%N)
  | NumberKind, (Integer _ | Decimal _ _ _) => true
  | FloatKind, Float negative bits => negb (is_nan bits) && negb (negative && (bits =? 0)%N)
  | TextKind, Text t => forallb (Z.leb 0) t
  | BooleanKind, Boolean _ => true
  | DateKind, Date n => is_date (Z.of_N n) && (10101 <=? Z.of_N n) && (Z.of_N n <=? 99991231) &&
                        (length (padded 8 n) =? 8)%nat
  | TimestampKind, Timestamp n => is_timestamp (Z.of_N n) && (10101000000000000 <=? Z.of_N n) &&
                                  (Z.of_N n <=? 99991231235959999999) && (length (padded 20 n) =? 20)%nat
  | MissingKind, Missing | AnyKind, _ => true
  | _, _ => false
  end.

Fixpoint fits_record (s : list kind) (r : record) : bool :=
  match s, r with
  | [], [] => true
  | k :: s', f :: r' => fits k f && fits_record s' r'
  | _, _ => false
  end.

Lemma fits_has_kind k f : fits k f = true -> has_kind k (value_of f).
Proof.
  destruct k, f; simpl; intro H; try discriminate H; auto; rewrite ?andb_true_iff, ?Z.leb_le in H.
  - now exists n.
  - now exists n.
  - destruct H as [H _]. apply Nat.eqb_eq in H as <-. now exists (signed_number negative digits).
  - now exists (integer n).
  - now exists (decimal negative digits scale).
  - exists (float_rank negative bits). split; auto.
    change (- infinite_bits <= float_rank negative bits <= infinite_bits). unfold float_rank.
    destruct H as [H _]. apply negb_true_iff in H. rewrite H.
    unfold is_nan in H. apply Z.ltb_ge in H. destruct negative; lia.
  - exists t. split; auto. rewrite forallb_forall in H. intros c I. now apply Z.leb_le, H.
  - now exists b.
  - exists n. now destruct H as [[[D L] U] _].
  - exists n. now destruct H as [[[D L] U] _].
Qed.

Lemma fits_typed s r : fits_record s r = true -> typed s r.
Proof.
  unfold typed, typed_tuple, values. revert r.
  induction s as [|k s IH]; intros [|f r]; simpl; try discriminate; constructor.
  - apply fits_has_kind. now apply andb_true_iff in H.
  - apply IH. now apply andb_true_iff in H.
Qed.

(** A discrete kind: the value with rank z is z / unit, and the ranks are those integers between the bounds that [next]
    leaves as they are. [next] does not skip any of them. *)
Record ranks : Type := {
  tag : Z;
  unit : positive;
  lowest : option Z;
  highest : option Z;
  next : Z -> Z
}.

Definition ranked (tag : Z) (lowest highest : option Z) : ranks :=
  {| tag := tag; unit := 1; lowest := lowest; highest := highest; next := fun z => z |}.

Definition ranks_of (k : kind) : option ranks :=
  match k with
  | IntegerKind => Some (ranked 2 None None)
  | BoundedKind l u => Some (ranked 2 (Some l) (Some u))
  | DecimalKind scale =>
      Some {| tag := 2; unit := power_of_ten scale; lowest := None; highest := None; next := fun z => z |}
  | FloatKind => Some (ranked 3 (Some (- infinite_bits)) (Some infinite_bits))
  | BooleanKind => Some (ranked 1 (Some 0) (Some 1))
  | DateKind => Some {| tag := 5; unit := 1; lowest := Some 10101; highest := Some 99991231; next := next_date |}
  | TimestampKind => Some {| tag := 6; unit := 1; lowest := Some 10101000000000000;
                             highest := Some 99991231235959999999; next := next_timestamp |}
  | MissingKind => Some (ranked 0 (Some 0) (Some 0))
  | NumberKind | TextKind | AnyKind => None
  end.

Definition of_rank (d : ranks) (z : Z) : value := (tag d, (Q2Qc (z # unit d), [])).

Definition no_less (low : option Z) (z : Z) : bool := match low with Some l => l <=? z | None => true end.
Definition no_more (high : option Z) (z : Z) : bool := match high with Some h => z <=? h | None => true end.
Definition is_rank (d : ranks) (z : Z) : bool :=
  no_less (lowest d) z && no_more (highest d) z && (next d z =? z).

Lemma ranks_of_kind k d v : ranks_of k = Some d -> has_kind k v -> exists z, v = of_rank d z /\ is_rank d z = true.
Proof.
  unfold is_rank, of_rank. destruct k; simpl; intros [= <-]; simpl.
  - intros (n & ->). exists n. rewrite Z.eqb_refl. auto.
  - intros (n & H & ->). exists n. rewrite Z.eqb_refl. split; auto. rewrite !andb_true_iff, !Z.leb_le. lia.
  - intros (n & ->). exists n. rewrite Z.eqb_refl. auto.
  - intros (n & H & ->). exists n. rewrite Z.eqb_refl. split; auto.
    apply andb_true_iff. split; auto. apply andb_true_iff. split; apply Z.leb_le; apply H.
  - intros (b & ->). exists (if b then 1 else 0). now destruct b.
  - intros (n & D & H & ->). exists (Z.of_N n). split; auto. unfold is_date in D. rewrite D.
    rewrite !andb_true_iff, !Z.leb_le. lia.
  - intros (n & D & H & ->). exists (Z.of_N n). split; auto. unfold is_timestamp in D. rewrite D.
    rewrite !andb_true_iff, !Z.leb_le. lia.
  - intros ->. now exists 0.
Qed.

Lemma next_least k d z w : ranks_of k = Some d -> is_rank d w = true -> z <= w -> next d z <= w.
Proof.
  unfold is_rank. intros E R H. apply andb_true_iff in R as [_ R].
  destruct k; try discriminate E; injection E as <-; simpl in *; auto.
  - now apply next_date_least.
  - now apply next_timestamp_least.
Qed.

Lemma compare_with_rank d z q : compare_value (of_rank d z) (tag d, (q, [])) = Qcompare (z # unit d) q.
Proof.
  unfold compare_value, compare_pair, of_rank. cbn [fst snd]. rewrite Z.compare_refl. cbn [first_difference].
  unfold Qccompare. change (this (Q2Qc (z # unit d))) with (Qred (z # unit d)).
  rewrite (Qcompare_comp _ _ (Qred_correct (z # unit d)) _ _ (Qeq_refl q)). now destruct Qcompare.
Qed.

Lemma compare_ranks d z w : compare_value (of_rank d z) (of_rank d w) = (z ?= w).
Proof.
  unfold of_rank at 2. rewrite compare_with_rank. change (this (Q2Qc (w # unit d))) with (Qred (w # unit d)).
  rewrite (Qcompare_comp _ _ (Qeq_refl (z # unit d)) _ _ (Qred_correct (w # unit d))). unfold Qcompare. simpl.
  now rewrite <- Zmult_compare_compat_r by easy.
Qed.

(** * Ranges: a constant, or the values strictly between two constants *)

Inductive range : Type := Point (c : value) | Gap (low high : option value).

Definition in_range (x : range) (v : value) : Prop :=
  match x with
  | Point c => v = c
  | Gap low high => (forall l, low = Some l -> compare_value l v = Lt) /\
                    (forall h, high = Some h -> compare_value v h = Lt)
  end.

Definition everything : range := Gap None None.

(** The ranks of values above or below a constant, as far as it is of the same tag. *)
Definition tagged (d : ranks) (c : option value) : option Qc :=
  match c with
  | Some (t, (q, [])) => if t =? tag d then Some q else None
  | _ => None
  end.
Definition above (d : ranks) (q : Qc) : Z := Qnum q * Zpos (unit d) / Zpos (Qden q) + 1.
Definition under (d : ranks) (q : Qc) : Z := (Qnum q * Zpos (unit d) - 1) / Zpos (Qden q).

Definition larger (x y : option Z) : option Z :=
  match x, y with Some x, Some y => Some (Z.max x y) | Some x, None => Some x | None, y => y end.
Definition smaller (x y : option Z) : option Z :=
  match x, y with Some x, Some y => Some (Z.min x y) | Some x, None => Some x | None, y => y end.

Definition first_rank (d : ranks) (low : option value) : option Z :=
  larger (lowest d) (option_map (above d) (tagged d low)).
Definition last_rank (d : ranks) (high : option value) : option Z :=
  smaller (highest d) (option_map (under d) (tagged d high)).

(** Some steps lead over what is no rank: no more than the fields that a timestamp has. *)
Fixpoint next_rank (steps : nat) (d : ranks) (z : Z) : Z :=
  match steps with O => z | S steps => next_rank steps d (next d z) end.
Definition FIELDS : nat := 8.

Definition rank_of_value (d : ranks) (c : value) : Z := Qnum (number_of c) * Zpos (unit d) / Zpos (Qden (number_of c)).

Definition is_value (k : kind) (c : value) : bool :=
  match ranks_of k with
  | Some d => let z := rank_of_value d c in is_rank d z && if value_eq_dec (of_rank d z) c then true else false
  | None =>
      match k, c with
      | TextKind, (t, (_, u)) => (t =? 4) && forallb (Z.leb 0) u
      | AnyKind, _ => true
      | _, (t, (_, [])) => t =? 2
      | _, _ => false
      end
  end.

(** No text lies below the empty text, or between a text and the same text followed by NUL. *)
Definition no_text_between (low high : option value) : bool :=
  match low, high with
  | None, Some h => if value_eq_dec h (text_value []) then true else false
  | Some (a, (q, l)), Some h =>
      if value_eq_dec h (text_value (l ++ [0])) then if value_eq_dec (a, (q, l)) (text_value l) then true else false
      else false
  | _, None => false
  end.

Definition is_empty (k : kind) (x : range) : bool :=
  match x with
  | Point c => negb (is_value k c)
  | Gap low high =>
      match ranks_of k with
      | Some d =>
          match first_rank d low, last_rank d high with
          | Some first, Some last => last <? next_rank FIELDS d first
          | _, _ => false
          end
      | None => match k with TextKind => no_text_between low high | _ => false end
      end
  end.

Lemma above_least d z q : compare_value (tag d, (q, [])) (of_rank d z) = Lt -> above d q <= z.
Proof.
  rewrite (compare_opp order_value (of_rank d z)), compare_with_rank, Qcompare_antisym.
  unfold Qcompare, above. simpl. rewrite Z.compare_lt_iff. intro H.
  enough (Qnum q * Z.pos (unit d) / Z.pos (Qden q) < z) by lia. apply Z.div_lt_upper_bound; lia.
Qed.

Lemma under_most d z q : compare_value (of_rank d z) (tag d, (q, [])) = Lt -> z <= under d q.
Proof.
  rewrite compare_with_rank. unfold Qcompare, under. simpl. rewrite Z.compare_lt_iff. intro H.
  apply Z.div_le_lower_bound; lia.
Qed.

Lemma tagged_is d c q : tagged d c = Some q -> c = Some (tag d, (q, [])).
Proof.
  destruct c as [[t [p [|e u]]]|]; simpl; try discriminate. destruct (Z.eqb_spec t (tag d)); [|discriminate].
  now intros [= ->]; subst.
Qed.

Lemma first_rank_least d z low first : is_rank d z = true ->
  (forall l, low = Some l -> compare_value l (of_rank d z) = Lt) ->
  first_rank d low = Some first -> first <= z.
Proof.
  unfold is_rank, first_rank. rewrite !andb_true_iff. intros [[L _] _] H.
  assert (T : forall q, tagged d low = Some q -> above d q <= z).
  { intros q E. apply above_least, H. now apply tagged_is. }
  destruct (tagged d low) as [q|], (lowest d) as [l|]; simpl in *; intros [= <-];
    try (specialize (T q eq_refl)); try (apply Z.leb_le in L); lia.
Qed.

Lemma last_rank_most d z high last : is_rank d z = true ->
  (forall h, high = Some h -> compare_value (of_rank d z) h = Lt) ->
  last_rank d high = Some last -> z <= last.
Proof.
  unfold is_rank, last_rank. rewrite !andb_true_iff. intros [[_ L] _] H.
  assert (T : forall q, tagged d high = Some q -> z <= under d q).
  { intros q E. apply under_most, H. now apply tagged_is. }
  destruct (tagged d high) as [q|], (highest d) as [h|]; simpl in *; intros [= <-];
    try (specialize (T q eq_refl)); try (apply Z.leb_le in L); lia.
Qed.

Lemma next_rank_least k d steps : ranks_of k = Some d -> forall z w, is_rank d w = true -> z <= w ->
  next_rank steps d z <= w.
Proof. intro E. induction steps; simpl; auto. intros z w R H. apply IHsteps; auto. now apply (next_least k). Qed.

Lemma is_value_complete k v : has_kind k v -> is_value k v = true.
Proof.
  unfold is_value. destruct (ranks_of k) as [d|] eqn:E; intro H.
  - destruct (ranks_of_kind k d v E H) as (z & -> & R).
    assert (Z : rank_of_value d (of_rank d z) = z).
    { unfold rank_of_value, of_rank, number_of. cbn [fst snd]. pose proof (Qred_correct (z # unit d)) as Q.
      unfold Q2Qc, this. unfold Qeq in Q. cbn [Qnum Qden] in Q. rewrite Q. now rewrite Z.div_mul. }
    rewrite Z, R. now destruct (value_eq_dec (of_rank d z) (of_rank d z)).
  - destruct k; try discriminate; simpl in H.
    + now destruct H as (q & ->).
    + destruct H as (t & H & ->). simpl. apply forallb_forall. intros c I. now apply Z.leb_le, H.
    + reflexivity.
Qed.

Theorem is_empty_sound k x v : is_empty k x = true -> has_kind k v -> ~ in_range x v.
Proof.
  destruct x as [c|low high]; simpl; intros E K I.
  - subst. rewrite is_value_complete in E by auto. discriminate.
  - destruct I as [L H]. destruct (ranks_of k) as [d|] eqn:D.
    + destruct (ranks_of_kind k d v D K) as (z & -> & R).
      destruct (first_rank d low) as [first|] eqn:F; [|discriminate].
      destruct (last_rank d high) as [last|] eqn:T; [|discriminate].
      pose proof (first_rank_least _ _ _ _ R L F) as A. pose proof (last_rank_most _ _ _ _ R H T) as B.
      pose proof (next_rank_least k d FIELDS D first z R A) as C. apply Z.ltb_lt in E.
      apply (Z.lt_irrefl z). apply Z.le_lt_trans with last; auto.
      now apply Z.lt_le_trans with (next_rank FIELDS d first).
    + destruct k; try discriminate. destruct K as (t & K & ->). unfold no_text_between in E.
      destruct high as [h|]; [|destruct low as [[? [? ?]]|]; discriminate].
      destruct low as [[a [b l]]|].
      * destruct (value_eq_dec h _) as [->|]; [|discriminate]. destruct (value_eq_dec (a, _) _) as [E'|]; [|discriminate].
        apply (no_text_before_nul l t K). split; [rewrite <- E'; now apply L|now apply H].
      * destruct (value_eq_dec h _) as [->|]; [|discriminate]. now apply (no_text_before_empty t), H.
Qed.
