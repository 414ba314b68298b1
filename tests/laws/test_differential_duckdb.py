"""Invariant 3 on DuckDB: random programs, tables and traces give the results of `semantics`."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import pyarrow.parquet
import pytest

import acompass
from acompass.engines.registry import open_session
from acompass.errors.diagnostics import TableError
from acompass.language.program.types import INTEGER, Column, Kind, remaining
from acompass.semantics import core
from acompass.testing.conformance.cases import Case, random_case
from acompass.testing.conformance.comparison import compare, observe_session
from acompass.testing.conformance.differential import conform
from tests.folding import folded
from tests.generators.strategies import with_typed_columns
from tests.laws.reading import is_refused, refusals
from tests.length import at_length

#: `make fuzz` runs 100,000
CASES = 15


@pytest.mark.campaign
@pytest.mark.slow
def test_no_case_differs() -> None:
    report = conform("duckdb", cases=at_length(CASES), seed=0)
    assert report.smallest is None


ARROW_TYPES = {
    Kind.INTEGER: pyarrow.int64(),
    Kind.FLOAT: pyarrow.float64(),
    Kind.TEXT: pyarrow.string(),
    Kind.BOOLEAN: pyarrow.bool_(),
    Kind.DATE: pyarrow.date32(),
    Kind.TIMESTAMP: pyarrow.timestamp("us"),
}


def arrow_table(case: Case) -> pyarrow.Table:
    schema, records = case.schema, case.records
    columns = [
        pyarrow.array(
            [record[i] for record in records],
            pyarrow.decimal128(case.digits[column.name], column.type.scale)
            if column.type.kind is Kind.DECIMAL
            else ARROW_TYPES[column.type.kind],
            from_pandas=False,
        )
        for i, column in enumerate(schema)
    ]
    return pyarrow.table(columns, names=[column.name for column in schema])


def expected_records(case: Case) -> list[tuple]:
    program = case.program()
    outcome = core.run_program(program, case.records, core.trace_of_values(case.trace))
    in_order = core.canonical_order(program.final_schema, outcome.records)
    kept = remaining(program.final_schema)
    return [tuple(record[position] for position in kept) for record in in_order]


def as_texts(records: list[tuple]) -> list[str]:
    return [repr(tuple(None if value != value else value for value in record)) for record in records]


def run_in_memory(case: Case, table: pyarrow.Table, folder: Path) -> pyarrow.Table:
    options = {"params": case.params, "trace": case.trace, "key": case.key, "order": "canonical"}
    return acompass.run(case.policy_text, table, **options).table


def run_through_files(case: Case, table: pyarrow.Table, folder: Path) -> pyarrow.Table:
    options = {"params": case.params, "trace": case.trace, "key": case.key, "order": "canonical", "force": True}
    pyarrow.parquet.write_table(table, folder / "in.parquet")
    acompass.run(case.policy_text, folder / "in.parquet", output=folder / "out.parquet", **options)
    return pyarrow.parquet.read_table(folder / "out.parquet")


@pytest.mark.parametrize("run", [run_in_memory, run_through_files])
@pytest.mark.campaign
@folded("seed", range(at_length(6)))
def test_the_public_call_agrees_with_semantics(
    seed: int, run: Callable[[Case, pyarrow.Table, Path], pyarrow.Table], tmp_path: Path
) -> None:
    """With the table's own column names. Exactly the cases that D24 and D28 reject are rejected."""
    case = with_typed_columns(random_case(Random(f"whole {seed}")))
    if refused := refusals(case):
        with pytest.raises(TableError) as raised:
            run(case, arrow_table(case), tmp_path)
        assert is_refused(raised, refused)
        return
    found = run(case, arrow_table(case), tmp_path)
    rows = list(zip(*(column.to_pylist() for column in found.columns), strict=True))
    assert as_texts(rows) == as_texts(expected_records(case))


def test_an_empty_program_changes_nothing() -> None:
    """The commands reject it (D29), but it has a meaning: it is the unit of sequential composition."""
    case = Case("", (Column("Age", INTEGER),), [(36,), (45,)], [], {})
    with open_session("duckdb") as session:
        assert compare(case, observe_session(session)) is None
