"""Tables of text in aligned columns."""

from collections.abc import Sequence


def left_aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = _widths(rows)
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def numbers_aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """The first column, a label, is aligned to the left; the numbers after it to the right."""
    first, *others = _widths(rows)
    return ["  ".join([row[0].ljust(first), *map(str.rjust, row[1:], others)]).rstrip() for row in rows]


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(*rows, strict=True)]
