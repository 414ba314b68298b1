"""Each rewrite changes the plan of a fixture, and nothing else about it."""

from dataclasses import replace
from itertools import groupby

import pytest

from acompass.conformance.compare import compare
from acompass.plan.lowering import sql
from acompass.plan.lowering.state import State
from acompass.plan.rewrites import (
    REWRITES,
    count_combinations,
    count_in_two_levels,
    inline_ranges,
    look_up_values,
    merge_chains,
    share_aggregations,
    share_scans,
    store_tangles,
)
from acompass.plan.rewrites.store_tangles import flaggable
from acompass.plan.running.context import Context
from acompass.plan.running.execute import execute
from acompass.plan.running.trace import SeededTrace
from acompass.plan.stages import CascadeStage, ChainStage, GroupStage, RecordStage, ScanStage, TangleStage
from benchmarks.policies import tangled
from tests.plan import fixtures
from tests.plan.running import case_of, duckdb_session, observed, stages


def case(policy):
    return case_of(policy, fixtures.SCHEMA, fixtures.RECORDS)


def tangled_case(count):
    return case_of(tangled(count), fixtures.TANGLED_SCHEMA, fixtures.TANGLED_RECORDS)


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


def indexes(planned):
    return [tuple(r.index for r in stage.requirements) for stage in planned]


def test_share_scans_counts_every_check_together():
    (scan,) = stages(case(fixtures.CHECKS).program(), [share_scans])
    assert isinstance(scan, ScanStage)


def test_share_scans_stops_at_what_was_written_dropped_or_drawn():
    scanned = stages(case(fixtures.INDEPENDENT).program(), [share_scans])
    assert indexes(scanned) == [(1,), (2,), (3, 4, 5), (6,)]
    dependent = stages(case(fixtures.MIXED_COLUMNS).program(), [share_scans])
    assert indexes(dependent) == [(1,), (2,), (3,), (4,)]


def test_share_scans_bounds_a_statement():
    checks = "EACH RESULT : Age > 1 AND Age < 80 AND Pay > 0 AND Pay < 9000;" * 250
    scanned = stages(case(checks).program(), [share_scans])
    assert [len(stage.requirements) for stage in scanned] == [100, 100, 50]


def test_store_tangles_takes_requirements_that_would_grow():
    tangles = stages(tangled_case(20).program(), [store_tangles])
    assert sum(isinstance(stage, TangleStage) for stage in tangles) >= 8
    assert [index for each in indexes(tangles) for index in each] == list(range(1, 21))


def test_store_tangles_leaves_requirements_that_stay_small():
    naive = stages(case(fixtures.MIXED_COLUMNS).program(), [])
    assert store_tangles(naive) == naive


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


def test_count_combinations_takes_the_cascade_and_leaves_what_comes_before():
    planned = stages(case(fixtures.CASCADE_OF_REPLACES).program(), REWRITES)
    assert indexes(planned) == [(1,), (2, 3, 4, 5, 6), (7,)]
    assert isinstance(planned[1], CascadeStage)
    assert planned[1].columns == (0, 1)


def test_count_combinations_chooses_the_columns_of_the_largest_requirement():
    (cascade,) = stages(case(fixtures.CASCADE).program(), REWRITES)
    assert isinstance(cascade, CascadeStage)
    assert cascade.columns == (0, 1, 3)


@pytest.mark.parametrize(
    "policy",
    [
        fixtures.SAME_GROUPS,
        "EACH PROCESS COUNT(*) AS n GROUP BY Age : n > 1 : REPLACE Age WITH 1;",
        # the next one reads nothing that was written
        "EACH PROCESS COUNT(*) AS n GROUP BY Age : n > 1 : REJECT;"
        "EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n > 1 : REPLACE Age WITH 1;",
        "EACH PROCESS COUNT(*) AS n GROUP BY Age : n > 1 : REPLACE Pay WITH 1;"
        "EACH PROCESS COUNT(*) AS n GROUP BY Age : n > 1 : REJECT;",
        "EACH PROCESS SUM(Age) AS n GROUP BY Zip : n > 1 : REPLACE Zip WITH '1';"
        "EACH PROCESS SUM(Age) AS n GROUP BY Zip : n > 1 : REJECT;",
    ],
)
def test_count_combinations_leaves_the_rest(policy):
    planned = stages(case(policy).program(), REWRITES)
    assert not any(isinstance(stage, CascadeStage) for stage in planned)


def test_always_takes_one_pass():
    """Twenty lines overwrite columns in one SELECT, and none of them is counted."""
    program = case("ALWAYS : REPLACE Pay WITH 1; ALWAYS : REPLACE Zip WITH '*';" * 10).program()
    (scan,) = stages(program, REWRITES)
    assert isinstance(scan, ScanStage)
    with duckdb_session() as session:
        columns = [sql.column(i) for i in range(len(fixtures.SCHEMA))]
        state = State(sql.query(columns, sql.table("people")), fixtures.SCHEMA, False, records=1)
        after = execute(Context(session, SeededTrace("")), state, [scan])
        assert session.statements == []
    assert after.depth == 0


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


def always_tangle(planned):
    """`store_tangles` without its threshold: every three requirements that it may take."""
    tangled_stages = []
    for is_flaggable, run in groupby(planned, key=lambda stage: flaggable(stage) is not None):
        found = list(run)
        threes = [found[i : i + 3] for i in range(0, len(found), 3)]
        tangled_stages += map(in_one_tangle, threes) if is_flaggable else found
    return tuple(tangled_stages)


def in_one_tangle(planned):
    return TangleStage(tuple(stage.requirement for stage in planned))


def always_count(planned):
    """`count_combinations` without its threshold."""
    return tuple(replace(s, fewest_records=0) if isinstance(s, CascadeStage) else s for s in planned)


def never_count(planned):
    """A threshold that no table reaches."""
    return tuple(replace(s, fewest_records=1_000) if isinstance(s, CascadeStage) else s for s in planned)


VARIANTS = {
    "all": REWRITES,
    "none": (),
    **{f"without {off.__name__}": tuple(r for r in REWRITES if r is not off) for off in REWRITES},
    "always look up": (*REWRITES, always_look_up),
    "always join regions": (*REWRITES, never_inline),
    "always store": (always_tangle,),
    "always count combinations": (*REWRITES, always_count),
    "count naive combinations": (count_combinations, always_count),
    "too many combinations": (*REWRITES, never_count),
}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", fixtures.ALL)
def test_every_fixture_gives_what_semantics_gives(name, variant):
    found = compare(case(fixtures.ALL[name]), lambda each, program: observed(each, VARIANTS[variant]))
    assert found is None


@pytest.mark.parametrize("variant", VARIANTS)
def test_tangled_requirements_give_what_semantics_gives(variant):
    found = compare(tangled_case(20), lambda each, program: observed(each, VARIANTS[variant]))
    assert found is None
