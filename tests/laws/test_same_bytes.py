"""Invariant 3 and D21: the same table, policy and seed give the same bytes on every engine, also where
outcomes are random (X5, X6)."""

from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path
from random import Random

import pytest

import acompass
from acompass.checked.effects import cuts_of
from acompass.checked.types import Kind
from acompass.conformance.generate import Case, random_case
from acompass.diagnostics import AcompassError
from tests.generators.tables import csv_of

#: the kinds that the values of a CSV have
KINDS = (Kind.INTEGER, Kind.DECIMAL, Kind.TEXT, Kind.TEXT)
#: how many policies each engine runs
CASES = {"duckdb": 60, "postgres": 30, "spark": 6}


def _cases() -> Iterator[Case]:
    """Policies that draw records, or values from an urn, for several records."""
    for seed in count():
        case = random_case(Random(f"same bytes {seed}"), KINDS)
        if len(case.records) > 3 and any(cuts_of(each.action) for each in case.program().requirements):
            yield case


def _written(case: Case, engine: str, folder: Path) -> tuple[object, ...]:
    """The bytes and the use of the trace, or the errors: a CSV may have other types than the case."""
    table, output = folder / "in.csv", folder / "out.csv"
    table.write_text(csv_of(case), encoding="utf-8", newline="")
    options = {"params": case.params, "seed": case.policy_text, "order": "canonical", "force": True}
    try:
        ran = acompass.run(case.policy_text, table, output=output, engine=engine, **options)
    except AcompassError as error:
        return ("refused", *map(str, error.diagnostics))
    return ran.trace_used, output.read_bytes(), ran.requirements


@pytest.mark.parametrize("engine", CASES)
def test_a_seed_gives_the_same_bytes(engine: str, engine_url: str, tmp_path: Path) -> None:
    drew = 0
    for case in islice(_cases(), CASES[engine]):
        meant = _written(case, "reference", tmp_path)
        assert _written(case, engine_url, tmp_path) == meant, case
        drew += meant[0] not in ("refused", 0)
    assert drew >= CASES[engine] / 3
