(** docs/prove.md, section 7: the labels that texts of a region can get under LEVEL and PREFIX (`LabelImages`). *)
From Coq Require Import List ZArith Bool Lia.
From Acompass Require Import Order Texts Values.
Import ListNotations.
Open Scope nat_scope.

(** A region that is a single value has the label of this value. *)
Theorem single_value (g : value -> text) v w : compare_value v w = Eq -> g v = g w.
Proof. intro H. apply (compare_eq order_value) in H. now subst. Qed.

(** * Text under LEVEL *)

(** A hierarchy gives texts their labels; any other text gets that of ELSE, if there is one. *)
Definition level (hierarchy : list (text * text)) (otherwise : option text) (t : text) : option text :=
  match find (fun pair => if list_eq_dec Z.eq_dec (fst pair) t then true else false) hierarchy with
  | Some (_, label) => Some label
  | None => otherwise
  end.

(** If all texts of the hierarchy are cuts, a text that differs from every cut is not in it. *)
Theorem level_in_gap hierarchy otherwise t :
  (forall u label, In (u, label) hierarchy -> compare_text t u <> Eq) -> level hierarchy otherwise t = otherwise.
Proof.
  intro H. unfold level. destruct find as [[u label]|] eqn:F; auto. apply find_some in F as [I E]. simpl in E.
  destruct list_eq_dec as [->|]; [|discriminate]. elim (H _ _ I). now apply (compare_eq order_text).
Qed.

(** The rows of a hierarchy: the lowest level of each text in it, and what it becomes at each higher level. *)
Section Hierarchy.
  Variables (lowest : text -> option nat) (ancestor : text -> nat -> text).

  (** What `hierarchies/problems.py` makes sure of: a text stands at its lowest level, and what it becomes at a level
      stays itself at this level, wherever else it stands. *)
  Hypothesis at_lowest : forall t k, lowest t = Some k -> ancestor t k = t.
  Hypothesis consistent : forall t k n, lowest t = Some k -> k <= n ->
    exists j, lowest (ancestor t n) = Some j /\ j <= n /\ ancestor (ancestor t n) n = ancestor t n.

  Definition level_label (n : nat) (otherwise : option text) (t : text) : option text :=
    match lowest t with
    | Some k => Some (ancestor t (Nat.max k n))
    | None => otherwise
    end.

  (** ELSE is not a text that the hierarchy would change (`level.problem`). *)
  Definition stays (n : nat) (otherwise : option text) : Prop :=
    forall t, otherwise = Some t -> level_label n None t = None \/ level_label n None t = Some t.

  Theorem level_idempotent n otherwise t label : stays n otherwise ->
    level_label n otherwise t = Some label -> level_label n otherwise label = Some label.
  Proof.
    intros S H. unfold level_label in H. destruct (lowest t) as [k|] eqn:L.
    - injection H as <-. destruct (Nat.le_gt_cases k n) as [G|G].
      + rewrite Nat.max_r by auto. destruct (consistent t k n L G) as (j & J & Jn & E). unfold level_label.
        rewrite J, Nat.max_r by auto. now rewrite E.
      + rewrite Nat.max_l, (at_lowest t k L) by lia. unfold level_label. rewrite L, Nat.max_l by lia.
        now rewrite (at_lowest t k L).
    - destruct (S label H) as [N|N]; unfold level_label in *; destruct (lowest label); auto; discriminate.
  Qed.
End Hierarchy.

(** * Text under PREFIX *)

Definition star : Z := 42.
Definition prefix (n : nat) (t : text) : text := firstn n t ++ repeat star (length t - n).

(** A label begins with the first characters of the text, and only `*` follows. *)
Theorem prefix_begins n t : firstn n (prefix n t) = firstn n t.
Proof.
  unfold prefix. destruct (Nat.le_gt_cases (length t) n) as [L|L].
  - replace (length t - n) with 0 by lia. simpl. rewrite app_nil_r, firstn_firstn. f_equal. lia.
  - rewrite firstn_app, firstn_firstn, firstn_length.
    replace (Nat.min n n) with n by lia. replace (n - Nat.min n (length t)) with 0 by lia. simpl. apply app_nil_r.
Qed.

Lemma prefix_length n t : length (prefix n t) = length t.
Proof. unfold prefix. rewrite app_length, firstn_length, repeat_length. lia. Qed.

(** Maps are idempotent, so a region without a label of the map is not reached. *)
Theorem prefix_idempotent n t : prefix n (prefix n t) = prefix n t.
Proof. unfold prefix at 1. now rewrite prefix_begins, prefix_length. Qed.

(** Texts between two bounds have beginnings between the beginnings of the bounds. *)
Theorem beginnings_in_order n t u : compare_text t u <> Gt -> compare_text (firstn n t) (firstn n u) <> Gt.
Proof.
  revert t u. induction n as [|n IH]; intros t u H; [easy|].
  destruct t as [|c t], u as [|d u]; try easy. unfold compare_text in *. simpl in *.
  destruct (Z.compare c d); simpl in *; auto.
