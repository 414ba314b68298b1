"""Each rewrite changes the plan of some fixture, but never its results."""

import random
from dataclasses import replace
from itertools import groupby

import duckdb
import pytest

import acompass
from acompass.language.program.types import INTEGER, TEXT, Column
from acompass.plan.lowering import sql
from acompass.plan.lowering.state import State
from acompass.plan.planner import (
    REWRITES,
    count_combinations,
    count_in_two_levels,
    flaggable_requirement,
    inline_ranges,
    look_up_values,
    merge_chains,
    plan,
    share_aggregations,
    share_scans,
    store_dependent_stages,
)
from acompass.plan.run import cascades
from acompass.plan.run.context import Context, SeededTrace
from acompass.plan.run.execution import execute
from acompass.plan.stages import CascadeStage, ChainStage, DependentStage, GroupStage, RecordStage, ScanStage
from acompass.testing.conformance.cases import random_case
from acompass.testing.conformance.comparison import compare, observe_session
from benchmarks.policies import tangled
from tests.folding import folded
from tests.length import at_length
from tests.plan import fixtures
from tests.plan.fixtures import duckdb_session, make_case, observe


def case(policy):
    return make_case(policy, fixtures.SCHEMA, fixtures.RECORDS)


def dependent_case(count):
    return make_case(tangled(count), fixtures.DEPENDENT_SCHEMA, fixtures.DEPENDENT_RECORDS)


def test_merge_chains_merges_requirements_on_the_same_columns():
    chained = plan(case(fixtures.DISJOINT).program(), [merge_chains])
    assert [tuple(r.index for r in stage.requirements) for stage in chained] == [(1, 4), (2, 5), (3, 6)]


def test_merge_chains_ends_a_run_with_a_type_change():
    chained = plan(case(fixtures.CHAIN).program(), [merge_chains])
    assert [len(stage.requirements) for stage in chained] == [6, 1]


def test_look_up_values_applies_to_long_chains():
    (chain,) = plan(case(fixtures.LONG_CHAIN).program(), [merge_chains, look_up_values])
    assert isinstance(chain, ChainStage)
    assert chain.by_values


def test_inline_ranges_applies_to_short_chains_on_one_column():
    chain, _ = plan(case(fixtures.CHAIN).program(), [merge_chains, inline_ranges])
    assert isinstance(chain, ChainStage)
    assert chain.inline


def indexes(planned):
    return [tuple(r.index for r in stage.requirements) for stage in planned]


def test_share_scans_counts_every_check_together():
    (scan,) = plan(case(fixtures.CHECKS).program(), [share_scans])
    assert isinstance(scan, ScanStage)


def test_share_scans_stops_where_values_were_written_dropped_or_drawn():
    scanned = plan(case(fixtures.INDEPENDENT).program(), [share_scans])
    assert indexes(scanned) == [(1,), (2,), (3, 4, 5), (6,)]
    dependent = plan(case(fixtures.MIXED_COLUMNS).program(), [share_scans])
    assert indexes(dependent) == [(1,), (2,), (3,), (4,)]


def test_share_scans_bounds_a_statement():
    checks = "EACH RESULT : Age > 1 AND Age < 80 AND Pay > 0 AND Pay < 9000;" * 250
    scanned = plan(case(checks).program(), [share_scans])
    assert [len(stage.requirements) for stage in scanned] == [100, 100, 50]


def test_store_dependent_stages_cuts_requirements_that_would_grow():
    dependent = plan(dependent_case(20).program(), [store_dependent_stages])
    assert sum(isinstance(stage, DependentStage) for stage in dependent) >= 8
    assert [index for each in indexes(dependent) for index in each] == list(range(1, 21))


def test_store_dependent_stages_leaves_requirements_that_stay_small():
    naive = plan(case(fixtures.MIXED_COLUMNS).program(), [])
    assert store_dependent_stages(naive) == naive


def test_share_aggregations_joins_requirements_on_the_same_groups():
    (group,) = plan(case(fixtures.SAME_GROUPS).program(), [share_aggregations])
    assert isinstance(group, GroupStage)
    assert len(group.requirements) == 4


def test_count_in_two_levels_applies_to_counts_of_one_column():
    rewrites = [share_aggregations, count_in_two_levels]
    group, _ = plan(case(fixtures.K_AND_L).program(), rewrites)
    assert group.two_levels
    (mixed,) = plan(case(fixtures.SAME_GROUPS).program(), rewrites)
    assert not mixed.two_levels


