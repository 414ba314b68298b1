(** Figure 7 and Definitions 8 to 11: assertions and their affected bags. *)
From Coq Require Import List Bool.
From Acompass Require Import Bags Values Tables Syntax Results.
Import ListNotations.

(** Figure 7, ⟦assertion⟧(R). *)
Definition holds (a : assertion) (R : bag) : bool :=
  match a with
  | Each P phi => forallb (satisfies phi) (result_of P R)
  | Some_ P phi => existsb (satisfies phi) (result_of P R)
  end.

(** Definition 8, EACH RESULT. *)
Definition affected_by_result (phi : condition) (r : record) : bool := negb (holds_of phi r).

(** Definition 9, EACH FILTER. *)
Definition affected_by_filter (psi phi : condition) (r : record) : bool := holds_of psi r && negb (holds_of phi r).

(** Definition 10, EACH PROCESS with GROUP BY: K_v has the keys whose aggregate record violates the condition. *)
Definition violating_keys (f : list aggregate) (G : list attribute) (R' : bag) (phi : condition) : list tuple :=
  filter (fun g => negb (satisfies phi (aggregate_record f G R' g))) (keys G R').
Definition affected_by_process f psi G (R : bag) (phi : condition) (r : record) : bool :=
  where_holds psi r && if in_dec tuple_eq_dec (key G r) (violating_keys f G (where_filtered psi R) phi) then true else false.

(** Whether a record of R is affected. Without GROUP BY, all records have the key () (Definition 11). A violated SOME
    affects the whole relation (D17; docs/paper.md, 19). *)
Definition is_affected (a : assertion) (R : bag) (r : record) : bool :=
  match a with
  | Each Result phi => affected_by_result phi r
  | Each (Filter psi) phi => affected_by_filter psi phi r
  | Each (Process f psi G) phi => affected_by_process f psi G R phi r
  | Some_ _ _ => negb (holds a R)
  end.

(** AFF(R, assertion) *)
Definition AFF (R : bag) (a : assertion) : bag := filter (is_affected a R) R.

Lemma AFF_subset R a : subset (AFF R a) R.
Proof. apply sub_bag_filter. Qed.

(** X1: AFF(R, ALWAYS) = R. *)
Theorem AFF_always R : AFF R Always = R.
Proof. unfold AFF. now apply filter_all. Qed.

(** A record of the filtered bag is affected if the aggregate record of its own class violates the condition. *)
Lemma affected_by_process_own f psi G R phi r :
  In r R -> affected_by_process f psi G R phi r =
  where_holds psi r && negb (satisfies phi (aggregate_record f G (where_filtered psi R) (key G r))).
Proof.
  intro I. unfold affected_by_process. destruct (where_holds psi r) eqn:W; auto; simpl.
  destruct in_dec as [K|K]; unfold violating_keys in K; rewrite filter_In in K.
  - now destruct K.
  - destruct (satisfies _ _); auto. elim K. split; auto. apply nodup_In, in_map, filter_In. auto.
Qed.

(** Definition 11, EACH PROCESS without GROUP BY: R' if its only aggregate record violates the condition, else ∅. *)
Theorem AFF_without_group_by f psi phi R :
  AFF R (Each (Process f psi []) phi) =
  let R' := where_filtered psi R in
  if existsb (fun t => negb (satisfies phi t)) (process f psi [] R) then R' else [].
Proof.
  cbv zeta. rewrite process_without_group_by.
  set (v := fun R' => negb (satisfies phi (map (fun each => aggregated each R') f))).
  assert (E : AFF R (Each (Process f psi []) phi) = filter (fun _ => v (where_filtered psi R)) (where_filtered psi R)).
  { unfold where_filtered at 2. rewrite filter_filter. apply filter_ext_in. intros r I.
    change (is_affected _ R r) with (affected_by_process f psi [] R phi r).
    rewrite affected_by_process_own by auto. unfold v, aggregate_record, group. now rewrite filter_all. }
  rewrite E. destruct (where_filtered psi R) as [|s R'] eqn:F; auto.
  cbn [existsb]. fold (v (s :: R')). rewrite orb_false_r.
  destruct (v (s :: R')); [now apply filter_all|now apply filter_none].
Qed.
