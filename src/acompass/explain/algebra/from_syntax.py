"""A requirement as equations: for the affected bag V, for the table R after it and, where it draws, for the
trace T after it.

An action with a probability (X5) has one more: W, the affected records that it is performed on.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from acompass.checked.parameters import Parameters
from acompass.explain.algebra.draws import hit, ranked, tail, uniform, urn
from acompass.explain.algebra.expressions import (
    Aggregated,
    All,
    Antijoin,
    Any,
    Column,
    Compare,
    Condition,
    Difference,
    Equation,
    Expression,
    Group,
    IfEmpty,
    Label,
    Not,
    Scalar,
    Select,
    Semijoin,
    Table,
    Union,
    Without,
    Write,
)
from acompass.syntax import tree
from acompass.syntax.tree import Quantifier
from acompass.syntax.walk import assertion_of, core, drawn_name, process_of, step_of

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def numbered(letter: str, index: int) -> Table:
    return Table(letter + str(index).translate(_SUBSCRIPTS))


def _column(name: tree.Name) -> Column:
    return Column(name.text)


@dataclass(frozen=True, slots=True)
class _State:
    """What ⟦action⟧(R, ρ, V) is given. `is_all`: V is the whole of R, because of ALWAYS."""

    table: Table
    trace: Expression
    affected: Table
    is_all: bool

    def written(self, value: Scalar, name: tree.Name, records: Expression) -> Expression:
        changed = Write(value, _column(name), records)
        return changed if self.is_all else Union(Difference(self.table, self.affected), changed)


class FromSyntax:
    """The equations of one requirement after the other; `trace` is the trace that the next one begins with.

    Unbound parameters stay parameters.
    """

    def __init__(self, parameters: Parameters):
        self._parameters = parameters
        self.trace = numbered("T", 0)

    @property
    def has_drawn(self) -> bool:
        return self.trace != numbered("T", 0)

    def equations(self, index: int, requirement: tree.Requirement) -> Iterator[Equation]:
        table, affected = numbered("R", index - 1), numbered("V", index)
        yield Equation(affected, self._affected(requirement, table))
        action = step_of(requirement)
        match action:
            case tree.Sometimes(probability, inner):
                chosen = numbered("W", index)
                yield Equation(chosen, hit(affected, self.trace, probability.value))
                after_coins = tail(affected, self.trace)
                yield from self._performed(index, inner, _State(table, after_coins, chosen, False))
            case tree.Reject():
                yield Equation(
                    numbered("R", index), Difference(table, affected), self._kept(requirement, table)
                )
            case None | tree.Replace() | tree.Random() | tree.Draw() | tree.Generalize() | tree.Drop():
                is_all = assertion_of(requirement) is None
                yield from self._performed(index, action, _State(table, self.trace, affected, is_all))
            case _:
                assert_never(action)

    def _performed(self, index: int, action: tree.Plain | None, state: _State) -> Iterator[Equation]:
        yield Equation(numbered("R", index), self._after(action, state))
        drawn = drawn_name(action) is not None
        rest = tail(state.affected, state.trace) if drawn else state.trace
        if rest != self.trace:
            self.trace = numbered("T", index)
            yield Equation(self.trace, rest)

    def _after(self, action: tree.Plain | None, state: _State) -> Expression:
        match action:
            case None:
                return state.table
            case tree.Reject():
                return Difference(state.table, state.affected)
            case tree.Replace(name, constant):
                return state.written(self._bound(constant), name, state.affected)
            case tree.Random(name, lower, upper):
                value = uniform(self._bound(lower), self._bound(upper))
                return state.written(value, name, ranked(state.affected, state.trace))
            case tree.Draw(name, balls):
                value = urn([(self._bound(ball.constant), int(ball.times)) for ball in balls])
                return state.written(value, name, ranked(state.affected, state.trace))
            case tree.Generalize(name, map_):
                return state.written(Label(map_, _column(name)), name, state.affected)
            case tree.Drop(names):
                return Without(tuple(map(_column, names)), state.table)
            case _:
                assert_never(action)

    def _affected(self, requirement: tree.Requirement, table: Table) -> Expression:
        assertion, process = assertion_of(requirement), process_of(requirement)
        if assertion is None:
            return table
        if assertion.quantifier is Quantifier.SOME:
            condition = self._condition(assertion.condition)
            return IfEmpty(table, Select(condition, self._result(assertion.result, table)))
        violating = self._violating(assertion, table)
        if process is None:
            return violating
        return Semijoin(self._seen(process, table), violating, tuple(map(_column, process.group_by)))

    def _violating(self, assertion: tree.Assertion, table: Table) -> Expression:
        """The records, or the classes, that violate the condition."""
        return Select(Not(self._condition(assertion.condition)), self._result(assertion.result, table))

    def _result(self, result: tree.ResultForm, table: Table) -> Expression:
        match result:
            case tree.Result():
                return table
            case tree.Filter(condition):
                return Select(self._condition(condition), table)
            case tree.Process():
                keys = tuple(map(_column, result.group_by))
                return Group(keys, tuple(map(_aggregated, result.aggregates)), self._seen(result, table))
            case _:
                assert_never(result)

    def _seen(self, process: tree.Process, table: Table) -> Expression:
        return table if process.where is None else Select(self._condition(process.where), table)

    def _kept(self, requirement: tree.Requirement, table: Table) -> Expression | None:
        """If whole classes are rejected, the remaining records are those without a violating class."""
        process, assertion = process_of(requirement), assertion_of(requirement)
        if assertion is None or process is None or process.where is not None:
            return None
        if assertion.quantifier is Quantifier.SOME:
            return None
        return Antijoin(table, self._violating(assertion, table), tuple(map(_column, process.group_by)))

    def _condition(self, condition: tree.Condition) -> Condition:
        written = core(condition)
        match written:
            case tree.Comparison(name, operator, constant):
                return Compare(_column(name), operator, self._bound(constant))
            case tree.Not(operand):
                return Not(self._condition(operand))
            case tree.And(operands):
                return All(tuple(map(self._condition, operands)))
            case tree.Or(operands):
                return Any(tuple(map(self._condition, operands)))
            case _:
                assert_never(written)

    def _bound(self, constant: tree.Constant) -> tree.Constant:
        return self._parameters.bind(constant) or constant


def _aggregated(named: tree.NamedAggregate) -> Aggregated:
    column = named.aggregate.column
    argument = None if column is None else _column(column)
    return Aggregated(named.aggregate.function, argument, _column(named.alias))
