(** What the theorems rest on, file by file: `make -C theory assumptions` prints "Closed under the
    global context" for each, so no theorem rests on an axiom. `python -m tests.theory.assumptions` writes
    this file. *)
From Acompass Require Order.
From Acompass Require Values.
From Acompass Require Dates.
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
From Acompass Require Exactness.
From Acompass Require Branches.
From Acompass Require Writes.
From Acompass Require NewValues.
From Acompass Require Chances.
From Acompass Require Unchanged.
From Acompass Require Bounds.
From Acompass Require KnownFacts.
From Acompass Require SeveralAggregates.
From Acompass Require StandingFacts.
From Acompass Require Regions.
From Acompass Require SetOperations.
From Acompass Require Quantification.
From Acompass Require Canonical.
From Acompass Require LastVariable.
From Acompass Require Variables.
From Acompass Require Conversions.
From Acompass Require TextOrder.
From Acompass Require TimestampOrder.
From Acompass Require Kinds.
From Acompass Require Satisfiability.
From Acompass Require TextRuns.
From Acompass Require ValueOrder.
From Acompass Require Images.
From Acompass Require Rounding.
From Acompass Require BandLabels.
From Acompass Require BandTexts.
From Acompass Require LabelBeginnings.
From Acompass Require DateLabels.
From Acompass Require Labels.
From Acompass Require Multiples.
From Acompass Require ComputedNumbers.
From Acompass Require Shares.
From Acompass Require ShareBounds.
From Acompass Require PublishedWrites.
From Acompass Require Shifts.
From Acompass Require RankedMeans.
From Acompass Require Weakest.
From Acompass Require Witnesses.
From Acompass Require Decision.
From Acompass Require Entailment.
From Acompass Require ClassFacts.
From Acompass Require Outcomes.
From Acompass Require Typing.
From Acompass Require Tracing.
From Acompass Require Situations.
From Acompass Require Backward.
From Acompass Require Checker.

Definition theorems_of_Order := (
  @Order.sort_of_bag).
Print Assumptions theorems_of_Order.

Definition theorems_of_Values := (
  @Values.order_field, @Values.order_value).
Print Assumptions theorems_of_Values.

Definition theorems_of_Dates := (
  @Dates.day_number_of_date).
Print Assumptions theorems_of_Dates.

Definition theorems_of_Tables := (
  @Tables.order_is_canonical, @Tables.order_of_bag).
Print Assumptions theorems_of_Tables.

Definition theorems_of_Results := (
  @Results.process_without_group_by).
Print Assumptions theorems_of_Results.

Definition theorems_of_Assertions := (
  @Assertions.AFF_always, @Assertions.AFF_without_group_by).
Print Assumptions theorems_of_Assertions.

Definition theorems_of_Determinism := (
  @Determinism.determinism, @Determinism.determinism_of_programs, @Determinism.determinism_unique,
  @Determinism.run_app, @Determinism.sequential_composition).
Print Assumptions theorems_of_Determinism.

Definition theorems_of_Suppression := (
  @Suppression.replace_indistinguishability, @Suppression.suppression_soundness).
Print Assumptions theorems_of_Suppression.

Definition theorems_of_Generalization := (
  @Generalization.generalization_soundness).
Print Assumptions theorems_of_Generalization.

Definition theorems_of_Outliers := (
  @Outliers.random_soundness).
Print Assumptions theorems_of_Outliers.

Definition theorems_of_Anonymity := (
  @Anonymity.k_anonymity_completeness, @Anonymity.k_anonymity_soundness, @Anonymity.l_diversity_completeness,
  @Anonymity.l_diversity_soundness).
Print Assumptions theorems_of_Anonymity.

