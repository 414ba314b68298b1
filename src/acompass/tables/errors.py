"""Errors about a table, one function per code. They show names of columns and files, never a value."""

from collections.abc import Iterable

from acompass.checked.types import MOST_DIGITS
from acompass.diagnostics import Diagnostic, Label, Span, TableError

#: the limits that `not_exact` names
DIGITS = f"numbers have at most {MOST_DIGITS} digits"
MICROSECONDS = "times go to the microsecond"
YEARS = "times go from year 1 to year 9999"


def _error(code: str, message: str, help_: str | None = None) -> TableError:
    return TableError([Diagnostic(code, message, help=help_)])


def not_found(path: str) -> TableError:
    return _error(
        "AC201", f"no table at `{path}`", "check the path; a glob such as `data/*.csv` must match a file"
    )


def is_a_folder(path: str) -> TableError:
    return _error(
        "AC202", f"`{path}` is a folder, expected a table", f"name its files: `{path.rstrip('/')}/*.csv`"
    )


def unreadable(path: str, why: str) -> TableError:
    return _error("AC203", f"`{path}` cannot be read: {why}", "check that the file is there and may be read")


def no_header(path: str) -> TableError:
    return _error(
        "AC204", f"`{path}` has no header", "write the names of the columns on the first line: `Age,Zip`"
    )


def no_columns() -> TableError:
    return _error("AC204", "the table has no columns", "give a table with at least one column")


def not_utf8(path: str, line: int) -> TableError:
    return _error(
        "AC205",
        f"line {line} of `{path}` is not UTF-8",
        f"convert it first, for example: `iconv -f ISO-8859-1 -t UTF-8 {path} > table.csv`",
    )


def ragged(path: str, line: int, found: int, expected: int) -> TableError:
    return _error(
        "AC206",
        f"line {line} of `{path}` has {_count(found, 'field')}, expected {expected}",
        "give every record as many fields as the header; one with a delimiter in it goes in double quotes",
    )


def open_quote(path: str, line: int) -> TableError:
    return _error(
        "AC207",
        f"a double quote opened on line {line} of `{path}` is never closed",
        'close it, or write a quote inside a quoted field twice: `"a ""b"" c"`',
    )


def text_after_quote(path: str, line: int) -> TableError:
    return _error(
        "AC207",
        f"line {line} of `{path}` goes on after a closing double quote, expected a delimiter or a line end",
        'write a quote inside a quoted field twice: `"a ""b"" c"`',
    )


def repeated_name(name: str, first: int, second: int) -> TableError:
    return _error(
        "AC208",
        f"columns {first} and {second} are both named `{name}`",
        "give each column a name of its own",
    )


def files_differ(path: str, first: str, difference: str) -> TableError:
    return _error(
        "AC209",
        f"`{path}` {difference} than `{first}`",
        "files read as one table need the same columns with the same types in the same order",
    )


def not_numbers(name: str, path: str, line: int, bad: int, use: Span) -> TableError:
    they_are = "value of it is not a number" if bad == 1 else "values of it are not numbers"
    finding = Diagnostic(
        "AC210",
        f"column `{name}` is used as a number, but {bad:,} {they_are}, the first on line {line} of `{path}`",
        (Label(use, "used as a number here"),),
        "a number is an optional sign, digits and an optional fraction, such as `-12.50`; "
        "compare with a quoted constant to use the column as text",
    )
    return TableError([finding])


def number_too_long(name: str, digits: int) -> TableError:
    return _error(
        "AC211",
        f"column `{name}` needs numbers of {digits} digits, expected at most {MOST_DIGITS}",
        "round the column, or compare it with a quoted constant to use it as text",
    )


def missing_values(columns: Iterable[tuple[str, int]]) -> TableError:
    help_ = "drop incomplete records with `--missing drop`, or fill them with `--missing VALUE`"
    return TableError(
        [
            Diagnostic("AC212", f"column `{name}` has {_count(count, 'missing value')}", help=help_)
            for name, count in columns
        ]
    )


def unfit_filling(name: str, type_: str, value: str) -> TableError:
    return _error(
        "AC213",
        f"missing values of column `{name}` cannot be filled with `{value}`: the column is {type_}",
        "fill with a value of the column's type, or drop incomplete records with `--missing drop`",
    )


def damaged(path: str, kind: str) -> TableError:
    return _error("AC214", f"`{path}` is not a whole {kind} file", "make or fetch the file again")


def not_exact(name: str, limit: str) -> TableError:
    return _error(
        "AC215",
        f"column `{name}` holds values that cannot be kept exactly: {limit}",
        "round the column before, or leave it out of the policy",
    )


def mixed_column(name: str) -> TableError:
    return _error(
        "AC216",
        f"column `{name}` mixes values of different types",
        "convert the column to one type first, for example all text",
    )


def unknown_table(kind: str) -> TableError:
    return _error(
        "AC217",
        f"`{kind}` is not a table",
        "give a path, a data frame of pandas or Polars, a PyArrow table, a DuckDB relation, an Ibis table, "
        "or a list of dicts",
    )


def library_needed(kind: str) -> TableError:
    return _error("AC218", f"{kind} needs pyarrow", "pip install pyarrow")


def name_not_text(position: int) -> TableError:
    return _error(
        "AC219",
        f"the name of column {position} is not text",
        "rename it first, for example: `table.columns = [str(name) for name in table.columns]`",
    )


def output_is_input(path: str) -> TableError:
    return _error(
        "AC220", f"`{path}` is the table itself", "write elsewhere, or use `--force` to write over it"
    )


def no_folder(folder: str) -> TableError:
    return _error("AC221", f"there is no folder `{folder}` to write into", f"mkdir -p '{folder}'")


def unwritable(path: str, why: str) -> TableError:
    return _error("AC222", f"`{path}` cannot be written: {why}", "write where files may be created")


def disk_full(path: str) -> TableError:
    return _error("AC223", f"no space is left to write `{path}`", "free some space, or write to another disk")


def unknown_format(path: str) -> TableError:
    return _error("AC224", f"`{path}` has no known suffix", "end the name in `.csv`, `.csv.gz` or `.parquet`")


def unknown_delimiter(delimiter: str) -> TableError:
    return _error(
        "AC225", f"`{delimiter}` is not a delimiter", "use one of `,` `;` `|` or a tab: `--delimiter ';'`"
    )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