def test_count_combinations_merges_the_cascade_and_leaves_the_stages_before_it():
    planned = plan(case(fixtures.CASCADE_OF_REPLACES).program(), REWRITES)
    assert indexes(planned) == [(1,), (2, 3, 4, 5, 6), (7,)]
    assert isinstance(planned[1], CascadeStage)
    assert planned[1].columns == (0, 1)


def test_count_combinations_chooses_the_columns_of_the_largest_requirement():
    (cascade,) = plan(case(fixtures.CASCADE).program(), REWRITES)
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
    planned = plan(case(policy).program(), REWRITES)
    assert not any(isinstance(stage, CascadeStage) for stage in planned)


def test_always_takes_one_pass():
    """Twenty lines overwrite columns in one SELECT, without counting records."""
    program = case("ALWAYS : REPLACE Pay WITH 1; ALWAYS : REPLACE Zip WITH '*';" * 10).program()
    (scan,) = plan(program, REWRITES)
    assert isinstance(scan, ScanStage)
    with duckdb_session() as session:
        columns = [sql.column(i) for i in range(len(fixtures.SCHEMA))]
        state = State(sql.query(columns, sql.table("people")), fixtures.SCHEMA, False, records=1)
        after = execute(Context(session, SeededTrace("")), state, [scan])
        assert session.statements == []
    assert after.depth == 0


def test_a_plan_without_rewrites_has_a_stage_for_each_requirement():
    naive = plan(case(fixtures.ALTERNATING).program(), [])
    assert len(naive) == 7
    assert all(isinstance(stage, RecordStage | GroupStage) for stage in naive)


def always_look_up(planned):
    """`look_up_values` without its threshold, so that it applies to small cases."""
    return tuple(
        replace(stage, by_values=True, inline=False) if isinstance(stage, ChainStage) else stage for stage in planned
    )


def never_inline(planned):
    return tuple(replace(s, inline=False) if isinstance(s, ChainStage) else s for s in planned)


def always_store(planned):
    """`store_dependent_stages` without its threshold: every three requirements that it may merge."""
    rewritten = []
    for is_flaggable, run in groupby(planned, key=lambda stage: flaggable_requirement(stage) is not None):
        found = list(run)
        threes = [found[i : i + 3] for i in range(0, len(found), 3)]
        rewritten += map(merge, threes) if is_flaggable else found
    return tuple(rewritten)


def merge(planned):
    return DependentStage(tuple(stage.requirement for stage in planned))


def always_count(planned):
    """`count_combinations` without its threshold."""
    return tuple(replace(s, fewest_records=0) if isinstance(s, CascadeStage) else s for s in planned)


def never_count(planned):
    """`count_combinations` with a threshold that no table reaches."""
    return tuple(replace(s, fewest_records=1_000) if isinstance(s, CascadeStage) else s for s in planned)


VARIANTS = {
    "all": REWRITES,
    "none": (),
    **{f"without {off.__name__}": tuple(r for r in REWRITES if r is not off) for off in REWRITES},
    "always look up": (*REWRITES, always_look_up),
    "always join regions": (*REWRITES, never_inline),
    "always store": (always_store,),
    "always count combinations": (*REWRITES, always_count),
    "count naive combinations": (count_combinations, always_count),
    "too many combinations": (*REWRITES, never_count),
}


@pytest.mark.parametrize(
    "variants",
    [
        pytest.param(["all", "none"], id="all and none"),
        pytest.param([name for name in VARIANTS if name not in ("all", "none")], marks=pytest.mark.slow, id="others"),
    ],
)
@pytest.mark.parametrize("name", fixtures.ALL)
def test_every_fixture_gives_what_semantics_gives(name, variants):
    fixture = case(fixtures.ALL[name])
    found = {
        variant: compare(fixture, lambda each, program, variant=variant: observe(each, VARIANTS[variant]))
        for variant in variants
    }
    assert found == dict.fromkeys(variants)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.slow
def test_dependent_requirements_agree_with_semantics(variant):
    found = compare(dependent_case(20), lambda each, program: observe(each, VARIANTS[variant]))
    assert found is None


CASES = at_length(3)