Definition theorems_of_Aggregates := (
  @Aggregates.in_terms_of_count, @Aggregates.in_terms_of_max, @Aggregates.of_merged_count,
  @Aggregates.of_merged_count_distinct, @Aggregates.of_merged_max, @Aggregates.of_merged_min,
  @Aggregates.of_merged_sum, @Aggregates.of_part_count, @Aggregates.of_part_count_distinct,
  @Aggregates.of_part_max, @Aggregates.of_part_min, @Aggregates.of_part_sum,
  @Aggregates.of_part_sum_nonpositive, @Aggregates.of_values_count, @Aggregates.of_values_count_distinct,
  @Aggregates.of_values_count_distinct_at_most, @Aggregates.of_values_count_distinct_grouped,
  @Aggregates.of_values_max, @Aggregates.of_values_min, @Aggregates.of_values_sum,
  @Aggregates.of_values_sum_nonpositive).
Print Assumptions theorems_of_Aggregates.

Definition theorems_of_Facts := (
  @Facts.class_assertion_and, @Facts.class_assertion_clause, @Facts.class_assertion_one,
  @Facts.class_assertion_or, @Facts.clauses_of_condition).
Print Assumptions theorems_of_Facts.

Definition theorems_of_Laws := (
  @Laws.follows, @Laws.implies_in_terms, @Laws.implies_merged, @Laws.implies_part, @Laws.implies_parts,
  @Laws.implies_same, @Laws.is_empty, @Laws.is_kept_by_merging_count, @Laws.is_kept_by_merging_count_distinct,
  @Laws.is_kept_by_merging_max, @Laws.is_kept_by_merging_min, @Laws.is_kept_by_merging_sum,
  @Laws.is_kept_by_merging_sum_nonpositive, @Laws.is_kept_by_parts_count,
  @Laws.is_kept_by_parts_count_distinct, @Laws.is_kept_by_parts_max, @Laws.is_kept_by_parts_min,
  @Laws.is_kept_by_parts_sum, @Laws.without_single).
Print Assumptions theorems_of_Laws.

Definition theorems_of_Histories := (
  @Histories.history_of_check, @Histories.history_of_coin_reject, @Histories.history_of_reject,
  @Histories.history_of_write, @Histories.pick_ball_in).
Print Assumptions theorems_of_Histories.

Definition theorems_of_Rules := (
  @Rules.before_reject, @Rules.carried_back, @Rules.regrouped).
Print Assumptions theorems_of_Rules.

Definition theorems_of_Reachability := (
  @Reachability.after_coin_reject, @Reachability.after_drop, @Reachability.after_reject,
  @Reachability.after_write, @Reachability.always_affects, @Reachability.care_of_check,
  @Reachability.each_filter_affects, @Reachability.each_process_may, @Reachability.each_process_must,
  @Reachability.each_result_affects, @Reachability.empty_stays_empty, @Reachability.proof_search,
  @Reachability.reach, @Reachability.record_claim, @Reachability.some_fails_on_empty, @Reachability.some_may,
  @Reachability.some_must, @Reachability.values_with_grouped, @Reachability.values_with_max,
  @Reachability.values_with_min).
Print Assumptions theorems_of_Reachability.

Definition theorems_of_Exactness := (
  @Exactness.one_step, @Exactness.record_claims_are_exact).
Print Assumptions theorems_of_Exactness.

Definition theorems_of_Branches := (
  @Branches.branch_of_records, @Branches.branches_each, @Branches.branches_some, @Branches.by_branch,
  @Branches.is_checked, @Branches.is_kept, @Branches.refined, @Branches.reject_establishes).
Print Assumptions theorems_of_Branches.

Definition theorems_of_Writes := (
  @Writes.before_write, @Writes.carried_by_function, @Writes.generalization_keeps_k_anonymity,
  @Writes.irrelevant_column, @Writes.joined, @Writes.merged_by_function, @Writes.regrouped_replace,
  @Writes.step_by_function).
Print Assumptions theorems_of_Writes.

Definition theorems_of_NewValues := (
  @NewValues.relabelled, @NewValues.revalued).
Print Assumptions theorems_of_NewValues.

Definition theorems_of_Chances := (
  @Chances.before_scattering, @Chances.coin_reject, @Chances.coin_revalued, @Chances.is_kept_with,
  @Chances.is_kept_without, @Chances.of_both_max, @Chances.of_both_min, @Chances.random_selection,
  @Chances.reselected).
