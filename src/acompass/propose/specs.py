"""How a person says what the levels of a column are: `bands:5,10,20`, `prefix:4,3,2`, `dates` or a file."""

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

from acompass.diagnostics import CallError, Diagnostic

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
    """Months, quarters, years, decades."""


@dataclass(frozen=True, slots=True)
class ByFile:
    """The path of a hierarchy file, as it was given."""

    path: str


Spec: TypeAlias = ByBands | ByPrefix | ByDate | ByFile


def parse_spec(text: str) -> Spec:
    """A file whose name looks like another form is written with its folder: `./dates`."""
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
