"""Prepare a stored table for a plan, and run plans on it through the engine's session.

To prepare is to handle missing values (D11), require exact values, and type columns (D10). When REPLACE adds decimal
places to a column, its values must still fit every engine's exact decimal type (D12). Numbers in a CSV file may have a
decimal comma.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from decimal import Decimal
from typing import Any, Protocol

from sqlglot import exp

from acompass.dataclasses import dataclass, field, replace
from acompass.engines.protocol import Destination, Execution, Outcome, TraceSource
from acompass.engines.reading import (
    RECORDS,
    Facts,
    Missing,
    count_missing,
    count_words,
    dates_in,
    with_dates,
    with_words,
    without_words,
)
from acompass.engines.text_columns import FirstPlace, TextColumns, TypedText
from acompass.language.program.constants import digits_before_point, scale_of
from acompass.language.program.effects import columns_written, needs_order
from acompass.language.program.program import Requirement
from acompass.language.program.types import DROPPED, MOST_DIGITS, TEXT, Column, Kind, Schema, Type
from acompass.language.program.uses import ColumnUse, Use
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialect import Dialect
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import ROW_KEY, State
from acompass.plan.planner import REWRITES, Rewrite
from acompass.plan.run.context import Context, GivenTrace, SeededTrace, Session, Trace
from acompass.plan.run.execution import execute
from acompass.plan.run.ranks import rank_records
from acompass.plan.stages import Stage
from acompass.tables import errors, formats
from acompass.tables.csv import FORMULA_SIGNS, SPREADSHEET_NUMBER, Csv, Field, is_missing
from acompass.tables.formats import COMMA, POINT, SWAPS, CsvStyle, ReadingOptions


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
        """An SQL condition for values that cannot be represented exactly, and the limit in words."""


@dataclass(frozen=True)
class PreparedTable:
    schema: Schema
    values: tuple[Sql, ...]  # SQL for each column, over the stored table
    where: Sql | None  # the condition for keeping a record
    records: int
    dropped: int
    named: frozenset[int]  # the columns that the policy names
    #: the number of missing values left in each named column that has any
    missing: Mapping[int, int]
    #: for a CSV, the columns before typing
    text: TextColumns | None = None
    #: the number of values in each column that are written in another spelling (D26)
    respelled: Mapping[int, int] = field(default_factory=dict)
    #: the text columns of a typed table that the policy uses as numbers (D23), and those read as dates (D28)
    text_numbers: frozenset[int] = frozenset()
    text_dates: frozenset[int] = frozenset()
    #: the CSV columns whose numbers have a decimal comma in the file, and a point in `values`
    comma: frozenset[int] = frozenset()

    @property
    def read_from_text(self) -> frozenset[int]:
        """The columns of a typed table that are text in the table but not in the policy. They are written as text."""
        return self.text_numbers | self.text_dates

    def order_integers(self) -> frozenset[int]:
        """The columns that stay text but that canonical order compares as integers (D10, D18)."""
        if self.text is None:
            return frozenset()
        texts = [p for p, column in enumerate(self.schema) if column.type == TEXT]
        return self.text.integers([p for p in texts if p not in self.named])

    def projection(self) -> list[Sql]:
        return [sql.with_alias(value.copy(), sql.name(position)) for position, value in enumerate(self.values)]

    def state(self, source: Sql, has_row_key: bool) -> State:
        """The kept records of the stored table, whose alias is `t`."""
        row_key = [exp.column(ROW_KEY, table="t")] if has_row_key else []
        select = sql.query([*self.projection(), *row_key], source, self.where)
        return State(select, self.schema, has_row_key=has_row_key, records=self.records)

    def with_row_keys(self, session: Session, stored: Sequence[Sql], source: Sql) -> exp.Select:
        """The stored columns as c0, c1, …, with row keys: the positions of the records in canonical order.

        The order ignores columns whose values cannot be ordered.
        """
        kept = {f"kept_{i}": column for i, column in enumerate(stored)}
        select = sql.query([*self.projection(), *(sql.with_alias(c, name) for name, c in kept.items())], source)
        ordered = tuple(
            replace(column, type=DROPPED) if column.type.kind is Kind.OPAQUE else column for column in self.schema
        )
        state = State(select, ordered, has_row_key=False, records=self.records, flags=tuple(kept))
        places = rank_records(Context(session, GivenTrace(()), self.order_integers()), state)
        columns = [sql.with_alias(exp.column(name, table="t"), sql.name(i)) for i, name in enumerate(kept)]
        place = sql.with_alias(exp.column("i", table="t"), ROW_KEY)
        return sql.query([*columns, place], places.subquery("t", copy=False))


def questions(columns: Sequence[StoredColumn], named: Sequence[int]) -> list[Sql]:
    """The aggregates that `prepare_typed` needs, for an engine that computes more of them in the same query."""
    limits = (columns[position].limit() for position in named)
    unfit = [sql.count_where(limit[0]) for limit in limits if limit is not None]
    return [RECORDS, *(sql.count_where(columns[position].is_missing()) for position in named), *unfit]


def prepare_typed(
    facts: Facts, columns: Sequence[StoredColumn], uses: Mapping[int, ColumnUse], options: ReadingOptions
) -> PreparedTable:
    """Prepare a table that has types, and type the text columns that the policy uses as numbers (D23)."""
    named = sorted(uses)
    columns = with_words(columns, uses.keys() | options.dates.keys(), options.na)
    columns = with_dates(facts, columns, options.dates)
    facts.ask(questions(columns, named))
    for position in _columns_read(uses):
        limit = columns[position].limit()
        if limit is not None and facts.count(sql.count_where(limit[0])):
            raise errors.not_exact(columns[position].name, limit[1])
    missing = count_missing(facts, {p: columns[p].is_missing() for p in _columns_read(uses)}, options.missing)
    schema = tuple(Column(column.name, column.type) for column in columns)
    values = [missing.fill(p, column.value(p in uses), schema[p], uses.get(p)) for p, column in enumerate(columns)]
    text = {position: use for position, use in uses.items() if schema[position].type == TEXT}
    names = [column.name for column in columns]
    found = TextColumns(_kept_facts(facts, missing), names, values, lambda *_: None)
    found.require_plain_text(text)
    numbers = {p: use for p, use in text.items() if use.use is Use.NUMBER or found.has_pseudonyms(p, use)}
    prepared = _prepare(facts, schema, values, uses, missing, found.infer_types(numbers))
    return replace(prepared, text_numbers=frozenset(numbers), text_dates=frozenset(options.dates))


def prepare_text(facts: Facts, csv: Csv, uses: Mapping[int, ColumnUse], options: ReadingOptions) -> PreparedTable:
    """Prepare a table of text, with NULL for missing values. Columns that the policy does not name stay text."""
    columns: list[Sql] = [sql.column(position, "t") for position in range(len(csv.names))]
    for position in uses.keys() | options.dates.keys():
        columns[position] = without_words(columns[position], options.na)
    missing = count_missing(facts, {p: _is_null(columns[p]) for p in _columns_read(uses)}, options.missing)
    dates = dates_in(facts, csv, columns, options)
    comma = comma_columns(csv, uses, dates)
    values: list[Sql] = list(columns)
    schema = tuple(Column(name, dates[p].type if p in dates else TEXT) for p, name in enumerate(csv.names))
    for position in dates.keys() | uses.keys():
        value = dates[position].value() if position in dates else columns[position]
        if position in comma:
            value = swap_separators(value, facts.dialect)
        values[position] = missing.fill(position, value, schema[position], uses.get(position))
    texts = {position: use for position, use in uses.items() if position not in dates}
    place, mark = _first_place(csv, missing, comma, options.na), COMMA if csv.source.has_comma else POINT
    text = TextColumns(_kept_facts(facts, missing), csv.names, values, place, mark)
    text.require_plain_text(texts)
    prepared = _prepare(facts, schema, values, uses, missing, text.infer_types(texts))
    return replace(prepared, text=text, comma=comma)


def _columns_read(uses: Mapping[int, ColumnUse]) -> list[int]:
    """The columns whose values are read before they are overwritten; they must not have missing values (D27)."""
    return [position for position in sorted(uses) if not uses[position].overwritten]


def _kept_facts(facts: Facts, missing: Missing) -> Facts:
    return facts if missing.complete is None else facts.among(missing.complete)


def _prepare(
    facts: Facts,
    schema: Schema,
    values: Sequence[Sql],
    uses: Mapping[int, ColumnUse],
    missing: Missing,
    typed: Mapping[int, TypedText],
) -> PreparedTable:
    whole, where = facts.count(), missing.complete
    records = whole if where is None else facts.count(sql.count_where(where))
    schema = tuple(replace(c, type=typed[p].type) if p in typed else c for p, c in enumerate(schema))
    values = tuple(typed[p].value if p in typed else value for p, value in enumerate(values))
    require_widths(_kept_facts(facts, missing), schema, values, uses)
    return PreparedTable(
        schema,
        values,
        where,
        records,
        whole - records,
        frozenset(uses),
        missing.unresolved,
        respelled={p: column.respelled for p, column in typed.items() if column.respelled},
    )


def _first_place(csv: Csv, missing: Missing, comma: frozenset[int], na: Collection[str]) -> FirstPlace:
    dropping_columns = missing.dropping_columns

    def find(position: int, matches: Callable[[str], bool]) -> tuple[str, int] | None:
        spelled = formats.swap_decimal_marks if position in comma else str

        def is_wanted(fields: Sequence[Field]) -> bool:
            field = fields[position]
            is_kept = not any(is_missing(fields[other], na) for other in dropping_columns)
            return is_kept and field is not None and field not in na and matches(spelled(field))

        return csv.first_place(is_wanted)

    return find


def _is_null(column: Sql) -> Sql:
    return exp.Is(this=column.copy(), expression=exp.null())


def require_widths(facts: Facts, schema: Schema, values: Sequence[Sql], uses: Mapping[int, ColumnUse]) -> None:
    """Raise if a value has too many digits once the policy adds decimal places to its column."""
    for position, use in uses.items():
        type_ = schema[position].type
        scale = _later_scale(type_, use)
        if scale > type_.scale:
            digits = _digits_before_point(facts, sql.read(values[position].copy(), type_), use) + scale
            if digits > MOST_DIGITS:
                raise errors.number_too_long(schema[position].name, digits)


def _later_scale(type_: Type, use: ColumnUse) -> int:
    """The decimal places that the policy's constants need; 0 if a constant is too long, which is another error."""
    if type_.kind not in (Kind.INTEGER, Kind.DECIMAL):
        return 0
    constants = (*use.written, *use.rounded)
    scale = max((scale_of(value) for value in constants), default=0)
    fits = all(digits_before_point(value) + scale_of(value) <= MOST_DIGITS for value in constants)
    return scale if fits else 0


