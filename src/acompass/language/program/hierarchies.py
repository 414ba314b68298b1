"""Hierarchies of labels in CSV files, as in ARX (X2): read, validate and write them.

A file has no header and is UTF-8; its delimiter is detected, and quotes follow RFC 4180."""

import csv
import errno
import io
import os
import re
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

from acompass.dataclasses import dataclass, field
from acompass.errors.display import count_text

#: a value, its label at level 1, its label at level 2, …
Row: TypeAlias = tuple[str, ...]


@dataclass(frozen=True)
class Hierarchy:
    """A row for each value, all of one length, without any of the problems that `hierarchy_problems` finds."""

    rows: tuple[Row, ...]
    digest: str = field(compare=False)  # the SHA-256 of the file, in hexadecimal

    @property
    def width(self) -> int:
        """The number of columns: the value and its levels."""
        return len(self.rows[0])

    @property
    def levels(self) -> int:
        return self.width - 1

    def rows_with(self, label: str, level: int) -> int:
        """The number of rows that have a label at a level; level 0 is the value."""
        return self._counts[level][label]

    @cached_property
    def _counts(self) -> tuple[Counter[str], ...]:
        return tuple(Counter(column) for column in zip(*self.rows, strict=True))

    @cached_property
    def lowest_level(self) -> dict[str, int]:
        """The lowest level of each value and label; a label may occur at several levels."""
        found: dict[str, int] = {}
        for row in self.rows:
            for level, label in enumerate(row):
                found[label] = min(level, found.get(label, level))
        return found


#: the coarsest label, which nothing generalizes
TOP = "*"

#: the line on which a row begins, and the row
NumberedRow: TypeAlias = tuple[int, Row]


@dataclass(frozen=True, slots=True)
class Problem:
    message: str
    lines: tuple[int, ...] = ()  # line numbers, from 1; empty for a problem with the whole file
    without_labels: str | None = None  # the message without labels, if it has any

    @property
    def kind(self) -> str:
        """The message without labels: the file may be a table of people, whose values no error may show."""
        return self.without_labels or self.message


def hierarchy_problems(rows: Sequence[NumberedRow]) -> tuple[Problem, ...]:
    """All problems, in the order of the lines."""
    if not rows:
        return (Problem("the hierarchy has no rows"),)
    width = usual_width(rows)
    if width < 2:
        return (Problem("the hierarchy has no levels: its rows have one cell each"),)
    whole = [(line, row) for line, row in rows if len(row) == width]
    of_rows = (*_lengths(rows, width), *_empty_cells(rows), *_duplicates(rows))
    found = [*of_rows, *_after_top(whole), *_parents(whole), *_levels(whole)]
    return tuple(sorted(found, key=lambda problem: max(problem.lines)))


def problem_summary(found: Sequence[Problem]) -> str:
    """The first problem, without labels, and how many more there are."""
    first, *others = found
    lines = " and ".join(map(str, first.lines))
    where = f" (line {lines})" if len(first.lines) == 1 else f" (lines {lines})" if first.lines else ""
    return f"{first.kind}{where}{f', and {len(others):,} more' if others else ''}"


def usual_width(rows: Sequence[NumberedRow]) -> int:
    """The most frequent length of a row, the greatest in case of a tie."""
    counts = Counter(len(row) for _, row in rows)
    return max(counts, key=lambda width: (counts[width], width))


def _lengths(rows: Sequence[NumberedRow], width: int) -> Iterator[Problem]:
    for line, row in rows:
        if len(row) != width:
            yield Problem(f"the row has {count_text(len(row), 'cell')} where most have {width}", (line,))


def _empty_cells(rows: Sequence[NumberedRow]) -> Iterator[Problem]:
    for line, row in rows:
        empty = [level for level, label in enumerate(row) if not label]
        if empty:
            yield Problem(f"{_and(empty)} {'is' if len(empty) == 1 else 'are'} empty", (line,))


def _and(levels: Sequence[int]) -> str:
    names = [_level(level) for level in levels]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _level(level: int) -> str:
    return f"level {level}" if level else "the value"


def _duplicates(rows: Sequence[NumberedRow]) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for line, row in rows:
        if row[0] and row[0] in first:
            yield Problem(f"duplicate value `{row[0]}`", (first[row[0]], line), "duplicate value")
        first.setdefault(row[0], line)


def _after_top(rows: Sequence[NumberedRow]) -> Iterator[Problem]:
    for line, row in rows:
        for level, (label, parent) in enumerate(pairwise(row)):
            if label == TOP and parent not in (TOP, ""):
                words = f"`{TOP}` must be the last label, but `{parent}` follows at level {level + 1}"
                yield Problem(words, (line,), f"`{TOP}` must be the last label, but another follows")


