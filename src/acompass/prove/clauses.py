"""A condition as a conjunction of clauses: each is a disjunction of comparisons and negated comparisons."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from acompass.checked.program import And, Comparison, Condition, Not, Or

#: the most clauses of a condition
MOST_CLAUSES = 64


@dataclass(frozen=True, slots=True)
class Literal:
    comparison: Comparison
    is_negated: bool

    @property
    def condition(self) -> Condition:
        return Not(self.comparison) if self.is_negated else self.comparison


Clause: TypeAlias = tuple[Literal, ...]


def clauses(condition: Condition, is_negated: bool = False) -> tuple[Clause, ...] | None:
    """The clauses of the condition, or of its negation; None if they are too many."""
    match condition:
        case Comparison():
            return ((Literal(condition, is_negated),),)
        case Not(operand):
            return clauses(operand, not is_negated)
        case And(operands):
            parts = [clauses(operand, is_negated) for operand in operands]
            return _disjunction(parts) if is_negated else _conjunction(parts)
        case Or(operands):
            parts = [clauses(operand, is_negated) for operand in operands]
            return _conjunction(parts) if is_negated else _disjunction(parts)
        case _:
            assert_never(condition)


def _conjunction(parts: Sequence[tuple[Clause, ...] | None]) -> tuple[Clause, ...] | None:
    found: dict[Clause, None] = {}
    for part in parts:
        if part is None:
            return None
        found |= dict.fromkeys(part)
    return tuple(found) if len(found) <= MOST_CLAUSES else None


def _disjunction(parts: Sequence[tuple[Clause, ...] | None]) -> tuple[Clause, ...] | None:
    """A clause for each choice of a clause of every part."""
    found: tuple[Clause, ...] = ((),)
    for part in parts:
        if part is None or len(found) * len(part) > MOST_CLAUSES:
            return None
        found = tuple(dict.fromkeys(_either(one, other) for one in found for other in part))
    return found


def _either(one: Clause, other: Clause) -> Clause:
    return tuple(dict.fromkeys((*one, *other)))
