"""Whether a matrix fits a column: it has a row for each value, and only values of the column's type."""

from decimal import Decimal

from acompass.diagnostics import CallError, Diagnostic
from acompass.pram.codes import value_of
from acompass.pram.matrix import Matrix
from acompass.pram.read import CountedColumn


def require_fit(matrix: Matrix, path: str, column: CountedColumn) -> None:
    _require_types(matrix, path, column)
    absent = column.counts.keys() - set(matrix.values)
    if absent:
        records = sum(column.counts[text].records for text in absent)
        values = "1 value" if len(absent) == 1 else f"{len(absent):,} values"
        message = f"matrix `{path}` has no row for {values} of `{column.name}`, in {records:,} records"
        help_ = "write a row for each value; `acompass hierarchy TABLE COLUMN --from-values` lists them"
        raise CallError([Diagnostic("AC634", message, help=help_)])


def _require_types(matrix: Matrix, path: str, column: CountedColumn) -> None:
    unlike = sum(value_of(text, column.type) is None for text in matrix.values)
    if unlike:
        values = "a value" if unlike == 1 else f"{unlike:,} values"
        message = f"matrix `{path}` has {values} that column `{column.name}`, {column.type}, cannot have"
        raise CallError([Diagnostic("AC634", message, help=f"write values of the type {column.type.kind}")])
    if column.type.is_number and len(set(map(Decimal, matrix.values))) < len(matrix.values):
        message = f"matrix `{path}` has two spellings of one number"
        raise CallError([Diagnostic("AC634", message, help="write each number once, in its shortest form")])