Print Assumptions theorems_of_Chances.

Definition theorems_of_Unchanged := (
  @Unchanged.assertion_unchanged).
Print Assumptions theorems_of_Unchanged.

Definition theorems_of_Bounds := (
  @Bounds.attained_max, @Bounds.attained_min, @Bounds.counts_for, @Bounds.moved, @Bounds.moved_max,
  @Bounds.moved_min, @Bounds.moved_sum, @Bounds.sums_at_least, @Bounds.sums_at_most, @Bounds.times_of_few,
  @Bounds.times_of_many).
Print Assumptions theorems_of_Bounds.

Definition theorems_of_KnownFacts := (
  @KnownFacts.excluded_before_reject, @KnownFacts.excluded_before_write, @KnownFacts.halves, @KnownFacts.idle,
  @KnownFacts.implied, @KnownFacts.known_together, @KnownFacts.outside, @KnownFacts.rejected_some,
  @KnownFacts.some_has_class, @KnownFacts.some_has_witness, @KnownFacts.total_requirement,
  @KnownFacts.unsettled, @KnownFacts.without_determined, @KnownFacts.without_excluded,
  @KnownFacts.witness_of_classes, @KnownFacts.witness_of_records).
Print Assumptions theorems_of_KnownFacts.

Definition theorems_of_SeveralAggregates := (
  @SeveralAggregates.attempt_together, @SeveralAggregates.equal_aggregates, @SeveralAggregates.in_one_class,
  @SeveralAggregates.only_alternative, @SeveralAggregates.too_many_values).
Print Assumptions theorems_of_SeveralAggregates.

Definition theorems_of_StandingFacts := (
  @StandingFacts.left_by_reject, @StandingFacts.satisfiable).
Print Assumptions theorems_of_StandingFacts.

Definition theorems_of_Regions := (
  @Regions.decimals_between, @Regions.no_integer_between, @Regions.no_text_before_empty,
  @Regions.no_text_before_nul, @Regions.region_above_constant, @Regions.region_below_constant,
  @Regions.region_compares, @Regions.regions, @Regions.regions_in_order, @Regions.same_region_of,
  @Regions.satisfying_is_comparison).
Print Assumptions theorems_of_Regions.

Definition theorems_of_SetOperations := (
  @SetOperations.complement_is_complement, @SetOperations.difference_is_difference,
  @SetOperations.intersection_is_intersection, @SetOperations.literal_is_test, @SetOperations.union_is_union,
  @SetOperations.union_of_is_union).
Print Assumptions theorems_of_SetOperations.

Definition theorems_of_Quantification := (
  @Quantification.assign_is_update, @Quantification.exists_is_projection, @Quantification.member_set_earlier,
  @Quantification.project_keeps, @Quantification.substitute_is_image).
Print Assumptions theorems_of_Quantification.

Definition theorems_of_Canonical := (
  @Canonical.canonical, @Canonical.empty_is_empty, @Canonical.mask_of_is_projection).
Print Assumptions theorems_of_Canonical.

Definition theorems_of_LastVariable := (
  @LastVariable.substitute_last).
Print Assumptions theorems_of_LastVariable.

Definition theorems_of_Variables := (
  @Variables.before_conversion_is_exact, @Variables.before_labels_includes, @Variables.condition_is_satisfied,
  @Variables.convert_includes, @Variables.rename_is_image).
Print Assumptions theorems_of_Variables.

Definition theorems_of_Conversions := (
  @Conversions.booleans_as_text, @Conversions.dates_as_text, @Conversions.decimals_as_text,
  @Conversions.exact_conversion, @Conversions.exact_stays_exact, @Conversions.integers_as_text,
  @Conversions.labels_equal_values_alike, @Conversions.spellings_have_two_texts,
  @Conversions.zeros_have_two_texts).
Print Assumptions theorems_of_Conversions.

Definition theorems_of_TextOrder := (
  @TextOrder.dates_in_order, @TextOrder.decimals_in_order, @TextOrder.padded_in_order).
Print Assumptions theorems_of_TextOrder.

