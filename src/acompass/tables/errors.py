"""Errors about tables. They show the names of columns and files, never a value of a record."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from acompass.errors.diagnostics import CallError, Diagnostic, Label, Span, TableError, missing_help, option_text
from acompass.errors.display import count_text, list_names
from acompass.language.program.kernels import Kernel, Map
from acompass.language.program.types import MOST_DIGITS, Column, Kind
from acompass.language.program.uses import TextComparison

#: the code of `ordered_as_text`, which a policy can allow (X9)
ORDERED_AS_TEXT = "AC231"

#: a file and a line number; None if the table is not a file
Place: TypeAlias = tuple[str, int] | None

#: the limits that `not_exact` names
DIGITS = f"numbers have at most {MOST_DIGITS} digits"
MICROSECONDS = "times have microsecond precision"
YEARS = "years range from 1 to 9999"


def table_error(code: str, message: str, help_: str | None = None, *labels: Label) -> TableError:
    return TableError([Diagnostic(code, message, labels, help_)])


def error_about(code: str, message: str, help_: str) -> Callable[[str], TableError]:
    """An error that names a file, a column or a kind of table."""
    return lambda shown: table_error(code, message.format(shown), help_.format(shown))


def error_about_both(code: str, message: str, help_: str) -> Callable[[str, str], TableError]:
    return lambda shown, detail: table_error(code, message.format(shown, detail), help_)


not_found = error_about("AC201", "no table at `{}`", "check the path; a glob such as `data/*.csv` must match a file")
unreadable = error_about_both("AC203", "cannot read `{}`: {}", "check that the file exists and is readable")
not_a_file = error_about(
    "AC203",
    "cannot read `{}`: it is a pipe or a device, not a file",
    "copy the records to a file, or name `-` and redirect standard input",
)
no_header = error_about("AC204", "`{}` has no header", "put the column names on the first line: `Age,Zip`")
not_unicode = error_about(
    "AC205",
    "column `{}` has text that is not valid Unicode",
    "replace the lone surrogates first: `text.encode('utf-8', 'replace').decode()`",
)
invalid_date_format = error_about_both(
    "AC235",
    "invalid date format `{}`: {}",
    "use one day `%d`, one month `%m`, `%b` (Jan) or `%B` (January), one year `%Y` (2020) or `%y` (20), "
    "and plain text between them, as in `%d.%m.%Y`; a time is `%H:%M`, `%H:%M:%S` or `%I:%M %p` (AM or PM), with "
    "fractions of seconds as `%f`; `%%` is a percent sign",
)
damaged_file = error_about_both("AC214", "`{}` is not a complete {} file", "create or download the file again")
not_exact = error_about_both(
    "AC215",
    "column `{}` has values that cannot be represented exactly: {}",
    "round the column first, or leave it out of the policy",
)
mixed_column = error_about(
    "AC216", "column `{}` mixes values of different types", "convert the column to one type first, such as text"
)
no_records_left = error_about(
    "AC250",
    "{} can be read only once, and no record is left",
    "make a new one for each call, or open it once with `acompass.open` for several calls",
)
library_needed = error_about("AC218", "{} needs pyarrow", "pip install pyarrow")
output_is_input = error_about(
    "AC220", "the output `{}` is also the input", "choose another output: the input is never overwritten"
)
output_is_hierarchy = error_about(
    "AC220", "the output `{}` is a hierarchy of the policy", "choose another output: hierarchies are never overwritten"
)
output_is_reference = error_about(
    "AC220",
    "the output `{}` is a reference table of the policy",
    "choose another output: reference tables are never overwritten",
)
output_is_secret = error_about(
    "AC220", "the output `{}` is the file of the key or the seed", "choose another output: neither is ever overwritten"
)
no_folder = error_about("AC221", "folder `{}` does not exist", "mkdir -p '{}'")
unwritable = error_about_both("AC222", "cannot write `{}`: {}", "choose a folder in which files can be created")
disk_full = error_about("AC223", "no space left to write `{}`", "free some space, or write to another disk")


def is_a_folder(path: str) -> TableError:
    return table_error("AC202", f"`{path}` is a folder, not a table", f"name its files: `{path.rstrip('/')}/*.csv`")


def no_columns() -> TableError:
    return table_error("AC204", "the table has no columns", "use a table with at least one column")


def ragged_record(path: str, line: int, found: int, expected: int) -> TableError:
    help_ = "give every record as many fields as the header; put a field that contains the delimiter in double quotes"
    if expected < found and line <= _AFTER_A_TITLE:
        help_ += "; if the names of the columns are on a later line, remove the lines above them"
    return table_error("AC206", f"line {line} of `{path}` has {count_text(found, 'field')}, expected {expected}", help_)


#: lines up to this one may be the header below a title or below `sep=;`
_AFTER_A_TITLE = 10


def open_quote(path: str, line: int) -> TableError:
    message = f"a double quote opened on line {line} of `{path}` is never closed"
    return table_error("AC207", message, f"close it; {_DOUBLED}")


def text_after_quote(path: str, line: int) -> TableError:
    message = f"expected a delimiter or a line end after a closing double quote on line {line} of `{path}`"
    return table_error("AC207", message, _DOUBLED)


_DOUBLED = 'inside a quoted field, write each double quote twice: `"a ""b"" c"`'


def repeated_name(name: str, first: int, second: int) -> TableError:
    if not name:
        help_ = "name every column on the first line, and remove any line above the names, such as a title"
        return table_error("AC208", f"columns {first} and {second} have no name", help_)
    message = f"columns {first} and {second} are both named `{name}`"
    return table_error("AC208", message, "give each column a different name")


def files_differ(first: str, other: str, what: str) -> TableError:
    help_ = "files read as one table need the same columns with the same types in the same order"
    return table_error("AC209", f"`{first}` and `{other}` have different {what}", help_)


def not_numbers(name: str, place: Place, bad: int, use: Span, help_: str | None) -> TableError:
    found = "1 value is not a number" if bad == 1 else f"{bad:,} values are not numbers"
    return _not_a_number("AC210", name, found + _where(place, bad), use, help_ or not_numbers_help())


def not_numbers_help() -> str:
    return (
        "a number has an optional sign, digits and an optional fraction, as in `-12.50`; "
        "to use the column as text, compare it with a quoted constant"
    )


def neither_numbers_nor_labels(name: str, place: Place, bad: int, use: Span) -> TableError:
    found = f"{'1 value is' if bad == 1 else f'{bad:,} values are'} neither numbers nor labels of bands"
    help_ = "a label is `30-34`, `-5 to -1`, `[0.5,1.0)`, `<18`, `90+` or `*`; replace other texts with `*`"
    return _not_a_number("AC210", name, found + _where(place, bad), use, help_)


def _not_a_number(code: str, name: str, found: str, use: Span, help_: str) -> TableError:
    message = f"column `{name}` is used as a number, but {found}"
    return table_error(code, message, help_, Label(use, "used as a number here"))


def _where(place: Place, count: int) -> str:
    if place is None:
        return ""
    path, line = place
    where = f"{'row' if path.lower().endswith(('.xlsx', '.xlsm')) else 'line'} {line} of `{path}`"
    return f" (on {where})" if count == 1 else f" (the first is on {where})"


def values_without_label(name: str, count: int, map_: Map, span: Span | None) -> TableError:
    found = "1 record has a value" if count == 1 else f"{count:,} records have values"
    message = f"{found} in column `{name}` for which this map has no label"
    return table_error("AC237", message, map_.help, *([] if span is None else [Label(span)]))


def values_not_written(columns: Sequence[Column], count: int, kernel: Kernel, span: Span | None) -> TableError:
    """The columns are those that the action writes, as they are before."""
    names = list_names(column.name for column in columns)
    where = f"column {names}" if len(columns) == 1 else f"columns {names}"
    texts = [column for column in columns if column.type.kind is Kind.TEXT]
    reason, help_ = _unfit_values(kernel, (*texts, *columns)[0])
    message = f"{kernel.keyword} cannot write the {kernel.noun}s of {count_text(count, 'record')} in {where}: {reason}"
    return table_error("AC238", message, help_, *([] if span is None else [Label(span)]))


def _unfit_values(kernel: Kernel, column: Column) -> tuple[str, str]:
    """Why values cannot be written, and what to do."""
    if kernel.by is not None:
        reason = "they would leave the years 0001 to 9999"
        if column.type.kind is not Kind.TEXT:
            return reason, "shift by fewer days, or reject such dates first"
        option = option_text("dates", {column.name: "%d.%m.%Y"})
        return f"{reason}, or are not in ISO format", f"read local dates with `{option}`, or reject such records first"
    if kernel.reads_others:
        return "a group has both infinities, which have no mean", "reject or replace infinite values first"
    limit = "64 bits" if column.type.kind is Kind.INTEGER else f"{MOST_DIGITS} digits"
    return f"they would exceed {limit}", "reject or replace such large numbers first"


def leading_zeros(name: str, place: Place, padded: int, use: Span, banded: bool) -> TableError:
    """`banded` says whether BANDS uses the column as a number, rather than a comparison."""
    found = f"{'1 value has' if padded == 1 else f'{padded:,} values have'} leading zeros or a plus sign"
    help_ = "compare it with a quoted constant such as `'02139'` to use the column as text"
    if banded:
        help_ = "generalize codes as text, with `PREFIX OF 3`"
    return _not_a_number("AC230", name, found + _where(place, padded), use, help_)


def numbers_ordered_as_text(name: str, place: Place, wrong: int, comparison: TextComparison, unlike: int) -> TableError:
    """`unlike` is the number of values that prevent the column from being used as a number."""
    found = f"{count_text(wrong, 'record')}{_where(place, wrong)}"
    message = f"column `{name}` holds numbers, and their order as text differs from their order as numbers in {found}"
    help_ = _help_with_other_values(comparison.text, unlike) if unlike else f"write {comparison.text}"
    return table_error(ORDERED_AS_TEXT, message, help_, Label(comparison.span, "ordered as text here"))


def _help_with_other_values(number: str, unlike: int) -> str:
    values = "1 value is `*` or has" if unlike == 1 else f"{unlike:,} values are `*` or have"
    return (
        f"{values} a leading zero or a plus sign: replace them first and write {number}, or put "
        f"`-- allow {ORDERED_AS_TEXT}: why` above the requirement to order text"
    )


def not_iso_dates(name: str, comparison: TextComparison, formats: Sequence[str]) -> TableError:
    """`formats` are the date formats that every value matches."""
    options = [f"`{option_text('dates', {name: text})}`" for text in formats or ["%d.%m.%Y"]]
    unknown = "" if formats else ", with the directives of its own format"
    finding = Diagnostic(
        "AC232",
        f"column `{name}` is compared with the date `{comparison.text}`, but has no ISO date",
        (Label(comparison.span, "compared with a date here"),),
        f"read the column as dates: {' or '.join(options)}{unknown}",
    )
    return TableError([finding])


def not_dates(name: str, text: str, place: Place, bad: int, formats: Sequence[str]) -> TableError:
    """`formats` are the common formats that every value matches."""
    options = " or ".join(f"`{option_text('dates', {name: each})}`" for each in formats)
    found = "1 value is not a valid date" if bad == 1 else f"{bad:,} values are not valid dates"
    return table_error(
        "AC234",
        f"column `{name}` is read as dates in the format `{text}`, but {found}{_where(place, bad)}",
        f"give the format of all values: {options}"
        if formats
        else "give the format of all values, and correct values that are not dates, such as a 31st of February",
    )


def dates_without_column(text: str) -> TableError:
    example = option_text("dates", {"Admission": text} if "%" in text else {text: "%d.%m.%Y"})
    message = f"`{option_text('dates')} {text}` has no `=` between a column and a format"
    return table_error("AC236", message, f"write `{example}`")


def unknown_dates_column(name: str, columns: str) -> TableError:
    message = f"`{option_text('dates')}` names the column `{name}`, which the table does not have"
    return table_error("AC236", message, f"columns: {columns}")


def ambiguous_dates_column(name: str, columns: Iterable[str]) -> TableError:
    spelled = list_names(columns)
    message = f"`{option_text('dates')}` names `{name}`, which could be {spelled}"
    return table_error("AC236", message, "use the exact spelling")


def dates_given_twice(name: str) -> TableError:
    message = f"`{option_text('dates')}` gives two formats for column `{name}`"
    return table_error("AC236", message, "a column has one format")


def dates_not_text(name: str) -> TableError:
    message = f"`{option_text('dates')}` names the column `{name}`, which is not text"
    return table_error("AC236", message, "omit it: only columns of text are read as dates")


def number_too_long(name: str, digits: int) -> TableError:
    message = f"the numbers in column `{name}` need {digits} digits, more than the {MOST_DIGITS} supported"
    return table_error("AC211", message, "round the column, or use it as text by comparing it with a quoted constant")


def missing_values(columns: Iterable[tuple[str, int, Mapping[str, int]]]) -> TableError:
    """The counts are those of missing values and, in a text column, those of usual words for them."""
    return TableError(
        [
            Diagnostic(
                "AC212",
                f"column `{name}` has {count_text(count, 'missing value')}",
                help="; ".join([missing_help(), *words_help(words)]),
            )
            for name, count, words in columns
        ]
    )


def words_help(words: Mapping[str, int]) -> Iterator[str]:
    """What to do if words in a column of text mean missing values."""
    if words:
        counts = ", ".join(f"`{word}` {'once' if n == 1 else f'{n:,} times'}" for word, n in words.items())
        option = option_text("na", tuple(words))
        yield f"the column has the text {counts}: if this means a missing value, add `{option}`"


def missing_given_twice(text: str) -> TableError:
    example = f"{option_text('missing', 'drop')} {option_text('missing', {'Zip': '?'})}"
    message = f"`{option_text('missing', text)}` names no column, and `{option_text('missing')}` is already given"
    return table_error("AC233", message, f"give one value for all columns, and others by column: `{example}`")


def unknown_missing_column(name: str, columns: str) -> TableError:
    message = f"`{option_text('missing')}` names the column `{name}`, which the table does not have"
    return table_error("AC233", message, f"columns: {columns}")


def unsuitable_filling(name: str, type_: str, value: str) -> TableError:
    return table_error(
        "AC213",
        f"cannot fill missing values of column `{name}` with `{value}`: the column is {type_}",
        f"fill with a value of the column's type, or drop incomplete records with `{option_text('missing', 'drop')}`",
    )


def unknown_table(kind: str) -> CallError:
    help_ = (
        "use a path, a pandas or Polars data frame, a PyArrow table or record batch reader, a DuckDB relation, "
        "an Ibis table, a list or iterator of dicts, or a dict of lists"
    )
    return CallError([Diagnostic("AC217", f"`{kind}` is not a table", help=help_)])


def unknown_record(kind: str) -> CallError:
    message = f"the iterator contains {kind}, which is not a record"
    return CallError([Diagnostic("AC217", message, help="use an iterator of dicts, with column names as keys")])


def unequal_lengths(first: str, length: int, other: str, other_length: int) -> TableError:
    counts = f"`{first}` has {count_text(length, 'value')}, `{other}` has {count_text(other_length, 'value')}"
    return table_error("AC249", f"the columns differ in length: {counts}", "use `None` for a missing value")


def name_not_text(position: int) -> TableError:
    help_ = "rename it first: `table.columns = [str(name) for name in table.columns]`"
    return table_error("AC219", f"the name of column {position} is not text", help_)


def unknown_format(path: str) -> TableError:
    help_ = "end the name in `.csv`, `.csv.gz` or `.parquet`"
    if path.endswith("/"):
        help_ += f", or write a folder of Parquet files with `{option_text('partition', ['COLUMN'])}`"
    return table_error("AC224", f"unknown output format of `{path}`", help_)


def frame_failed(kind: str, error: BaseException) -> TableError:
    return table_error("AC240", f"cannot read {kind}: {_failure(error)}", _OWN_MESSAGE)


def column_failed(name: str, error: BaseException) -> TableError:
    help_ = f"convert the column to another type first, such as text; {_OWN_MESSAGE}"
    return table_error("AC240", f"cannot convert column `{name}`: {_failure(error)}", help_)


_OWN_MESSAGE = "set ACOMPASS_DEBUG=1 to see the library's own message, which may quote records"


def _failure(error: BaseException) -> str:
    shown = f"the library failed with `{type(error).__name__}`"
    return f"{shown}: {error}" if os.environ.get("ACOMPASS_DEBUG") else shown
