"""Parse the levels of a column as a call specifies them: `bands:5,10,20`, `prefix:4,3,2`, `dates` or a file.

For several columns, levels are a mapping or texts such as `Age=bands:5,10,20`.
"""

import os
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TypeAlias

from acompass.dataclasses import dataclass
from acompass.errors.diagnostics import CallError, Diagnostic
from acompass.language.program.types import Names
from acompass.options import HierarchiesArgument

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
        help_ = "write for example `bands:5,10,20` or `prefix:4,3,2`"
        raise CallError([Diagnostic("AC610", f"{error}, found `{text}`", help=help_)]) from None


def widths_in(text: str) -> tuple[Decimal, ...]:
    return tuple(map(Decimal, _parts(text, _NUMBER, "numbers")))


def lengths_in(text: str) -> tuple[int, ...]:
    return tuple(map(int, _parts(text, _INTEGER, "integers")))


def _parts(text: str, pattern: re.Pattern[str], kind: str) -> list[str]:
    parts = [part.strip() for part in text.split(",")]
    if not all(map(pattern.fullmatch, parts)):
        raise ValueError(f"expected {kind} between commas")
    return parts


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


def _split_levels(text: str, columns: Names) -> tuple[str, str]:
    found = columns.before_equals(text)
    if found is None:
        message = f"expected a column and its levels, found `{text}`"
        raise _unusable_levels(message, f"write for example `--hierarchy {text}=bands:5,10,20`")
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
