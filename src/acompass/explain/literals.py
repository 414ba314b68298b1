"""A condition as alternatives of comparisons, each with the constant as the policy writes it.

The tree says how a comparison is written, the checked condition what it means; the two have the same shape.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, islice, product, repeat
from typing import TypeAlias

from acompass.checked import program as checked
from acompass.checked.program import Operator
from acompass.checked.types import Value
from acompass.syntax import tree

#: alternatives looked at; a condition that has more is seldom nearer to being satisfied by a later one
MOST_ALTERNATIVES = 256


class Relation(StrEnum):
    LT = "<"
    LE = "<="
    EQ = "="
    NE = "≠"
    GE = ">="
    GT = ">"


_POSITIVE = {
    Operator.LT: Relation.LT,
    Operator.LE: Relation.LE,
    Operator.EQ: Relation.EQ,
    Operator.GE: Relation.GE,
    Operator.GT: Relation.GT,
}
_NEGATIVE = {
    Operator.LT: Relation.GE,
    Operator.LE: Relation.GT,
    Operator.EQ: Relation.NE,
    Operator.GE: Relation.LT,
    Operator.GT: Relation.LE,
}


@dataclass(frozen=True, slots=True)
class Literal:
    """A comparison that has to hold, or not to: `relation` has the negation in it."""

    column: int
    relation: Relation
    value: Value
    written: tree.Comparison


#: literals that all have to hold
Alternative: TypeAlias = tuple[Literal, ...]


def alternatives(
    written: tree.Condition, meant: checked.Condition, wanted: bool = True
) -> Iterator[Alternative]:
    """Ways for the condition to come out as `wanted`."""
    match written, meant:
        case tree.Comparison(), checked.Comparison():
            relations = _POSITIVE if wanted else _NEGATIVE
            yield (Literal(meant.column, relations[meant.operator], meant.value, written),)
        case tree.Not(), checked.Not():
            yield from alternatives(written.operand, meant.operand, not wanted)
        case tree.And(), checked.And():
            yield from (_together if wanted else _one_of)(written.operands, meant.operands, wanted)
        case tree.Or(), checked.Or():
            yield from (_one_of if wanted else _together)(written.operands, meant.operands, wanted)
        case _:
            raise AssertionError("a checked condition has the shape of its tree")


def _one_of(
    written: Sequence[tree.Condition], meant: Sequence[checked.Condition], wanted: bool
) -> Iterator[Alternative]:
    return islice(chain.from_iterable(map(alternatives, written, meant, repeat(wanted))), MOST_ALTERNATIVES)


def _together(
    written: Sequence[tree.Condition], meant: Sequence[checked.Condition], wanted: bool
) -> Iterator[Alternative]:
    ways = map(alternatives, written, meant, repeat(wanted))
    few = [list(islice(way, MOST_ALTERNATIVES)) for way in ways]
    for chosen in islice(product(*few), MOST_ALTERNATIVES):
        yield tuple(chain.from_iterable(chosen))
