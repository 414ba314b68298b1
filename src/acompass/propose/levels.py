"""The levels of a hierarchy as maps of GENERALIZE, and its rows."""

from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from shlex import quote
from typing import TypeVar

from acompass.checked.maps import bands, prefix
from acompass.checked.maps.bands import Bands
from acompass.checked.maps.dates import Dates
from acompass.checked.maps.map import SUPPRESSED, Map
from acompass.checked.maps.prefix import Prefix
from acompass.diagnostics import CallError, Diagnostic
from acompass.hierarchies.hierarchy import Row
from acompass.propose.values import Values, is_integer, is_number
from acompass.syntax.tree import DateUnit

Size = TypeVar("Size")


def band_levels(values: Values, widths: Sequence[Decimal]) -> tuple[Map, ...]:
    """Bands of each width. They are bands of integers if all numbers are integers."""
    integer = all(is_integer(text) for text in values.texts if is_number(text))
    for width in widths:
        if problem := bands.problem(width, None, None, integer):
            raise _invalid(problem, "give widths from narrow to wide, such as `5,10,20`")
    maps = tuple(Bands.of(width, None, None, integer) for width in widths)
    for width, next_width in _not_nested(maps, widths):
        raise _invalid(
            f"bands of {next_width:f} cannot be made of bands of {width:f}",
            "each width must be a multiple of the one before, such as `5,10,20`",
        )
    return maps


def prefix_levels(lengths: Sequence[int]) -> tuple[Map, ...]:
    for length in lengths:
        if problem := prefix.problem(length):
            raise _invalid(problem, "give lengths from long to short, such as `4,3,2`")
    maps = tuple(Prefix(length) for length in lengths)
    for length, next_length in _not_nested(maps, lengths):
        raise _invalid(
            f"a prefix of {next_length} characters cannot be made of a prefix of {length}",
            "give lengths from long to short, such as `4,3,2`",
        )
    return maps


def date_levels(values: Values) -> tuple[Dates, ...]:
    """The units that change a value: a column of months has no level of months."""
    maps = (Dates(unit) for unit in DateUnit)
    return tuple(each for each in maps if any(each.label(text) != text for text in values.texts))


def rows(values: Values, maps: Sequence[Map], kind: str) -> tuple[Row, ...]:
    """A row for each value: its label at each level, and `*` at the last. `kind` is what values must be."""
    labels = [[each.label(text) for text in values.texts] for each in maps]
    found = [tuple(row) for row in zip(values.texts, *labels, strict=True)]
    unlabelled = sum(None in row for row in found)
    if unlabelled:
        raise _unfit(values, unlabelled, kind)
    return tuple((*(label for label in row if label is not None), SUPPRESSED) for row in found)


def _not_nested(maps: Sequence[Map], sizes: Sequence[Size]) -> list[tuple[Size, Size]]:
    """Each two sizes in a row of which the second does not follow the first."""
    pairs = zip(pairwise(maps), pairwise(sizes), strict=True)
    return [neighbours for (earlier, later), neighbours in pairs if not later.follows(earlier)]


def _invalid(message: str, help_: str) -> CallError:
    return CallError([Diagnostic("AC610", message, help=help_)])


def _unfit(values: Values, count: int, kind: str) -> CallError:
    others = "1 other value" if count == 1 else f"{count:,} other values"
    finding = Diagnostic(
        "AC611",
        f"expected {kind} in column `{values.column}`, found {others} among {len(values.texts):,}",
        help=f"write the values alone and add levels by hand: {_command(values.column)}",
    )
    return CallError([finding])


def _command(column: str) -> str:
    return f"`acompass hierarchy TABLE {quote(column)} --from-values`"
