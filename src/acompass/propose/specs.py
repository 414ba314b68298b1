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
    if text == "dates":
        return ByDate()
    if text.startswith("bands:"):
        return ByBands(tuple(map(Decimal, _parts(text, _NUMBER, "numbers", "bands:5,10,20"))))
    if text.startswith("prefix:"):
        return ByPrefix(tuple(map(int, _parts(text, _INTEGER, "integers", "prefix:4,3,2"))))
    return ByFile(text)


def _parts(text: str, pattern: re.Pattern[str], kind: str, example: str) -> list[str]:
    parts = [part.strip() for part in text.partition(":")[2].split(",")]
    if not all(map(pattern.fullmatch, parts)):
        message = f"expected {kind} between commas, found `{text}`"
        raise CallError([Diagnostic("AC610", message, help=f"write for example `{example}`")])
    return parts
