"""Two policies in lockstep: are they the same function of every table and trace?

Both go from one barrier to the next: a line that other records or chance decide about. If both stand before
the same table there, and ask the same question, what is decided about a record is the same for both, whatever
it is. So one variable can stand for it. If the two states are the same at the end for every value of these
variables, the policies are equivalent. docs/compare.md has the proof.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from acompass.checked.effects import (
    columns_read,
    draws,
    filter_of,
    plain_of,
    probability_of,
    process_of,
    random_of,
)
from acompass.checked.program import Draw, Program, Quantifier, Random, Requirement
from acompass.checked.types import Schema, remaining
from acompass.compare.questions import are_same_classes, have_same_condition
from acompass.compare.symbolic import State, Symbolic
from acompass.compare.symbols import Symbols, is_barrier
from acompass.privacy.influence import is_record_level
from acompass.prove.decision_diagram import EMPTY, Diagram


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Where the proof ends, and the records for which it does. If all lines are about records, the policies
    differ on a table of one of these."""

    reason: str
    records: Diagram


class Lockstep:
    def __init__(self, symbols: Symbols, old: Program, new: Program):
        self._symbols = symbols
        self._diagrams = symbols.diagrams
        self._symbolic = Symbolic(symbols)
        self._programs = (old, new)
        self._states = (self._symbolic.start(old.schema), self._symbolic.start(new.schema))

    def mismatch(self, lines: Sequence[Sequence[Requirement]]) -> Mismatch | None:
        """None if the policies are equivalent. `lines` are their requirements, in an order to try."""
        left = [list(own) for own in lines]
        while True:
            ours, theirs = (self._advance(state, own) for state, own in zip(self._states, left, strict=True))
            if ours is None and theirs is None:
                return self._at_end()
            if theirs is None:
                return self._without_partner(0, ours)
            if ours is None:
                return self._without_partner(1, theirs)
            found = self._crossed(ours, theirs)
            if found is not None:
                return found

    def _advance(self, state: State, lines: list[Requirement]) -> Requirement | None:
        """Perform everything before the next barrier, and take that from the lines."""
        while lines:
            requirement = lines.pop(0)
            if is_barrier(requirement):
                return requirement
            self._symbolic.perform(state, requirement)
        return None

    def _without_partner(self, side: int, requirement: Requirement | None) -> Mismatch:
        assert requirement is not None
        own, other = ("old", "new") if side == 0 else ("new", "old")
        reason = f"line {requirement.line} of the {own} policy has no counterpart in the {other} one"
        return Mismatch(reason, self._symbolic.affected(self._states[side], requirement))

    def _crossed(self, ours: Requirement, theirs: Requirement) -> Mismatch | None:
        """Pass the barrier; a mismatch if the two do not decide the same."""
        reason = f"line {ours.line} of the old policy and line {theirs.line} of the new one"
        columns = self._columns_that_matter(ours, theirs)
        apart = self._apart(columns, ours.before, theirs.before)
        if apart is not EMPTY:
            return Mismatch(f"{reason} do not see the same table", apart)
        if not self._ask_the_same(ours, theirs):
            affected = [self._symbolic.affected(state, ours) for state in self._states]
            return Mismatch(f"{reason} are not the same", self._diagrams.union_of(affected))
        outcome = self._symbols.outcome(ours)
        for state, requirement in zip(self._states, (ours, theirs), strict=True):
            self._symbolic.perform(state, requirement, outcome)
        return None

    def _columns_that_matter(self, ours: Requirement, theirs: Requirement) -> Sequence[int]:
        """What decides about a class; the order of the affected records decides about the trace (D18)."""
        if draws(ours.action) or draws(theirs.action):
            return remaining(ours.after)
        return sorted(columns_read(ours) | columns_read(theirs))

    def _apart(self, columns: Sequence[int], ours: Schema, theirs: Schema) -> Diagram:
        """The records that one policy has there and the other has not, or not with the same values. Records
        that fail do not count: nothing is written because of them."""
        one, other = self._states
        live = [self._symbolic.live(state) for state in self._states]
        both = self._diagrams.intersection(*live)
        failed = self._diagrams.union(one.failed, other.failed)
        presence = self._diagrams.difference(self._symmetric_difference(one.alive, other.alive), failed)
        values = (self._held_apart(column, ours, theirs, both) for column in columns)
        return self._diagrams.union(presence, self._diagrams.union_of(values))

    def _held_apart(self, column: int, ours: Schema, theirs: Schema, within: Diagram) -> Diagram:
        if ours[column].type != theirs[column].type:
            return within
        one, other = (state.columns[column] for state in self._states)
        return self._symbolic.differing(one, other, ours[column].type, within)

    def _symmetric_difference(self, one: Diagram, other: Diagram) -> Diagram:
        return self._diagrams.union(
            self._diagrams.difference(one, other), self._diagrams.difference(other, one)
        )

    def _ask_the_same(self, ours: Requirement, theirs: Requirement) -> bool:
        if not _act_alike(ours, theirs) or is_record_level(ours) != is_record_level(theirs):
            return False
        one, other = (
            self._symbolic.affected(state, requirement)
            for state, requirement in zip(self._states, (ours, theirs), strict=True)
        )
        if one is not other:
            return False
        return is_record_level(ours) or self._ask_the_same_of_classes(ours, theirs)

    def _ask_the_same_of_classes(self, ours: Requirement, theirs: Requirement) -> bool:
        if ours.assertion.quantifier is not theirs.assertion.quantifier:
            return False
        one, other = process_of(ours), process_of(theirs)
        if one is None or other is None:
            return one is other and self._satisfying(0, ours) is self._satisfying(1, theirs)
        return (
            are_same_classes(one, other)
            and self._where(0, ours) is self._where(1, theirs)
            and have_same_condition(ours.assertion, theirs.assertion)
        )

    def _satisfying(self, at: int, requirement: Requirement) -> Diagram:
        """The records that a SOME looks for."""
        condition = self._symbolic.condition(self._states[at], requirement.assertion.condition)
        return self._diagrams.intersection(self._where(at, requirement), condition)

    def _where(self, at: int, requirement: Requirement) -> Diagram:
        state, condition = self._states[at], filter_of(requirement)
        live = self._symbolic.live(state)
        if condition is None:
            return live
        return self._diagrams.intersection(live, self._symbolic.condition(state, condition))

    def _at_end(self) -> Mismatch | None:
        one, other = self._states
        schemas = [program.final_schema for program in self._programs]
        written = self._apart(remaining(schemas[0]), *schemas)
        failed = self._symmetric_difference(one.failed, other.failed)
        records = self._diagrams.union(written, failed)
        if records is EMPTY:
            return None
        return Mismatch("the policies do not leave the same of every record", records)


def _act_alike(ours: Requirement, theirs: Requirement) -> bool:
    """Whether both consume the trace alike. Only a check of SOME can fail without an affected record."""
    if draws(ours.action) or draws(theirs.action):
        same_type = ours.after == theirs.after
        return same_type and _chance(ours) == _chance(theirs)
    are_some = Quantifier.SOME in (ours.assertion.quantifier, theirs.assertion.quantifier)
    return not are_some or (ours.action is None) == (theirs.action is None)


def _chance(requirement: Requirement) -> tuple[object, ...]:
    """The probability of each outcome. Weights such as 2 to 1 and 4 to 2 are the same."""
    action = random_of(requirement.action)
    match action:
        case Draw(column, balls):
            drawn: tuple[object, ...] = (column, action.cuts, *(ball.value for ball in balls))
        case Random(column, lower, upper):
            drawn = (column, lower, upper)
        case None:
            drawn = (plain_of(requirement.action),)
        case _:
            assert_never(action)
    return (probability_of(requirement.action), *drawn)
