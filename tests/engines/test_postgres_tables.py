"""Random cases in real tables that are read by name, with their types, like a user's tables."""

import random
from typing import Any

import psycopg
import pytest
from psycopg import sql

import acompass
from acompass import semantics
from acompass.checked.effects import is_always
from acompass.checked.types import Kind, Type, remaining
from acompass.conformance.compare import with_typed_columns
from acompass.conformance.generate import Case, random_case
from tests.engines.postgres_server import Server
from tests.laws.reading import is_refused, refusals

CASES = 40
DECLARED = {
    Kind.INTEGER: ("bigint",),
    Kind.FLOAT: ("double precision",),
    Kind.TEXT: ("text", "varchar(20)", 'text COLLATE "C"'),
    Kind.BOOLEAN: ("boolean",),
    Kind.DATE: ("date",),
    Kind.TIMESTAMP: ("timestamp", "timestamptz"),
}


def _declared(rng: random.Random, type_: Type) -> str:
    if type_.kind is Kind.DECIMAL:
        return rng.choice(("numeric", f"numeric(30, {type_.scale})"))
    return rng.choice(DECLARED[type_.kind])


def _create(con: psycopg.Connection[Any], case: Case, rng: random.Random) -> None:
    columns = [
        sql.SQL("{} " + _declared(rng, column.type)).format(sql.Identifier(column.name))
        for column in case.schema
    ]
    con.execute("SET timezone = 'UTC'")
    con.execute("DROP TABLE IF EXISTS random_case")
    con.execute(sql.SQL("CREATE TABLE random_case ({})").format(sql.SQL(", ").join(columns)))
    with con.cursor().copy("COPY random_case FROM STDIN") as copy:
        for record in case.records:
            copy.write_row(record)


def _seen(record: tuple[Any, ...]) -> tuple[Any, ...]:
    """A record for comparison: NaN equals itself, and times have no time zone."""
    return tuple(
        "nan" if value != value else value.replace(tzinfo=None) if hasattr(value, "tzinfo") else value
        for value in record
    )


def _run(case: Case, url: str) -> acompass.Result:
    options = {"params": case.params, "trace": case.trace, "order": "canonical"}
    return acompass.run(case.policy_text, "random_case", engine=url, **options)


@pytest.mark.parametrize("seed", range(CASES))
def test_tables_by_name(seed: int, postgres: Server) -> None:
    url = postgres.url("german")
    rng = random.Random(seed)
    case = with_typed_columns(random_case(rng))
    with psycopg.connect(url) as con:
        _create(con, case, rng)
    if refused := refusals(case):
        with pytest.raises(acompass.TableError) as raised:
            _run(case, url)
        assert is_refused(raised, refused)
        return
    program, result = case.program(), _run(case, url)
    expected = semantics.run_program(program, case.records, semantics.trace_of_values(case.trace))
    in_order = semantics.canonical_order(program.final_schema, expected.records)
    records = [tuple(record[p] for p in remaining(program.final_schema)) for record in in_order]
    found = list(zip(*(column.to_pylist() for column in result.table.columns), strict=True))
    assert [_seen(record) for record in found] == [_seen(record) for record in records]
    verdicts = [
        (None if is_always(requirement) else each.holds, each.affected, each.records)
        for requirement, each in zip(program.requirements, expected.requirements, strict=True)
    ]
    assert [(each.holds, each.affected, each.records) for each in result.requirements] == verdicts
