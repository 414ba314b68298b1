"""Every engine gives identical measures of a table, and identical lives of records."""

import math
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import count, islice
from random import Random
from typing import Any

import pytest

import acompass
from acompass.errors.diagnostics import AcompassError
from acompass.language.program.types import BOOLEAN, DATE, FLOAT, INTEGER, TEXT, TIMESTAMP, Column, Schema, decimal
from acompass.testing.conformance.cases import Case, random_case
from tests.generators.strategies import number_records, with_typed_columns
from tests.laws.stored_tables import Place, Record, in_memory, make_place, sample_values
from tests.measure import by_definition

#: the number of random tables that each engine measures
CASES = {"postgres": 10, "spark": 1}

TYPES = (INTEGER, FLOAT, decimal(2), TEXT, BOOLEAN, DATE, TIMESTAMP)
#: a column whose texts are all numbers is ordered by number
NUMERALS = [None, "1", "9", "10", "1.0", "-2.5", "0.125"]
WEIGHTS = {"n": (INTEGER, [1, 2, 7]), "w": (decimal(3), [Decimal("0.125"), Decimal("2.500")])}
FLOAT_WEIGHTS = [0.1, 0.7, 3.0, 1e-3]


@dataclass(frozen=True)
class Table:
    schema: Schema
    records: tuple[Record, ...]
    qi: tuple[str, ...]
    sensitive: tuple[str, ...]
    weight: str | None
    sampling: str

    def measure(self, place: Place) -> list[dict[str, object]]:
        """The measures of the table, of the table as a sample, of a half against the whole as its population, and of
        persons."""
        some = self.records[: max(1, len(self.records) // 2)]
        whole = place.store("whole", self.schema, self.records)
        part = place.store("part", self.schema, some)
        roles = (self.qi, self.sensitive, self.weight)
        alone = acompass.measure(whole, *roles, **place.options)
        both = acompass.measure(part, *roles, against=whole, population=whole, hierarchies={}, **place.options)
        sample = acompass.measure(whole, self.qi, (), sampling_weight=self.sampling, **place.options)
        persons = acompass.measure(part, self.qi, self.sensitive, person="n", population=whole, **place.options)
        return [_without_spellings(each.to_json()) for each in (alone, sample, both, persons)]


def _without_spellings(measures: dict[str, Any]) -> dict[str, object]:
    """Only DuckDB looks for spellings of one value (D38): elsewhere no value leaves the server to be compared."""
    return {**measures, "notes": [note for note in measures["notes"] if "spellings" not in note["text"]]}


@cache
def random_table(seed: int) -> Table:
    rng = random.Random(f"measures {seed}")
    types = [*rng.sample(TYPES, 4), TEXT]
    values = [*(rng.sample(found := sample_values(t.kind), min(len(found), 4)) for t in types[:4]), NUMERALS]
    weight = rng.choice([None, "n", "w", "f"])
    columns = [Column(f"c {i}", type_) for i, type_ in enumerate(types)]
    columns += [Column(name, type_) for name, (type_, _) in WEIGHTS.items()] + [Column("f", FLOAT)]
    values += [*(found for _, found in WEIGHTS.values()), FLOAT_WEIGHTS]
    records = [tuple(map(rng.choice, values)) for _ in range(rng.randint(5, 40))]
    names = [column.name for column in columns]
    return Table(tuple(columns), tuple(records), tuple(names[:2]), tuple(names[2:5]), weight, rng.choice("nwf"))


@cache
def _in_duckdb(seed: int) -> list[dict[str, object]]:
    return random_table(seed).measure(Place(lambda _, *table: in_memory(*table), {}))


@pytest.mark.parametrize("engine", CASES)
def test_every_engine_has_the_same_measures(engine: str, request: pytest.FixtureRequest) -> None:
    place = make_place(engine, request)
    for seed in range(CASES[engine]):
        assert random_table(seed).measure(place) == _in_duckdb(seed), random_table(seed)


@pytest.mark.parametrize("engine", ["postgres"])
def test_the_measures_agree_with_their_definitions(engine: str, request: pytest.FixtureRequest) -> None:
    place = make_place(engine, request)
    for table in islice(_with_two_kinds_of_missing_values(), 3):
        stored = place.store("whole", table.schema, table.records)
        found = acompass.measure(stored, table.qi, table.sensitive, **place.options)
        records = [tuple(map(_with_one_missing_value, record)) for record in table.records]
        groups = by_definition.classes(records, (0, 1))
        assert found.classes.sizes == tuple(sorted(Counter(map(len, groups)).items()))
        for column, measures in enumerate(found.sensitive, start=2):
            for model in ("alpha", "distinct_l", "entropy_l", "t_equal", "basic_beta"):
                meant: Callable[..., Any] = getattr(by_definition, model)
                assert getattr(measures, model) == meant(records, (0, 1), column), (model, table)


def _with_two_kinds_of_missing_values() -> Iterator[Table]:
    for table in map(random_table, count()):
        columns = zip(*table.records, strict=True)
        if any({"nan", "None"} <= set(map(repr, column)) for column in columns):
            yield table


def _with_one_missing_value(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value


@pytest.mark.parametrize("engine", ["postgres", "spark"])
def test_a_file_may_be_compared_with_a_table_of_the_engine(
    engine: str, request: pytest.FixtureRequest, tmp_path: Any
) -> None:
    place = make_place(engine, request)
    people = tmp_path / "people.csv"
    people.write_text("Age,Zip\n30,211\n30,211\n41,212\n41,\n", encoding="utf-8")
    schema = (Column("Age", INTEGER), Column("Zip", TEXT))
    released = place.store("released", schema, [(30, "211"), (30, "211"), (41, None)])
    found = acompass.measure(released, ["Age", "Zip"], against=people, population=people, **place.options)
    assert found.journalist is not None
    assert found.comparison is not None
    assert (found.journalist.marketer, found.comparison.records_before) == (Fraction(2, 3), 4)
    other = acompass.measure(people, ["Age", "Zip"], against=released, engine=_engine_for(place, released))
    assert other.comparison is not None
    assert [float(change.distance) for change in other.comparison.columns] == [
        float(change.distance) for change in found.comparison.columns
    ]


def _engine_for(place: Place, table: Any) -> Any:
    """The engine of a Spark data frame is its session."""
    return place.options.get("engine", getattr(table, "sparkSession", None))


# For the same policy, table and trace, `explain` shows the same steps of a record on every engine.
#
# tests/explain/test_law.py compares the steps in DuckDB with `semantics`.


#: the number of random cases that each engine explains
LIVES_SAME_CASES = {"postgres": 12, "spark": 1}
NUMBER = "number of the record"


def _cases() -> Iterator[Case]:
    """Cases with at least two requirements and three records, which are numbered."""
    for seed in count():
        case = random_case(Random(f"lives {seed}"))
        if len(case.records) > 2 and len(case.program().requirements) > 1:
            yield number_records(with_typed_columns(case))


def _lives(case: Case, place: Place) -> Any:
    """The lives by record number, because engines order records differently; or the errors."""
    table = place.store("lives", case.schema, case.records)
    options = {"params": case.params, "trace": case.trace, "key": case.key, **place.options}
    try:
        found = acompass.explain(case.policy_text, table, where=f'"{NUMBER}" >= 0', limit=100, **options)
    except AcompassError as error:
        return [(each.code, each.message) for each in error.diagnostics]
    records = found.to_json()["records"]
    return {life["given"][NUMBER]: {**life, "record": None} for life in records if life["given"]}


@pytest.mark.parametrize("engine", LIVES_SAME_CASES)
def test_every_engine_gives_a_record_the_same_life(engine: str, request: pytest.FixtureRequest) -> None:
    here, there = Place(lambda _, *table: in_memory(*table), {}), make_place(engine, request)
    explained = 0
    for case in islice(_cases(), LIVES_SAME_CASES[engine]):
        meant = _lives(case, here)
        assert _lives(case, there) == meant, case
        explained += isinstance(meant, dict)
    assert explained >= LIVES_SAME_CASES[engine] / 2
