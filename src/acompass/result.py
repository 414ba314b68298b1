"""What a run or a check says: verdicts, counts and, for a run, the table."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

ActionName: TypeAlias = Literal["REJECT", "REPLACE", "RANDOM"]


@dataclass(frozen=True, slots=True)
class RequirementOutcome:
    """`affected` is |V|, 0 where the assertion holds; `records` is the size of the table it was evaluated on."""

    index: int
    line: int
    text: str
    holds: bool
    affected: int
    action: ActionName | None
    records: int


@dataclass(frozen=True, slots=True)
class Result:
    """`ok`: of a run, no requirement without an action was violated; of a check, every assertion holds.

    `table` is of the kind that came in, None for a check and for a run that wrote a file.
    """

    records_in: int
    records_out: int
    ok: bool
    requirements: tuple[RequirementOutcome, ...]
    trace_used: int
    table: Any = None
