"""Apply the reading options of a call: missing values (D11) and dates in a given format (D28).

`Facts` asks the engine for aggregates over the table, each only once. SQL that every engine supports reads local dates:
a regular expression rearranges a text into year, month and day, and another one accepts only dates that exist, because
a cast of any other text would make the engine fail.
"""

from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from acompass.dataclasses import dataclass
from acompass.errors.diagnostics import Diagnostic, Span
from acompass.language.program.constants import replacement
from acompass.language.program.label_maps import SUPPRESSED
from acompass.language.program.types import DATE, TEXT, TIMESTAMP, Column, Names, Type, to_text
from acompass.language.program.uses import ColumnUse, Use
from acompass.language.text import tree
from acompass.options import DROP, ERROR, DatesArgument, MissingArgument
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialect import Dialect
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import statement_text
from acompass.plan.run.context import Session
from acompass.tables import errors
from acompass.tables.csv import Csv
from acompass.tables.formats import (
    DATE_FORMATS,
    MISSING_WORDS,
    TIME_FORMATS,
    DateFormat,
    MissingOptions,
    ReadingOptions,
    is_number,
    parse_date_format,
    time_pattern,
)

if TYPE_CHECKING:
    from acompass.engines.loading import StoredColumn

RECORDS: Sql = exp.Count(this=exp.Star())


class Facts:
    """A cache of aggregates over a relation. If the table cannot change, later policies reuse it."""

    def __init__(self, session: Session, source: Sql, where: Sql | None = None):
        self._session = session
        self._source = source
        self._where = where
        self._known: dict[str, Any] = {}

    @property
    def dialect(self) -> Dialect:
        return self._session.dialect

    def among(self, where: Sql) -> "Facts":
        """Facts about the records that satisfy a condition."""
        return Facts(self._session, self._source, where)

    def know(self, question: Sql, answer: Any) -> None:
        self._known[self._key(question)] = answer

    def ask(self, questions: Sequence[Sql]) -> list[Any]:
        """The values of the aggregates, computed with at most one query."""
        keys = [self._key(question) for question in questions]
        unknown = {key: q for key, q in zip(keys, questions, strict=True) if key not in self._known}
        if unknown:
            row = self._session.fetch(self.select([question.copy() for question in unknown.values()]))[0]
            self._known |= dict(zip(unknown, row, strict=True))
        return [self._known[key] for key in keys]

    def _key(self, question: Sql) -> str:
        return statement_text(question, self.dialect.name)

    def select(self, columns: Sequence[Sql]) -> exp.Select:
        """A query over the records."""
        where = None if self._where is None else self._where.copy()
        return sql.query(columns, self._source.copy(), where)

    def count(self, question: Sql = RECORDS) -> int:
        return int(self.ask([question])[0])


@dataclass(frozen=True)
class Missing:
    """The missing values of the named columns, and how they are handled."""

    counts: Mapping[int, int]  # their number in each column that has any
    is_missing: Mapping[int, Sql]  # an SQL condition for each column
    options: MissingOptions

    @property
    def unresolved(self) -> Mapping[int, int]:
        """The counts of missing values that remain after dropping or filling."""
        return {p: count for p, count in self.counts.items() if self.options.for_column(p) == ERROR}

    @property
    def dropping_columns(self) -> list[int]:
        """The columns in which a missing value drops the record."""
        return [position for position in self.counts if self.options.for_column(position) == DROP]

    @property
    def complete(self) -> Sql | None:
        """The condition for keeping a record; None if all are kept."""
        present = [exp.Not(this=exp.paren(self.is_missing[p].copy())) for p in self.dropping_columns]
        return sql.all_of(*present) if present else None

    def fill(self, position: int, value: Sql, column: Column, use: ColumnUse | None) -> Sql:
        """SQL for the column's value, with missing values filled. In a text column, the fill value also counts when
        the type is inferred (D10)."""
        text = self.options.for_column(position)
        if position not in self.counts or text in (ERROR, DROP):
            return value
        if column.type == TEXT and use is not None and use.use is Use.NUMBER and not _fits_number(text, use):
            raise errors.unsuitable_filling(column.name, "used as a number", text)
        return sql.when(self.is_missing[position].copy(), _fill_value(text, column), value)


