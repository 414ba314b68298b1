"""Create the rows of a hierarchy from the values of a column, to edit by hand; read and write hierarchy files."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from shlex import quote
from typing import TypeVar

from acompass.dataclasses import dataclass
from acompass.errors.diagnostics import CallError, Diagnostic
from acompass.language.program import bands, label_maps
from acompass.language.program.bands import Bands
from acompass.language.program.hierarchies import (
    Hierarchy,
    Problem,
    Row,
    hierarchy_text,
    problem_summary,
    read_hierarchy,
)
from acompass.language.program.label_maps import SUPPRESSED, Dates, Map, Prefix
from acompass.language.text.tree import DateUnit
from acompass.tables.output import replace_file, require_other_file
from acompass.tables.source import find_paths

Size = TypeVar("Size")


@dataclass(frozen=True, slots=True)
class Values:
    column: str
    texts: tuple[str, ...]  # sorted
    missing: int = 0  # records without a value
    empty: int = 0  # records with an empty text


def column_values(column: str, counts: Mapping[str, int], missing: int = 0) -> Values:
    """The values of a column, from the number of records with each text. Raise if there are only empty texts."""
    texts = [text for text in counts if text]
    if not texts:
        help_ = "choose a column that has values, or another table"
        raise CallError([Diagnostic("AC612", f"column `{column}` has no values", help=help_)])
    return Values(column, _sort_texts(texts), missing, counts.get("", 0))


def is_number(text: str) -> bool:
    return bands.parse_place(text, 0) is not None


def is_integer(text: str) -> bool:
    """Whether a text is an integer as a policy reads it: `34.0` is not."""
    place = bands.parse_place(text, 0)
    return place is not None and str(place.floor) == text


def _sort_texts(texts: Collection[str]) -> tuple[str, ...]:
    """Sort numbers by size, with `*` after them; sort all by code point if there are other texts."""
    others = {text for text in texts if not is_number(text)}
    if others - {SUPPRESSED}:
        return tuple(sorted(texts))
    return (*sorted(set(texts) - others, key=lambda text: (Decimal(text), text)), *others)


def band_levels(values: Values, widths: Sequence[Decimal]) -> tuple[Map, ...]:
    """Bands of each width; bands of integers if all numbers are integers."""
    integer = all(is_integer(text) for text in values.texts if is_number(text))
    for width in widths:
        if problem := bands.bands_problem(width, None, None, integer):
            raise _invalid(problem, "give widths from narrow to wide, such as `5,10,20`")
    maps = tuple(Bands.of(width, None, None, integer) for width in widths)
    for width, next_width in _not_nested(maps, widths):
        raise _invalid(
            f"bands of {next_width:f} cannot be composed of bands of {width:f}",
            "each width must be a multiple of the one before, such as `5,10,20`",
        )
    return maps


def prefix_levels(lengths: Sequence[int]) -> tuple[Map, ...]:
    for length in lengths:
        if problem := label_maps.prefix_problem(length):
            raise _invalid(problem, "give lengths from long to short, such as `4,3,2`")
    maps = tuple(Prefix(length) for length in lengths)
    for length, next_length in _not_nested(maps, lengths):
        raise _invalid(
            f"a prefix of {next_length} characters cannot be taken from a prefix of {length}",
            "give lengths from long to short, such as `4,3,2`",
        )
    return maps


def date_levels(values: Values) -> tuple[Dates, ...]:
    """The units that change a value: a column of months has no level of months."""
    maps = (Dates(unit) for unit in DateUnit)
    return tuple(each for each in maps if any(each.label(text) != text for text in values.texts))


def rows(values: Values, maps: Sequence[Map], kind: str) -> tuple[Row, ...]:
    """A row for each value, with its label at each level and `*` at the last. `kind` says what values are expected."""
    labels = [[each.label(text) for text in values.texts] for each in maps]
    found = [tuple(row) for row in zip(values.texts, *labels, strict=True)]
    unlabeled = sum(None in row for row in found)
    if unlabeled:
        others = "1 other value" if unlabeled == 1 else f"{unlabeled:,} other values"
        message = f"expected {kind} in column `{values.column}`, found {others} among {len(values.texts):,}"
        command = f"`acompass hierarchy TABLE {quote(values.column)} --from-values`"
        help_ = f"write the values alone and add levels by hand: {command}"
        raise CallError([Diagnostic("AC611", message, help=help_)])
    return tuple((*(label for label in row if label is not None), SUPPRESSED) for row in found)


def _not_nested(maps: Sequence[Map], sizes: Sequence[Size]) -> list[tuple[Size, Size]]:
    """The pairs of consecutive sizes whose second level cannot be made from the first."""
    pairs = zip(pairwise(maps), pairwise(sizes), strict=True)
    return [pair for (earlier, later), pair in pairs if not later.follows(earlier)]


def _invalid(message: str, help_: str) -> CallError:
    return CallError([Diagnostic("AC610", message, help=help_)])


def sound_hierarchy(path: str) -> Hierarchy:
    """Read a hierarchy. Raise if it has any problem."""
    found = check_hierarchy(path)
    if isinstance(found, Hierarchy):
        return found
    help_ = f"`acompass hierarchy {path} --check` lists what is wrong"
    raise CallError([Diagnostic("AC614", f"hierarchy `{path}`: {problem_summary(found)}", help=help_)])


def check_hierarchy(path: str) -> Hierarchy | tuple[Problem, ...]:
    """The hierarchy, or all its problems. Raise if the file cannot be read."""
    try:
        return read_hierarchy(Path(path))
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or "unknown reason").lower()
        finding = Diagnostic("AC613", f"cannot read hierarchy `{path}`: {reason}", help="check the path")
        raise CallError([finding]) from None


def require_other_than_table(path: str, table: str) -> None:
    """Raise, before anything is read, if the hierarchy would replace the table."""
    require_other_file(path, tuple(find_paths(table)))


def write_hierarchy(path: str, rows: Iterable[Row]) -> None:
    with replace_file(path) as part:
        Path(part).write_text(hierarchy_text(rows), encoding="utf-8", newline="")
