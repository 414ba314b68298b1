"""What an assertion says of one table."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Verdict:
    """`affected` is |V|, `records` the size of the table that the assertion was evaluated on."""

    holds: bool
    affected: int
    records: int
