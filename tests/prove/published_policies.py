"""Random policies with the words of published rules (X12 to X18), with claims that are true or nearly true."""

import datetime
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from acompass.language.program import effects
from acompass.language.program.kernels import Pseudonym, Shift
from acompass.language.program.program import Program
from acompass.language.program.types import DATE, Kind, Schema, Type, Value
from tests.programs import quote
from tests.prove.everyday_policies import EverydayCurator, everyday_records

#: texts in ISO form, so that most runs shift them; `*` stops a run that shifts it
DAYS = ("2018-03-05", "2018-03-06", "2018-03-17", "2018-05-01", "2019-01-31", "2018-03-05T10:00", "*")


_NUMBERS = ("Age", "Pay", "Weight")


class PublishedCurator(EverydayCurator):
    def _type(self, name: str) -> Type:
        return DATE if name == "Day" and self._rng.random() < 0.5 else super()._type(name)

    def _write(self) -> str:
        roll = self._rng.random()
        name = self._rng.choice(self._names)
        number = self._rng.choice([each for each in self._names if each in _NUMBERS] or [name])
        if roll < 0.15:
            return f"GENERALIZE {number} TO NEAREST {self._rng.choice(('2', '3', '0.5', '10'))}"
        if roll < 0.3:
            return f"PSEUDONYM {name}"
        if roll < 0.4 and "Day" in self._names:
            return f"SHIFT Day BY {name} WITHIN {self._rng.choice((1, 10))} DAYS"
        if roll < 0.5:
            return f"ADD RANDOM {self._rng.choice(('0 1', '-1 1', '2 2', '-3 -1'))} TO {number}"
        if roll < 0.65:
            return f"MICROAGGREGATE {number} BY {self._rng.choice((2, 2, 3, 4))}"
        return super()._write()

    def _aggregates(self) -> Iterator[tuple[str, str]]:
        for aggregate, bound in super()._aggregates():
            alias = bound.partition(" ")[0]
            roll = self._rng.random()
            if roll < 0.2:
                name = self._rng.choice([each for each in self._names if each in _NUMBERS] or self._names)
                yield f"SHARE OF LARGEST {self._rng.choice((1, 2, 3))} ({name}) AS {alias}", self._share(alias)
            elif roll < 0.4:
                yield f"SHARE OF MODE ({self._rng.choice(self._names)}) AS {alias}", self._share(alias)
            else:
                yield aggregate, bound

    def _is_sensible(self, program: Program) -> bool:
        """Whether no requirement compares pseudonyms with constants, about which nothing is known (X15), makes
        something else of them, or shifts labels."""
        hidden: set[int] = set()
        labelled: set[int] = set()
        for requirement in program.requirements:
            compared = effects.columns_compared(requirement.assertion)
            written, kernel = effects.written_by(requirement.action), effects.kernel_of(requirement.action)
            if not hidden.isdisjoint(compared | (written & effects.read_by(requirement.action))):
                return False
            if isinstance(kernel, Shift) and not labelled.isdisjoint(written):
                return False
            hidden |= written if isinstance(kernel, Pseudonym) else set()
            labelled |= written if effects.map_of(requirement.action) is not None else set()
        return True

    def _share(self, alias: str) -> str:
        operator = self._rng.choice(("<=", "<=", "<", ">=", ">"))
        bound = f"{operator} {self._rng.choice(('0.5', '0.5', '0.67', '0.3', '1', '0', '0.34'))}"
        return f"{alias} {bound if self._rng.random() < 0.9 else self._rng.choice(('= 0.5', '= 1', '= 0'))}"

    def _assertion(self) -> str:
        groups = [name for name in ("Zip", "Age") if name in self._names]
        if not groups or self._rng.random() > 0.12:
            return super()._assertion()
        keys = ", ".join(self._rng.sample(groups, self._rng.randint(1, len(groups))))
        aggregate = self._rng.choice(("COUNT(*)", "SUM(people)"))
        operator = self._rng.choice((">=", ">", "<", "="))
        excused = f"{self._comparison(keys)} OR " if ", " not in keys and self._rng.random() < 0.3 else ""
        bound = f"r {operator} {self._rng.choice((0, 1, 2, 3))}"
        return f"EACH PROCESS {aggregate} IN {_residents()} AS r GROUP BY {keys} : {excused}{bound}"


@cache
def _residents() -> str:
    return quote(Path(__file__).with_name("residents.csv"))


def published_records(rng: random.Random, schema: Schema) -> list[tuple[Value, ...]]:
    """As `everyday_records`, with dates."""
    records = everyday_records(rng, schema)
    days = [rng.choice(DAYS) for _ in range(rng.randint(1, 3))]
    for at, column in enumerate(schema):
        if column.name == "Day":
            records = [(*each[:at], _day(rng.choice(days), column.type), *each[at + 1 :]) for each in records]
    return records


def _day(day: str, type_: Type) -> Value:
    text = "2018-03-05" if day == "*" and type_.kind is Kind.DATE else day
    return datetime.date.fromisoformat(text[:10]) if type_.kind is Kind.DATE else text
