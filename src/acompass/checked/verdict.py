"""The verdict of an assertion on a table."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Verdict:
    """`affected` is |V|, `records` is the size of the table. `selects_none` says that the assertion has a
    FILTER or WHERE, which no record satisfies (D29)."""

    holds: bool
    affected: int
    records: int
    selects_none: bool = False
