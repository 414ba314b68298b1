(** What every theorem rests on: `make theory` prints "Closed under the global context" for each, no axiom. *)
From Acompass Require Import Order Values Tables Results Assertions Determinism Suppression Generalization Outliers Anonymity.

(** The definitions *)
Print Assumptions sort_of_bag.
Print Assumptions order_value.
Print Assumptions order_field.
Print Assumptions order_is_canonical.
Print Assumptions order_of_bag.
Print Assumptions process_without_group_by.
Print Assumptions AFF_always.
Print Assumptions AFF_without_group_by.

(** The paper's theorems *)
Print Assumptions determinism.
Print Assumptions determinism_unique.
Print Assumptions sequential_composition.
Print Assumptions suppression_soundness.
Print Assumptions replace_indistinguishability.
Print Assumptions generalization_soundness.
Print Assumptions random_soundness.
Print Assumptions k_anonymity_soundness.
Print Assumptions k_anonymity_completeness.
Print Assumptions l_diversity_soundness.
Print Assumptions l_diversity_completeness.
