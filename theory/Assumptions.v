(** What every theorem rests on: `make -C theory assumptions` prints "Closed under the global
    context" for each, so none rests on an axiom. `python -m tests.theory.assumptions` writes this file. *)
From Acompass Require Order.
From Acompass Require Values.
From Acompass Require Tables.
From Acompass Require Results.
From Acompass Require Assertions.
From Acompass Require Determinism.
From Acompass Require Suppression.
From Acompass Require Generalization.
From Acompass Require Outliers.
From Acompass Require Anonymity.
From Acompass Require Aggregates.
From Acompass Require Facts.
From Acompass Require Laws.
From Acompass Require Histories.
From Acompass Require Rules.
From Acompass Require Reachability.
From Acompass Require Branches.
From Acompass Require Writes.
From Acompass Require NewValues.
From Acompass Require Chances.
From Acompass Require Unchanged.
From Acompass Require Regions.
From Acompass Require Conversions.
From Acompass Require Labels.

Print Assumptions Order.sort_of_bag.

Print Assumptions Values.order_field.
Print Assumptions Values.order_value.

Print Assumptions Tables.order_is_canonical.
Print Assumptions Tables.order_of_bag.

Print Assumptions Results.process_without_group_by.

Print Assumptions Assertions.AFF_always.
Print Assumptions Assertions.AFF_without_group_by.

Print Assumptions Determinism.determinism.
Print Assumptions Determinism.determinism_of_programs.
Print Assumptions Determinism.determinism_unique.
Print Assumptions Determinism.run_app.
Print Assumptions Determinism.sequential_composition.

Print Assumptions Suppression.replace_indistinguishability.
Print Assumptions Suppression.suppression_soundness.

Print Assumptions Generalization.generalization_soundness.

Print Assumptions Outliers.random_soundness.

Print Assumptions Anonymity.k_anonymity_completeness.
Print Assumptions Anonymity.k_anonymity_soundness.
Print Assumptions Anonymity.l_diversity_completeness.
Print Assumptions Anonymity.l_diversity_soundness.

Print Assumptions Aggregates.in_terms_of_count.
Print Assumptions Aggregates.in_terms_of_max.
Print Assumptions Aggregates.of_merged_count.
Print Assumptions Aggregates.of_merged_count_distinct.
Print Assumptions Aggregates.of_merged_max.
Print Assumptions Aggregates.of_merged_min.
Print Assumptions Aggregates.of_merged_sum.
Print Assumptions Aggregates.of_part_count.
Print Assumptions Aggregates.of_part_count_distinct.
Print Assumptions Aggregates.of_part_max.
Print Assumptions Aggregates.of_part_min.
Print Assumptions Aggregates.of_part_sum.
Print Assumptions Aggregates.of_part_sum_nonpositive.
Print Assumptions Aggregates.of_values_count.
Print Assumptions Aggregates.of_values_count_distinct.
Print Assumptions Aggregates.of_values_count_distinct_at_most.
Print Assumptions Aggregates.of_values_count_distinct_grouped.
Print Assumptions Aggregates.of_values_max.
Print Assumptions Aggregates.of_values_min.
Print Assumptions Aggregates.of_values_sum.
Print Assumptions Aggregates.of_values_sum_nonpositive.

Print Assumptions Facts.class_assertion_and.
Print Assumptions Facts.class_assertion_clause.
Print Assumptions Facts.class_assertion_one.
Print Assumptions Facts.class_assertion_or.
Print Assumptions Facts.clauses_of_condition.

Print Assumptions Laws.follows.
Print Assumptions Laws.implies_in_terms.
Print Assumptions Laws.implies_merged.
Print Assumptions Laws.implies_part.
Print Assumptions Laws.implies_parts.
Print Assumptions Laws.implies_same.
Print Assumptions Laws.is_empty.
Print Assumptions Laws.is_kept_by_merging_count.
Print Assumptions Laws.is_kept_by_merging_count_distinct.
Print Assumptions Laws.is_kept_by_merging_max.
Print Assumptions Laws.is_kept_by_merging_min.
Print Assumptions Laws.is_kept_by_merging_sum.
Print Assumptions Laws.is_kept_by_merging_sum_nonpositive.
Print Assumptions Laws.is_kept_by_parts_count.
Print Assumptions Laws.is_kept_by_parts_count_distinct.
Print Assumptions Laws.is_kept_by_parts_max.
Print Assumptions Laws.is_kept_by_parts_min.
Print Assumptions Laws.is_kept_by_parts_sum.
Print Assumptions Laws.without_single.

Print Assumptions Histories.history_of_check.
Print Assumptions Histories.history_of_coin_reject.
Print Assumptions Histories.history_of_reject.
Print Assumptions Histories.history_of_write.
Print Assumptions Histories.pick_ball_in.

Print Assumptions Rules.before_reject.
Print Assumptions Rules.carried_back.
Print Assumptions Rules.random_selection.
Print Assumptions Rules.regrouped.

Print Assumptions Reachability.after_coin_reject.
Print Assumptions Reachability.after_drop.
Print Assumptions Reachability.after_reject.
Print Assumptions Reachability.after_write.
Print Assumptions Reachability.always_affects.
Print Assumptions Reachability.care_of_check.
Print Assumptions Reachability.each_filter_affects.
Print Assumptions Reachability.each_process_may.
Print Assumptions Reachability.each_process_must.
Print Assumptions Reachability.each_result_affects.
Print Assumptions Reachability.empty_stays_empty.
Print Assumptions Reachability.proof_search.
Print Assumptions Reachability.reach.
Print Assumptions Reachability.record_claim.
Print Assumptions Reachability.some_fails_on_empty.
Print Assumptions Reachability.some_may.
Print Assumptions Reachability.some_must.
Print Assumptions Reachability.values_with_grouped.
Print Assumptions Reachability.values_with_max.
Print Assumptions Reachability.values_with_min.

Print Assumptions Branches.branch_of_records.
Print Assumptions Branches.branches_each.
Print Assumptions Branches.branches_some.
Print Assumptions Branches.by_branch.
Print Assumptions Branches.is_checked.
Print Assumptions Branches.is_kept.
Print Assumptions Branches.refined.
Print Assumptions Branches.reject_establishes.

Print Assumptions Writes.before_write.
Print Assumptions Writes.carried_by_function.
Print Assumptions Writes.generalization_keeps_k_anonymity.
Print Assumptions Writes.irrelevant_column.
Print Assumptions Writes.joined.
Print Assumptions Writes.merged_by_function.
Print Assumptions Writes.regrouped_replace.
Print Assumptions Writes.step_by_function.

Print Assumptions NewValues.relabelled.
Print Assumptions NewValues.revalued.

Print Assumptions Chances.before_scattering.
Print Assumptions Chances.coin_reject.
Print Assumptions Chances.coin_revalued.
Print Assumptions Chances.is_kept_with.
Print Assumptions Chances.is_kept_without.
Print Assumptions Chances.of_both_max.
Print Assumptions Chances.of_both_min.
Print Assumptions Chances.reselected.

Print Assumptions Unchanged.assertion_unchanged.

Print Assumptions Regions.decimals_between.
Print Assumptions Regions.no_integer_between.
Print Assumptions Regions.no_text_before_empty.
Print Assumptions Regions.no_text_before_nul.
Print Assumptions Regions.regions.

Print Assumptions Conversions.booleans_as_text.
Print Assumptions Conversions.dates_as_text.
Print Assumptions Conversions.decimals_as_text.
Print Assumptions Conversions.exact_conversion.
Print Assumptions Conversions.exact_stays_exact.
Print Assumptions Conversions.integers_as_text.
Print Assumptions Conversions.labels_equal_values_alike.
Print Assumptions Conversions.spellings_have_two_texts.
Print Assumptions Conversions.zeros_have_two_texts.

Print Assumptions Labels.band_is_interval.
Print Assumptions Labels.beginnings_in_order.
Print Assumptions Labels.level_in_gap.
Print Assumptions Labels.prefix_begins.
Print Assumptions Labels.prefix_idempotent.
Print Assumptions Labels.same_region_same_band.
Print Assumptions Labels.single_value.