@pytest.mark.campaign
@pytest.mark.parametrize("variant", VARIANTS)
def test_no_variant_differs_from_semantics(variant):
    with duckdb_session() as session:
        observe = observe_session(session, VARIANTS[variant])
        for seed in range(CASES):
            disagreement = compare(random_case(random.Random(f"{variant} {seed}")), observe)
            session.clear()
            assert disagreement is None


SCHEMA = (Column("Age", INTEGER), Column("Zip", TEXT), Column("Illness", TEXT))
ZIPS = ("11", "12", "1*", "21", "*")
#: the last two can be violated by a record that moves into the class
CONDITIONS = ("n >= 3", "n >= 2 AND d >= 2", "n >= 2 AND n <= 3", "d < 2 OR n > 4")
#: some steps write labels that other records already have
STEPS = (
    "REPLACE Zip WITH '11'",
    "GENERALIZE Zip TO PREFIX OF 1",
    "REPLACE Zip WITH '*'",
    "REPLACE Illness WITH 'flu'",
    "REPLACE Age WITH 3",
    "REPLACE Age WITH '*'",
    "GENERALIZE Age TO BANDS OF 2",
)


def cascade(rng):
    """Random steps, numbers before labels, with or without a final REJECT."""
    numbers = rng.choices(STEPS[:5], k=rng.randint(1, 4))
    labels = rng.choices((*STEPS[:4], *STEPS[5:]), k=rng.randint(0, 3))
    steps = [*numbers, *labels, *(["REJECT"] if rng.random() < 0.6 else [])]
    aggregates = "COUNT(*) AS n, COUNT DISTINCT(Illness) AS d"
    steps_text = " THEN ".join(steps)
    return f"EACH PROCESS {aggregates} GROUP BY Age, Zip : {rng.choice(CONDITIONS)} : {steps_text};"


def people(rng):
    return [(rng.randint(1, 4), rng.choice(ZIPS), rng.choice(("flu", "asthma"))) for _ in range(rng.randint(0, 25))]


@pytest.mark.campaign
@folded("seed", range(at_length(12)))
@pytest.mark.slow
def test_a_random_cascade_gives_what_semantics_gives(seed):
    rng = random.Random(f"repeats {seed}")
    case = make_case(cascade(rng), SCHEMA, people(rng))
    rewrites = VARIANTS["always count combinations"]
    assert compare(case, lambda each, program: observe(each, rewrites)) is None


def test_a_changed_record_reactivates_the_class_that_it_moves_into(monkeypatch):
    """Two records of zip 12 join a class of three in zip 11, which then has too many."""
    steps = []
    original = cascades._Steps._reactivate
    monkeypatch.setattr(cascades._Steps, "_reactivate", lambda *args: steps.append(original(*args)) or steps[-1])
    policy = (
        "EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= 3 AND n <= 4"
        " : REPLACE Zip WITH '11' THEN REPLACE Age WITH 9 THEN REJECT;"
    )
    records = [(1, "11", "flu")] * 3 + [(1, "12", "flu")] * 2 + [(2, "21", "flu")] * 4
    found = compare(make_case(policy, SCHEMA, records), lambda each, program: observe(each, VARIANTS["all"]))
    assert found is None
    assert [step.active and step.active.records for step in steps] == [5, 5, None]


POLICY = """
EACH PROCESS COUNT(*) AS n GROUP BY price, zip : n >= 3 : REPLACE price WITH 1.25 THEN REJECT;
"""


@pytest.mark.parametrize("rows", ["(1.25, 'a'), (2.50, 'a')", "(1.25, 'a'), (2.50, 'b')"])
def test_a_decimal_column_keeps_its_digits(rows, tmp_path):
    """In the second table, the cascade drops a class."""
    values = ", ".join([rows, "(1.25, 'a'), (1.25, 'a'), (1.25, 'a'), (1.25, 'a'), (1.25, 'a')"])
    given, out = tmp_path / "given.parquet", tmp_path / "out.parquet"
    select = f"SELECT CAST(price AS DECIMAL(9, 2)) AS price, zip FROM (VALUES {values}) AS t (price, zip)"
    duckdb.sql(select).write_parquet(str(given))
    acompass.run(POLICY, given, output=out)
    found = duckdb.sql(f"SELECT DISTINCT typeof(price) FROM '{out}'").fetchall()
    assert found == [("DECIMAL(9,2)",)]
