"""How a policy uses the columns of a table whose types are not known yet (D10)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from typing import assert_never

from acompass.checked.names import Names
from acompass.checked.parameters import Parameters, ParamValue
from acompass.diagnostics import Span
from acompass.syntax import tree
from acompass.syntax.allowances import allowed
from acompass.syntax.tree import Function, Operator
from acompass.syntax.walk import comparisons


class Use(StrEnum):
    NUMBER = "number"
    TEXT = "text"
    #: named, but neither as a number nor as text
    ANY = "any"


@dataclass(frozen=True, slots=True)
class TextComparison:
    """A comparison of a column's values with a text constant; `allowed` are codes that are silenced there."""

    operator: Operator
    text: str
    span: Span
    allowed: frozenset[str]


@dataclass(frozen=True, slots=True)
class ColumnUse:
    """`span` is the place in the policy that determines the use; `texts` are comparisons with text.

    `forms_classes` says whether the policy groups by the column or counts its distinct values. `written` are
    the numbers that REPLACE writes into it, `drawn` the bounds between which RANDOM draws integers for it.
    """

    use: Use
    span: Span
    texts: tuple[TextComparison, ...] = ()
    forms_classes: bool = False
    written: tuple[Decimal, ...] = ()
    drawn: tuple[tuple[Decimal, Decimal], ...] = ()


def uses(
    policy: tree.Program, names: Sequence[str], params: Mapping[str, ParamValue] | None = None
) -> dict[int, ColumnUse]:
    """The use of every column that the policy names, by position. Unknown names are ignored.

    The first comparison or SUM determines the use, or else the first REPLACE with text: a column that is
    compared with numbers and replaced with text begins as a number (D10).
    """
    seen = _Uses(Names(names), Parameters(params or {}))
    silenced = allowed(policy)
    for index, requirement in enumerate(policy.requirements):
        seen.allowed = frozenset(silenced.get(index, ()))
        seen.add_assertion(requirement.assertion)
        if requirement.action is not None:
            seen.add_action(requirement.action)
    found = seen.named | seen.replaced | seen.compared
    return {position: seen.completed(position, use) for position, use in found.items()}


class _Uses:
    """The uses so far; the first of each kind is kept."""

    def __init__(self, names: Names, parameters: Parameters):
        self._names = names
        self._parameters = parameters
        self.named: dict[int, ColumnUse] = {}
        self.replaced: dict[int, ColumnUse] = {}
        self.compared: dict[int, ColumnUse] = {}
        self.texts: dict[int, list[TextComparison]] = {}
        self.forming_classes: set[int | None] = set()
        self.written: dict[int, list[Decimal]] = {}
        self.drawn: dict[int, list[tuple[Decimal, Decimal]]] = {}
        self.allowed: frozenset[str] = frozenset()

    def completed(self, position: int, use: ColumnUse) -> ColumnUse:
        return replace(
            use,
            texts=tuple(self.texts.get(position, ())),
            forms_classes=position in self.forming_classes,
            written=tuple(self.written.get(position, ())),
            drawn=tuple(self.drawn.get(position, ())),
        )

    def add_assertion(self, assertion: tree.Assertion) -> None:
        match assertion.result:
            case tree.Result():
                self._add_condition(assertion.condition)
            case tree.Filter(condition):
                self._add_condition(condition)
                self._add_condition(assertion.condition)
            case tree.Process() as process:
                self._add_process(process, assertion.condition)
            case _:
                assert_never(assertion.result)

    def add_action(self, action: tree.Action) -> None:
        match action:
            case tree.Reject():
                pass
            case tree.Random():
                self._add_random(action)
            case tree.Replace():
                self._add_replace(action)
            case _:
                assert_never(action)

    def _add_replace(self, action: tree.Replace) -> None:
        column, constant = self._column(action.name), self._parameters.bind(action.constant)
        if column is None:
            return
        match constant:
            case tree.String():
                self.replaced.setdefault(column, ColumnUse(Use.TEXT, action.span))
            case tree.Number(value):
                self.written.setdefault(column, []).append(value)

    def _add_random(self, action: tree.Random) -> None:
        column, bounds = self._column(action.name), map(self._parameters.bind, (action.lower, action.upper))
        match (column, *bounds):
            case (int(position), tree.Number(lower), tree.Number(upper)):
                self.drawn.setdefault(position, []).append((lower, upper))

    def _column(self, name: tree.Name) -> int | None:
        match self._names.find(name.text):
            case (column,):
                self.named.setdefault(column, ColumnUse(Use.ANY, name.span))
                return column
        return None

    def _add_condition(self, condition: tree.Condition) -> None:
        for comparison in comparisons(condition):
            self._add_comparison(self._column(comparison.name), comparison)

    def _add_comparison(self, column: int | None, comparison: tree.Comparison) -> None:
        constant = self._parameters.bind(comparison.constant)
        if column is None or constant is None:
            return
        if isinstance(constant, tree.Number):
            self.compared.setdefault(column, ColumnUse(Use.NUMBER, comparison.span))
            return
        self.compared.setdefault(column, ColumnUse(Use.TEXT, comparison.span))
        compared = TextComparison(comparison.operator, constant.value, comparison.span, self.allowed)
        self.texts.setdefault(column, []).append(compared)

    def _add_process(self, process: tree.Process, condition: tree.Condition) -> None:
        aggregate = process.aggregate
        column = None if aggregate.column is None else self._column(aggregate.column)
        if column is not None and aggregate.function is Function.SUM:
            self.compared.setdefault(column, ColumnUse(Use.NUMBER, aggregate.span))
        if process.where is not None:
            self._add_condition(process.where)
        groups = [self._column(name) for name in process.group_by]
        counted = column if aggregate.function is Function.COUNT_DISTINCT else None
        self.forming_classes.update((*groups, counted))
        spelled = [
            self._names.spelling(name.text, group)
            for name, group in zip(process.group_by, groups, strict=True)
        ]
        seen = Names([*spelled, process.alias.text])
        is_value = aggregate.function in (Function.MIN, Function.MAX)
        origins = [*groups, column if is_value else None]
        for comparison in comparisons(condition):
            match seen.find(comparison.name.text):
                case (position,):
                    self._add_comparison(origins[position], comparison)
