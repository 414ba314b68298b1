"""Recognize a table that was given in place of a policy, by its first bytes or its first lines."""

import codecs
import csv
import re
from itertools import islice

#: how much of a file is enough to recognize it
ENOUGH = 1 << 16

_MAGIC = {
    b"PAR1": "a Parquet file",
    b"ARROW1": "an Arrow file",
    b"\x1f\x8b": "a gzip file",
    b"PK\x03\x04": "an Excel workbook or another zip file",
    b"\xd0\xcf\x11\xe0": "an Excel workbook",
    b"SQLite format 3": "a database file",
}
_DELIMITERS = (",", ";", "\t", "|")
#: lines to compare with the header
_SAMPLED = 20
_REQUIREMENT = re.compile(
    r"\bALWAYS\s*:|\b(EACH|SOME)\s+(RESULT|RECORD|(FILTER|PROCESS)\b[^:;]*+)\s*:", re.IGNORECASE
)
_FIRST_WORD_OF_POLICY = re.compile(
    r"(ALWAYS|EACH|SOME|SELECT|UPDATE|DELETE|INSERT|CREATE|WITH|FROM|DROP|GENERALIZE)\s+\w|--|/\*|//|#",
    re.IGNORECASE,
)
_COMPARISON = re.compile(r"[<>=≤≥≠]")


def table_kind(start: bytes) -> str | None:
    """What kind of table begins with these bytes; None if it may be a policy."""
    for magic, kind in _MAGIC.items():
        if start.startswith(magic):
            return kind
    return "a CSV file" if is_csv(decoded(start)) else None


def decoded(start: bytes) -> str:
    """The text of the first bytes, as far as it can be read."""
    return start.decode("utf-16" if is_utf16(start) else "utf-8-sig", errors="replace")


def is_utf16(start: bytes) -> bool:
    return start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))


def is_csv(text: str) -> bool:
    """Whether a text begins with a header of at least two columns and has records of the same width."""
    lines = text[:ENOUGH].lstrip().splitlines()
    if not lines or _FIRST_WORD_OF_POLICY.match(lines[0]) or _COMPARISON.search(lines[0]):
        return False
    if _REQUIREMENT.search(text, 0, ENOUGH):
        return False
    return any(_splits_evenly(lines, delimiter) for delimiter in _DELIMITERS)


def _splits_evenly(lines: list[str], delimiter: str) -> bool:
    """Whether most lines have as many fields as the first one."""
    try:
        header, *records = islice(csv.reader(lines, delimiter=delimiter), 1 + _SAMPLED)
    except csv.Error:
        return False
    alike = sum(len(record) == len(header) for record in records)
    return sum(map(bool, header)) > 1 and 2 * alike >= len(records)
