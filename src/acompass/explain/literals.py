"""A condition as alternatives: conjunctions of comparisons, each of which satisfies it.

The tree holds the spelling of each comparison, the checked condition its meaning. Both have the same shape.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, islice, product, repeat
from typing import TypeAlias, assert_never

from acompass.checked import program as checked
from acompass.checked.program import Operator
from acompass.checked.types import Value
from acompass.syntax import tree
from acompass.syntax.walk import comparisons, core, operands

#: the number of alternatives to consider; later ones are rarely nearer
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
    """A comparison that must hold; negations are resolved into `relation`."""

    column: int
    relation: Relation
    value: Value
    written: tree.Comparison


#: literals that must all hold
Alternative: TypeAlias = tuple[Literal, ...]


def alternatives(
    written: tree.Condition, meant: checked.Condition, wanted: bool = True
) -> Iterator[Alternative]:
    """The ways to make the condition evaluate to `wanted`."""
    match meant:
        case checked.Comparison():
            relations = _POSITIVE if wanted else _NEGATIVE
            (comparison,) = comparisons(written)
            yield (Literal(meant.column, relations[meant.operator], meant.value, comparison),)
        case checked.Not():
            (operand,) = operands(core(written))
            yield from alternatives(operand, meant.operand, not wanted)
        case checked.And():
            yield from (_together if wanted else _one_of)(operands(core(written)), meant.operands, wanted)
        case checked.Or():
            yield from (_one_of if wanted else _together)(operands(core(written)), meant.operands, wanted)
        case _:
            assert_never(meant)


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
