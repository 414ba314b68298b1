"""Relations: finite bags of records (section "Data Model and Notation").

A bag is a list, so that a table keeps the order it came in; nothing but `order` ever looks at that order.
A sub-bag is the set of the positions of its records. Every affected bag holds all the copies of a record or
none, so removing its positions is the paper's R − V.
"""

from typing import Any, TypeAlias

#: unnamed columns may hold anything at all, missing values included
Record: TypeAlias = tuple[Any, ...]
Bag: TypeAlias = list[Record]
SubBag: TypeAlias = frozenset[int]


def difference(bag: Bag, removed: SubBag) -> Bag:
    """R − V."""
    return [record for position, record in enumerate(bag) if position not in removed]


def update(record: Record, column: int, value: object) -> Record:
    """Definition 3, record update: r[A → a]."""
    return (*record[:column], value, *record[column + 1 :])
