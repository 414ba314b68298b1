"""From a CSV file to a matrix: the header has the values, and each row a value and its probabilities.

The file may be a table of people by mistake, so that no message quotes a cell of it.
"""

import os
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

from acompass.diagnostics import CallError, Diagnostic
from acompass.pram.matrix import Matrix
from acompass.tables.csv import Csv
from acompass.tables.header import first_record
from acompass.tables.opening import opened
from acompass.tables.rfc4180 import Field
from acompass.tables.source import Files

_DECIMAL = re.compile(r"[0-9]{1,30}(?:\.[0-9]{1,30})?")
_FRACTION = re.compile(r"([0-9]{1,30})/([0-9]{1,30})")

#: a line, the value that it begins with, and the value's probabilities
_Row: TypeAlias = tuple[int, str, tuple[Fraction, ...]]


def read_matrix(path: str | os.PathLike[str]) -> Matrix:
    """Raises if the file cannot be read, or is not a matrix whose rows sum to exactly 1."""
    shown = os.fspath(path)
    with opened(path) as source:
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
        found = "a value twice" if values else "no values"
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
    """A decimal or a fraction, in [0, 1]. Without a number, the probability is 0."""
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
    """Each value has one row and one column."""
    first: dict[str, int] = {}
    for line, value, _ in rows:
        if value in first:
            message = f"lines {first[value]} and {line} of matrix `{shown}` begin with the same value"
            raise _unusable(message, "leave one of them out")
        if value not in values:
            message = f"line {line} of matrix `{shown}` begins with a value that is not in the header"
            raise _unusable(message, "the header has the values that the rows begin with, after a first cell")
        first[value] = line
    if len(rows) < len(values):
        message = f"matrix `{shown}` has {len(values):,} values in its header and {len(rows):,} rows"
        raise _unusable(message, "write a row for each value")


def _unusable(message: str, help_: str) -> CallError:
    return CallError([Diagnostic("AC632", message, help=help_)])