Definition theorems_of_TimestampOrder := (
  @TimestampOrder.timestamps_as_text, @TimestampOrder.timestamps_in_order).
Print Assumptions theorems_of_TimestampOrder.

Definition theorems_of_Kinds := (
  @Kinds.is_empty_sound).
Print Assumptions theorems_of_Kinds.

Definition theorems_of_Satisfiability := (
  @Satisfiability.entails_sound, @Satisfiability.unsatisfiable_sound, @Satisfiability.unsatisfiable_tuple,
  @Satisfiability.unsatisfiable_within_sound).
Print Assumptions theorems_of_Satisfiability.

Definition theorems_of_TextRuns := (
  @TextRuns.binary_search, @TextRuns.integers_are_decimals, @TextRuns.longer_reach_no_further,
  @TextRuns.run_has_one_length, @TextRuns.run_reaches, @TextRuns.runs_ascend, @TextRuns.shorter_number,
  @TextRuns.signed_in_order).
Print Assumptions theorems_of_TextRuns.

Definition theorems_of_ValueOrder := (
  @ValueOrder.first_and_last, @ValueOrder.negative_zero_first, @ValueOrder.rank_of_boolean,
  @ValueOrder.rank_of_date, @ValueOrder.rank_of_decimal, @ValueOrder.rank_of_float,
  @ValueOrder.rank_of_timestamp, @ValueOrder.texts_before_nuls, @ValueOrder.texts_between_nuls).
Print Assumptions theorems_of_ValueOrder.

Definition theorems_of_Images := (
  @Images.any_scale_image, @Images.exact_image, @Images.floats_have_one_text, @Images.rank_at_scale,
  @Images.text_of_one_number).
Print Assumptions theorems_of_Images.

Definition theorems_of_Rounding := (
  @Rounding.rounding_in_order).
Print Assumptions theorems_of_Rounding.

Definition theorems_of_BandLabels := (
  @BandLabels.bands_idempotent, @BandLabels.finer_label_is_of_number,
  @BandLabels.label_of_interval_of_numbers, @BandLabels.points_around, @BandLabels.steps_around,
  @BandLabels.told_apart).
Print Assumptions theorems_of_BandLabels.

Definition theorems_of_BandTexts := (
  @BandTexts.label_has_one_band).
Print Assumptions theorems_of_BandTexts.

Definition theorems_of_LabelBeginnings := (
  @LabelBeginnings.float_begins, @LabelBeginnings.label_begins, @LabelBeginnings.number_begins).
Print Assumptions theorems_of_LabelBeginnings.

Definition theorems_of_DateLabels := (
  @DateLabels.date_labels_begin, @DateLabels.dates_idempotent, @DateLabels.finer_period_in_one,
  @DateLabels.label_has_one_period, @DateLabels.labels_in_order, @DateLabels.later_dates_later_labels,
  @DateLabels.period_is_interval, @DateLabels.timestamp_begins_with_day).
Print Assumptions theorems_of_DateLabels.

Definition theorems_of_Labels := (
  @Labels.after_prefix, @Labels.beginning_between, @Labels.beginnings_in_order, @Labels.endings_below,
  @Labels.level_idempotent, @Labels.level_in_gap, @Labels.prefix_begins, @Labels.prefix_idempotent,
  @Labels.single_value, @Labels.with_prefix).
Print Assumptions theorems_of_Labels.

Definition theorems_of_Multiples := (
  @Multiples.multiple_is_nearest, @Multiples.nearest_idempotent, @Multiples.nearest_in_order,
  @Multiples.odd_multiple).
Print Assumptions theorems_of_Multiples.

Definition theorems_of_ComputedNumbers := (
  @ComputedNumbers.plus_is_sum, @ComputedNumbers.rounded_mean_between).
Print Assumptions theorems_of_ComputedNumbers.

Definition theorems_of_Shares := (
  @Shares.compare_share, @Shares.cross_multiplied, @Shares.is_kept_by_merging_largest,
  @Shares.is_kept_by_merging_mode, @Shares.of_merged_largest, @Shares.of_merged_mode, @Shares.of_values_mode,
  @Shares.of_values_share, @Shares.reference_fact, @Shares.reference_of_class, @Shares.share_is_established).
