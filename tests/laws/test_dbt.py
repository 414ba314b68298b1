"""A singular test of `acompass dbt` selects no row exactly where the assertion holds, by `semantics`."""

from collections.abc import Iterable
from dataclasses import replace
from random import Random
from typing import Any

import duckdb
import pytest

from acompass import semantics
from acompass.checked.program import Program
from acompass.checked.types import MOST_DIGITS, Kind, Schema, remaining
from acompass.conformance.compare import with_typed_columns
from acompass.conformance.generate import Case, random_case
from acompass.dbt.coverage import Coverage, in_released, in_source
from acompass.dbt.marks import Mark
from acompass.dbt.relations import relation_of
from acompass.dbt.singular_tests import Written, assertion_text
from acompass.plan.lowering.dialects.duckdb import DUCKDB
from acompass.plan.running.failing_rows import Asserted, failing_rows, unreadable_values
from tests.dbt.rendering import rendered
from tests.laws.test_differential_duckdb import arrow_table

CHUNKS, CASES = 3, 40
WRITTEN = Written("", Mark("policy", "people"), relation_of("people"), (), False)


def cases(chunk: int) -> Iterable[Case]:
    """DuckDB's names have no case, so a table cannot have both `Age` and `age`."""
    rng = Random(chunk)
    for _ in range(CASES):
        case = with_typed_columns(random_case(rng))
        if len({column.name.casefold() for column in case.schema}) == len(case.schema):
            yield case


def stored(case: Case, schema: Schema, records: list[tuple[Any, ...]]) -> duckdb.DuckDBPyConnection:
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
    """Whether each test passes, by the requirement. A test that shows records fails where the other does."""
    found = {}
    for asserted in coverage.tests:
        failures, shown = (selected(connection, asserted, shows) for shows in (False, True))
        found[asserted.requirement.index] = not failures
        assert {row[:2] for row in failures} <= {(asserted.requirement.line, "violated")}
        assert bool(shown) == bool(failures)
    return found


def selected(
    connection: duckdb.DuckDBPyConnection, asserted: Asserted, shows_records: bool
) -> list[tuple[Any, ...]]:
    rows = failing_rows(asserted, DUCKDB, shows_records=shows_records)
    return connection.execute(rendered(assertion_text(WRITTEN, asserted, rows))).fetchall()


def require_readable(connection: duckdb.DuckDBPyConnection, coverage: Coverage) -> None:
    if coverage.columns:
        rows = unreadable_values(coverage.schema, coverage.columns, DUCKDB)
        query = f'WITH records AS ({rows.reading} FROM "people") {rows.query}'
        assert connection.execute(query).fetchall() == []


@pytest.mark.parametrize("chunk", [0, *(pytest.param(i, marks=pytest.mark.slow) for i in range(1, CHUNKS))])
def test_the_source_fails_where_check_does(chunk: int) -> None:
    compared = 0
    for case in cases(chunk):
        program = case.program()
        coverage = in_source(program, frozenset(), frozenset())
        connection = stored(case, case.schema, case.records)
        require_readable(connection, coverage)
        expected = semantics.check_program(program, case.records)
        for index, passes in verdicts(connection, coverage).items():
            assert passes == expected[index - 1].holds, (case.policy_text, case.schema, case.records)
            compared += 1
    assert compared > CASES


@pytest.mark.parametrize("chunk", [0, *(pytest.param(i, marks=pytest.mark.slow) for i in range(1, CHUNKS))])
def test_the_released_model_fails_where_its_assertion_does(chunk: int) -> None:
    compared = 0
    for case in cases(chunk + 100):
        program = case.program()
        left = released(case, program)
        coverage = in_released(program, frozenset())
        connection = stored(case, program.final_schema, left)
        require_readable(connection, coverage)
        for index, passes in verdicts(connection, coverage).items():
            assertion = program.requirements[index - 1].assertion
            assert passes == semantics.holds(left, assertion), (case.policy_text, case.schema, case.records)
            compared += 1
    assert compared > CASES // 2


def released(case: Case, program: Program) -> list[tuple[Any, ...]]:
    return semantics.run_program(program, case.records, semantics.trace_of_values(case.trace)).records