def _digits_before_point(facts: Facts, number: Sql, use: ColumnUse) -> int:
    found = facts.ask([exp.Max(this=number), exp.Min(this=number.copy())])
    written = [*use.written, *(bound for bounds in use.drawn for bound in bounds)]
    numbers = [Decimal(value) for value in (*found, *written) if value is not None]
    return max((number.adjusted() + 1 for number in numbers if number), default=0)


def comma_columns(csv: Csv, uses: Mapping[int, ColumnUse], dates: Collection[int]) -> frozenset[int]:
    """The columns whose numbers have a decimal comma: those that the policy names, but not as text or dates."""
    if not csv.source.has_comma:
        return frozenset()
    return frozenset(p for p, use in uses.items() if use.use is not Use.TEXT and p not in dates)


def swap_separators(value: Sql, dialect: Dialect) -> Sql:
    """SQL for a text in which decimal points and commas are exchanged, if it is a number or the label of a band."""
    cases = [
        exp.If(
            this=exp.RegexpLike(this=value.copy(), expression=exp.Literal.string(f"^{pattern}{dialect.end_of_text}")),
            true=sql.call("translate", value.copy(), exp.Literal.string(old), exp.Literal.string(new)),
        )
        for pattern, old, new in SWAPS
    ]
    return exp.Case(ifs=cases, default=value.copy())


