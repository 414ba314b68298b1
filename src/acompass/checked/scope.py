"""The state of the check as it goes from the first requirement to the last."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from acompass.checked import findings
from acompass.checked.maps.map import Map
from acompass.checked.names import Names
from acompass.checked.parameters import Bound, Parameters
from acompass.checked.types import DROPPED, Column, Kind, Schema, Type
from acompass.diagnostics import Diagnostic, Label, Span
from acompass.syntax import tree


@dataclass(slots=True)
class View:
    """The columns that a condition sees (D15).

    A type is None if an earlier error leaves it unknown; such a column gets no further errors. `origins` are
    the table's columns that the values come from, None for a SUM or a count. `alias` names the aggregate of a
    PROCESS.
    """

    names: Names
    types: Sequence[Type | None]
    origins: Sequence[int | None]
    is_table: bool
    alias: tree.Name | None = None

    @property
    def schema(self) -> Schema:
        """The columns, if all types are known."""
        pairs = zip(self.names.texts, self.types, strict=True)
        return tuple(Column(name, type_) for name, type_ in pairs if type_ is not None)


@dataclass(slots=True)
class Scope:
    """`types` and `schema` describe the table before the current requirement."""

    schema: Schema
    names: Names
    parameters: Parameters
    types: list[Type | None]
    table: View
    bound: Names
    named: set[int] = field(default_factory=set)
    #: the action that made a column text, and its place
    turned: dict[int, tuple[str, Span]] = field(default_factory=dict)
    #: the maps of a column so far, and the texts that REPLACE or RANDOM may have written into it, each with
    #: its action and its place
    maps: dict[int, list[tuple[Map, Span]]] = field(default_factory=dict)
    written: dict[int, list[tuple[str, str, Span]]] = field(default_factory=dict)
    dropped: dict[int, Span] = field(default_factory=dict)
    folder: str = ""
    hierarchies: Mapping[str, bytes] = field(default_factory=dict)
    #: whether the table may be one that the policy has released (D32), and whether that leaves the
    #: current requirement without a verdict
    may_be_released: bool = False
    unjudged: bool = False
    found: list[Diagnostic] = field(default_factory=list)
    _places: set[tuple[str, tuple[Label, ...]]] = field(default_factory=set)

    @classmethod
    def start(cls, schema: Schema, parameters: Parameters) -> "Scope":
        names = Names([column.name for column in schema])
        types: list[Type | None] = [column.type for column in schema]
        table = View(names, types, range(len(schema)), is_table=True)
        return cls(schema, names, parameters, types, table, Names(parameters.names))

    def report(self, finding: Diagnostic) -> None:
        """Once for each place: the comparisons that IN stands for may give the same finding again and again,
        and so may the assertion of a THEN for each step."""
        place = (finding.code, finding.labels)
        if not finding.labels or place not in self._places:
            self._places.add(place)
            self.found.append(finding)

    def column(self, name: tree.Name) -> int | None:
        """The position of a column of the table, or None if an error about it was reported."""
        position = self.column_of_any_type(name)
        if position is not None and self.schema[position].type.kind is Kind.OPAQUE:
            self.report(findings.opaque_column(name, self.names.texts[position]))
            return None
        return position

    def column_of_any_type(self, name: tree.Name) -> int | None:
        """As `column`, also for types that policies do not support: DROP reads no value."""
        position = self.seen(name, self.table)
        if position is None:
            return None
        if self.schema[position].type.kind is Kind.DROPPED:
            place = self.dropped.get(position)
            self.report(findings.dropped_column(name, self.names.texts[position], place))
            return None
        self.named.add(position)
        return position

    def seen(self, name: tree.Name, view: View) -> int | None:
        """The position of a name in a view, or None if an error about it was reported."""
        match view.names.find(name.text):
            case (position,):
                return position
            case ():
                self.report(self._unknown(name, view))
            case candidates:
                texts = [view.names.texts[position] for position in candidates]
                self.report(findings.ambiguous_name(name, texts))
        return None

    def _unknown(self, name: tree.Name, view: View) -> Diagnostic:
        if view.is_table:
            return findings.unknown_column(name, view.names)
        is_column = bool(self.names.find(name.text))
        return findings.unseen_name(name, view.names, view.alias, is_column)

    def bind(self, constant: tree.Constant) -> Bound | None:
        """The constant, or a parameter's value. An unbound parameter is reported at its first use."""
        if not isinstance(constant, tree.Parameter):
            return constant
        reported = constant.name in self.parameters.unbound
        bound = self.parameters.bind(constant)
        if constant.name in self.parameters.unbound and not reported:
            self.report(self._unbound(constant))
        return bound

    def _unbound(self, parameter: tree.Parameter) -> Diagnostic:
        columns = self.names.find(parameter.name)
        if columns:
            return findings.column_as_constant(parameter, self.names.texts[columns[0]])
        return findings.unbound_parameter(parameter, self.bound)

    def blame(self, finding: Diagnostic, origin: int | None, used_as_number: bool) -> None:
        """Report a misuse of a column, with both places if an action made it text (D12)."""
        if used_as_number and origin is not None:
            finding = self._used_as_number(finding, origin)
        self.report(finding)

    def _used_as_number(self, finding: Diagnostic, origin: int) -> Diagnostic:
        name, type_ = self.names.texts[origin], self.types[origin]
        if origin in self.turned:
            return findings.turned_to_text(finding, name, *self.turned[origin])
        if type_ is not None and type_.numbers is not None:
            return findings.labels_beside_numbers(finding, name)
        return finding

    def holds_labels(self, origin: int | None, type_: Type) -> bool:
        """Whether a released table has labels of bands in place of the column's numbers (D32)."""
        is_labelled = type_.kind is Kind.TEXT and type_.numbers is not None
        if not (self.may_be_released and is_labelled) or origin in self.maps or origin in self.turned:
            return False
        self.unjudged = True
        return True

    def drop(self, column: int, place: Span) -> None:
        self.dropped[column] = place
        self.types[column] = DROPPED
        self._set(column, DROPPED)

    def retype(self, column: int, type_: Type | None, place: Span, by: str = "REPLACE") -> None:
        """Set the column's type from here on; None means unknown."""
        before = self.types[column]
        if before == type_:
            return
        self.types[column] = type_
        if type_ is None:
            return
        if type_.kind is Kind.TEXT:
            self.turned[column] = (by, place)
        self._set(column, type_)

    def _set(self, column: int, type_: Type) -> None:
        changed = Column(self.schema[column].name, type_)
        self.schema = (*self.schema[:column], changed, *self.schema[column + 1 :])
