"""WITH PROBABILITY and RANDOM … FROM in a plan."""

import re

import pytest
from sqlglot import exp, parse_one

from acompass.checked.effects import draws
from acompass.conformance.compare import uploaded
from acompass.plan.rewrites import REWRITES
from acompass.plan.running.context import Context
from acompass.plan.running.dry_run import DIALECTS, dry_run
from acompass.plan.running.execute import execute, final_select
from acompass.plan.running.trace import SeededTrace
from tests.plan import fixtures
from tests.plan.running import case_of, duckdb_session, stages

URN = "RANDOM Illness FROM (3 OF 'flu', 2 OF 'cold', 6 OF 'none')"
#: each draws once, and writes text
FORMS = {
    "sampling": "ALWAYS : WITH PROBABILITY 0.3 REJECT;",
    "urn": f"ALWAYS : {URN};",
    "some records": f"EACH RESULT : Age > 20 : {URN};",
    "some classes": f"EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 9 : {URN};",
    "probability of a constant": "EACH RESULT : Age > 20 : WITH PROBABILITY 0.3 REPLACE Zip WITH '*';",
    "new type": "EACH RESULT : Age > 20 : WITH PROBABILITY 0.3 REPLACE Age WITH '*';",
}
TWICE = f"ALWAYS : WITH PROBABILITY 0.3 {URN};"


def program_of(policy):
    return case_of(policy, fixtures.SCHEMA, fixtures.RECORDS).program()


def written(policy, dialect):
    (requirement,) = dry_run(program_of(policy), dialect)
    return requirement.statements


def ran(policy):
    """The statements and the number of records left."""
    program = program_of(policy)
    with duckdb_session() as session:
        context = Context(session, SeededTrace("a seed"))
        after = execute(
            context, uploaded(session, program.schema, fixtures.RECORDS), stages(program, REWRITES)
        )
        rows = session.fetch(final_select(context, after, canonical=True, keep_order=False))
        assert len(rows) == after.records
        return session.statements, context


@pytest.mark.parametrize("rewrites", [REWRITES[:n] for n in range(len(REWRITES) + 1)], ids=len)
def test_what_draws_is_a_barrier(rewrites):
    program = program_of(fixtures.SAMPLED)
    planned = stages(program, rewrites)
    drawing = {each.index for each in program.requirements if draws(each.action)}
    alone = [stage for stage in planned if drawing & {each.index for each in stage.requirements}]
    assert [[each.index for each in stage.requirements] for stage in alone] == [[i] for i in sorted(drawing)]
    for index in drawing:
        sides = [{(each.index > index) for each in stage.requirements} for stage in planned]
        assert all(len(side) == 1 for side in sides)
        assert sides == sorted(sides, key=max)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("policy", [*FORMS.values(), TWICE], ids=[*FORMS, "twice"])
def test_no_draw_has_a_float(policy, dialect):
    """Every cut is an integer, and so is the number that is compared with it."""
    statements = written(policy, dialect)
    for statement in statements:
        tree = parse_one(statement, dialect=dialect)
        numbers = [each.this for each in tree.find_all(exp.Literal) if each.is_number]
        assert all(number.isdigit() for number in numbers), statement
        floats = {exp.DType.DOUBLE, exp.DType.FLOAT}
        assert not [each for each in tree.find_all(exp.DataType) if each.this in floats], statement
    assert f"< {-(-3 * 2**52 // (10 if 'PROBABILITY' in policy else 11))}" in "".join(statements)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("form", FORMS)
def test_a_hash_is_computed_once(form, dialect):
    hashed = [each for each in written(FORMS[form], dialect) if re.search("sha", each, re.IGNORECASE)]
    assert len(hashed) == 1
    assert hashed[0].startswith("CREATE TEMPORARY TABLE")
    assert len(re.findall("sha", hashed[0], re.IGNORECASE)) == 1


@pytest.mark.parametrize("form", ["some records", "some classes", "probability of a constant", "new type"])
def test_a_dry_run_keeps_the_records_that_are_not_affected(form):
    *_, last = written(FORMS[form], "duckdb")
    assert "NOT" in last.partition("UNION ALL")[0]
    assert "FROM records" in last


@pytest.mark.parametrize("form", ["sampling", "urn"])
def test_no_record_is_read_twice_where_all_are_affected(form):
    *_, last = written(FORMS[form], "duckdb")
    assert "records AS" not in last
    assert "FROM records" not in last


def test_a_policy_ranks_once_for_each_draw():
    statements, context = ran(TWICE)
    assert sum("ROW_NUMBER" in each for each in statements) == 2
    drawn = len(fixtures.RECORDS) - context.missed[1].records
    assert 0 < drawn < len(fixtures.RECORDS)
    assert context.trace_used == len(fixtures.RECORDS) + drawn


def test_the_seed_is_in_no_statement():
    statements, _ = ran(TWICE)
    assert not any("a seed" in each for each in statements)