def _fits_number(text: str, use: ColumnUse) -> bool:
    """Whether the fill value is a number, or `*` in a column that BANDS generalizes (X2)."""
    return is_number(text) or (use.banded and text == SUPPRESSED)


def missing_options(given: MissingArgument, names: Sequence[str]) -> MissingOptions:
    """The options for a table's columns (D27). `Zip=?` applies to column `Zip` if there is one, otherwise it is a fill
    value for all columns."""
    if isinstance(given, str):
        return MissingOptions(given)
    columns = Names(names)
    if isinstance(given, Mapping):
        return MissingOptions(by_position={_missing_position(columns, name): value for name, value in given.items()})
    parts = [(text, *text.split("=", 1)) for text in given]
    for_columns = {p[1]: p[2] for p in parts if len(p) == 3 and columns.find(p[1])}
    others = [text for text, *split in parts if len(split) == 1 or not columns.find(split[0])]
    if len(others) > 1:
        raise errors.missing_given_twice(others[1])
    by_position = {_missing_position(columns, name): value for name, value in for_columns.items()}
    return MissingOptions(others[0] if others else ERROR, by_position)


def _missing_position(columns: Names, name: str) -> int:
    match columns.find(name):
        case (position,):
            return position
        case _:
            raise errors.unknown_missing_column(name, columns.listing())


def count_missing(facts: Facts, is_missing: Mapping[int, Sql], options: MissingOptions) -> Missing:
    positions = sorted(is_missing)
    counts = facts.ask([sql.count_where(is_missing[position]) for position in positions])
    found = {p: int(count) for p, count in zip(positions, counts, strict=True) if count}
    return Missing(found, is_missing, options)


def _fill_value(text: str, column: Column) -> Sql:
    """SQL for the fill value. Raise unless REPLACE could write it without changing the column's type."""
    constant = _parse_constant(text, column)
    found = None if constant is None else replacement(constant, column)
    if found is None or isinstance(found, Diagnostic) or found[1] != column.type:
        raise errors.unsuitable_filling(column.name, str(column.type), text)
    value, type_ = found
    return sql.cast(exp.Literal.string(to_text(value, type_)), sql.type_name(type_))


def _parse_constant(text: str, column: Column) -> tree.Number | tree.String | None:
    if not column.type.is_number:
        return tree.String(text, Span(0, 0))
    return tree.Number(Decimal(text), Span(0, 0)) if is_number(text) else None


def without_words(value: Sql, na: Sequence[str]) -> Sql:
    """SQL for a text that is NULL if it is one of the words that count as missing."""
    if not na:
        return value
    return sql.when(_is_word(value, na), exp.null(), value.copy())


def _is_word(value: Sql, words: Sequence[str]) -> Sql:
    return sql.any_of(*(exp.EQ(this=value.copy(), expression=sql.literal(word)) for word in words))


@dataclass(frozen=True)
class TextWithWords:
    """A stored text column, some texts of which count as missing."""

    stored: "StoredColumn"
    na: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.stored.name

    @property
    def type(self) -> Type:
        return self.stored.type

    def value(self, is_named: bool) -> Sql:
        return without_words(self.stored.value(is_named), self.na)

    def is_missing(self) -> Sql:
        return sql.is_null(self.value(True))

    def limit(self) -> tuple[Sql, str] | None:
        return self.stored.limit()


def with_words(
    columns: "Sequence[StoredColumn]", positions: Collection[int], na: tuple[str, ...]
) -> "list[StoredColumn]":
    """The columns of a typed table, in which the words count as missing in the text columns at these positions. Other
    columns keep the words, because nothing reads them."""
    return [
        TextWithWords(column, na) if na and position in positions and column.type == TEXT else column
        for position, column in enumerate(columns)
    ]


def count_words(facts: Facts, texts: Sequence[Sql]) -> list[dict[str, int]]:
    """How often the usual words for missing values occur in each text column."""
    counts = iter(facts.ask([sql.count_where(_is_word(text, [word])) for text in texts for word in MISSING_WORDS]))
    return [{word: count for word in MISSING_WORDS if (count := int(next(counts)))} for _ in texts]


