"""Each rewrite changes the plan of a fixture, and nothing else about it."""

from dataclasses import replace

import pytest

from acompass.conformance.compare import compare
from acompass.plan.rewrites import (
    REWRITES,
    count_in_two_levels,
    inline_ranges,
    look_up_values,
    merge_chains,
    share_aggregations,
)
from acompass.plan.stages import ChainStage, GroupStage, RecordStage
from tests.plan import fixtures
from tests.plan.running import case_of, observed, stages


def case(policy):
    return case_of(policy, fixtures.SCHEMA, fixtures.RECORDS)


def test_merge_chains_gathers_requirements_by_column():
    chained = stages(case(fixtures.DISJOINT).program(), [merge_chains])
    assert [tuple(r.index for r in stage.requirements) for stage in chained] == [(1, 4), (2, 5), (3, 6)]


def test_merge_chains_ends_a_run_with_a_type_change():
    chained = stages(case(fixtures.CHAIN).program(), [merge_chains])
    assert [len(stage.requirements) for stage in chained] == [6, 1]


def test_look_up_values_takes_long_chains():
    (chain,) = stages(case(fixtures.LONG_CHAIN).program(), [merge_chains, look_up_values])
    assert isinstance(chain, ChainStage)
    assert chain.by_values


def test_inline_ranges_takes_short_chains_on_one_column():
    chain, _ = stages(case(fixtures.CHAIN).program(), [merge_chains, inline_ranges])
    assert isinstance(chain, ChainStage)
    assert chain.inline


def test_share_aggregations_joins_requirements_on_the_same_groups():
    (group,) = stages(case(fixtures.SAME_GROUPS).program(), [share_aggregations])
    assert isinstance(group, GroupStage)
    assert len(group.requirements) == 4


def test_count_in_two_levels_takes_counts_of_one_column():
    rewrites = [share_aggregations, count_in_two_levels]
    group, _ = stages(case(fixtures.K_AND_L).program(), rewrites)
    assert group.two_levels
    (mixed,) = stages(case(fixtures.SAME_GROUPS).program(), rewrites)
    assert not mixed.two_levels


def test_a_plan_without_rewrites_has_one_stage_per_requirement():
    naive = stages(case(fixtures.ALTERNATING).program(), [])
    assert len(naive) == 7
    assert all(isinstance(stage, RecordStage | GroupStage) for stage in naive)


def always_look_up(planned):
    """`look_up_values` without its threshold, so that it applies to small cases."""
    return tuple(
        replace(stage, by_values=True, inline=False) if isinstance(stage, ChainStage) else stage
        for stage in planned
    )


def never_inline(planned):
    return tuple(replace(s, inline=False) if isinstance(s, ChainStage) else s for s in planned)


VARIANTS = {
    "all": REWRITES,
    "none": (),
    **{f"without {off.__name__}": tuple(r for r in REWRITES if r is not off) for off in REWRITES},
    "always look up": (*REWRITES, always_look_up),
    "always join regions": (*REWRITES, never_inline),
}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", fixtures.ALL)
def test_every_fixture_gives_what_semantics_gives(name, variant):
    found = compare(case(fixtures.ALL[name]), lambda each, program: observed(each, VARIANTS[variant]))
    assert found is None
