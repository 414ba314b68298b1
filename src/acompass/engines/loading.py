"""Prepare a stored table for a plan: complete (D11), exact, and typed by the policy (D10).

Engines describe how their columns are stored. The rest is the same for all of them and is here.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from sqlglot import exp

from acompass.checked.types import DATE, DROPPED, TEXT, Column, Kind, Schema, Type
from acompass.checked.uses import ColumnUse, Use
from acompass.engines.decimal_comma import comma_columns, swapped
from acompass.engines.facts import RECORDS, Facts
from acompass.engines.local_dates import dates_in, with_dates
from acompass.engines.missing import Missing, count_missing, missing_counts
from acompass.engines.text_columns import FirstPlace, TextColumns, TypedText
from acompass.engines.widths import require_widths
from acompass.options import ReadingOptions
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import ROW_KEY, State
from acompass.plan.running.context import Context
from acompass.plan.running.ranks import ranked
from acompass.plan.running.session import Session
from acompass.plan.running.trace import GivenTrace
from acompass.tables import decimal_comma, errors
from acompass.tables.csv import Csv
from acompass.tables.file_format import COMMA, POINT
from acompass.tables.rfc4180 import Field


class StoredColumn(Protocol):
    """A column as an engine stores it."""

    @property
    def name(self) -> str: ...

    @property
    def type(self) -> Type:
        """The type of the column in a policy."""

    def value(self, is_named: bool) -> Sql:
        """SQL for the value in that type. A column that the policy does not name may keep its stored type."""

    def is_missing(self) -> Sql: ...

    def limit(self) -> tuple[Sql, str] | None:
        """The SQL condition of values that cannot be represented exactly, and the limit in words."""


@dataclass(frozen=True)
class Prepared:
    """The columns as SQL over the stored table, and `where`, the condition of the records that are kept."""

    schema: Schema
    values: tuple[Sql, ...]
    where: Sql | None
    records: int
    dropped: int
    named: frozenset[int]
    #: the number of missing values left in each named column that has any
    missing: Mapping[int, int]
    #: for a CSV, the columns before typing
    text: TextColumns | None = None
    #: the number of values in each column that lose their spelling (D26)
    respelled: Mapping[int, int] = field(default_factory=dict)
    #: the text columns of a typed table that the policy uses as numbers (D23), and those read as dates (D28)
    text_numbers: frozenset[int] = frozenset()
    text_dates: frozenset[int] = frozenset()
    #: the columns of a CSV whose numbers have a decimal comma in the file, and a point in `values`
    comma: frozenset[int] = frozenset()

    @property
    def read_from_text(self) -> frozenset[int]:
        """The columns of a typed table that are text there but not in the policy. They go out as text."""
        return self.text_numbers | self.text_dates

    def order_integers(self) -> frozenset[int]:
        """The columns that stay text but that canonical order compares as integers (D10, D18)."""
        if self.text is None:
            return frozenset()
        texts = [p for p, column in enumerate(self.schema) if column.type == TEXT]
        return self.text.integers([p for p in texts if p not in self.named])

    def projection(self) -> list[Sql]:
        return [sql.named(value.copy(), sql.name(position)) for position, value in enumerate(self.values)]

    def state(self, source: Sql, has_row_key: bool) -> State:
        """The records that are kept of the stored table, called `t`."""
        row_key = [exp.column(ROW_KEY, table="t")] if has_row_key else []
        select = sql.query([*self.projection(), *row_key], source, self.where)
        return State(select, self.schema, has_row_key=has_row_key, records=self.records)

    def numbered(self, session: Session, stored: Sequence[Sql], source: Sql) -> exp.Select:
        """The stored columns as c0, c1, …, with the places of the records in canonical order as row keys.
        Columns whose values have no order do not take part in it."""
        kept = {f"kept_{i}": column for i, column in enumerate(stored)}
        select = sql.query([*self.projection(), *(sql.named(c, name) for name, c in kept.items())], source)
        ordered = tuple(
            replace(column, type=DROPPED) if column.type.kind is Kind.OPAQUE else column
            for column in self.schema
        )
        state = State(select, ordered, has_row_key=False, records=self.records, flags=tuple(kept))
        places = ranked(Context(session, GivenTrace(()), self.order_integers()), state)
        columns = [sql.named(exp.column(name, table="t"), sql.name(i)) for i, name in enumerate(kept)]
        place = sql.named(exp.column("i", table="t"), ROW_KEY)
        return sql.query([*columns, place], places.subquery("t", copy=False))


def questions(columns: Sequence[StoredColumn], named: Sequence[int]) -> list[Sql]:
    """The aggregates that `prepare_typed` needs, for an engine that computes others in the same query."""
    limits = (columns[position].limit() for position in named)
    unfit = [sql.count_where(limit[0]) for limit in limits if limit is not None]
    return [RECORDS, *missing_counts([columns[position].is_missing() for position in named]), *unfit]


def prepare_typed(
    facts: Facts, columns: Sequence[StoredColumn], uses: Mapping[int, ColumnUse], options: ReadingOptions
) -> Prepared:
    """Complete a table that has types, and type the text columns that the policy uses as numbers (D23)."""
    named = sorted(uses)
    columns = with_dates(facts, columns, options.dates)
    facts.ask(questions(columns, named))
    _require_exact(facts, columns, named)
    missing = count_missing(facts, {p: columns[p].is_missing() for p in _read(uses)}, options.missing)
    schema = tuple(Column(column.name, column.type) for column in columns)
    values = [
        missing.filled(p, column.value(p in uses), schema[p], uses.get(p)) for p, column in enumerate(columns)
    ]
    text = {position: use for position, use in uses.items() if schema[position].type == TEXT}
    names = [column.name for column in columns]
    found = TextColumns(_among(facts, missing), names, values, lambda *_: None)
    found.require_plain_text(text)
    numbers = {position: use for position, use in text.items() if use.use is Use.NUMBER}
    prepared = _prepared(facts, schema, values, uses, missing, found.typed(numbers))
    return replace(prepared, text_numbers=frozenset(numbers), text_dates=frozenset(options.dates))


def prepare_text(facts: Facts, csv: Csv, uses: Mapping[int, ColumnUse], options: ReadingOptions) -> Prepared:
    """Complete a table of text, with NULL for missing. Columns that the policy does not name stay text."""
    columns = [sql.column(position, "t") for position in range(len(csv.names))]
    missing = count_missing(facts, {p: _is_null(columns[p]) for p in _read(uses)}, options.missing)
    dates = dates_in(facts, csv, options.dates)
    comma = comma_columns(csv, uses, dates)
    values: list[Sql] = list(columns)
    schema = tuple(Column(name, DATE if p in dates else TEXT) for p, name in enumerate(csv.names))
    for position in dates.keys() | uses.keys():
        value = dates.get(position, columns[position])
        if position in comma:
            value = swapped(value, facts.dialect)
        values[position] = missing.filled(position, value, schema[position], uses.get(position))
    texts = {position: use for position, use in uses.items() if position not in dates}
    place, mark = _first_place(csv, missing, comma), COMMA if csv.source.has_comma else POINT
    text = TextColumns(_among(facts, missing), csv.names, values, place, mark)
    text.require_plain_text(texts)
    prepared = _prepared(facts, schema, values, uses, missing, text.typed(texts))
    return replace(prepared, text=text, comma=comma)


def _read(uses: Mapping[int, ColumnUse]) -> list[int]:
    """The columns that must be complete: those whose values are read before they are overwritten (D27)."""
    return [position for position in sorted(uses) if not uses[position].overwritten]


def _among(facts: Facts, missing: Missing) -> Facts:
    """Facts about the records that are kept."""
    return facts if missing.complete is None else facts.among(missing.complete)


def _prepared(
    facts: Facts,
    schema: Schema,
    values: Sequence[Sql],
    uses: Mapping[int, ColumnUse],
    missing: Missing,
    typed: Mapping[int, TypedText],
) -> Prepared:
    whole, where = facts.count(), missing.complete
    records = whole if where is None else facts.count(sql.count_where(where))
    schema = tuple(replace(c, type=typed[p].type) if p in typed else c for p, c in enumerate(schema))
    values = tuple(typed[p].value if p in typed else value for p, value in enumerate(values))
    require_widths(_among(facts, missing), schema, values, uses)
    return Prepared(
        schema,
        values,
        where,
        records,
        whole - records,
        frozenset(uses),
        missing.unresolved,
        respelled={p: column.respelled for p, column in typed.items() if column.respelled},
    )


def _require_exact(facts: Facts, columns: Sequence[StoredColumn], named: Sequence[int]) -> None:
    for position in named:
        limit = columns[position].limit()
        if limit is not None and facts.count(sql.count_where(limit[0])):
            raise errors.not_exact(columns[position].name, limit[1])


def _first_place(csv: Csv, missing: Missing, comma: frozenset[int]) -> FirstPlace:
    dropped_for = missing.dropped_for

    def find(position: int, matches: Callable[[str], bool]) -> tuple[str, int] | None:
        spelled = decimal_comma.swapped if position in comma else str

        def is_wanted(fields: Sequence[Field]) -> bool:
            field = fields[position]
            is_kept = all(fields[other] is not None for other in dropped_for)
            return is_kept and field is not None and matches(spelled(field))

        return csv.first_place(is_wanted)

    return find


def _is_null(column: Sql) -> Sql:
    return exp.Is(this=column.copy(), expression=exp.null())
