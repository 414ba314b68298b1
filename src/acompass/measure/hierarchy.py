"""The levels of a column as a call specifies them: `bands:5,10,20`, `prefix:4,3,2`, `dates` or a hierarchy file.

For several columns, levels are a mapping or texts such as `Age=bands:5,10,20`. The rows of a hierarchy can be created
from the values of a column, to edit by hand.
"""

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from shlex import quote
from typing import Any, TypeAlias

from acompass.dataclasses import dataclass
from acompass.errors.diagnostics import CallError, Diagnostic, option_text
from acompass.language.program import bands
from acompass.language.program.hierarchies import (
    Hierarchy,
    Problem,
    Row,
    hierarchy_text,
    problem_summary,
    read_hierarchy,
)
from acompass.language.program.kernels import Map
from acompass.language.program.label_maps import SUPPRESSED
from acompass.language.program.types import Names
from acompass.options import Hierarchies, HierarchiesArgument
from acompass.policy import table_settings
from acompass.tables.output import replace_file, require_other_file
from acompass.tables.source import find_paths

_INTEGER = re.compile(r"[0-9]{1,9}")
_NUMBER = re.compile(r"[0-9]{1,30}(\.[0-9]{1,30})?")


@dataclass(frozen=True, slots=True)
class ByBands:
    widths: tuple[Decimal, ...]


@dataclass(frozen=True, slots=True)
class ByPrefix:
    lengths: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ByDate:
    """By months, quarters, years and decades."""


@dataclass(frozen=True, slots=True)
class ByFile:
    path: str  # of a hierarchy file, as the call spells it


Spec: TypeAlias = ByBands | ByPrefix | ByDate | ByFile


def parse_spec(text: str) -> Spec:
    """Parse a specification. A file whose name looks like another form needs a folder: `./dates`."""
    kind, _, sizes = text.partition(":")
    try:
        match kind:
            case "bands":
                return ByBands(widths_in(sizes))
            case "prefix":
                return ByPrefix(lengths_in(sizes))
            case _:
                return ByDate() if text == "dates" else ByFile(text)
    except ValueError as error:
        raise invalid_sizes(f"{error}, found `{text}`", "write for example `bands:5,10,20` or `prefix:4,3,2`") from None


def widths_in(text: str) -> tuple[Decimal, ...]:
    return tuple(map(Decimal, _parts(text, _NUMBER, "numbers")))


def lengths_in(text: str) -> tuple[int, ...]:
    return tuple(map(int, _parts(text, _INTEGER, "integers")))


def _parts(text: str, pattern: re.Pattern[str], kind: str) -> list[str]:
    parts = [part.strip() for part in text.split(",")]
    if not all(map(pattern.fullmatch, parts)):
        raise ValueError(f"expected {kind} between commas")
    return parts


def levels_of_file(path: str) -> str:
    """The specification of a hierarchy file. A name that looks like another form gets a folder."""
    return f"./{path}" if path == "dates" or path.startswith(("bands:", "prefix:")) else path


def parse_specs(given: HierarchiesArgument, quasi_identifiers: Sequence[str]) -> dict[int, Spec]:
    """The levels by position among the quasi-identifiers, which are spelled as in the table."""
    columns = Names(quasi_identifiers)
    pairs = given.items() if isinstance(given, Mapping) else [_split_levels(text, columns) for text in given]
    found: dict[int, Spec] = {}
    for name, levels in pairs:
        position = _position(columns, name)
        if position in found:
            raise _unusable_levels(f"column `{columns.texts[position]}` has two hierarchies", "omit one of them")
        found[position] = parse_spec(os.fspath(levels))
    return found


def table_hierarchies(table: Any, names: Sequence[str]) -> dict[str, str]:
    """The hierarchies that the acompass.toml in a table file's folder gives these columns; a file is relative to the
    folder. One of another column is not an error: a call need not use every column."""
    given: Mapping[str, str] = table_settings(table, Hierarchies).get("hierarchies", {})
    columns = Names(names)
    return {name: in_folder(Path(table).parent, levels) for name, levels in given.items() if columns.find(name)}


def in_folder(folder: Path, levels: str) -> str:
    """A specification whose file is relative to a folder, for a call."""
    is_here = folder == Path() or not isinstance(parse_spec(levels), ByFile)
    return levels if is_here else os.path.join(folder, levels)


def _split_levels(text: str, columns: Names) -> tuple[str, str]:
    found = columns.before_equals(text)
    if found is None:
        message = f"expected a column and its levels, found `{text}`"
        raise _unusable_levels(message, f"write for example `{option_text('hierarchies', {text: 'bands:5,10,20'})}`")
    return found


def _position(columns: Names, name: str) -> int:
    match columns.find(name):
        case (position,):
            return position
        case _:
            message = f"a hierarchy is given for `{name}`, which is not a quasi-identifier"
            raise _unusable_levels(message, f"quasi-identifiers: {columns.listing()}")


def _unusable_levels(message: str, help_: str) -> CallError:
    return CallError([Diagnostic("AC616", message, help=help_)])


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


def invalid_sizes(message: str, help_: str) -> CallError:
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
