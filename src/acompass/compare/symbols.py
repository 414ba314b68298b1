"""The variables of a comparison: the kind of each column's initial value, and what chance and classes decide.

One manager has the diagrams of both policies, so that the same set of records is the same diagram. Where the
kinds of a column are not known, each comparison of it has a variable of its own: the same comparison of the
same value gives the same in both policies, and nothing more is known.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never

from acompass.checked.effects import draws, plain_of
from acompass.checked.program import Draw, Drop, Generalize, Program, Random, Reject, Replace, Requirement
from acompass.checked.types import Type, Value
from acompass.compare.expressions import (
    Constant,
    Derived,
    Expression,
    applied,
    normal,
    shown,
    without_prefixes,
)
from acompass.compare.kinds import ColumnKinds
from acompass.privacy.influence import is_record_level
from acompass.privacy.representatives import Alike
from acompass.privacy.undecided import Undecided
from acompass.prove.decision_diagram import ALL, EMPTY, Diagram, DiagramManager, Variable
from acompass.prove.regions import Mask, regions_in

#: no, then yes
_COIN: tuple[Alike, ...] = ((False,), (True,))
_YES: Mask = 0b10
#: in place of kinds that are not known
_UNKNOWN: tuple[Alike, ...] = ((0, 1),)


def is_barrier(requirement: Requirement) -> bool:
    """Whether other records or chance decide what happens to a record."""
    return not is_record_level(requirement) or draws(requirement.action)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a barrier decides about one record: whether its class is affected, whether a coin hits it, and
    what is drawn for it."""

    affected: Variable
    coin: Variable
    drawn: Variable


