"""A record has the same life on every engine: for the same policy, table and trace, `explain` tells the same
steps. tests/explain/test_law.py compares those in DuckDB with `semantics`."""

from collections.abc import Iterator
from itertools import count, islice
from random import Random
from typing import Any

import pytest

import acompass
from acompass.conformance.compare import with_typed_columns
from acompass.conformance.generate import Case, random_case
from acompass.diagnostics import AcompassError
from tests.generators.tables import numbered
from tests.laws.stored_tables import Place, in_memory, place_of

#: how many random cases each engine explains
CASES = {"postgres": 12, "spark": 1}
NUMBER = "number of the record"


def _cases() -> Iterator[Case]:
    """Cases with a few requirements and records, each of which has a number of its own."""
    for seed in count():
        case = random_case(Random(f"lives {seed}"))
        if len(case.records) > 2 and len(case.program().requirements) > 1:
            yield numbered(with_typed_columns(case))


def _lives(case: Case, place: Place) -> Any:
    """The lives by the numbers of the records, or the errors. An engine has an order of its own."""
    table = place.store("lives", case.schema, case.records)
    options = {"params": case.params, "trace": case.trace, **place.options}
    try:
        found = acompass.explain(case.policy_text, table, where=f'"{NUMBER}" >= 0', limit=100, **options)
    except AcompassError as error:
        return [(each.code, each.message) for each in error.diagnostics]
    records = found.to_json()["records"]
    return {life["given"][NUMBER]: {**life, "record": None} for life in records if life["given"]}


@pytest.mark.parametrize("engine", CASES)
def test_a_record_has_the_same_life(engine: str, request: pytest.FixtureRequest) -> None:
    here, there = Place(lambda _, *table: in_memory(*table), {}), place_of(engine, request)
    explained = 0
    for case in islice(_cases(), CASES[engine]):
        meant = _lives(case, here)
        assert _lives(case, there) == meant, case
        explained += isinstance(meant, dict)
    assert explained >= CASES[engine] / 2
