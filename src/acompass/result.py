"""What a run or a check says: verdicts, counts and, for a run, the table."""

from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, assert_never

from acompass.checked.program import Action, Random, Reject, Replace

ActionName: TypeAlias = Literal["REJECT", "REPLACE", "RANDOM"]


def action_name(action: Action | None) -> ActionName | None:
    match action:
        case None:
            return None
        case Reject():
            return "REJECT"
        case Replace():
            return "REPLACE"
        case Random():
            return "RANDOM"
        case _:
            assert_never(action)


@dataclass(frozen=True, slots=True)
class Sample:
    """Some violating classes or records, fetched only on demand: they are personal data."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class RequirementOutcome:
    """`affected` is |V|, 0 where the assertion holds; `records` is the size of the table that it was
    evaluated on."""

    index: int
    line: int
    text: str
    holds: bool
    affected: int
    action: ActionName | None
    records: int
    sample: Sample | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """`ok`: of a run, no requirement without an action was violated; of a check, every assertion holds.

    `records_in` is the size of the table as given; `dropped` of them were incomplete and left out (D11).
    `table` is of the kind that came in, None for a check and for a run that wrote a file.
    """

    records_in: int
    records_out: int
    ok: bool
    requirements: tuple[RequirementOutcome, ...]
    trace_used: int
    dropped: int = 0
    table: Any = None

    def with_table(self, table: Any) -> "Result":
        return replace(self, table=table)

    def _repr_html_(self) -> str:
        """What notebooks show."""
        from acompass.report.html.notebook import result_html

        return result_html(self)


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run would do: its result without the table, the stages it runs in, and the SQL it sends."""

    result: Result
    stages: tuple[str, ...]
    statements: tuple[str, ...]
