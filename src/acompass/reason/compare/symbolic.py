"""Execute a policy symbolically on one record: for each kind of record, whether it is kept and its column values."""

from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from typing import TypeAlias, assert_never

from acompass.dataclasses import dataclass
from acompass.language.program.effects import filter_of, is_certain, plain_of, type_changes
from acompass.language.program.program import (
    And,
    Comparison,
    Condition,
    Draw,
    Drop,
    Generalize,
    Not,
    Or,
    Program,
    Random,
    Reject,
    Replace,
    Requirement,
)
from acompass.language.program.types import Kind, Schema, Type
from acompass.language.text.tree import Quantifier
from acompass.prove.diagrams.decision_diagram import ALL, EMPTY, Diagram
from acompass.reason.compare.symbols import (
    DROPPED,
    Constant,
    Conversion,
    Derived,
    Expression,
    Labelling,
    Outcome,
    Step,
    Symbols,
    append_step,
    is_barrier,
)
from acompass.reason.privacy.influence import is_record_level
from acompass.semantics.core import compare

#: for each expression, the records whose column has its value; every record is in one of these sets
Holding: TypeAlias = dict[Expression, Diagram]


@dataclass(slots=True)
class State:
    alive: Diagram  # the records that no REJECT has removed
    failed: Diagram  # the records that keep any table from being written
    columns: list[Holding]


class Symbolic:
    def __init__(self, symbols: Symbols):
        self._symbols = symbols
        self._diagrams = symbols.diagrams

    def start(self, schema: Schema) -> State:
        return State(ALL, EMPTY, [{Derived(column): ALL} for column in range(len(schema))])

    def end(self, program: Program) -> State:
        """The state after all lines, where a barrier may decide anything about a record."""
        state = self.start(program.schema)
        for requirement in program.requirements:
            outcome = self._symbols.outcome(requirement) if is_barrier(requirement) else None
            self.perform(state, requirement, outcome)
        return state

    def live(self, state: State) -> Diagram:
        return self._diagrams.difference(state.alive, state.failed)

    def perform(self, state: State, requirement: Requirement, outcome: Outcome | None = None) -> None:
        """`outcome` is what a barrier decides about the record."""
        affected = self.affected_records(state, requirement)
        if outcome is not None and not is_record_level(requirement):
            affected = self._diagrams.intersection(affected, self._symbols.is_true(outcome.affected))
        if outcome is not None and not is_certain(requirement.action):
            affected = self._diagrams.intersection(affected, self._symbols.is_true(outcome.coin))
        self._convert(state, requirement)
        self._act(state, requirement, affected, outcome)

    def affected_records(self, state: State, requirement: Requirement) -> Diagram:
        """The live records that the requirement affects, or can affect if other records decide."""
        is_some = requirement.assertion.quantifier is Quantifier.SOME  # it affects the whole table (D17, SOME)
        scope = self.live(state) if is_some else self.selected_records(state, requirement)
        if not is_record_level(requirement):
            return scope
        return self._diagrams.difference(scope, self.condition(state, requirement.assertion.condition))

    def selected_records(self, state: State, requirement: Requirement) -> Diagram:
        """The live records that the FILTER or WHERE selects."""
        condition = filter_of(requirement)
        if condition is None:
            return self.live(state)
        return self._diagrams.intersection(self.live(state), self.condition(state, condition))

    def condition(self, state: State, condition: Condition) -> Diagram:
        """The records that satisfy a condition on the table's columns."""
        match condition:
            case Comparison():
                return self._diagrams.union_of(self._satisfying_records(state, condition))
            case Not(operand):
                return self._diagrams.complement(self.condition(state, operand))
            case And(operands):
                return self._all(self.condition(state, operand) for operand in operands)
            case Or(operands):
                return self._diagrams.union_of(self.condition(state, operand) for operand in operands)
            case _:
                assert_never(condition)

    def _all(self, diagrams: Iterable[Diagram]) -> Diagram:
        return reduce(self._diagrams.intersection, diagrams, ALL)

    def _satisfying_records(self, state: State, comparison: Comparison) -> Iterator[Diagram]:
        def holds(value: object) -> bool:
            return value is not None and compare(value, comparison.operator, comparison.value)

        for expression, records in state.columns[comparison.column].items():
            match expression:
                case Constant(value):
                    yield records if holds(value) else EMPTY
                case Derived():
                    test = (comparison.operator, comparison.value)
                    satisfying = self._symbols.where(expression, holds, test)
                    yield self._diagrams.intersection(records, satisfying)
                case _:
                    assert_never(expression)

    def _convert(self, state: State, requirement: Requirement) -> None:
        for column, (before, after) in type_changes(requirement).items():
            if after.kind is Kind.DROPPED:
                state.columns[column] = {DROPPED: ALL}
            else:
                self._write(state, column, ALL, _change_by_step(Conversion(before, after)))

    def _act(self, state: State, requirement: Requirement, affected: Diagram, outcome: Outcome | None) -> None:
        plain = plain_of(requirement.action)
        match plain:
            case None:
                state.failed = self._diagrams.union(state.failed, affected)
            case Reject():
                state.alive = self._diagrams.difference(state.alive, affected)
            case Replace(column, value):
                self._write(state, column, affected, lambda _: Constant(value))
            case Random(column) | Draw(column):
                assert outcome is not None, "a RANDOM is a barrier"
                drawn = Derived(outcome.drawn)
                self._write(state, column, affected, lambda _: drawn)
            case Generalize(column, map_):
                self._write(state, column, affected, _change_by_step(Labelling(map_)))
                self._fail_unlabeled(state, column, affected)
            case Drop():
                pass  # `_convert` has dropped the columns
            case _:
                assert_never(plain)

    def _write(self, state: State, column: int, affected: Diagram, change: Callable[[Expression], Expression]) -> None:
        held: Holding = {}
        for expression, records in state.columns[column].items():
            unaffected, changed = self._diagrams.difference(records, affected), change(expression)
            for each, own in ((expression, unaffected), (changed, self._diagrams.intersection(records, affected))):
                if own is not EMPTY:
                    held[each] = self._diagrams.union(held.get(each, EMPTY), own)
        state.columns[column] = held

    def _fail_unlabeled(self, state: State, column: int, affected: Diagram) -> None:
        for expression, records in state.columns[column].items():
            unlabeled = self._all((records, self._symbols.unlabeled_records(expression), affected))
            state.failed = self._diagrams.union(state.failed, unlabeled)

    def differing(self, one: Holding, other: Holding, type_: Type, within: Diagram) -> Diagram:
        """The records of a set whose column has different values in the two."""
        return self._diagrams.union_of(
            self._symbols.differing(ours, theirs, type_, both)
            for ours, mine in one.items()
            for theirs, yours in other.items()
            if (both := self._all((mine, yours, within))) is not EMPTY
        )


def _change_by_step(step: Step) -> Callable[[Expression], Expression]:
    return lambda expression: append_step(expression, step)
