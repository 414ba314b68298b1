"""What can be wrong with the rows of a hierarchy."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from acompass.hierarchies.hierarchy import Row

#: the coarsest label, which nothing generalizes
TOP = "*"

#: the line on which a row begins, and the row
NumberedRow: TypeAlias = tuple[int, Row]


@dataclass(frozen=True, slots=True)
class Problem:
    """`lines` are the lines of the file that it concerns, from 1; none if it concerns the whole file.

    `kind` says the same without labels: the file may be a table of people by mistake, and an error about a
    policy shows no value of a record.
    """

    message: str
    lines: tuple[int, ...] = ()
    of_labels: str | None = None

    @property
    def kind(self) -> str:
        return self.of_labels or self.message


def problems(rows: Sequence[NumberedRow]) -> tuple[Problem, ...]:
    """Everything that is wrong, in the order of the lines."""
    if not rows:
        return (Problem("the hierarchy has no rows"),)
    width = usual_width(rows)
    if width < 2:
        return (Problem("the hierarchy has no levels: its rows have one cell each"),)
    whole = [(line, row) for line, row in rows if len(row) == width]
    of_rows = (*_lengths(rows, width), *_holes(rows), *_repeated(rows))
    found = [*of_rows, *_after_top(whole), *_parents(whole), *_levels(whole)]
    return tuple(sorted(found, key=lambda problem: max(problem.lines)))


def summary(found: Sequence[Problem]) -> str:
    """The first problem, without labels, and how many more there are."""
    first, *others = found
    lines = " and ".join(map(str, first.lines))
    where = f" (line {lines})" if len(first.lines) == 1 else f" (lines {lines})" if first.lines else ""
    return f"{first.kind}{where}{f', and {len(others):,} more' if others else ''}"


def usual_width(rows: Sequence[NumberedRow]) -> int:
    """The length that most rows have, the greatest of several."""
    counts = Counter(len(row) for _, row in rows)
    return max(counts, key=lambda width: (counts[width], width))


def _lengths(rows: Sequence[NumberedRow], width: int) -> Iterator[Problem]:
    for line, row in rows:
        if len(row) != width:
            yield Problem(f"the row has {_cells(len(row))} where most have {width}", (line,))


def _cells(count: int) -> str:
    return "1 cell" if count == 1 else f"{count} cells"


def _holes(rows: Sequence[NumberedRow]) -> Iterator[Problem]:
    for line, row in rows:
        empty = [level for level, label in enumerate(row) if not label]
        if empty:
            yield Problem(f"{_and(empty)} {'is' if len(empty) == 1 else 'are'} empty", (line,))


def _and(levels: Sequence[int]) -> str:
    names = [_level(level) for level in levels]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _level(level: int) -> str:
    return f"level {level}" if level else "the value"


def _repeated(rows: Sequence[NumberedRow]) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for line, row in rows:
        if row[0] and row[0] in first:
            words = f"the value `{row[0]}` is there twice"
            yield Problem(words, (first[row[0]], line), "a value is there twice")
        first.setdefault(row[0], line)


def _after_top(rows: Sequence[NumberedRow]) -> Iterator[Problem]:
    for line, row in rows:
        for level, (label, parent) in enumerate(pairwise(row)):
            if label == TOP and parent not in (TOP, ""):
                words = f"`{TOP}` is the last label, but at level {level + 1} `{parent}` follows"
                yield Problem(words, (line,), f"`{TOP}` is the last label, but another follows")


def _parents(rows: Sequence[NumberedRow]) -> Iterator[Problem]:
    """Labels with two parents. A value that is there twice is a problem of its own."""
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
    """Labels at two levels that change on the way from the lower to the higher one."""
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
