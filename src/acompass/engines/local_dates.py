"""Columns of text that are read as dates of a given format (D28), in SQL that every engine supports.

A regular expression rearranges a text to year, month and day. Another one accepts only days that exist,
because a cast of any other text would make the engine fail.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from acompass.checked.names import Names
from acompass.checked.types import DATE, TEXT, Type
from acompass.engines.facts import Facts
from acompass.options import DatesArgument
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialects.dialect import Dialect
from acompass.plan.lowering.sql import Sql
from acompass.tables import errors
from acompass.tables.csv import Csv
from acompass.tables.date_format import DateFormat, date_format

if TYPE_CHECKING:
    from acompass.engines.loading import StoredColumn

_YEAR = "([0-9]{3}[1-9]|[0-9]{2}[1-9][0-9]|[0-9][1-9][0-9]{2}|[1-9][0-9]{3})"
_BY_FOUR = "(0[48]|[2468][048]|[13579][26])"
#: year, month and day that exist, in the years 1 to 9999
_EXISTS = (
    f"({_YEAR}-(0?[1-9]|1[0-2])-(0?[1-9]|1[0-9]|2[0-8])"
    f"|{_YEAR}-(0?[13-9]|1[0-2])-(29|30)"
    f"|{_YEAR}-(0?[13578]|1[02])-31"
    f"|([0-9]{{2}}{_BY_FOUR}|{_BY_FOUR}00)-0?2-29)"
)
#: formats to propose where text is compared with ISO dates
_COMMON = (
    "%d.%m.%Y",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%Y%m%d",
    "%d%m%Y",
    "%d.%m.%y",
    "%d/%m/%y",
    "%m/%d/%y",
    "%d-%b-%Y",
    "%d-%b-%y",
    "%d%b%Y",
    "%d %b %Y",
    "%d %B %Y",
    "%d. %B %Y",
    "%b %d, %Y",
    "%B %d, %Y",
)


@dataclass(frozen=True)
class LocalDates:
    """A text column as dates. `text` is SQL for its values."""

    text: Sql
    format: DateFormat
    dialect: Dialect

    def value(self) -> Sql:
        return sql.cast(self._year_month_day(), "DATE")

    def misfits(self) -> Sql:
        """SQL for the number of values that do not fit the format or are not dates."""
        fits = self._matches(self.text.copy(), self.format.pattern)
        exists = self._matches(self._year_month_day(), _EXISTS)
        return sql.count_where(exp.Not(this=exp.paren(exp.and_(fits, exists))))

    def _year_month_day(self) -> Sql:
        """SQL for a text such as `2020-3-1`, which every engine casts to a date. For a value that does not
        fit, it is some text."""
        year, month, day = (self._group(self.format.group(part)) for part in ("year", "month", "day"))
        century = "" if self.format.has_century else "20"
        parts = self._rearranged(self.text.copy(), self.format.pattern, f"{century}{year}-{month}-{day}")
        written = self._with_numbers(parts)
        if self.format.has_century:
            return written
        last_century = "20(69|[7-9][0-9])(-[0-9-]+)"
        return self._rearranged(written, last_century, f"19{self._group(1)}{self._group(2)}")

    def _with_numbers(self, written: Sql) -> Sql:
        """SQL for the text with numbers in place of the names of months."""
        if not self.format.names:
            return written
        written = sql.call("lower", written)
        for number, name in enumerate(self.format.names, start=1):
            written = sql.call("replace", written, _text(name), _text(str(number)))
        return written

    def _group(self, number: int) -> str:
        return f"{self.dialect.group_sign}{number}"

    def _matches(self, value: Sql, pattern: str) -> Sql:
        return exp.RegexpLike(this=value, expression=_text(self._anchored(pattern)))

    def _rearranged(self, value: Sql, pattern: str, replacement: str) -> Sql:
        return sql.call("regexp_replace", value, _text(self._anchored(pattern)), _text(replacement))

    def _anchored(self, pattern: str) -> str:
        return f"^{pattern}{self.dialect.end_of_text}"


@dataclass(frozen=True)
class DateColumn:
    """A stored column of text, as a column of dates."""

    stored: "StoredColumn"
    dates: LocalDates

    @property
    def name(self) -> str:
        return self.stored.name

    @property
    def type(self) -> Type:
        return DATE

    def value(self, is_named: bool) -> Sql:
        return self.dates.value()

    def is_missing(self) -> Sql:
        return self.stored.is_missing()

    def limit(self) -> tuple[Sql, str] | None:
        return None


def date_formats(given: DatesArgument, names: Sequence[str]) -> dict[int, DateFormat]:
    """The formats by position. `Admission=%d.%m.%Y` names the column before an `=`."""
    columns = Names(names)
    pairs = given.items() if isinstance(given, Mapping) else [_split(text, columns) for text in given]
    found: dict[int, DateFormat] = {}
    for name, text in pairs:
        position = _position(columns, name)
        if position in found:
            raise errors.dates_given_twice(names[position])
        found[position] = date_format(text)
    return found


def _split(text: str, columns: Names) -> tuple[str, str]:
    found = columns.before_equals(text)
    if found is None:
        raise errors.dates_without_column(text)
    return found


def _position(columns: Names, name: str) -> int:
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
    """The columns of a typed table, with those of the formats as dates. Every value must fit."""
    found = list(columns)
    for position, format_ in formats.items():
        column = columns[position]
        if column.type != TEXT:
            raise errors.dates_not_text(column.name)
        found[position] = DateColumn(column, LocalDates(column.value(True), format_, facts.dialect))
    dates = {p: column.dates for p, column in enumerate(found) if isinstance(column, DateColumn)}
    _require_dates(facts, dates, [column.name for column in columns], None)
    return found


def dates_in(facts: Facts, csv: Csv, formats: Mapping[int, DateFormat]) -> dict[int, Sql]:
    """SQL for the dates of a CSV table's columns. Every value must fit."""
    dates = {p: LocalDates(sql.column(p, "t"), each, facts.dialect) for p, each in formats.items()}
    _require_dates(facts, dates, csv.names, csv)
    return {position: each.value() for position, each in dates.items()}


def _require_dates(
    facts: Facts, dates: Mapping[int, LocalDates], names: Sequence[str], csv: Csv | None
) -> None:
    """All records are asked, also those that are dropped: an engine may read them before it drops them."""
    counts = facts.ask([each.misfits() for each in dates.values()])
    for (position, each), bad in zip(dates.items(), counts, strict=True):
        if bad:
            place = None if csv is None else _first_misfit(csv, position, each.format)
            raise errors.not_dates(names[position], each.format.text, place, int(bad))


def _first_misfit(csv: Csv, position: int, format_: DateFormat) -> errors.Place:
    def is_misfit(fields: Sequence[str | None]) -> bool:
        field = fields[position]
        return field is not None and format_.read(field) is None

    return csv.first_place(is_misfit)


def fitting_formats(facts: Facts, value: Sql) -> list[str]:
    """The common formats that every value of a text column fits."""
    dates = [LocalDates(value, date_format(text), facts.dialect) for text in _COMMON]
    counts = facts.ask([each.misfits() for each in dates])
    return [text for text, misfits in zip(_COMMON, counts, strict=True) if not misfits]


def _text(text: str) -> Sql:
    return exp.Literal.string(text)
