"""What becomes of a value of a column, with exact probabilities."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias, assert_never

from acompass.checked.convert import convert, to_text
from acompass.checked.program import (
    Action,
    Draw,
    Drop,
    Generalize,
    Random,
    Reject,
    Replace,
    Requirement,
    Sometimes,
)
from acompass.checked.types import INTEGER, Type, Value
from acompass.estimate.lines import matters
from acompass.pram.read import MOST_VALUES
from acompass.semantics import affected_bag

#: a value with its text, which tells two spellings of a number apart, and its probability
Outcome: TypeAlias = tuple[str, Value, Fraction]

ONE = Fraction(1)


class Stopped(Exception):
    """A check fails for a value that was drawn, so that it decides whether anything is released."""

    def __init__(self, line: Requirement):
        super().__init__(line.line)
        self.line = line


class TooMany(Exception):
    """A line draws one of more values than an estimate can follow."""

    def __init__(self, values: int):
        super().__init__(values)
        self.values = values


class Kernel:
    """The lines that decide what becomes of a column. Each line sees each value once."""

    def __init__(self, lines: Sequence[Requirement], column: int):
        self._lines = [line for line in lines if matters(line, column)]
        self._column = column
        self._seen: dict[tuple[int, str], list[Outcome]] = {}

    def row(self, value: Value, type_: Type) -> dict[str, Fraction]:
        """The probability of each text that is released for the value. What they lack to 1 is dropped."""
        reached = {to_text(value, type_): (value, ONE)}
        for at in range(len(self._lines)):
            after: dict[str, tuple[Value, Fraction]] = {}
            for text, (before, probability) in reached.items():
                for new, result, share in self._outcomes(at, text, before):
                    total = after[new][1] if new in after else Fraction(0)
                    after[new] = (result, total + probability * share)
            reached = after
        return {text: probability for text, (_, probability) in reached.items()}

    def _outcomes(self, at: int, text: str, value: Value) -> list[Outcome]:
        if (at, text) not in self._seen:
            line, column = self._lines[at], self._column
            after = line.after[column].type
            found = performed(line, column, value)
            self._seen[at, text] = [(to_text(new, after), new, share) for new, share in found]
        return self._seen[at, text]


def performed(line: Requirement, column: int, value: Value) -> Iterator[tuple[Value, Fraction]]:
    """The values that a line which reads the column alone may leave; none if it drops the record."""
    before, after = line.before[column].type, line.after[column].type
    converted = convert(value, before, after)
    if not is_affected(line, column, value):
        yield converted, ONE
    elif line.action is None:
        raise Stopped(line)
    else:
        yield from outcomes(line.action, converted, after)


def is_affected(line: Requirement, column: int, value: Value) -> bool:
    """Whether a record with the value is affected by a line that reads no other column."""
    record = (*[None] * column, value)
    return bool(affected_bag([record], line.assertion))


def outcomes(action: Action, value: Value, type_: Type) -> Iterator[tuple[Value, Fraction]]:
    """What an action that drops records or writes a column leaves in place of a value of the column."""
    match action:
        case Sometimes(probability, inner):
            yield value, 1 - probability
            yield from ((new, probability * share) for new, share in outcomes(inner, value, type_))
        case Reject():
            pass
        case Replace(value=new):
            yield new, ONE
        case Random(lower=lower, upper=upper):
            yield from _integers(lower, upper, type_)
        case Draw(balls=balls):
            total = action.total
            yield from ((ball.value, Fraction(ball.weight, total)) for ball in balls)
        case Generalize(map=map_):
            label = map_.label(to_text(value, type_))
            yield from () if label is None else ((label, ONE),)
        case Drop():
            raise AssertionError("DROP neither drops records nor writes a column")
        case _:
            assert_never(action)


def _integers(lower: int, upper: int, type_: Type) -> Iterator[tuple[Value, Fraction]]:
    values = upper - lower + 1
    if values > MOST_VALUES:
        raise TooMany(values)
    for number in range(lower, upper + 1):
        yield convert(number, INTEGER, type_), Fraction(1, values)
