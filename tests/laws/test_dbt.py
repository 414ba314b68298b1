"""A singular test of `acompass dbt` selects no row if and only if the assertion holds in `semantics`."""

from collections.abc import Iterable
from dataclasses import replace
from random import Random
from typing import Any

import duckdb
import pytest

from acompass.author.dbt.files import Coverage, released_coverage, source_coverage
from acompass.author.dbt.templates import CommonParts, Mark, assertion_text, parse_relation
from acompass.language.program.effects import aggregates_of
from acompass.language.program.program import Program
from acompass.language.program.types import FLOAT, MOST_DIGITS, SHARE, Column, Kind, Schema, remaining
from acompass.plan.lowering.duckdb import DUCKDB
from acompass.plan.run.statements import UNDECIDED, AssertedRequirement, failing_rows, unreadable_values
from acompass.semantics import core
from acompass.testing.conformance.cases import Case, random_case
from tests.author.dbt.rendering import render
from tests.generators.strategies import with_typed_columns
from tests.laws.test_differential_duckdb import arrow_table
from tests.length import at_length

CASES = at_length(10)
WRITTEN = CommonParts("", Mark("policy", "people"), parse_relation("people"), (), False)


def cases(seed: int) -> Iterable[Case]:
    """DuckDB's names ignore case, so a table cannot have both `Age` and `age`."""
    rng = Random(seed)
    for _ in range(CASES):
        case = with_typed_columns(random_case(rng))
        if len({column.name.casefold() for column in case.schema}) == len(case.schema):
            yield case


def store(case: Case, schema: Schema, records: list[tuple[Any, ...]]) -> duckdb.DuckDBPyConnection:
    kept = remaining(schema)
    columns = tuple(schema[i] for i in kept)
    values = [tuple(record[i] for i in kept) for record in records]
    digits = {c.name: MOST_DIGITS for c in columns if c.type.kind is Kind.DECIMAL}
    arrow = arrow_table(replace(case, schema=columns, records=values, digits=digits))
    connection = duckdb.connect()
    connection.register("arrow", arrow)
    connection.execute('CREATE TABLE "people" AS SELECT * FROM arrow')
    return connection


def verdicts(connection: duckdb.DuckDBPyConnection, coverage: Coverage) -> dict[int, bool]:
    """Whether each test passes, by requirement. Tests with and without records must agree. SQL cannot decide some
    shares."""
    found = {}
    for asserted in coverage.tests:
        failures, shown = (select_failures(connection, asserted, shows) for shows in (False, True))
        assert bool(shown) == bool(failures)
        problems = {row[1] for row in failures}
        if UNDECIDED in problems:
            assert any(each.type == SHARE for each in aggregates_of(asserted.requirement))
            continue
        found[asserted.requirement.index] = not failures
        assert problems <= {"violated"}
    return found


def select_failures(
    connection: duckdb.DuckDBPyConnection, asserted: AssertedRequirement, shows_records: bool
) -> list[tuple[Any, ...]]:
    rows = failing_rows(asserted, DUCKDB, shows_records=shows_records)
    return connection.execute(render(assertion_text(WRITTEN, asserted, rows))).fetchall()


def require_readable(connection: duckdb.DuckDBPyConnection, coverage: Coverage) -> None:
    if coverage.columns:
        rows = unreadable_values(coverage.schema, coverage.columns, DUCKDB)
        query = f'WITH records AS ({rows.reading} FROM "people") {rows.query}'
        assert connection.execute(query).fetchall() == []


@pytest.mark.campaign
def test_the_source_fails_where_check_does() -> None:
    compared = 0
    for case in cases(0):
        program = case.program()
        coverage = source_coverage(program, frozenset(), frozenset())
        connection = store(case, case.schema, case.records)
        require_readable(connection, coverage)
        expected = core.check_program(program, case.records)
        for index, passes in verdicts(connection, coverage).items():
            assert passes == expected[index - 1].holds, (case.policy_text, case.schema, case.records)
            compared += 1
    assert compared > CASES


@pytest.mark.campaign
def test_the_released_model_fails_where_its_assertion_does() -> None:
    compared = 0
    for case in cases(100):
        program = case.program()
        left = release(case, program)
        coverage = released_coverage(program, frozenset())
        connection = store(case, program.final_schema, left)
        require_readable(connection, coverage)
        for index, passes in verdicts(connection, coverage).items():
            assertion = program.requirements[index - 1].assertion
            assert passes == core.holds(left, assertion), (case.policy_text, case.schema, case.records)
            compared += 1
    assert compared > CASES // 2


def release(case: Case, program: Program) -> list[tuple[Any, ...]]:
    return core.run_program(program, case.records, core.trace_of_values(case.trace)).records


@pytest.mark.parametrize(("values", "problems"), [((0.5, 0.5), [UNDECIDED]), ((0.5, 0.7), ["violated"]), ((0.0,), [])])
def test_a_share_of_floats_that_sql_cannot_decide_has_no_verdict(
    values: tuple[float, ...], problems: list[str]
) -> None:
    """One half is exactly the bound, which a sum of floats is too coarse for."""
    for quantifier in ("EACH", "SOME"):
        policy = f"{quantifier} PROCESS SHARE OF LARGEST 1 (a) AS s : s <= 0.5;"
        case = Case(policy, (Column("a", FLOAT),), [(value,) for value in values], [], {})
        connection = store(case, case.schema, case.records)
        (asserted,) = source_coverage(case.program(), frozenset(), frozenset()).tests
        assert [row[1] for row in select_failures(connection, asserted, shows_records=False)] == problems
