"""Compute ARX's default loss of a released file from the files alone, without code of the package.

A cell's share is the share of its hierarchy's rows that have the cell's label, at the lowest level that contains
it. A dropped record has the share 1 in every column. An unchanged column has a loss of 0, a suppressed one of 1.
The total loss of m columns is the m-th root of the product of all 1 + loss, minus 1.
"""

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path
from typing import TypeAlias

#: a hierarchy: the value, its label at level 1, its label at level 2, …
Rows: TypeAlias = Sequence[Sequence[str]]
Records: TypeAlias = Sequence[Mapping[str, str]]


def read_records(path: Path, delimiter: str = ",") -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def read_rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.reader(file, delimiter=";") if row]


def shares(rows: Rows) -> dict[str, float]:
    """The share of each label."""
    found = {"*": 1.0}
    for labels in zip(*rows, strict=True):
        for label, count in Counter(labels).items():
            found.setdefault(label, count / len(rows))
    return found


def loss(released: Records, records: int, hierarchies: Mapping[str, Rows]) -> float:
    """The loss of a release from a table of `records` records."""
    losses = []
    for column, rows in hierarchies.items():
        share = shares(rows)
        lost = sum(share[record[column]] for record in released) + records - len(released)
        unchanged = 1 / len(rows)
        losses.append(max(0.0, (lost / records - unchanged) / (1 - unchanged)))
    return prod(1 + each for each in losses) ** (1 / len(losses)) - 1


def smallest_class(released: Records, columns: Sequence[str]) -> int:
    return min(Counter(tuple(record[column] for column in columns) for record in released).values())


def fewest_values(released: Records, columns: Sequence[str], sensitive: str) -> int:
    """The smallest number of distinct sensitive values in a class."""
    values: dict[tuple[str, ...], set[str]] = {}
    for record in released:
        values.setdefault(tuple(record[column] for column in columns), set()).add(record[sensitive])
    return min(map(len, values.values()))
