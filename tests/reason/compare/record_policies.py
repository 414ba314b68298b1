"""Random pairs of record-level policies, and their outputs for every kind of record, by `semantics`.

Policies compare A with 0 to 9 and cut it into bands there, and compare C with 1 and 4. `records` has numbers and texts
of every kind, so any difference shows for one of its records, with some outcome of a draw."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

from acompass.language.program.program import Program
from acompass.language.program.types import INTEGER, TEXT, Column, Schema, remaining
from acompass.semantics.core import Record
from tests.generators.strategies import parse_and_check
from tests.prove.replaying import is_written, run_or_none

SCHEMA: Schema = (Column("A", INTEGER), Column("B", TEXT), Column("C", INTEGER))
TYPES = {"A": "integer", "B": "text", "C": "integer"}

_NUMBERS = (*range(-1, 11), 17, 23, 58)
_TEXTS = ("a", "ab", "abc", "abcde", "b", "bcdef", "x", "xyzuv", "*", "5")
#: a trace value for each outcome of RANDOM 0 4 and of PROBABILITY 0.5
_RHOS = tuple(Fraction(each, 10) for each in (1, 3, 5, 7, 9))


class Writer:
    """With `with_words`, the policies have words whose values are not compared: such a pair may be undecided."""

    def __init__(self, rng: random.Random, with_chance: bool, with_words: bool = False):
        self._rng = rng
        self._with_chance = with_chance
        self._with_words = with_words

    def policy(self) -> list[str]:
        lines = [self._line() for _ in range(self._rng.randint(1, 5))]
        while not _is_valid(lines):
            lines = [self._line() for _ in range(self._rng.randint(1, 5))]
        return lines

    def pair(self) -> tuple[str, str]:
        """Two related policies, because most unrelated ones differ obviously."""
        old = self.policy()
        new = self._change(old)
        while not _is_valid(new):
            new = self._change(old)
        return " ".join(old), " ".join(new)

    def _change(self, lines: Sequence[str]) -> list[str]:
        new = list(lines)
        for _ in range(self._rng.randint(1, 2)):
            at = self._rng.randrange(len(new)) if new else 0
            match self._rng.randrange(5):
                case 0:
                    new.insert(at, self._line())
                case 1 if len(new) > 1:
                    del new[at]
                case 2:
                    other = self._rng.randrange(len(new))
                    new[at], new[other] = new[other], new[at]
                case 3:
                    new.insert(at, new[at])
                case _:
                    new[at] = self._rewrite(new[at])
        return new

    def _rewrite(self, line: str) -> str:
        """The line in other words if possible, otherwise another line."""
        number = self._rng.randint(1, 9)
        changes = (
            (f"<= {number}", f"< {number + 1}"),
            (f">= {number}", f"> {number - 1}"),
            ("RESULT", "RECORD"),
        )
        for old, new in changes:
            if old in line:
                return line.replace(old, new)
        return self._line()

    def _line(self) -> str:
        kinds = ["ALWAYS", "RESULT", "RESULT", "FILTER", "RESULT"]
        match self._rng.choice(kinds):
            case "ALWAYS":
                return f"ALWAYS : {self._action(drops=True)};"
            case "RESULT":
                return f"EACH RESULT : {self._condition()}{self._action_or_check()};"
            case _:
                return f"EACH FILTER {self._comparison()} : {self._condition()}{self._action_or_check()};"

    def _action_or_check(self) -> str:
        return "" if self._rng.random() < 0.12 else f" : {self._action()}"

    def _condition(self) -> str:
        parts = [self._comparison() for _ in range(self._rng.choice((1, 1, 2)))]
        joined = self._rng.choice((" AND ", " OR ")).join(parts)
        return f"NOT ({joined})" if self._rng.random() < 0.2 else joined

    def _comparison(self) -> str:
        if self._rng.random() < 0.3:
            operator = self._rng.choice(("=", "!=", "<="))
            return f"B {operator} {self._text()}"
        operator = self._rng.choice(("<", "<=", "=", ">=", ">"))
        if self._rng.random() < 0.3:
            return f"C {operator} {self._rng.choice((1, 4))}"
        return f"A {operator} {self._rng.randint(0, 9)}"

    def _text(self) -> str:
        return f"'{self._rng.choice(('a', 'abc', 'b', 'x', '*'))}'"

    def _action(self, drops: bool = False) -> str:
        actions = [
            "REJECT",
            f"REPLACE A WITH {self._rng.randint(0, 9)}",
            f"REPLACE {self._rng.choice('AC')} WITH '*'",
            f"REPLACE C WITH {self._rng.choice((1, 4))}",
            f"REPLACE B WITH {self._text()}",
            f"GENERALIZE A TO BANDS OF {self._rng.choice((1, 2, 4))}{self._rng.choice(('', ' UP TO 8'))}",
            f"GENERALIZE A TO BANDS AT {self._rng.choice(('4', '2, 6', '0, 4, 8'))}",
            f"GENERALIZE B TO PREFIX OF {self._rng.randint(1, 3)}",
        ]
        actions += [f"DROP {self._rng.choice('ABC')}"] if drops else []
        if self._with_chance and self._rng.random() < 0.3:
            return self._rng.choice(("RANDOM A 0 4", "WITH PROBABILITY 0.5 REJECT", "RANDOM B FROM ('a', 4 OF 'x')"))
        if self._with_words and self._rng.random() < 0.4:
            return self._rng.choice(
                (
                    f"GENERALIZE {self._rng.choice('AC')} TO NEAREST {self._rng.choice((1, 3, 9, 2))}",
                    f"PSEUDONYM {self._rng.choice('ABC')}",
                    f"MICROAGGREGATE {self._rng.choice('AC')} BY 2",
                    f"ADD RANDOM 0 {self._rng.choice((1, 4))} TO C",
                )
            )
        return self._rng.choice(actions)


def _is_valid(lines: Sequence[str]) -> bool:
    try:
        parse_and_check(" ".join(lines), SCHEMA)
    except AssertionError:
        return False
    return bool(lines)


def records() -> list[Record]:
    """A record of every kind."""
    return list(product(_NUMBERS, _TEXTS, (0, 1, 3, 4, 6)))


def traces(most: int) -> Iterator[tuple[Fraction, ...]]:
    yield from product(_RHOS, repeat=most)


def release(program: Program, table: Sequence[Record], trace: Sequence[Fraction]) -> object:
    """The columns and the bag of records of the output; None if nothing is written."""
    outcome = run_or_none(program, table, (*trace, *([Fraction(1, 2)] * 40)))
    if outcome is None or not is_written(program, outcome):
        return None
    final = program.final_schema
    kept = remaining(final)
    bag = Counter(tuple(repr(record[at]) for at in kept) for record in outcome.records)
    return [final[at] for at in kept], bag
