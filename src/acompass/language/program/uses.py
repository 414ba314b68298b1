"""How a policy uses the columns of a table whose types are not known yet (D10)."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from enum import StrEnum
from typing import assert_never

from acompass.dataclasses import dataclass, replace
from acompass.errors.diagnostics import Span
from acompass.language.program.aggregates import facts_about
from acompass.language.program.constants import Parameters, ParamValue
from acompass.language.program.types import Names
from acompass.language.text import tree, walk
from acompass.language.text.parser import allowed_codes
from acompass.language.text.tree import Operator


class Use(StrEnum):
    NUMBER = "number"
    TEXT = "text"
    #: named, but neither as a number nor as text
    ANY = "any"


@dataclass(frozen=True, slots=True)
class TextComparison:
    """A comparison of a column's values with a text constant."""

    operator: Operator
    text: str
    span: Span
    allowed: frozenset[str]  # codes that an `allow` comment silences here


@dataclass(frozen=True, slots=True)
class ColumnUse:
    use: Use
    span: Span  # the place in the policy that determines the use
    texts: tuple[TextComparison, ...] = ()
    forms_classes: bool = False  # the policy groups by the column or counts its distinct values
    written: tuple[Decimal, ...] = ()  # numbers that REPLACE writes or RANDOM … FROM draws
    drawn: tuple[tuple[Decimal, Decimal], ...] = ()  # bounds between which RANDOM draws
    computed: bool = False  # NEAREST, ADD RANDOM or MICROAGGREGATE writes numbers that depend on those in the column
    rounded: tuple[Decimal, ...] = ()  # the steps of NEAREST
    banded: bool = False  # BANDS maps its numbers, and the column may contain labels as well (X2)
    #: an ALWAYS replaces or drops its values before they are read, so they may be missing (D27)
    overwritten: bool = False
    may_have_labels: bool = False  # if the table was released, it has labels of a GENERALIZE in place of numbers (D32)
    may_have_pseudonyms: bool = False  # the same for a PSEUDONYM


def without_places(use: ColumnUse) -> ColumnUse:
    """The use without its places in the policy: equal uses give a column the same type."""
    nowhere = Span(0, 0)
    return replace(use, span=nowhere, texts=tuple(replace(each, span=nowhere) for each in use.texts))


