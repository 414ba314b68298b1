"""Random policies like those of curators, some with probabilities (X5) and weighted values (X6), with claims.

With few columns and few values, classes merge, requirements undo each other, and many claims are nearly true.
The tables are generated independently of the prover's regions."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from acompass.language.program.types import INTEGER, TEXT, Column, Kind, Schema, Type, Value

_TYPES: dict[str, Type] = {"Age": INTEGER, "Zip": TEXT, "Job": TEXT, "Pay": INTEGER, "Number": INTEGER}
_NUMBERS = (-1, 0, 1, 2, 3, 4)
_TEXTS = ("", "a", "b", "c", "2")
_OPERATORS = ("<", "<=", "=", ">=", ">")


@dataclass(frozen=True)
class Claimed:
    """A policy over a schema, with claims about its output."""

    text: str
    schema: Schema
    claims: tuple[str, ...]


class Writer:
    def __init__(self, rng: random.Random):
        self._rng = rng
        self._names = rng.sample(list(_TYPES), rng.randint(2, 5))

    def policy(self) -> Claimed:
        assertions = [self._assertion() for _ in range(self._rng.randint(1, 4))]
        requirements = [f"{assertion}{self._action()};" for assertion in assertions]
        asked = [self._rng.choice((assertion, self._close_to(assertion))) for assertion in assertions]
        schema = tuple(Column(name, _TYPES[name]) for name in self._names)
        return Claimed("\n".join(requirements), schema, tuple(asked))

    def _assertion(self) -> str:
        quantifier = "SOME" if self._rng.random() < 0.1 else "EACH"
        if self._rng.random() < 0.4:
            result = f"FILTER {self._condition()}" if self._rng.random() < 0.6 else "RESULT"
            return f"{quantifier} {result} : {self._condition()}"
        return f"{quantifier} {self._process()}"

    def _process(self) -> str:
        groups = self._rng.sample(self._names, self._rng.randint(0, min(3, len(self._names))))
        aggregate, is_text = self._aggregate()
        where = f" WHERE {self._condition()}" if self._rng.random() < 0.3 else ""
        keys = f" GROUP BY {', '.join(groups)}" if groups else ""
        bound = self._bound(is_text)
        excused = f"{self._comparison(self._rng.choice(groups))} OR " if groups and self._rng.random() < 0.15 else ""
        return f"PROCESS {aggregate} AS c{where}{keys} : {excused}{bound}"

    def _aggregate(self) -> tuple[str, bool]:
        name = self._rng.choice(self._names)
        is_text = _TYPES[name] is TEXT
        counts = [("COUNT(*)", False), ("COUNT(*)", False), (f"COUNT DISTINCT {name}", False)]
        values = [(f"MIN({name})", is_text), (f"MAX({name})", is_text)]
        sums = [] if is_text else [(f"SUM({name})", False)]
        return self._rng.choice([*counts, *values, *sums])

    def _bound(self, is_text: bool) -> str:
        operator = self._rng.choice((">=", ">=", ">", "<=", "<", "="))
        return f"c {operator} {self._constant(TEXT if is_text else INTEGER)}"

    def _constant(self, type_: Type) -> str:
        return f"'{self._rng.choice(_TEXTS)}'" if type_ is TEXT else str(self._rng.choice(_NUMBERS))

    def _comparison(self, name: str) -> str:
        negation = "NOT " if self._rng.random() < 0.15 else ""
        return f"{negation}{name} {self._rng.choice(_OPERATORS)} {self._constant(_TYPES[name])}"

    def _condition(self) -> str:
        parts = [self._comparison(self._rng.choice(self._names)) for _ in range(self._rng.choice((1, 1, 2)))]
        return self._rng.choice((" AND ", " OR ")).join(parts)

    def _action(self) -> str:
        if self._rng.random() < 0.17:
            return ""
        coin = random_coin(self._rng) if self._rng.random() < 0.2 else ""
        return f" : {coin}{self._plain()}"

    def _plain(self) -> str:
        name = self._rng.choice(self._names)
        if self._rng.random() < 0.5:
            return "REJECT"
        if self._rng.random() < 0.2:
            lower = self._rng.choice(_NUMBERS)
            return f"RANDOM {name} {lower} {lower + self._rng.randint(0, 2)}"
        if self._rng.random() < 0.25:
            return f"RANDOM {name} FROM {random_urn(self._rng, self._pool(name))}"
        if self._rng.random() < 0.05 and _TYPES[name] is INTEGER:
            return f"REPLACE {name} WITH {self._constant(INTEGER)}.5"
        return f"REPLACE {name} WITH {self._constant(_TYPES[name])}"

    def _pool(self, name: str) -> list[str]:
        if _TYPES[name] is TEXT:
            return [f"'{text}'" for text in _TEXTS]
        return [f"{number}{'.5' if self._rng.random() < 0.05 else ''}" for number in _NUMBERS]

    def _close_to(self, assertion: str) -> str:
        """The same claim about other classes or with another bound."""
        words = assertion.split(" ")
        digits = [at for at, word in enumerate(words) if word.lstrip("-").isdigit()]
        if digits and self._rng.random() < 0.5:
            at = self._rng.choice(digits)
            words[at] = str(int(words[at]) + self._rng.choice((-1, 1)))
            return " ".join(words)
        if " GROUP BY " in assertion:
            head, _, tail = assertion.partition(" GROUP BY ")
            keys, _, condition = tail.partition(" : ")
            groups = keys.split(", ")
            changed = self._other_groups(groups, condition)
            keys = " GROUP BY " + ", ".join(changed) if changed else ""
            return f"{head}{keys} : {condition}"
        return assertion

    def _other_groups(self, groups: list[str], condition: str) -> list[str]:
        needed = [group for group in groups if group in condition]
        free = [name for name in self._names if name not in needed]
        return [*needed, *self._rng.sample(free, self._rng.randint(0, len(free)))]


def _values(type_: Type) -> Sequence[Value]:
    """Decimals are at or just above the numbers that a policy names."""
    if type_.kind is not Kind.DECIMAL:
        return _TEXTS if type_ == TEXT else _NUMBERS
    unit = Decimal(1).scaleb(-type_.scale)
    return [Decimal(number).quantize(unit) + part for number in _NUMBERS for part in (0 * unit, unit)]


def random_records(rng: random.Random, schema: Schema) -> list[tuple[Value, ...]]:
    """Up to twelve records with few values, so that many are equal or nearly equal."""
    pools = [_values(column.type) for column in schema]
    narrow = [rng.sample(pool, rng.randint(1, 3)) for pool in pools]
    return [tuple(rng.choice(pool) for pool in narrow) for _ in range(rng.choice((0, 1, 1, 2, 3, 4, 6, 9, 12)))]


def random_coin(rng: random.Random) -> str:
    return f"WITH PROBABILITY {rng.choice(('0.1', '0.5', '0.75'))} "


def random_urn(rng: random.Random, constants: Sequence[str]) -> str:
    """One to four of the constants, some with weights."""
    values = rng.sample(constants, rng.randint(1, min(4, len(constants))))
    return f"({', '.join(rng.choice(('', '', '3 OF ')) + each for each in values)})"


def random_trace(rng: random.Random, length: int) -> list[Fraction]:
    return [Fraction(rng.randrange(10), 10) for _ in range(length)]