def _parents(rows: Sequence[NumberedRow]) -> Iterator[Problem]:
    """Labels with two parents. Duplicate values are a separate problem."""
    first: dict[tuple[int, str], tuple[int, str]] = {}
    reported = set()
    for line, row, level, label in _labels(rows):
        parent = row[level + 1] if level + 1 < len(row) else ""
        if not level or not parent:
            continue
        first_line, first_parent = first.setdefault((level, label), (line, parent))
        if parent != first_parent and (level, label) not in reported:
            reported.add((level, label))
            words = f"`{label}` of level {level} has two parents, `{first_parent}` and `{parent}`"
            yield Problem(words, (first_line, line), "a label has two parents")


def _levels(rows: Sequence[NumberedRow]) -> Iterator[Problem]:
    """Labels at two levels that change between the lower and the higher one."""
    lowest: dict[str, tuple[int, int, Row]] = {}
    for line, row, level, label in _labels(rows):
        if label not in lowest or level < lowest[label][0]:
            lowest[label] = (level, line, row)
    reported = set()
    for line, _, level, label in _labels(rows):
        low, low_line, low_row = lowest[label]
        if low_row[level] not in (label, "") and label not in reported:
            reported.add(label)
            words = f"`{label}` is at {_level(level)}, but as {_low(low)} it becomes `{low_row[level]}` there"
            yield Problem(words, (line, low_line), "a label changes between two of its levels")


def _labels(rows: Sequence[NumberedRow]) -> Iterator[tuple[int, Row, int, str]]:
    """Every label but `*`, with its line, row and level."""
    for line, row in rows:
        for level, label in enumerate(row):
            if label not in (TOP, ""):
                yield line, row, level, label


def _low(level: int) -> str:
    return f"a label of level {level}" if level else "a value"


#: in order of preference; the comma is last, because labels such as `[0,5)` contain it
DELIMITERS = (";", "\t", "|", ",")


@dataclass(frozen=True, slots=True)
class _Split:
    """A text split at one delimiter."""

    rows: tuple[NumberedRow, ...]
    problem: Problem | None = None  # the problem that stopped the reader


def read_hierarchy(path: Path) -> Hierarchy | tuple[Problem, ...]:
    """Raises OSError if the file cannot be read."""
    return parse_hierarchy(read_small_file(path))


#: the size of the largest hierarchy, matrix or trace, in megabytes
_LARGEST = 256


def read_small_file(path: Path) -> bytes:
    require_small_file(path)
    return path.read_bytes()


def require_small_file(path: str | Path) -> None:
    """Raises OSError unless the path is a regular file of limited size."""
    require_regular_file(path)
    if os.stat(path).st_size > _LARGEST << 20:
        raise OSError(errno.EFBIG, f"it is larger than {_LARGEST} megabytes")


def require_regular_file(path: str | Path) -> None:
    """Raises OSError for a pipe, which may block, and for a device, which may never end."""
    mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise OSError(errno.EINVAL, "it is a pipe or a device, not a file")


def parse_hierarchy(data: bytes) -> Hierarchy | tuple[Problem, ...]:
    """The hierarchy in a file, or everything that is wrong with it."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return (Problem("the hierarchy is not in UTF-8", (data.count(b"\n", 0, error.start) + 1,)),)
    split = _best_split(text)
    found = hierarchy_problems(split.rows) if split.problem is None else (split.problem,)
    return found or Hierarchy(tuple(row for _, row in split.rows), sha256(data).hexdigest())


def _best_split(text: str) -> _Split:
    return max((_split(text, delimiter) for delimiter in DELIMITERS), key=_fitness)


def _fitness(split: _Split) -> tuple[bool, float, bool]:
    """A sort key: a delimiter fits if rows have one length of at least two, and if they end in `*`."""
    if not split.rows or (width := usual_width(split.rows)) < 2:
        return (False, 0, False)
    alike = sum(len(row) == width for _, row in split.rows) / len(split.rows)
    return (split.problem is None, alike, all(row[-1] == TOP for _, row in split.rows))


def _split(text: str, delimiter: str) -> _Split:
    rows: list[NumberedRow] = []
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for cells in reader:
            if cells:  # an empty line has none
                rows.append((line, tuple(cells)))
            line = reader.line_num + 1
    except csv.Error:
        return _Split(tuple(rows), Problem("a quoted cell is not closed, or text follows its closing quote", (line,)))
    return _Split(tuple(rows))


_DELIMITER = ";"
#: what an unquoted cell cannot contain; a byte order mark would be lost at the start of the file
_QUOTED = re.compile(r'[;"\r\n\ufeff]')


def hierarchy_text(rows: Iterable[Row]) -> str:
    return "".join(f"{_DELIMITER.join(map(_cell, row))}\n" for row in rows)


def _cell(text: str) -> str:
    return '"{}"'.format(text.replace('"', '""')) if _QUOTED.search(text) else text