def uses(
    policy: tree.Program,
    names: Sequence[str],
    params: Mapping[str, ParamValue] | None = None,
    *,
    may_be_released: bool = False,
) -> dict[int, ColumnUse]:
    """The use of every column that the policy names, by position. Unknown names are ignored.

    The first comparison or SUM determines the use, or else the first text that an action writes: a column that is
    compared with numbers and replaced with text begins as a number (D10). After a GENERALIZE, the column contains
    labels, so later comparisons say nothing about the input table.
    """
    seen = _Uses(Names(names), Parameters(params or {}))
    silenced = allowed_codes(policy)
    for index, requirement in enumerate(walk.steps(policy)):
        seen.allowed = frozenset(silenced.get(index, ()))
        assertion, action = walk.assertion_of(requirement), walk.step_of(requirement)
        if assertion is not None:
            seen.add_assertion(assertion)
        if action is not None:
            seen.add_action(action, always=assertion is None)
    found = seen.named | seen.replaced | seen.compared
    return {
        position: replace(
            seen.complete(position, use),
            may_have_labels=may_be_released and position in seen.generalized,
            may_have_pseudonyms=may_be_released and position in seen.pseudonymized,
        )
        for position, use in found.items()
    }


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
        self.computed: set[int] = set()
        self.rounded: dict[int, list[Decimal]] = {}
        self.banded: set[int] = set()
        self.generalized: set[int] = set()
        self.pseudonymized: set[int] = set()
        self.overwritten: set[int] = set()
        self.allowed: frozenset[str] = frozenset()

    def complete(self, position: int, use: ColumnUse) -> ColumnUse:
        return replace(
            use,
            texts=tuple(self.texts.get(position, ())),
            forms_classes=position in self.forming_classes,
            written=tuple(self.written.get(position, ())),
            drawn=tuple(self.drawn.get(position, ())),
            computed=position in self.computed,
            rounded=tuple(self.rounded.get(position, ())),
            banded=position in self.banded,
            overwritten=position in self.overwritten,
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

    def add_action(self, action: tree.Step, *, always: bool) -> None:
        if always:
            self._add_overwritten(action)
        plain = walk.plain_of(action)
        match plain:
            case tree.Random():
                self._add_random(plain)
            case tree.Draw(name, values):
                for each in values:
                    self._add_written(name, each.constant, plain.span)
            case tree.Replace(name, constant):
                self._add_written(name, constant, plain.span)
            case tree.Generalize():
                self._add_generalize(plain)
            case tree.Pseudonym(name):
                self._add_pseudonym(name)
            case tree.AddRandom(name=name) | tree.Microaggregate(name=name):
                self._add_number(name, plain.span)
            case None | tree.Reject() | tree.Drop() | tree.Shift():
                self._add_named(walk.parts_of(plain))
            case _:
                assert_never(plain)

    def _add_named(self, parts: walk.Parts) -> None:
        for name in (*parts.written, *parts.read, *parts.dropped):
            self._column(name)

    def _add_overwritten(self, action: tree.Step) -> None:
        """Record the columns that the action overwrites or drops in all records before anything reads them (D27)."""
        for name in walk.overwritten_names(action):
            match self._names.find(name.text):
                case (column,) if column not in self.named:
                    self.overwritten.add(column)

    def _add_written(self, name: tree.Name, written: tree.Constant, place: Span) -> None:
        column, constant = self._column(name), self._parameters.bind(written)
        if column is None:
            return
        match constant:
            case tree.String():
                self.replaced.setdefault(column, ColumnUse(Use.TEXT, place))
            case tree.Number(value):
                self.written.setdefault(column, []).append(value)

    def _add_generalize(self, action: tree.Generalize) -> None:
        nearest = walk.nearest_in(action)
        if nearest is not None:
            self._add_number(action.name, nearest.span)
        column = self._column(action.name)
        if column is not None and nearest is not None:
            self.rounded.setdefault(column, []).append(nearest.number.value)
            return
        if column is None:
            return
        if walk.map_parts(action.map).of_numbers:
            self.banded.add(column)
            if column not in self.generalized:
                self.compared.setdefault(column, ColumnUse(Use.NUMBER, action.map.span))
        self.replaced.setdefault(column, ColumnUse(Use.TEXT, action.map.span))
        self.generalized.add(column)

    def _add_pseudonym(self, name: tree.Name) -> None:
        """After it, the column contains pseudonyms, so later comparisons say nothing about the input table."""
        column = self._column(name)
        if column is not None:
            self.generalized.add(column)
            self.pseudonymized.add(column)

    def _add_number(self, name: tree.Name, place: Span) -> None:
        column = self._column(name)
        if column is not None:
            self.computed.add(column)
        if column is not None and column not in self.generalized:
            self.compared.setdefault(column, ColumnUse(Use.NUMBER, place))

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
        for leaf in walk.leaves(condition):
            for comparison in walk.comparisons(leaf):
                self._add_comparison(self._column(comparison.name), comparison, in_like=walk.is_like(leaf))

    def _add_comparison(self, column: int | None, comparison: tree.Comparison, *, in_like: bool = False) -> None:
        constant = self._parameters.bind(comparison.constant)
        if column is None or constant is None or column in self.generalized:
            return
        if isinstance(constant, tree.Number):
            self.compared.setdefault(column, ColumnUse(Use.NUMBER, comparison.span))
            return
        self.compared.setdefault(column, ColumnUse(Use.TEXT, comparison.span))
        if in_like:  # D24, numbers ordered as text, does not apply to LIKE (X4)
            return
        compared = TextComparison(comparison.operator, constant.value, comparison.span, self.allowed)
        self.texts.setdefault(column, []).append(compared)

    def _add_process(self, process: tree.Process, condition: tree.Condition) -> None:
        origins = [self._add_aggregate(named.aggregate) for named in process.aggregates]
        if process.where is not None:
            self._add_condition(process.where)
        groups = [self._column(name) for name in process.group_by]
        self.forming_classes.update(groups)
        spelled = [self._names.spelling(name.text, group) for name, group in zip(process.group_by, groups, strict=True)]
        seen = Names([*spelled, *(named.alias.text for named in process.aggregates)])
        for leaf in walk.leaves(condition):
            for comparison in walk.comparisons(leaf):
                match seen.find(comparison.name.text):
                    case (position,):
                        self._add_comparison([*groups, *origins][position], comparison, in_like=walk.is_like(leaf))

    def _add_aggregate(self, aggregate: tree.Aggregate) -> int | None:
        """The column that the aggregate's value comes from; None for a SUM or a count."""
        if aggregate.file is not None:  # its column is one of the file (X14)
            return None
        column = None if aggregate.column is None else self._column(aggregate.column)
        facts = facts_about(aggregate.function)
        if facts.of_numbers and column is not None and column not in self.generalized:
            self.compared.setdefault(column, ColumnUse(Use.NUMBER, aggregate.span))
        if facts.tells_values_apart:
            self.forming_classes.add(column)
        return column if facts.is_value else None
