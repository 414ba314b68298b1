"""From the bytes of a CSV file to a hierarchy: no header, delimiter found, quotes as in RFC 4180, UTF-8."""

import csv
import io
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from acompass.hierarchies.hierarchy import Hierarchy
from acompass.hierarchies.problems import TOP, NumberedRow, Problem, problems, usual_width

#: the first is preferred if several fit: commas are frequent in labels such as `[0,5)`
DELIMITERS = (";", "\t", "|", ",")


@dataclass(frozen=True, slots=True)
class _Split:
    """The rows of a text with a delimiter, as far as they can be read, and the problem that ended them."""

    rows: tuple[NumberedRow, ...]
    problem: Problem | None = None


def read_hierarchy(path: Path) -> Hierarchy | tuple[Problem, ...]:
    """Raises OSError if the file cannot be read."""
    return hierarchy_of(path.read_bytes())


def hierarchy_of(data: bytes) -> Hierarchy | tuple[Problem, ...]:
    """The hierarchy in a file, or everything that is wrong with it."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return (Problem("the hierarchy is not in UTF-8", (data.count(b"\n", 0, error.start) + 1,)),)
    split = _best_split(text)
    found = problems(split.rows) if split.problem is None else (split.problem,)
    return found or Hierarchy(tuple(row for _, row in split.rows), sha256(data).hexdigest())


def _best_split(text: str) -> _Split:
    return max((_split(text, delimiter) for delimiter in DELIMITERS), key=_fitness)


def _fitness(split: _Split) -> tuple[bool, float, bool]:
    """A delimiter fits if rows have one length of at least two, and if they end in `*`."""
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
        return _Split(tuple(rows), Problem("a quoted cell does not end, or text follows its end", (line,)))
    return _Split(tuple(rows))
