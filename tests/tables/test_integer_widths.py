"""Integers of every width, signed and unsigned, mean the same as in `semantics`, whatever holds them."""

import random
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy
import pandas
import polars
import pyarrow
import pytest

import acompass
from acompass import semantics
from acompass.checked.types import INTEGER, Column, Type, decimal
from tests.plan.running import case_of

WIDTHS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]

#: {low}, {high} and {some} are values of the table, {total} is the sum of all
POLICIES = {
    "check": "EACH RESULT : n >= {low} AND n <= {high};",
    "comparison": "EACH FILTER n > {some} : n = {high} : REJECT;",
    "constant": "EACH RESULT : n > {some} : REPLACE n WITH {high};",
    "wider constant": "EACH RESULT : n > {some} : REPLACE n WITH 9223372036854775807;",
    "text": "EACH RESULT : n < {high} : REPLACE n WITH '*';",
    "decimal": "EACH RESULT : n < {high} : REPLACE n WITH 0.5;",
    "random": "EACH RESULT : n > {some} : RANDOM n -9223372036854775808 9223372036854775807;",
    "sum": "EACH PROCESS SUM(n) AS total : total = {total} : REJECT;",
    "groups": "EACH PROCESS COUNT(*) AS c GROUP BY n : c >= 2 : REPLACE n WITH {low};",
    "chain": "EACH RESULT : n > {low} : REPLACE n WITH 0; EACH RESULT : n < {high} : REPLACE n WITH {low};",
}

#: every holder makes a table with one column of numbers
HOLDERS: dict[str, Callable[[list[int], str], Any]] = {
    "arrow": lambda values, width: pyarrow.table({"n": pyarrow.array(values, width)}),
    "pandas": lambda values, width: pandas.DataFrame({"n": numpy.array(values, width)}),
    "pandas, nullable": lambda values, width: pandas.DataFrame({"n": pandas.array(values, _nullable(width))}),
    "pandas, Arrow": lambda values, width: pandas.DataFrame({"n": pandas.array(values, f"{width}[pyarrow]")}),
    "polars": lambda values, width: polars.DataFrame({"n": numpy.array(values, width)}),
    "dicts": lambda values, width: [{"n": number} for number in numpy.array(values, width)],
}


def _nullable(width: str) -> str:
    return width.replace("uint", "UInt") if width.startswith("u") else width.replace("int", "Int")


def values_of(width: str) -> list[int]:
    limits = numpy.iinfo(width)
    rng = random.Random(width)
    low, high = int(limits.min), int(limits.max)
    return [low, high, 0, 1, high - 1, high, *(rng.randint(low, high) for _ in range(4))]


def type_of(width: str) -> Type:
    return decimal(0) if width == "uint64" else INTEGER


def expected(policy: str, values: list[int], type_: Type) -> tuple[list[Any], list[tuple[bool | None, int]]]:
    records = [(Decimal(value) if type_ != INTEGER else value,) for value in values]
    program = case_of(policy, (Column("n", type_),), records).program()
    outcome = semantics.run_program(program, records, semantics.trace_of_seed("a seed"))
    verdicts = [(verdict.holds, verdict.affected) for verdict in outcome.requirements]
    return [value for (value,) in semantics.canonical_order(program.final_schema, outcome.records)], verdicts


def column_of(table: Any) -> list[Any]:
    if isinstance(table, list):
        return [record["n"] for record in table]
    if isinstance(table, pyarrow.Table):
        return table.column("n").to_pylist()
    return list(table["n"].to_list())


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("width", WIDTHS)
def test_every_width_means_the_same(width: str, policy: str) -> None:
    assert_as_in_semantics("arrow", width, POLICIES[policy])


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("holder", HOLDERS)
def test_every_holder_means_the_same(holder: str, width: str) -> None:
    assert_as_in_semantics(holder, width, "\n".join(POLICIES[name] for name in ("sum", "constant", "text")))


def assert_as_in_semantics(holder: str, width: str, policy: str) -> None:
    values = values_of(width)
    low, high, some = min(values), max(values), values[-1]
    text = policy.format(low=low, high=high, some=some, total=sum(values))
    result = acompass.run(text, HOLDERS[holder](values, width), seed="a seed", order="canonical")
    records, verdicts = expected(text, values, type_of(width))
    assert column_of(result.table) == records
    assert [(each.holds, each.affected) for each in result.requirements] == verdicts


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("holder", ["arrow", "pandas", "polars"])
def test_a_check_keeps_the_width(holder: str, width: str) -> None:
    table = HOLDERS[holder](values_of(width), width)
    kept = acompass.run("EACH RESULT : n >= 0 OR n < 0;", table).table
    assert kept.equals(table)
