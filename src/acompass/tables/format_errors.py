"""Errors about the format of files: encodings, delimiters, decimal marks, workbooks, partitions."""

from collections.abc import Sequence

from acompass.errors.diagnostics import CallError, Diagnostic, Label, Span, TableError, option_text
from acompass.errors.display import count_text
from acompass.tables.errors import error_about, error_about_both, table_error

output_not_encodable = error_about_both(
    "AC243",
    "cannot write `{}` in {}, the encoding of the input: a character does not exist in it",
    "convert the input to UTF-8 first, or write to a `.parquet` file",
)
reader_needed = error_about(
    "AC218", "`{}` is an Excel workbook, which needs python-calamine", "pip install 'acompass[excel]'"
)
is_a_workbook = error_about(
    "AC217",
    "`{}` is a workbook or another zip file, not a CSV or Parquet file",
    "a workbook ends in `.xlsx`: rename it, or save it as `.xlsx` or CSV first",
)
is_json = error_about(
    "AC217",
    "`{}` is JSON, not a CSV or Parquet file",
    "convert it first: `duckdb -c \"COPY (FROM 'people.jsonl') TO 'people.csv'\"`",
)
unknown_suffix = error_about(
    "AC252",
    "cannot read `{}`: its name ends in none of the supported suffixes",
    "name a file that ends in `.csv`, `.tsv`, `.csv.gz`, `.parquet` or `.xlsx`; convert other formats first",
)
locked_workbook = error_about(
    "AC244",
    "workbook `{}` is protected by a password, or is an old `.xls` file",
    "remove the password, or save it as `.xlsx`, in the program that wrote it",
)
large_workbook = error_about(
    "AC254", "workbook `{}` is too large to be read", "save the table as CSV in the program that wrote it"
)
no_sheet = error_about("AC245", "workbook `{}` has no sheet with cells", "save it with the table on a sheet")
folder_with_other_files = error_about(
    "AC248", "folder `{}` contains files other than Parquet files, so it is not replaced", "choose another folder"
)
partition_names = error_about(
    "AC247",
    "cannot write `{}` in partitions: a column has no name, or two names differ only in case",
    "rename the columns first, or write a single `.parquet` file",
)


def header_is_a_record(path: str, row: int | None, found: int, cells: int) -> TableError:
    """The message shows no cell: the first line may be a record. `row` is the row of a header in a workbook."""
    where = "the first line" if row is None else f"row {row}, the first one,"
    each = "is a number, a date or empty, or occurs again in its column"
    if found > 1:
        each = "are numbers, dates or empty, or occur again in their columns"
    message = f"{where} of `{path}` looks like a record, not a header: {found} of {count_text(cells, 'cell')} {each}"
    help_ = f"put the column names on the first line; if they are there, write `{option_text('header', True)}`"
    return table_error("AC251", message, help_)


def unknown_delimiter(delimiter: str) -> TableError:
    help_ = f"use one of `,` `;` `|` or a tab: `{option_text('delimiter', ';')}`"
    return table_error("AC225", f"unknown delimiter `{delimiter}`", help_)


def unknown_decimal(decimal: str | None) -> TableError:
    return table_error(
        "AC242",
        f"unknown decimal mark `{decimal}`",
        f"use `{option_text('decimal', ',')}` or `{option_text('decimal', '.')}`",
    )


def ambiguous_comma(path: str) -> TableError:
    return table_error(
        "AC242",
        f"`,` is the delimiter and the decimal mark of `{path}`, and no number with a comma is in quotes",
        f"give the delimiter, such as `{option_text('delimiter', ';')}`, or omit `{option_text('decimal', ',')}`",
    )


def unknown_encoding(encoding: str, near: Sequence[str]) -> TableError:
    one, two, three = (option_text("encoding", name) for name in ("cp1252", "latin-1", "utf-16"))
    help_ = f"for example `{one}`, `{two}` or `{three}`"
    if near:
        help_ = f"did you mean {' or '.join(f'`{name}`' for name in near)}?"
    return table_error("AC241", f"unknown encoding `{encoding}`", help_)


def not_utf8(path: str, line: int, byte: int, likely: str) -> TableError:
    return table_error(
        "AC205",
        f"line {line} of `{path}` is not UTF-8, at byte {byte:,} of the file",
        f"give its encoding: probably `{option_text('encoding', likely)}`",
    )


def not_in_encoding(path: str, encoding: str, place: tuple[int, int] | None) -> TableError:
    """`place` is a line number, and a byte of the file counted from 1."""
    where = "" if place is None else f", at byte {place[1]:,} of the file"
    what = f"`{path}`" if place is None else f"line {place[0]} of `{path}`"
    help_ = f"give its encoding: `{option_text('encoding', 'NAME')}`"
    return table_error("AC205", f"{what} is not {encoding}{where}", help_)


