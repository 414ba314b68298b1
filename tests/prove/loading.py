"""Write a counterexample to a file and run it like any other table."""

import csv
from decimal import Decimal
from pathlib import Path

import duckdb

from acompass import api
from acompass.language.program.types import Kind, Schema, Type, to_text
from acompass.policy import Policy
from acompass.prove.proof import Counterexample
from acompass.semantics.core import Record, holds
from tests.generators.strategies import parse_and_check

_STORED = {
    Kind.INTEGER: "BIGINT",
    Kind.FLOAT: "DOUBLE",
    Kind.TEXT: "VARCHAR",
    Kind.BOOLEAN: "BOOLEAN",
    Kind.DATE: "DATE",
    Kind.TIMESTAMP: "TIMESTAMP",
}


def store(counterexample: Counterexample, folder: Path) -> Path:
    """Write the table before the run to a CSV file, and that to a Parquet file with the types of the columns."""
    text, table = folder / "before.csv", folder / "before.parquet"
    _write(counterexample, text)
    columns = {column.name: _stored_type(column.type) for column in counterexample.schema}
    options = f"header = true, columns = {columns}, nullstr = 'NULL', quote = '\"', escape = '\"'"
    duckdb.sql(f"FROM read_csv('{text}', {options})").write_parquet(str(table))
    return table


def _write(counterexample: Counterexample, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerow(column.name for column in counterexample.schema)
        for record in counterexample.records:
            pairs = zip(record, counterexample.schema, strict=True)
            writer.writerow(to_text(value, column.type) for value, column in pairs)


def _stored_type(type_: Type) -> str:
    return f"DECIMAL(38, {type_.scale})" if type_.kind is Kind.DECIMAL else _STORED[type_.kind]


def records_in(table: Path, schema: Schema) -> list[Record]:
    """The records of a file, in its order. Fetches decimals as text, because DuckDB's client rounds long ones."""
    shown = ", ".join(
        f'"{column.name}"::VARCHAR' if column.type.kind is Kind.DECIMAL else f'"{column.name}"' for column in schema
    )
    found = duckdb.sql(f"SELECT {shown} FROM '{table}'").fetchall()
    return [tuple(map(_value, record, (column.type for column in schema))) for record in found]


def _value(value: object, type_: Type) -> object:
    return Decimal(str(value)) if type_.kind is Kind.DECIMAL else value


def fails_when_run(policy: Policy, claim: str, counterexample: Counterexample, folder: Path) -> bool:
    """Whether the claim fails on the output of `run` for the table and the trace."""
    table, released = store(counterexample, folder), folder / "released.parquet"
    assert records_in(table, counterexample.schema) == list(counterexample.records)
    trace = [Decimal(rho) for rho in counterexample.trace]
    result = api.run(policy, str(table), trace=trace, output=released, force=True)
    assert not any(each.is_failed_check for each in result.requirements), "a run writes nothing if a check fails"
    left = records_in(released, counterexample.left_schema)
    assert sorted(map(repr, left)) == sorted(map(repr, counterexample.left))
    assertion = parse_and_check(f"{claim};", counterexample.left_schema).requirements[0].assertion
    return not holds(left, assertion)