class Symbols:
    def __init__(self, programs: Sequence[Program]):
        schema = programs[0].schema
        self.columns = [ColumnKinds(schema, column, programs) for column in range(len(schema))]
        self.kinds: list[tuple[Alike, ...]] = []
        self.unknown: dict[Variable, Undecided] = {}
        self._free: dict[tuple[Derived, object], Variable] = {}
        for column in self.columns:
            self._add(column.initial)
        self._outcomes: dict[int, Outcome] = {}
        for program in programs:
            for requirement in filter(is_barrier, program.requirements):
                self._outcomes[id(requirement)] = self._outcome(requirement)
        self._programs = programs  # their requirements are told apart by identity
        self._samples: dict[tuple[Derived, int], tuple[Value | None, ...]] = {}
        self.diagrams = DiagramManager([(1 << len(kinds)) - 1 for kinds in self.kinds])

    def _outcome(self, requirement: Requirement) -> Outcome:
        drawn = self._add(lambda: self._drawn(requirement))
        return Outcome(self._add(lambda: _COIN), self._add(lambda: _COIN), drawn)

    def _add(self, kinds_of: Callable[[], tuple[Alike, ...]]) -> Variable:
        try:
            self.kinds.append(kinds_of())
        except Undecided as undecided:
            self.kinds.append(_UNKNOWN)
            self.unknown[len(self.kinds) - 1] = undecided
        return len(self.kinds) - 1

    def _drawn(self, requirement: Requirement) -> tuple[Alike, ...]:
        plain = plain_of(requirement.action)
        match plain:
            case Draw(balls=balls):
                return tuple((ball.value,) for ball in balls)
            case Random(column):
                after = requirement.after[column].type
                return self.columns[column].drawn(plain, after, requirement.line)
            case None | Reject() | Replace() | Generalize() | Drop():
                return ((0,),)
            case _:
                assert_never(plain)

    def outcome(self, requirement: Requirement) -> Outcome:
        return self._outcomes[id(requirement)]

    def yes(self, variable: Variable) -> Diagram:
        return self.diagrams.literal(variable, _YES)

    def samples(self, expression: Derived, kind: int) -> tuple[Value | None, ...]:
        """What becomes of the values that stand for a kind."""
        if expression.variable in self.unknown:
            raise self.unknown[expression.variable]
        key = (expression, kind)
        if key not in self._samples:
            values = self.kinds[expression.variable][kind]
            self._samples[key] = tuple(applied(value, expression.steps) for value in values)
        return self._samples[key]

    def unlabelled(self, expression: Expression) -> Diagram:
        """The records for whose value a map has no label."""
        match expression:
            case Constant(value):
                return ALL if value is None else EMPTY
            case Derived():
                return self.where(expression, lambda value: value is None, "unlabelled")
            case _:
                assert_never(expression)

    def where(self, expression: Derived, holds: Callable[[Value | None], bool], test: object) -> Diagram:
        """The records whose value satisfies a test that the values of a kind agree about. Equal tests hold of
        the same values."""
        if expression.variable in self.unknown:
            return self._uninterpreted(expression, test)
        mask = 0
        for kind in range(len(self.kinds[expression.variable])):
            verdicts = {holds(value) for value in self.samples(expression, kind)}
            if len(verdicts) > 1:
                raise Undecided(None, "not all values that the policies treat alike are told apart")
            mask |= verdicts.pop() << kind
        return self.diagrams.literal(expression.variable, mask)

    def _uninterpreted(self, expression: Derived, test: object) -> Diagram:
        key = (expression, test)
        if key not in self._free:
            self._free[key] = self._add(lambda: _COIN)
            self.diagrams.full.append((1 << len(_COIN)) - 1)
        return self.yes(self._free[key])

    def differing(self, one: Expression, other: Expression, type_: Type, within: Diagram) -> Diagram:
        """The records of a set for which the two can be written in different ways."""
        if one == other:
            return EMPTY
        if any(isinstance(each, Derived) and each.variable in self.unknown for each in (one, other)):
            return within
        return self.diagrams.intersection(within, self._differing(one, other, type_, within))

    def _differing(self, one: Expression, other: Expression, type_: Type, within: Diagram) -> Diagram:
        match one, other:
            case Constant(value), Constant(another):
                return EMPTY if shown(value, type_) == shown(another, type_) else ALL
            case Constant(value), Derived():
                return self._differing_from(other, value, type_)
            case Derived(), Constant(value):
                return self._differing_from(one, value, type_)
            case Derived(variable), Derived(own) if variable == own:
                return self._differing_maps(one, other, type_, within)
            case Derived(), Derived():
                return self._differing_sources(one, other, type_)
            case _:
                raise AssertionError("expressions are constants or derived")

    def _differing_from(self, derived: Derived, value: Value | None, type_: Type) -> Diagram:
        mask = sum(
            1 << kind
            for kind in self._kinds_of(derived)
            if {shown(each, type_) for each in self.samples(derived, kind)} != {shown(value, type_)}
        )
        return self.diagrams.literal(derived.variable, mask)

    def _differing_maps(self, one: Derived, other: Derived, type_: Type, within: Diagram) -> Diagram:
        mask = 0
        for kind in regions_in(self.diagrams.mask_of(within, one.variable)):
            ours, theirs = (
                [shown(each, type_) for each in self.samples(derived, kind)] for derived in (one, other)
            )
            if ours != theirs:
                mask |= 1 << kind
            elif len(set(ours)) > 1 and self._normal(one, kind) != self._normal(other, kind):
                raise Undecided(None, "two maps agree on all values that were tried")
        return self.diagrams.literal(one.variable, mask)

    def _normal(self, expression: Derived, kind: int) -> Derived:
        """A prefix leaves texts alone that are not longer."""
        variable = expression.variable
        if variable < len(self.columns) and self.columns[variable].have_lengths:
            expression = without_prefixes(expression, len(str(self.kinds[variable][kind][0])))
        return normal(expression)

    def _differing_sources(self, one: Derived, other: Derived, type_: Type) -> Diagram:
        return self.diagrams.union_of(
            self.diagrams.intersection(
                self.diagrams.literal(one.variable, 1 << kind), self._apart(one, kind, other, type_)
            )
            for kind in self._kinds_of(one)
        )

    def _apart(self, one: Derived, kind: int, other: Derived, type_: Type) -> Diagram:
        ours = {shown(each, type_) for each in self.samples(one, kind)}
        mask = sum(
            1 << theirs
            for theirs in self._kinds_of(other)
            if len(ours | {shown(each, type_) for each in self.samples(other, theirs)}) > 1
        )
        return self.diagrams.literal(other.variable, mask)

    def _kinds_of(self, expression: Derived) -> Iterator[int]:
        yield from regions_in(self.diagrams.full[expression.variable])
