(** docs/prove.md, section 7: the labels that values of a region can get (`LabelImages`).

    A map of BANDS or of dates depends on the cuts that are at or below a value; PREFIX and LEVEL are modelled as they are.
    The texts of labels, and maps of labels, are not modelled. *)
From Coq Require Import List ZArith Bool Lia.
From Acompass Require Import Order Bags Texts Values Tables Syntax Results Aggregates Regions.
Import ListNotations.
Open Scope nat_scope.

(** A region that is a single value has the label of this value. *)
Theorem single_value (g : value -> text) v w : compare_value v w = Eq -> g v = g w.
Proof. intro H. apply (compare_eq order_value) in H. now subst. Qed.

(** * Numbers under BANDS, dates under MONTH to DECADE *)

(** The band of a value: the cuts at or below it. Its label is a function of these. *)
Definition band (cuts : list value) (v : value) : list value := filter (fun c => compares v GE c) cuts.

Lemma at_or_above v c : compares v GE c = true <-> below c v.
Proof.
  unfold compares, below, at_most. rewrite (compare_opp order_value v c).
  destruct (compare_value v c); simpl; split; intro; easy.
Qed.

(** If the cuts are among the cuts of the column, all values of a region have the same label. *)
Theorem same_region_same_band cuts v w : same_region cuts v w -> band cuts v = band cuts w.
Proof. intro H. apply filter_ext_in. intros c I. unfold compares. now rewrite (H c I). Qed.

(** The values with one label are an interval. *)
Theorem band_is_interval cuts v w x : below v w -> below w x -> band cuts v = band cuts x -> band cuts w = band cuts v.
Proof.
  intros A B E. apply filter_ext_in. intros c I. apply eq_true_iff_eq. rewrite !at_or_above. split; intro H.
  - assert (J : In c (band cuts x)) by (apply filter_In; split; auto; apply at_or_above; now apply below_trans with w).
    rewrite <- E in J. apply filter_In in J as [_ J]. now apply at_or_above.
  - now apply below_trans with v.
Qed.

(** * Text under LEVEL *)

(** A hierarchy gives texts their labels; any other text gets that of ELSE. *)
Definition level (hierarchy : list (text * text)) (otherwise t : text) : text :=
  match find (fun pair => if list_eq_dec Z.eq_dec (fst pair) t then true else false) hierarchy with
  | Some (_, label) => label
  | None => otherwise
  end.

(** If all texts of the hierarchy are cuts, a text that differs from every cut is not in it. *)
Theorem level_in_gap hierarchy otherwise t :
  (forall u label, In (u, label) hierarchy -> compare_text t u <> Eq) -> level hierarchy otherwise t = otherwise.
Proof.
  intro H. unfold level. destruct find as [[u label]|] eqn:F; auto. apply find_some in F as [I E]. simpl in E.
  destruct list_eq_dec as [->|]; [|discriminate]. elim (H _ _ I). now apply (compare_eq order_text).
Qed.

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