_YEAR = "([0-9]{3}[1-9]|[0-9]{2}[1-9][0-9]|[0-9][1-9][0-9]{2}|[1-9][0-9]{3})"
_BY_FOUR = "(0[48]|[2468][048]|[13579][26])"
#: a date that exists, in the years 1 to 9999
_EXISTS = (
    f"({_YEAR}-(0?[1-9]|1[0-2])-(0?[1-9]|1[0-9]|2[0-8])"
    f"|{_YEAR}-(0?[13-9]|1[0-2])-(29|30)"
    f"|{_YEAR}-(0?[13578]|1[02])-31"
    f"|([0-9]{{2}}{_BY_FOUR}|{_BY_FOUR}00)-0?2-29)"
)
#: what remains of hours from 1 to 12 once AM and PM are before them; the last one applies to the others
_HALVES = (
    (" am12:", " 00:"),
    (" pm12:", " 12:"),
    *((f" pm{digits}:", f" {hour + 12}:") for hour in range(1, 12) for digits in {str(hour), f"{hour:02}"}),
    (" am", " "),
)


@dataclass(frozen=True)
class LocalDates:
    """A text column read as dates, or as dates and times."""

    text: Sql  # its values
    format: DateFormat
    dialect: Dialect

    @property
    def type(self) -> Type:
        return TIMESTAMP if self.format.has_time else DATE

    def value(self) -> Sql:
        return sql.cast(self._iso_text(self.format.has_time), sql.type_name(self.type))

    def misfits(self) -> Sql:
        """SQL for the number of values that do not match the format or are not dates that exist."""
        fits = self._matches(self.text.copy(), self.format.pattern)
        exists = self._matches(self._iso_text(with_time=False), _EXISTS)
        return sql.count_where(exp.Not(this=exp.paren(exp.and_(fits, exists))))

    def _iso_text(self, with_time: bool) -> Sql:
        """SQL for a text such as `2020-3-1` or `2020-3-1 9:05:00`, which every engine casts to a date or a timestamp,
        or for any text if the value does not match the format."""
        century = "" if self.format.has_century else "20"
        order = f"{century}{self._part('year')}-{self._part('month')}-{self._part('day')}"
        if with_time:
            hour, minute, second = (self._part(part, "00") for part in ("hour", "minute", "second"))
            fraction = f".{self._part('fraction')}" if self.format.group("fraction") else ""
            order += f" {self._part('AM or PM')}{hour}:{minute}:{second}{fraction}"
        written = self._with_numbers(self._rearrange(self.text.copy(), self.format.pattern, order), with_time)
        if self.format.has_century:
            return written
        last_century = "20(69|[7-9][0-9])(-[0-9:. -]+)"
        return self._rearrange(written, last_century, f"19{self._group(1)}{self._group(2)}")

    def _with_numbers(self, written: Sql, with_time: bool) -> Sql:
        """SQL for the text with numbers in place of the names of months, and hours from 0 to 23."""
        names = [(name, str(number)) for number, name in enumerate(self.format.names, start=1)]
        replaced = [*names, *(_HALVES if with_time and self.format.has_half else ())]
        if replaced:
            written = sql.call("lower", written)
        for old, new in replaced:
            written = sql.call("replace", written, sql.literal(old), sql.literal(new))
        return written

    def _part(self, part: str, default: str = "") -> str:
        number = self.format.group(part)
        return default if number is None else self._group(number)

    def _group(self, number: int) -> str:
        return f"{self.dialect.group_sign}{number}"

    def _matches(self, value: Sql, pattern: str) -> Sql:
        return exp.RegexpLike(this=value, expression=sql.literal(self._anchor(pattern)))

    def _rearrange(self, value: Sql, pattern: str, replacement: str) -> Sql:
        return sql.call("regexp_replace", value, sql.literal(self._anchor(pattern)), sql.literal(replacement))

    def _anchor(self, pattern: str) -> str:
        return f"^{pattern}{self.dialect.end_of_text}"


