"""Risk by quasi-identifier, as rows of words."""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from acompass.measures import QuasiIdentifier
from acompass.report.words import on_one_line, persons, rounded

Row: TypeAlias = tuple[str, ...]

HEADER = (
    "quasi-identifier",
    "values",
    "unique by it",
    "k without it",
    "unique without it",
    "risk without it",
)


def quasi_identifier_rows(columns: Sequence[QuasiIdentifier]) -> Iterator[Row]:
    """The last three figures are those of the table without the column. Risk is the prosecutor's average."""
    yield HEADER
    yield from map(_row, columns)


def _row(each: QuasiIdentifier) -> Row:
    without = each.without
    return (
        on_one_line(each.column),
        f"{each.alone.number:,}",
        persons(each.alone.uniques),
        rounded(without.k),
        persons(without.uniques),
        rounded(without.prosecutor_average),
    )