Print Assumptions theorems_of_Shares.

Definition theorems_of_ShareBounds := (
  @ShareBounds.largest_in_order, @ShareBounds.largest_with_count, @ShareBounds.mapped_mode,
  @ShareBounds.mode_with_distinct, @ShareBounds.of_part_largest, @ShareBounds.of_part_largest_equal,
  @ShareBounds.of_part_mode, @ShareBounds.of_values_largest_zero, @ShareBounds.of_values_mode_at_least,
  @ShareBounds.of_values_mode_constant, @ShareBounds.of_values_mode_grouped).
Print Assumptions theorems_of_ShareBounds.

Definition theorems_of_PublishedWrites := (
  @PublishedWrites.classes_merge, @PublishedWrites.history_of_published,
  @PublishedWrites.merging_keeps_k_anonymity, @PublishedWrites.merging_keeps_shares,
  @PublishedWrites.nearest_keeps_k_anonymity, @PublishedWrites.other_columns_keep_k_anonymity,
  @PublishedWrites.other_columns_unchanged, @PublishedWrites.pseudonyms_keep_classes,
  @PublishedWrites.pseudonyms_keep_diversity, @PublishedWrites.pseudonyms_keep_facts,
  @PublishedWrites.pseudonyms_keep_k_anonymity).
Print Assumptions theorems_of_PublishedWrites.

Definition theorems_of_Shifts := (
  @Shifts.date_of_day_number, @Shifts.shift_is_injective, @Shifts.shift_keeps_classes,
  @Shifts.shift_keeps_intervals, @Shifts.shifted_by).
Print Assumptions theorems_of_Shifts.

Definition theorems_of_RankedMeans := (
  @RankedMeans.groups_have_sizes, @RankedMeans.microaggregate_k_anonymity, @RankedMeans.microaggregated,
  @RankedMeans.ranked_means).
Print Assumptions theorems_of_RankedMeans.

Definition theorems_of_Weakest := (
  @Weakest.one_passes, @Weakest.passed_from, @Weakest.weakest_is_sufficient).
Print Assumptions theorems_of_Weakest.

Definition theorems_of_Witnesses := (
  @Witnesses.outcomes_pass, @Witnesses.read_integer_of_text, @Witnesses.satisfying_sound).
Print Assumptions theorems_of_Witnesses.

Definition theorems_of_Decision := (
  @Decision.decide_complete, @Decision.decide_sound).
Print Assumptions theorems_of_Decision.

Definition theorems_of_Entailment := (
  @Entailment.allowed_follows_sound, @Entailment.never_sound).
Print Assumptions theorems_of_Entailment.

Definition theorems_of_ClassFacts := (
  @ClassFacts.by_values_sound, @ClassFacts.implied_sound).
Print Assumptions theorems_of_ClassFacts.

Definition theorems_of_Outcomes := (
  @Outcomes.outcomes).
Print Assumptions theorems_of_Outcomes.

Definition theorems_of_Typing := (
  @Typing.types_fit_sound).
Print Assumptions theorems_of_Typing.

Definition theorems_of_Tracing := (
  @Tracing.traced).
Print Assumptions theorems_of_Tracing.

Definition theorems_of_Situations := (
  @Situations.branches, @Situations.may_holds, @Situations.must_holds, @Situations.without_branches).
Print Assumptions theorems_of_Situations.

Definition theorems_of_Backward := (
  @Backward.is_fresh_sound, @Backward.leads_to_sound).
Print Assumptions theorems_of_Backward.

Definition theorems_of_Checker := (
  @Checker.are_steps_sound, @Checker.check_map_independent, @Checker.check_sound,
  @Checker.check_sound_for_all_maps, @Checker.is_claim_sound, @Checker.is_justified_here,
  @Checker.is_justified_sound, @Checker.is_step_sound).
Print Assumptions theorems_of_Checker.
