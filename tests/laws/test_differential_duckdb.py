"""Invariant 3 on DuckDB: random programs, tables and traces give the results of `semantics`."""

from pathlib import Path
from random import Random

import pyarrow
import pyarrow.parquet
import pytest

import acompass
from acompass import semantics
from acompass.checked.types import Kind
from acompass.conformance.compare import without_negative_zeros
from acompass.conformance.generate import Case, random_case
from acompass.conformance.run import conform

#: 3,000 cases in all
CHUNKS, CASES = 12, 250
WHOLE_CALLS = 60


@pytest.mark.parametrize("chunk", [0, *(pytest.param(i, marks=pytest.mark.slow) for i in range(1, CHUNKS))])
def test_no_case_differs(chunk: int) -> None:
    report = conform("duckdb", cases=CASES, seed=chunk)
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


def expected(case: Case) -> list[tuple]:
    program = case.program()
    outcome = semantics.run_program(program, case.records, semantics.trace_of_values(case.trace))
    return semantics.canonical_order(program.final_schema, outcome.records)


def shown(records: list[tuple]) -> list[str]:
    return [repr(tuple(None if value != value else value for value in record)) for record in records]


@pytest.mark.parametrize("seed", range(WHOLE_CALLS))
def test_the_public_call_agrees_with_semantics(seed: int, tmp_path: Path) -> None:
    """In memory and through Parquet files, under the table's own column names."""
    case = without_negative_zeros(random_case(Random(f"whole {seed}")))
    table = arrow_table(case)
    options = {"params": case.params, "trace": case.trace, "order": "canonical"}
    in_memory = acompass.run(case.policy_text, table, **options).table
    pyarrow.parquet.write_table(table, tmp_path / "in.parquet")
    acompass.run(
        case.policy_text, tmp_path / "in.parquet", output=tmp_path / "out.parquet", force=True, **options
    )
    for found in (in_memory, pyarrow.parquet.read_table(tmp_path / "out.parquet")):
        rows = list(zip(*(column.to_pylist() for column in found.columns), strict=True))
        assert shown(rows) == shown(expected(case))