Qed.

(** * Labels between two bounds (`_interval`) *)

Open Scope Z_scope.

Lemma compare_begin t u v : compare_text u v = Lt -> compare_text (t ++ u) (t ++ v) = Lt.
Proof. unfold compare_text. intro H. induction t as [|c t IH]; simpl; auto. now rewrite Z.compare_refl. Qed.

Lemma beginning_at_most t u : compare_text t (t ++ u) <> Gt.
Proof. unfold compare_text. induction t as [|c t IH]; simpl; [now destruct u|]. now rewrite Z.compare_refl. Qed.

Lemma at_most_below t u v : compare_text t u <> Gt -> compare_text u v = Lt -> compare_text t v = Lt.
Proof.
  intros A B. destruct (compare_text t u) eqn:E; [|now apply (compare_trans order_text) with u|easy].
  now apply (compare_eq order_text) in E as ->.
Qed.

(** No text with a prefix reaches the next one (`after_prefix`). *)
Theorem after_prefix p c t : compare_text ((p ++ [c]) ++ t) (p ++ [c + 1]) = Lt.
Proof.
  rewrite <- app_assoc. apply compare_begin. unfold compare_text. simpl.
  now replace (c ?= c + 1) with Lt by (symmetry; apply Z.compare_lt_iff; lia).
Qed.

(** MONTH, YEAR: a label is a beginning of the text. *)
Theorem beginning_between n t low high : compare_text low t = Lt -> compare_text t high = Lt ->
  compare_text (firstn n low) (firstn n t) <> Gt /\ compare_text (firstn n t) high = Lt.
Proof.
  intros L H. split; [apply beginnings_in_order; now rewrite L|]. apply at_most_below with t; auto.
  rewrite <- (firstn_skipn n t) at 2. apply beginning_at_most.
Qed.

(** A difference in the first characters decides. *)
Lemma first_characters_decide n t u rest rest' : compare_text (firstn n t) (firstn n u) = Lt ->
  (length t <= n -> rest = [])%nat -> compare_text (firstn n t ++ rest) (firstn n u ++ rest') = Lt.
Proof.
  revert t u. induction n as [|n IH]; intros t u; [easy|]. destruct t as [|c t], u as [|d u]; simpl; try easy.
  - intros _ R. rewrite R by lia. reflexivity.
  - unfold compare_text. simpl. destruct (Z.compare c d); simpl; auto. intros H R. apply (IH t u H). intro L. apply R. lia.
Qed.

(** PREFIX, QUARTER, DECADE: a label has the first characters, and what follows them is below [most] (`_with_prefix`). *)
Theorem with_prefix n t low high rest most : compare_text low t = Lt -> compare_text t high = Lt ->
  (length t <= n -> rest = [])%nat -> compare_text rest most = Lt ->
  let label := firstn n t ++ rest in
  compare_text (firstn n low) label <> Gt /\
  (compare_text label high = Lt \/ ((n < length high)%nat /\ compare_text label (firstn n high ++ most) = Lt)).
Proof.
  intros L H R M label. destruct (beginning_between n t low high L H) as [A _]. split.
  - apply (at_most_trans compare_text order_text) with (firstn n t); [exact A|apply beginning_at_most].
  - assert (B : compare_text (firstn n t) (firstn n high) <> Gt) by (apply beginnings_in_order; now rewrite H).
    destruct (compare_text (firstn n t) (firstn n high)) eqn:E; [|left|easy].
    + apply (compare_eq order_text) in E. right. destruct (Nat.le_gt_cases (length high) n) as [G|G].
      * exfalso. rewrite (firstn_all2 high) in E by auto. pose proof (beginning_at_most (firstn n t) (skipn n t)) as K.
        rewrite firstn_skipn, E, (compare_opp order_text t high), H in K. now elim K.
      * split; auto. unfold label. rewrite E. now apply compare_begin.
    + rewrite <- (firstn_skipn n high). now apply first_characters_decide.
Qed.

(** What follows the first characters: stars, which are below `+`; a quarter, below `-Q:`; the end of a decade, below `0t`.
    *)
Theorem endings_below k q : 0 <= q <= 9 ->
  compare_text (repeat star k) [star + 1] = Lt /\ compare_text [45; 81; 48 + q] [45; 81; 48 + 10] = Lt /\
  compare_text [48; 115] [48; 116] = Lt.
Proof.
  intro Q. split; [now destruct k|]. split; [|reflexivity]. unfold compare_text.
  cbn [compare_list first_difference Z.compare Pos.compare Pos.compare_cont].
  now replace (48 + q ?= 48 + 10) with Lt by (symmetry; apply Z.compare_lt_iff; lia).
Qed.
