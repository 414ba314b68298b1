"""The checker's state from the first requirement to the last: names, types, and the texts that actions have written."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path

from acompass.dataclasses import dataclass, field, replace
from acompass.errors.diagnostics import Diagnostic, Label, Span
from acompass.language.program import findings
from acompass.language.program.constants import Parameters
from acompass.language.program.findings import Bound
from acompass.language.program.kernels import Map
from acompass.language.program.references import Reference, find_reference
from acompass.language.program.types import DROPPED, Column, Kind, Names, Schema, Type, Value
from acompass.language.text import tree


@dataclass(slots=True)
class View:
    """The columns that a condition sees (D15)."""

    names: Names
    types: Sequence[Type | None]  # None if an earlier error leaves it unknown; such a column gets no further errors
    origins: Sequence[int | None]  # the table's columns that the values come from; None for a SUM or a count
    is_table: bool
    alias: tree.Name | None = None  # names the (first) aggregate of a PROCESS

    @property
    def schema(self) -> Schema:
        """The columns, if all types are known."""
        pairs = zip(self.names.texts, self.types, strict=True)
        return tuple(Column(name, type_) for name, type_ in pairs if type_ is not None)


@dataclass(slots=True)
class Scope:
    #: the schema of the table before the current requirement, with the last known types
    schema: Schema
    names: Names
    parameters: Parameters
    types: list[Type | None]  # as in `schema`; None if an error leaves a type unknown
    table: View
    bound: Names  # the parameters that have a value
    named: set[int] = field(default_factory=set)
    #: the action that made a column text, and its place
    made_text: dict[int, tuple[str, Span]] = field(default_factory=dict)
    #: the maps of a column so far, with their places
    maps: dict[int, list[tuple[Map, Span]]] = field(default_factory=dict)
    #: the texts that REPLACE or RANDOM may have written into a column, each with its action and its place; one text
    #: stands for all pseudonyms
    written: dict[int, list[tuple[str, str, Span]]] = field(default_factory=dict)
    #: the numbers of NEAREST for a column so far, with their places
    rounded: dict[int, list[tuple[Decimal, Span]]] = field(default_factory=dict)
    dropped: dict[int, Span] = field(default_factory=dict)
    folder: str = ""
    hierarchies: Mapping[str, bytes] = field(default_factory=dict)
    #: whether the table may be an output of this policy (D32)
    may_be_released: bool = False
    #: whether the current requirement gets no verdict on such a table
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
        """Add a finding, once per place: IN is several comparisons, and the steps of a THEN share an assertion."""
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
        """As `column`, but for any type: DROP reads no value."""
        position = self.find(name, self.table)
        if position is None:
            return None
        if self.schema[position].type.kind is Kind.DROPPED:
            self.report(findings.dropped_column(name, self.names.texts[position], self.dropped.get(position)))
            return None
        self.named.add(position)
        return position

    def find(self, name: tree.Name, view: View) -> int | None:
        """The position of a name in a view, or None if an error about it was reported."""
        match view.names.find(name.text):
            case (position,):
                return position
            case ():
                self.report(self._unknown(name, view))
            case candidates:
                self.report(findings.ambiguous_name(name, [view.names.texts[position] for position in candidates]))
        return None

    def _unknown(self, name: tree.Name, view: View) -> Diagnostic:
        if view.is_table:
            return findings.unknown_column(name, view.names)
        return findings.unseen_name(name, view.names, view.alias, bool(self.names.find(name.text)))

    def bind(self, constant: tree.Constant, is_number: bool = False) -> Bound | None:
        """The constant, or a parameter's value. An unbound parameter is reported at its first use; with `is_number`,
        that report asks for a number."""
        if not isinstance(constant, tree.Parameter):
            return constant
        reported = constant.name in self.parameters.unbound
        bound = self.parameters.bind(constant)
        if constant.name in self.parameters.unbound and not reported:
            self.report(self._unbound(constant, is_number))
        return bound

    def _unbound(self, parameter: tree.Parameter, is_number: bool) -> Diagnostic:
        columns = self.names.find(parameter.name)
        if columns:
            return findings.column_as_constant(parameter, self.names.texts[columns[0]])
        return findings.unbound_parameter(parameter, self.bound, is_number)

    def report_misuse(self, finding: Diagnostic, origin: int | None, used_as_number: bool) -> None:
        """Report that a column has the wrong type, with both places if an action made it text (D12)."""
        if used_as_number and origin is not None:
            name, type_ = self.names.texts[origin], self.types[origin]
            if origin in self.made_text:
                finding = findings.text_used_as_number(finding, name, *self.made_text[origin])
            elif type_ is not None and type_.numbers is not None:
                finding = findings.labels_among_numbers(finding, name)
        self.report(finding)

    def holds_labels(self, origin: int | None, type_: Type) -> bool:
        """Whether the column may have labels of bands in place of its numbers, because the table was released (D32).

        The current requirement then has no verdict.
        """
        may_have_labels = self.may_be_released and type_.kind is Kind.TEXT and type_.numbers is not None
        if not may_have_labels or origin in self.maps or origin in self.made_text:
            return False
        self.unjudged = True
        return True

    def holds_pseudonyms(self, type_: Type) -> bool:
        """Whether the column has pseudonyms, because the table was released: an assertion that compares them has no
        verdict (X15)."""
        self.unjudged |= type_.pseudonyms
        return type_.pseudonyms

    def reference(self, file: tree.String, added: tree.Name | None, groups: Sequence[Column]) -> Reference | Diagnostic:
        """The reference table that came with the policy or that the file has (X14)."""
        return find_reference(file, self.hierarchies.get(file.value, Path(self.folder, file.value)), added, groups)

    def drop(self, column: int, place: Span) -> None:
        self.dropped[column] = place
        self.types[column] = DROPPED
        self._set_type(column, DROPPED)

    def retype(self, column: int, type_: Type | None, place: Span, by: str = "REPLACE") -> None:
        """Set the column's type from here on; None means unknown."""
        if self.types[column] == type_:
            return
        self.types[column] = type_
        if type_ is None:
            return
        if type_.kind is Kind.TEXT:
            self.made_text[column] = (by, place)
        self._set_type(column, type_)

    def forget_numbers(self, column: int, place: Span) -> None:
        """A PSEUDONYM leaves none of the numbers that a text column has in addition to labels."""
        before = self.schema[column].type
        if before.numbers is not None:
            self.made_text[column] = ("PSEUDONYM", place)
        plain = replace(before, numbers=None)
        self.types[column] = plain
        self._set_type(column, plain)

    def _set_type(self, column: int, type_: Type) -> None:
        changed = Column(self.schema[column].name, type_)
        self.schema = (*self.schema[:column], changed, *self.schema[column + 1 :])


@dataclass(frozen=True, slots=True)
class Writer:
    """The action that writes."""

    word: str
    place: Span
    always: bool  # whether it overwrites every value


def write_values(column: int, values: Iterable[Value], after: Type, writer: Writer, scope: Scope) -> None:
    """Set the column's type, and record the texts that a later map must have labels for."""
    before = scope.types[column]
    if before is not None and before.is_number and after.kind is Kind.TEXT:
        after = replace(after, numbers=before.kind)
    scope.retype(column, after, writer.place, by=writer.word)
    if writer.always:
        scope.maps.pop(column, None)
        scope.written.pop(column, None)
        scope.rounded.pop(column, None)
    texts = [(value, writer.word, writer.place) for value in values if isinstance(value, str)]
    if texts:
        scope.written.setdefault(column, []).extend(texts)