def contradicting_mark(path: str, encoding: str, marked: str) -> TableError:
    return table_error(
        "AC205",
        f"`{path}` is not {encoding}: it begins with the byte order mark of {marked}",
        f"write `{option_text('encoding', marked)}`, or omit it: the mark gives the encoding",
    )


def not_encodable(encoding: str, found: Sequence[Span | None]) -> TableError:
    """`found` are the spans of the policy whose text the encoding cannot represent."""
    message = f"the policy writes a character that {encoding}, the encoding of the output, does not have"
    help_ = "write another character, or convert the input to UTF-8 first"
    return TableError([Diagnostic("AC243", message, () if span is None else (Label(span),), help_) for span in found])


def unknown_sheet(path: str, sheet: str, sheets: Sequence[str]) -> TableError:
    return table_error("AC245", f"workbook `{path}` has no sheet `{sheet}`", f"sheets: {_list_names(sheets)}")


def empty_sheet(path: str, sheet: str, sheets: Sequence[str]) -> TableError:
    others = f"; sheets: {_list_names(sheets)}" if len(sheets) > 1 else ""
    return table_error(
        "AC204", f"sheet `{sheet}` of `{path}` is empty", f"put the column names in the first row of the table{others}"
    )


def _list_names(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def error_cells(path: str, sheet: str, count: int, first: str) -> TableError:
    one, several = "a cell with an error such as `#N/A`", "cells with errors such as `#N/A`"
    help_ = "correct the formulas, or clear the cells: an empty cell is a missing value"
    cells = _count_cells(count, one, several, first)
    return table_error("AC246", f"sheet `{sheet}` of `{path}` has {cells}", help_)


def uncomputed_cells(path: str, sheet: str, count: int, first: str) -> TableError:
    one, several = "a formula without a stored value", "formulas without stored values"
    help_ = "open the workbook in Excel or LibreOffice and save it, so that the values are stored"
    cells = _count_cells(count, one, several, first)
    return table_error("AC246", f"sheet `{sheet}` of `{path}` has {cells}", help_)


def impossible_cell(path: str, sheet: str) -> TableError:
    message = f"sheet `{sheet}` of `{path}` has a cell at a place that no sheet has"
    return table_error(
        "AC254", message, "open the workbook in Excel or LibreOffice and save it again, or save it as CSV"
    )


def sparse_sheet(path: str, sheet: str, rows: int, columns: int, cells: int) -> TableError:
    filled = "only 1 cell has a value" if cells == 1 else f"only {cells:,} cells have values"
    message = f"sheet `{sheet}` of `{path}` extends over {rows:,} rows and {columns:,} columns, but {filled}"
    return table_error("AC254", message, "clear the cells far outside the table, or save the table as CSV")


def _count_cells(count: int, one: str, several: str, first: str) -> str:
    return f"{one}: {first}" if count == 1 else f"{count:,} {several}; the first is {first}"


def partition_column(name: str, format_: str) -> TableError:
    """The message shows no folder, because its name has a value of the column."""
    message = f"the folders of the table are partitions by `{name}`, a column that the files do not have"
    files = f"read_{format_}('people/**/*.{format_}', hive_partitioning = true)"
    help_ = f"write the column into a file first: `duckdb -c \"COPY (FROM {files}) TO 'people.parquet'\"`"
    return table_error("AC253", message, help_)


def partition_not_a_folder(path: str) -> CallError:
    message = f"`{option_text('partition')}` writes a folder of Parquet files, but the output is `{path}`"
    return CallError([Diagnostic("AC247", message, help=f"name a folder: `{option_text('output', 'released/')}`")])


def partition_without_folder() -> CallError:
    message = f"`{option_text('partition')}` is given, but no `{option_text('output')}`"
    return CallError([Diagnostic("AC247", message, help=f"name a folder: `{option_text('output', 'released/')}`")])


def unknown_partition(name: str, columns: str) -> TableError:
    message = f"`{option_text('partition')}` names the column `{name}`, which the released table does not have"
    return table_error("AC247", message, f"columns: {columns}")


def partition_twice(name: str) -> TableError:
    message = f"`{option_text('partition')}` names column `{name}` twice"
    return table_error("AC247", message, "name each column once")


def partition_of_nested_values(name: str) -> TableError:
    message = f"`{option_text('partition')}` names column `{name}`, which has lists or other nested values"
    return table_error("AC247", message, "use columns of text, numbers or dates")


def folder_not_empty(path: str) -> TableError:
    help_ = f"choose another folder, or replace it: `{option_text('replace', True)}`"
    return table_error("AC248", f"folder `{path}` is not empty", help_)


def partition_unsupported(engine: str) -> TableError:
    return table_error(
        "AC247",
        f"{engine} does not write partitions",
        f"write a `.parquet` folder without `{option_text('partition')}`, or use the engine duckdb",
    )
