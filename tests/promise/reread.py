"""Reads releases and reports again, with the standard library only: nothing is imported from the project."""

import csv
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

Row = Mapping[str, str]


@dataclass(frozen=True)
class Table:
    header: list[str]
    rows: list[Row]

    def column(self, name: str) -> Counter[str]:
        return Counter(row[name] for row in self.rows)

    def has(self, names: Sequence[str]) -> bool:
        return set(names) <= set(self.header)

    def complete(self, names: Sequence[str]) -> "Table":
        """The records that have a value in each of these columns."""
        return Table(self.header, [row for row in self.rows if all(row[name] != "" for name in names)])

    def classes(self, by: Sequence[str]) -> dict[tuple[str, ...], list[Row]]:
        found: dict[tuple[str, ...], list[Row]] = {}
        for row in self.rows:
            found.setdefault(tuple(row[name] for name in by), []).append(row)
        return found

    def sizes(self, by: Sequence[str], person: str | None = None) -> list[int]:
        """The sizes of the classes: of records or, if a column tells persons apart, of persons."""
        return [_size(rows, person) for rows in self.classes(by).values()]

    def fewest_persons(self, by: Sequence[str], person: str) -> tuple[int, int]:
        """The records and persons of the class with the fewest persons; of several, the one with the most records."""
        pairs = ((len(rows), _size(rows, person)) for rows in self.classes(by).values())
        return min(pairs, key=lambda pair: (pair[1], -pair[0]), default=(0, 0))

    def spellings(self, name: str) -> tuple[int, int]:
        """The number of values with several spellings, and of these spellings."""
        several = [n for n in Counter(map(_fold, self.column(name))).values() if n > 1]
        return len(several), sum(several)

    def formulas(self) -> int:
        """Cells, names included, that a spreadsheet would run."""
        return sum(map(is_formula, (*self.header, *(cell for row in self.rows for cell in row.values()))))


def _size(rows: Sequence[Row], person: str | None) -> int:
    return len(rows) if person is None else len({row[person] for row in rows})


def _fold(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip().casefold()


def is_formula(text: str) -> bool:
    if len(text) < 2 or text[0] not in "=+-@\t\r":
        return False
    try:
        float(text.replace(",", "."))
    except ValueError:
        return True
    return False


def read_table(path: Path) -> Table:
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return Table(header, [dict(zip(header, row, strict=True)) for row in rows])


@dataclass(frozen=True)
class Least:
    """Every class has at least `least` records, or distinct values of a column."""

    by: tuple[str, ...]
    counted: str | None
    least: int

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.by, *(() if self.counted is None else (self.counted,)))

    def violating(self, table: Table) -> int:
        classes = table.classes(self.by).values()
        return sum(len(rows) for rows in classes if _size(rows, self.counted) < self.least)


@dataclass(frozen=True)
class Between:
    """Every value of a column is a number in a range."""

    column: str
    low: int
    high: int

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    def violating(self, table: Table) -> int:
        return sum(not self.low <= float(row[self.column]) <= self.high for row in table.rows)


@dataclass(frozen=True)
class Among:
    """Every value of a column is one of these."""

    column: str
    values: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    def violating(self, table: Table) -> int:
        return sum(row[self.column] not in self.values for row in table.rows)


Assertion = Least | Between | Among


class _Front(HTMLParser):
    """Collects the answers on a front page: the words, and those in code, next to each label."""

    def __init__(self) -> None:
        super().__init__()
        self.words: dict[str, str] = {}
        self.names: dict[str, list[str]] = {}
        self.lists: dict[str, list[str]] = {}
        self._open: list[str] = []
        self._label = ""
        self._is_front = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "dl":
            self._is_front = ("class", "front") in attrs
        self._open.append(tag)
        if tag == "dt":
            self._label = ""
        if self._is_front and tag in ("li", "tr"):
            self.lists.setdefault(self._label, []).append("")

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass
        if tag == "dl":
            self._is_front = False

    def handle_data(self, data: str) -> None:
        if not self._is_front:
            return
        if "dt" in self._open:
            self._label += data
            return
        self.words[self._label] = self.words.get(self._label, "") + data
        if "code" in self._open:
            self.names.setdefault(self._label, []).append(data)
        if ("li" in self._open or "tr" in self._open) and self.lists.get(self._label):
            self.lists[self._label][-1] += f"{data} "


@dataclass(frozen=True)
class FrontPage:
    words: dict[str, str]
    names: dict[str, list[str]]  # column names next to each label
    lists: dict[str, list[str]]

    def achieved(self) -> tuple[int, float] | None:
        """The smallest class and the highest risk in percent."""
        found = re.search(r"k = ([\d,]+).*?([\d.]+)\s%", self.words["Achieved"])
        return None if found is None else (int(found[1].replace(",", "")), float(found[2]))

    def kept(self) -> list[str]:
        """The columns that are released as they were."""
        prefix = re.compile(r"Released as (?:they were|it was): ")
        return [
            name for line in self.lists["What remains"] if prefix.match(line) for name in prefix.sub("", line).split()
        ]

    def removed(self) -> list[str]:
        rows = (line.partition("removed (") for line in self.lists["Columns"])
        listed = set(self.names.get("Columns", []))
        return [name for names, removed, _ in rows if removed for name in names.split() if name in listed]


def read_front_page(path: Path) -> FrontPage:
    reader = _Front()
    reader.feed(path.read_text(encoding="utf-8"))
    reader.close()
    return FrontPage(reader.words, reader.names, reader.lists)