@dataclass(frozen=True)
class DateColumn:
    """A stored text column, as a column of dates or timestamps."""

    stored: "StoredColumn"
    dates: LocalDates

    @property
    def name(self) -> str:
        return self.stored.name

    @property
    def type(self) -> Type:
        return self.dates.type

    def value(self, is_named: bool) -> Sql:
        return self.dates.value()

    def is_missing(self) -> Sql:
        return self.stored.is_missing()

    def limit(self) -> tuple[Sql, str] | None:
        return None


def date_formats(given: DatesArgument, names: Sequence[str]) -> dict[int, DateFormat]:
    """The formats by column position, from a mapping or from texts such as `Admission=%d.%m.%Y`."""
    columns = Names(names)
    pairs = given.items() if isinstance(given, Mapping) else [_split_date_option(text, columns) for text in given]
    found: dict[int, DateFormat] = {}
    for name, text in pairs:
        position = _date_position(columns, name)
        if position in found:
            raise errors.dates_given_twice(names[position])
        found[position] = parse_date_format(text)
    return found


def _split_date_option(text: str, columns: Names) -> tuple[str, str]:
    found = columns.before_equals(text)
    if found is None:
        raise errors.dates_without_column(text)
    return found


def _date_position(columns: Names, name: str) -> int:
    match columns.find(name):
        case (position,):
            return position
        case ():
            raise errors.unknown_dates_column(name, columns.listing())
        case several:
            raise errors.ambiguous_dates_column(name, [columns.texts[position] for position in several])


def with_dates(
    facts: Facts, columns: "Sequence[StoredColumn]", formats: Mapping[int, DateFormat]
) -> "list[StoredColumn]":
    """The columns of a typed table, with those in `formats` as dates. Raise if a value does not match its format."""
    found = list(columns)
    for position, format_ in formats.items():
        column = columns[position]
        if column.type != TEXT:
            raise errors.dates_not_text(column.name)
        found[position] = DateColumn(column, LocalDates(column.value(True), format_, facts.dialect))
    dates = {p: column.dates for p, column in enumerate(found) if isinstance(column, DateColumn)}
    _require_dates(facts, dates, [column.name for column in columns], None)
    return found


def dates_in(facts: Facts, csv: Csv, columns: Sequence[Sql], options: ReadingOptions) -> dict[int, LocalDates]:
    """The date columns of a CSV table. Raise if a value does not match its format."""
    dates = {p: LocalDates(columns[p], each, facts.dialect) for p, each in options.dates.items()}
    _require_dates(facts, dates, csv.names, csv, options.na)
    return dates


def _require_dates(
    facts: Facts, dates: Mapping[int, LocalDates], names: Sequence[str], csv: Csv | None, na: Collection[str] = ()
) -> None:
    """Raise if a value does not match its format, even in a record that is dropped: an engine may read it before it is
    dropped."""
    counts = facts.ask([each.misfits() for each in dates.values()])
    for (position, each), bad in zip(dates.items(), counts, strict=True):
        if bad:
            place = None if csv is None else _first_misfit(csv, position, each.format, na)
            fitting = fitting_formats(facts, each.text)
            raise errors.not_dates(names[position], each.format.text, place, int(bad), fitting)


def _first_misfit(csv: Csv, position: int, format_: DateFormat, na: Collection[str]) -> errors.Place:
    def is_misfit(fields: Sequence[str | None]) -> bool:
        field = fields[position]
        return field is not None and field not in na and format_.parse(field) is None

    return csv.first_place(is_misfit)


def fitting_formats(facts: Facts, value: Sql) -> list[str]:
    """The common formats that every value of a text column matches, without a time or with one."""
    ends = (f".*{time_pattern(text)}{facts.dialect.end_of_text}" for text in TIME_FORMATS)
    is_like = [exp.RegexpLike(this=value.copy(), expression=sql.literal(f"^{end}")) for end in ends]
    values, *counts = facts.ask([sql.count_where(each) for each in (sql.is_present(value.copy()), *is_like)])
    times = [text for text, count in zip(TIME_FORMATS, counts, strict=True) if count == values] if values else []
    texts = [day + time for time in times or [""] for day in DATE_FORMATS]
    misfits = facts.ask([LocalDates(value, parse_date_format(text), facts.dialect).misfits() for text in texts])
    return [text for text, count in zip(texts, misfits, strict=True) if not count]
