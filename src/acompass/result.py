"""The result of a run or a check: verdicts, counts and, for a run, the table.

A repr contains no record, because it may end up in a log or traceback (invariant 4, no record value in any message)."""

from fractions import Fraction
from typing import Any, Literal, TypeAlias, assert_never

from acompass.dataclasses import dataclass, field, replace
from acompass.errors.display import DisplayedAnswer, ReportedAnswer
from acompass.language.program.effects import plain_of
from acompass.language.program.program import Action, Draw, Drop, Generalize, Random, Reject, Replace
from acompass.plan.stages import Sample

ActionName: TypeAlias = Literal["REJECT", "REPLACE", "RANDOM", "GENERALIZE", "DROP"]


def action_name(action: Action | None) -> ActionName | None:
    plain = plain_of(action)
    match plain:
        case None:
            return None
        case Reject():
            return "REJECT"
        case Replace():
            return "REPLACE"
        case Random() | Draw():
            return "RANDOM"
        case Generalize():
            return "GENERALIZE"
        case Drop():
            return "DROP"
        case _:
            assert_never(plain)


@dataclass(frozen=True, slots=True)
class RequirementOutcome:
    index: int
    line: int
    text: str
    #: None for ALWAYS, which asserts nothing, and where a released table has labels in place of the numbers that
    #: the assertion compares (D32, check on a released table)
    holds: bool | None
    affected: int  # |V|, the number of violating records; 0 if the assertion holds
    action: ActionName | None
    records: int  # number of records in the table on which the assertion was evaluated
    sample: Sample | None = None
    #: that the action is performed on an affected record; None if it is certain. `affected` counts all of them
    probability: Fraction | None = None

    @property
    def is_violated(self) -> bool:
        return self.holds is False


@dataclass(frozen=True, slots=True)
class Note:
    """Something that is not an error but probably not intended (D29, nothing selected)."""

    line: int | None  # None for a note on the whole table
    text: str


@dataclass(frozen=True, slots=True)
class Result(ReportedAnswer):
    records_in: int  # number of records in the input table, including `dropped`
    records_out: int
    ok: bool  # no assertion is violated; for a run, only requirements without an action count
    requirements: tuple[RequirementOutcome, ...]
    trace_used: int
    dropped: int = 0  # incomplete records (D11, missing values)
    unnamed: tuple[str, ...] = ()  # columns that the policy does not name (D30), in the order of the table
    notes: tuple[Note, ...] = ()
    #: of the same kind as the input; None for a check and for a run that wrote a file
    table: Any = field(default=None, repr=False)
    performed: bool = False  # True for a run, False for a check

    def with_table(self, table: Any) -> "Result":
        return replace(self, table=table)


@dataclass(frozen=True, slots=True)
class Plan(DisplayedAnswer):
    """A run without its output: the result, the stages of the plan, and the SQL statements sent."""

    result: Result
    stages: tuple[str, ...]
    statements: tuple[str, ...]
