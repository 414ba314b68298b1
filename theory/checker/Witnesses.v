(** Records whose values lie in given ranges, and what a program turns one record into. The records found here are then
    tested, so nothing has to be proved about how they are found. *)
From Coq Require Import List ZArith QArith Qcanon Bool Lia DecimalZ.
From Acompass Require Import Order Texts Floats Values Tables Syntax Results Assertions Actions Histories Exactness.
From Acompass Require Import Satisfiability Formulas Weakest.
Import ListNotations.
Open Scope Z_scope.

(** * Integers of texts *)

Definition digit_of (c : Z) (d : Decimal.uint) : option Decimal.uint :=
  if c =? 48 then Some (Decimal.D0 d) else if c =? 49 then Some (Decimal.D1 d) else if c =? 50 then Some (Decimal.D2 d)
  else if c =? 51 then Some (Decimal.D3 d) else if c =? 52 then Some (Decimal.D4 d)
  else if c =? 53 then Some (Decimal.D5 d) else if c =? 54 then Some (Decimal.D6 d)
  else if c =? 55 then Some (Decimal.D7 d) else if c =? 56 then Some (Decimal.D8 d)
  else if c =? 57 then Some (Decimal.D9 d) else None.

Fixpoint uint_of (t : text) : option Decimal.uint :=
  match t with
  | [] => Some Decimal.Nil
  | c :: t' => match uint_of t' with Some d => digit_of c d | None => None end
  end.

Definition read_integer (t : text) : option Z :=
  match t with
  | c :: t' => if c =? minus_sign then option_map (fun d => Z.of_int (Decimal.Neg d)) (uint_of t')
               else option_map (fun d => Z.of_int (Decimal.Pos d)) (uint_of t)
  | [] => None
  end.

Lemma uint_of_digits d : uint_of (digits_of d) = Some d.
Proof. induction d; simpl; auto; now rewrite IHd. Qed.

Theorem read_integer_of_text n : read_integer (text_of_integer n) = Some n.
Proof.
  unfold text_of_integer. pose proof (DecimalZ.of_to n) as E. destruct (Z.to_int n) as [d|d] eqn:I.
  - assert (N : exists c t, digits_of d = c :: t /\ c <> minus_sign).
    { assert (K : d <> Decimal.Nil).
      { intros ->. unfold Z.to_int in I. destruct n; try discriminate; injection I as I;
          now apply DecimalPos.Unsigned.to_uint_nonnil in I. }
      destruct d; [easy|..]; simpl; do 2 eexists; split; try reflexivity; discriminate. }
    destruct N as (c & t & N & M). unfold read_integer. rewrite N. apply Z.eqb_neq in M. rewrite M, <- N, uint_of_digits.
    cbn [option_map]. now rewrite E.
  - unfold read_integer. rewrite Z.eqb_refl, uint_of_digits. cbn [option_map]. now rewrite E.
Qed.

(** * Fields of ranks and values *)

Definition field_of_rank (k : kind) (z : Z) : field :=
  match k with
  | DecimalKind scale => Decimal (z <? 0) (Z.abs_N z) scale
  | FloatKind => Float (z <? 0) (Z.abs_N z)
  | BooleanKind => Boolean (z =? 1)
  | DateKind => Date (Z.to_N z)
  | TimestampKind => Timestamp (Z.to_N z)
  | MissingKind => Missing
  | _ => Integer z
  end.

(** A number with as few digits after the point as it has, up to 40. *)
Fixpoint decimal_of (digits : nat) (scale : nat) (q : Qc) : field :=
  let z := Qnum q * Zpos (power_of_ten scale) / Zpos (Qden q) in
  match digits with
  | O => Decimal (z <? 0) (Z.abs_N z) scale
  | S digits' => if (z * Zpos (Qden q) =? Qnum q * Zpos (power_of_ten scale)) then Decimal (z <? 0) (Z.abs_N z) scale
                 else decimal_of digits' (S scale) q
  end.
Definition number_field (q : Qc) : field := decimal_of 40 0 q.

Definition field_of (k : kind) (c : value) : field :=
  match k, ranks_of k with
  | _, Some d => field_of_rank k (rank_of_value d c)
  | TextKind, None => Text (snd (snd c))
  | _, None => number_field (number_of c)
  end.

