"""Prove in lockstep that two policies are the same function of every table and trace.

Both policies advance from one barrier to the next. A barrier is a line whose effect on a record depends
on other records or on chance. If both policies have the same table at a barrier, and both barriers have the same
condition, they decide the same for each record, so one variable can represent both decisions. If the two states
are equal at the end for every value of these variables, the policies are equivalent. docs/compare.md has the proof."""

from collections.abc import Sequence
from functools import reduce
from typing import Any, TypeAlias, assert_never

from acompass.dataclasses import dataclass
from acompass.language.program.effects import (
    as_random,
    columns_read,
    comparisons,
    draws,
    plain_of,
    probability_of,
    process_in,
    process_of,
)
from acompass.language.program.program import (
    And,
    Assertion,
    Comparison,
    Condition,
    Draw,
    Not,
    Or,
    Process,
    Program,
    Random,
    Requirement,
)
from acompass.language.program.types import Schema, remaining
from acompass.language.text.tree import Function, Quantifier
from acompass.prove.diagrams.decision_diagram import ALL, EMPTY, Diagram, DiagramManager, Variable
from acompass.prove.diagrams.regions import Regions, ValueOrder, count_order, value_order
from acompass.reason.compare.symbolic import State, Symbolic
from acompass.reason.compare.symbols import Symbols, is_barrier
from acompass.reason.privacy.influence import is_record_level


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The point at which the proof fails."""

    reason: str
    #: the records for which it fails; if all lines are about records, the policies differ on a table of one of them
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
            found = self._pass_barrier(ours, theirs)
            if found is not None:
                return found

    def _advance(self, state: State, lines: list[Requirement]) -> Requirement | None:
        """Perform the lines up to the next barrier, and remove them and the barrier from `lines`."""
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
        return Mismatch(reason, self._symbolic.affected_records(self._states[side], requirement))

    def _pass_barrier(self, ours: Requirement, theirs: Requirement) -> Mismatch | None:
        """Perform both barriers; a mismatch if they may decide differently."""
        reason = f"line {ours.line} of the old policy and line {theirs.line} of the new one"
        columns = self._columns_that_matter(ours, theirs)
        differing = self._differing_records(columns, ours.before, theirs.before)
        if differing is not EMPTY:
            return Mismatch(f"{reason} do not see the same table", differing)
        if not self._decide_alike(ours, theirs):
            affected = [self._symbolic.affected_records(state, ours) for state in self._states]
            return Mismatch(f"{reason} are not the same", self._diagrams.union_of(affected))
        outcome = self._symbols.outcome(ours)
        for state, requirement in zip(self._states, (ours, theirs), strict=True):
            self._symbolic.perform(state, requirement, outcome)
        return None

    def _columns_that_matter(self, ours: Requirement, theirs: Requirement) -> Sequence[int]:
        """The columns that decide which classes are affected. If a line draws, all columns matter: they determine the
        order in which the affected records consume the trace (D18, order of draws)."""
        if draws(ours.action) or draws(theirs.action):
            return remaining(ours.after)
        return sorted(columns_read(ours) | columns_read(theirs))

    def _differing_records(self, columns: Sequence[int], ours: Schema, theirs: Schema) -> Diagram:
        """The records that only one policy still has, or that have different values. Records that fail do not count:
        because of them, nothing is written."""
        one, other = self._states
        live = [self._symbolic.live(state) for state in self._states]
        both = self._diagrams.intersection(*live)
        failed = self._diagrams.union(one.failed, other.failed)
        presence = self._diagrams.difference(self._symmetric_difference(one.alive, other.alive), failed)
        values = (self._differing_values(column, ours, theirs, both) for column in columns)
        return self._diagrams.union(presence, self._diagrams.union_of(values))

    def _differing_values(self, column: int, ours: Schema, theirs: Schema, within: Diagram) -> Diagram:
        if ours[column].type != theirs[column].type:
            return within
        one, other = (state.columns[column] for state in self._states)
        return self._symbolic.differing(one, other, ours[column].type, within)

    def _symmetric_difference(self, one: Diagram, other: Diagram) -> Diagram:
        return self._diagrams.union(self._diagrams.difference(one, other), self._diagrams.difference(other, one))

    def _decide_alike(self, ours: Requirement, theirs: Requirement) -> bool:
        if not _act_alike(ours, theirs) or is_record_level(ours) != is_record_level(theirs):
            return False
        one, other = (
            self._symbolic.affected_records(state, requirement)
            for state, requirement in zip(self._states, (ours, theirs), strict=True)
        )
        if one is not other:
            return False
        return is_record_level(ours) or self._decide_alike_about_classes(ours, theirs)

    def _decide_alike_about_classes(self, ours: Requirement, theirs: Requirement) -> bool:
        if ours.assertion.quantifier is not theirs.assertion.quantifier:
            return False
        one, other = process_of(ours), process_of(theirs)
        if one is None or other is None:
            return one is other and self._satisfying(0, ours) is self._satisfying(1, theirs)
        return (
            are_same_classes(one, other)
            and self._selected_records(0, ours) is self._selected_records(1, theirs)
            and have_same_condition(ours.assertion, theirs.assertion)
        )

    def _satisfying(self, at: int, requirement: Requirement) -> Diagram:
        """The records that satisfy a SOME."""
        condition = self._symbolic.condition(self._states[at], requirement.assertion.condition)
        return self._diagrams.intersection(self._selected_records(at, requirement), condition)

    def _selected_records(self, at: int, requirement: Requirement) -> Diagram:
        return self._symbolic.selected_records(self._states[at], requirement)

    def _at_end(self) -> Mismatch | None:
        one, other = self._states
        schemas = [program.final_schema for program in self._programs]
        written = self._differing_records(remaining(schemas[0]), *schemas)
        failed = self._symmetric_difference(one.failed, other.failed)
        records = self._diagrams.union(written, failed)
        if records is EMPTY:
            return None
        return Mismatch("the policies do not turn every record into the same output", records)


def _act_alike(ours: Requirement, theirs: Requirement) -> bool:
    """Whether both consume the trace in the same way. Only a check with SOME can fail without an affected record."""
    if draws(ours.action) or draws(theirs.action):
        same_type = ours.after == theirs.after
        return same_type and _outcome_probabilities(ours) == _outcome_probabilities(theirs)
    are_some = Quantifier.SOME in (ours.assertion.quantifier, theirs.assertion.quantifier)
    return not are_some or (ours.action is None) == (theirs.action is None)


def _outcome_probabilities(requirement: Requirement) -> tuple[object, ...]:
    """The probability of each outcome; weights such as 2 to 1 and 4 to 2 are the same."""
    action = as_random(requirement.action)
    match action:
        case Draw(column, values):
            drawn: tuple[object, ...] = (column, action.cuts, *(each.value for each in values))
        case Random(column, lower, upper):
            drawn = (column, lower, upper)
        case None:
            drawn = (plain_of(requirement.action),)
        case _:
            assert_never(action)
    return (probability_of(requirement.action), *drawn)


#: a column of GROUP BY, or a function with its column
ClassAttribute: TypeAlias = int | tuple[Function, int | None]

_COUNTS = (Function.COUNT, Function.COUNT_DISTINCT)


def are_same_classes(one: Process, other: Process) -> bool:
    """Whether both aggregate the same classes, in any order and under any names. WHERE is not compared."""
    return set(one.group_by) == set(other.group_by) and set(_class_attributes(one)) == set(_class_attributes(other))


def _class_attributes(process: Process) -> list[ClassAttribute]:
    """The attribute at each position that the condition after PROCESS reads (D15, results)."""
    return [*process.group_by, *((each.function, each.column) for each in process.aggregates)]


def have_same_condition(one: Assertion, other: Assertion) -> bool:
    """Whether the conditions after PROCESS hold for the same classes, if the processes are the same."""
    ours, theirs = process_in(one), process_in(other)
    assert ours is not None
    assert theirs is not None
    names = sorted(set(_class_attributes(ours)), key=repr)
    cuts: list[list[Any]] = [[] for _ in names]
    for process, assertion in ((ours, one), (theirs, other)):
        for comparison in comparisons(assertion.condition):
            cuts[names.index(_class_attributes(process)[comparison.column])].append(comparison.value)
    orders = [_order(name, ours, one.schema) for name in names]
    regions = [Regions(order, own) for order, own in zip(orders, cuts, strict=True)]
    diagrams = _Classes(regions)
    satisfying = [
        diagrams.satisfying(assertion.condition, [names.index(each) for each in _class_attributes(process)])
        for process, assertion in ((ours, one), (theirs, other))
    ]
    return satisfying[0] is satisfying[1]


def _order(attribute: ClassAttribute, process: Process, schema: Schema) -> ValueOrder:
    if not isinstance(attribute, int) and attribute[0] in _COUNTS:
        return count_order()
    return value_order(schema[_class_attributes(process).index(attribute)].type)


class _Classes:
    """Sets of classes, described by their grouping columns and aggregates."""

    def __init__(self, regions: Sequence[Regions]):
        self._regions = regions
        self._diagrams = DiagramManager([each.full for each in regions])

    def satisfying(self, condition: Condition, variables: Sequence[Variable]) -> Diagram:
        """`variables` are the variables of the positions that the condition reads."""
        match condition:
            case Comparison(position, operator, value):
                variable = variables[position]
                return self._diagrams.literal(variable, self._regions[variable].satisfying(operator, value))
            case Not(operand):
                return self._diagrams.complement(self.satisfying(operand, variables))
            case And(operands):
                parts = (self.satisfying(operand, variables) for operand in operands)
                return reduce(self._diagrams.intersection, parts, ALL)
            case Or(operands):
                return self._diagrams.union_of(self.satisfying(operand, variables) for operand in operands)
            case _:
                assert_never(condition)
