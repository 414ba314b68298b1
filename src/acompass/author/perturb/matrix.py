"""Read the transition matrix of a column, with the probability that each value becomes another, from a CSV file.

The header has the values, and each row a value and its probabilities. The file may be a table of personal data by
mistake, so messages never quote a cell."""

import os
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

from acompass.author.perturb.column import CountedColumn, to_value
from acompass.dataclasses import dataclass
from acompass.errors.diagnostics import CallError, Diagnostic
from acompass.tables.csv import Csv, Field, first_record
from acompass.tables.input import open_source
from acompass.tables.source import Files


@dataclass(frozen=True, slots=True)
class Matrix:
    values: tuple[str, ...]  # as text
    #: `rows[x][y]` is the probability that a record with the value `values[x]` gets `values[y]`; each row sums to 1
    rows: tuple[tuple[Fraction, ...], ...]

    def keeping(self, probability: Fraction) -> "Matrix":
        """The matrix of a record that keeps its value with the probability and otherwise uses this matrix."""
        rows = (
            tuple((1 - probability) * entry + probability * (x == y) for y, entry in enumerate(row))
            for x, row in enumerate(self.rows)
        )
        return Matrix(self.values, tuple(rows))

    @property
    def ratio(self) -> Fraction | None:
        """e^ε: how much more likely one original value can make a released value than another original value.

        None if unbounded, because one original value excludes a released value that another allows.
        """
        columns = (column for column in zip(*self.rows, strict=True) if any(column))
        return _largest([None if not min(column) else max(column) / min(column) for column in columns])


def _largest(ratios: Sequence[Fraction | None]) -> Fraction | None:
    known = [ratio for ratio in ratios if ratio is not None]
    return max(known) if len(known) == len(ratios) else None


_DECIMAL = re.compile(r"[0-9]{1,30}(?:\.[0-9]{1,30})?")
_FRACTION = re.compile(r"([0-9]{1,30})/([0-9]{1,30})")

#: a line, the value that it begins with, and the value's probabilities
_Row: TypeAlias = tuple[int, str, tuple[Fraction, ...]]


def read_matrix(path: str | os.PathLike[str]) -> Matrix:
    """Raise if the file cannot be read, or is not a matrix whose rows sum to exactly 1."""
    shown = os.fspath(path)
    with open_source(path) as source:
        if not isinstance(source, Files) or source.format != "csv":
            raise _unusable(f"matrix `{shown}` is not a CSV file", "write it as CSV")
        names, delimiter = first_record(source)
        values = names[1:]
        _require_header(shown, values)
        rows = list(_rows(Csv(source, names, delimiter), shown))
    _require_same_values(shown, values, rows)
    by_value = {value: row for _, value, row in rows}
    return Matrix(values, tuple(by_value[value] for value in values))


def _require_header(shown: str, values: Sequence[str]) -> None:
    if len(set(values)) < max(len(values), 1):
        found = "a duplicate value" if values else "no values"
        help_ = "write each value once, after a first cell that may be empty"
        raise _unusable(f"the header of matrix `{shown}` has {found}", help_)


def _rows(csv: Csv, shown: str) -> Iterator[_Row]:
    for path, name in csv.files:
        for line, (value, *cells) in csv.records(path, name):
            row = tuple(_probability(cell, shown, line, place) for place, cell in enumerate(cells, 2))
            if sum(row) != 1:
                message = f"line {line} of matrix `{shown}` sums to {sum(row)}, expected exactly 1"
                help_ = "change a probability, or write fractions such as `1/3`"
                raise _unusable(message, help_)
            yield line, value or "", row


def _probability(cell: Field, shown: str, line: int, place: int) -> Fraction:
    """Parse a decimal or a fraction in [0, 1]. An empty cell is 0."""
    number = _number((cell or "0").strip())
    if number is None or number > 1:
        message = f"column {place} of line {line} of matrix `{shown}` is not a probability"
        raise _unusable(message, "write a number from 0 to 1, such as `0.8` or `4/5`")
    return number


def _number(text: str) -> Fraction | None:
    if _DECIMAL.fullmatch(text):
        return Fraction(Decimal(text))
    found = _FRACTION.fullmatch(text)
    return Fraction(int(found[1]), int(found[2])) if found and int(found[2]) else None


def _require_same_values(shown: str, values: Sequence[str], rows: Sequence[_Row]) -> None:
    """Raise unless each value has one row and one column."""
    first: dict[str, int] = {}
    for line, value, _ in rows:
        if value in first:
            message = f"lines {first[value]} and {line} of matrix `{shown}` begin with the same value"
            raise _unusable(message, "remove one of them")
        if value not in values:
            message = f"line {line} of matrix `{shown}` begins with a value that is not in the header"
            raise _unusable(message, "after its first cell, the header lists the values that rows begin with")
        first[value] = line
    if len(rows) < len(values):
        message = f"matrix `{shown}` has {len(values):,} values in its header and {len(rows):,} rows"
        raise _unusable(message, "write a row for each value")


def _unusable(message: str, help_: str) -> CallError:
    return CallError([Diagnostic("AC632", message, help=help_)])


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
    unlike = sum(to_value(text, column.type) is None for text in matrix.values)
    if unlike:
        values = "a value" if unlike == 1 else f"{unlike:,} values"
        message = f"matrix `{path}` has {values} that column `{column.name}`, {column.type}, cannot have"
        raise CallError([Diagnostic("AC634", message, help=f"write values of the type {column.type.kind}")])
    if column.type.is_number and len(set(map(Decimal, matrix.values))) < len(matrix.values):
        message = f"matrix `{path}` has two spellings of one number"
        raise CallError([Diagnostic("AC634", message, help="write each number once, in its shortest form")])
