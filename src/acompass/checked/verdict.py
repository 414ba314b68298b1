"""The verdict of an assertion on a table."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Verdict:
    """`affected` is |V|, `records` is the size of the table."""

    holds: bool
    affected: int
    records: int