def is_formula(text: Sql, dialect: Dialect) -> Sql:
    """SQL for whether a spreadsheet would run a text, as `tables.csv.is_formula` decides it.

    Texts are compared by code point (D9). DuckDB answers such comparisons from its statistics if no text can satisfy
    them, and otherwise five times faster than a comparison of the first character.
    """
    text = dialect.plain_text(text)
    number = exp.Literal.string(f"^({SPREADSHEET_NUMBER}){dialect.end_of_text}")
    begins = (
        sql.all_of(
            exp.GT(this=text.copy(), expression=dialect.constant(sign)),  # longer than the sign
            exp.LT(this=text.copy(), expression=dialect.constant(chr(ord(sign) + 1))),
        )
        for sign in FORMULA_SIGNS
    )
    return sql.all_of(sql.any_of(*begins), sql.negate(exp.RegexpLike(this=text.copy(), expression=number)))


class PlannedTable(ABC):
    """A loaded table whose plans run as SQL. A subclass provides the records and delivers the result."""

    rewrites: Sequence[Rewrite] = REWRITES

    def __init__(self, prepared: PreparedTable, session: Session):
        self.prepared = prepared
        self.session = session

    @property
    def reading(self) -> Session:
        return self.session

    @property
    @abstractmethod
    def state(self) -> State: ...

    @property
    def schema(self) -> Schema:
        return self.prepared.schema

    @property
    def style(self) -> CsvStyle:
        return CsvStyle()

    @property
    def dropped(self) -> int:
        return self.prepared.dropped

    @property
    def respelled(self) -> Mapping[str, int]:
        return {self.schema[p].name: count for p, count in sorted(self.prepared.respelled.items())}

    @property
    @abstractmethod
    def statements(self) -> list[str]: ...

    def require_complete(self) -> None:
        missing = self.prepared.missing
        if missing:
            texts = [position for position in missing if self.schema[position].type == TEXT]
            counts = count_words(Facts(self.reading, self.state.source()), [sql.column(p, "t") for p in texts])
            words = dict(zip(texts, counts, strict=True))
            raise errors.missing_values((self.schema[p].name, n, words.get(p, {})) for p, n in sorted(missing.items()))

    def execute(self, stages: Sequence[Stage], execution: Execution) -> Outcome:
        requirements = stage_requirements(stages)
        in_order = execution.canonical or needs_order(requirements)
        context = Context(
            self._session_for(execution),
            _trace(execution.trace),
            self.prepared.order_integers() if in_order else frozenset(),
            show=execution.show,
            observe=execution.observe,
            verdicts_only=execution.verdicts_only,
        )
        before = self.state
        after = execute(context, before, stages, execution.progress)
        written, used = columns_written(requirements), context.trace_used
        return Outcome(context.verdicts, context.samples, before.records, used, context, after, written)

    def count_formulas(self, outcome: Outcome) -> int:
        schema = outcome.left.schema
        texts = [sql.column(p, "t") for p in outcome.positions if schema[p].type == TEXT]
        if not texts:
            return 0
        counts = [sql.count_where(is_formula(text, self.session.dialect)) for text in texts]
        return sum(self.session.fetch(sql.query(counts, outcome.left.source()))[0])

    @abstractmethod
    def check_destination(self, destination: Destination) -> None: ...

    @abstractmethod
    def deliver(self, outcome: Outcome, destination: Destination) -> Any: ...

    def _session_for(self, execution: Execution) -> Session:
        return self.session


def stage_requirements(stages: Sequence[Stage]) -> list[Requirement]:
    found = (requirement for stage in stages for requirement in stage.requirements)
    return sorted(found, key=lambda requirement: requirement.index)


def _trace(source: TraceSource | None) -> Trace:
    if source is None or source.seed is None:
        return GivenTrace(() if source is None else source.values or ())
    return SeededTrace(source.seed)