(** Fields of a range, at most a few. *)
Definition bound (x : option value) : list Qc := match x with Some v => [number_of v] | None => [] end.
Definition examples (k : kind) (x : range) : list field :=
  match x with
  | Point c => [field_of k c]
  | Gap low high =>
      match ranks_of k with
      | Some d =>
          map (fun z => field_of_rank k (next_rank FIELDS d z))
            (match first_rank d low, last_rank d high with
             | Some z, Some z' => [z; z'; (z + z') / 2; z + 1]
             | Some z, None => [z; z + 1]
             | None, Some z => [z; z - 1]
             | None, None => [0; 1; -1]
             end)
      | None =>
          match k with
          | TextKind => match low with Some l => [Text (snd (snd l) ++ [0])] | None => [Text []] end
          | _ => map number_field
                   (match bound low, bound high with
                    | [l], [h] => [(l + h) * Q2Qc (1 # 2)]
                    | [l], _ => [l + 1]
                    | _, [h] => [h - 1]
                    | _, _ => [0; 1; -(1)]
                    end)%Qc
          end
      end
  end.

Definition is_in (x : range) (v : value) : bool :=
  match x with
  | Point c => compares v EQ c
  | Gap low high => match low with Some l => compares v GT l | None => true end &&
                    match high with Some h => compares v LT h | None => true end
  end.

(** A record of ranges, if one is found, and one that satisfies a condition. *)
Definition record_in (s : list kind) (xs : ranges) : record :=
  map (fun '(A, k) => match find (fun f => fits k f && is_in (xs A) (value_of f)) (examples k (xs A)) with
                      | Some f => f
                      | None => Missing
                      end) (combine (seq 0 (length s)) s).

Definition satisfying (s : list kind) (phi : condition) : option record :=
  let leaf xs := let r := record_in s xs in if fits_record s r && holds_of phi r then Somewhere r else Perhaps in
  match search_within leaf s (fun _ => everything) phi with Somewhere r => Some r | _ => None end.

Theorem satisfying_sound s phi r : satisfying s phi = Some r -> typed s r /\ holds_of phi r = true.
Proof.
  unfold satisfying. destruct search_within eqn:E; try discriminate. intros [= ->].
  apply search_somewhere in E as (xs & E). destruct (_ && _) eqn:H; [|discriminate]. injection E as <-.
  apply andb_true_iff in H as [F H]. split; auto. now apply fits_typed.
Qed.

(** * What a program makes of a record, with given draws (D31: a violated check leaves nothing) *)

Section Outcomes.
  Variable draws : nat -> Z.

  Definition written (x : plain) (i : nat) (s : record) : list record :=
    match x with
    | Reject => []
    | Replace A a => [update s A a]
    | Random A t l u =>
        let drawn := if are_few l u then draws_of l u else filter (fun z => (l <=? z) && (z <=? u)) [draws i] in
        map (fun z => update s A (convert t (Integer z))) drawn
    | RandomFrom A balls => map (fun ball => update s A (snd ball)) balls
    | Generalize A g => [label A g s]
    | Drop As => [without_columns As s]
    | Write _ => []
    end.

  Fixpoint outcomes (p : program) (i : nat) (r : record) : list record :=
    match p with
    | [] => [r]
    | req :: p' =>
        let s := retype (retypes req) r in
        match acts req, affects (asserts req) r with
        | None, true => []
        | None, false | Some _, false => outcomes p' (S i) s
        | Some x, true =>
            (if is_certain x then [] else outcomes p' (S i) s) ++ flat_map (outcomes p' (S i)) (written (plain_of x) i s)
        end
    end.

  Theorem outcomes_pass p : Forall is_requirement p -> forall i r r', In r' (outcomes p i r) -> can_pass p r r'.
  Proof.
    induction 1 as [|req p [HA HX] _ IH]; intros i r r' I; [destruct I as [->|[]]; constructor|].
    cbn [outcomes] in I.
    assert (B : forall s, can_become req r s -> (acts req = None -> affects (asserts req) r = false) ->
      In r' (outcomes p (S i) s) -> can_pass (req :: p) r r') by (intros s C N J; apply passing with s; eauto).
    unfold can_become in B.
    destruct (acts req) as [x|], (affects (asserts req) r) eqn:E; try easy; [|now eapply B; eauto..].
    apply in_app_or in I as [I|I].
    - destruct (is_certain x) eqn:C; [easy|]. eapply B; eauto; easy.
    - apply in_flat_map in I as (s & W & I). apply (B s); auto; [|discriminate]. right. destruct HX as [_ HX].
      unfold written in W.
      destruct (plain_of x) as [|A a|A t l u|A balls|A g|As|y]; [easy|..|easy].
      + destruct W as [<-|[]]. now exists A, a.
      + apply in_map_iff in W as (z & <- & W). assert (B' : l <= z <= u).
        { destruct (are_few l u); [apply counted_between in W; lia|]. apply filter_In in W as [_ W].
          apply andb_true_iff in W as [L U]. apply Z.leb_le in L, U. lia. }
        exists A, (convert t (Integer z)). simpl. repeat split; auto; try lia. now exists z.
      + apply in_map_iff in W as (ball & <- & W). exists A, (snd ball). simpl. repeat split; auto. now apply in_map.
      + destruct W as [<-|[]]. now exists A, (Text (g (text_of (get (retype (retypes req) r) A)))).
      + now destruct W as [<-|[]].
  Qed.
End Outcomes.
