"""The result of a run or a check: verdicts, counts and, for a run, the table.

No repr shows a record, since a repr reaches logs and tracebacks (invariant 4).
"""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Literal, TypeAlias, assert_never

from acompass.checked.effects import plain_of
from acompass.checked.program import Action, Draw, Drop, Generalize, Random, Reject, Replace
from acompass.displayed import Displayed, Reported

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
class Sample:
    """Some of the violating classes or records. They are personal data and are fetched only on demand."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]] = field(repr=False)


@dataclass(frozen=True, slots=True)
class RequirementOutcome:
    """`affected` is |V|, and 0 if the assertion holds. `records` is the size of the table on which the
    assertion was evaluated. `holds` is None for ALWAYS, which asserts nothing (X1), and where a released
    table has labels in place of the numbers that the assertion compares (D32). `probability` is that with
    which the action is performed on an affected record, None if it is certain (X5). How many were drawn is in
    no outcome."""

    index: int
    line: int
    text: str
    holds: bool | None
    affected: int
    action: ActionName | None
    records: int
    sample: Sample | None = None
    probability: Fraction | None = None

    @property
    def is_violated(self) -> bool:
        return self.holds is False


@dataclass(frozen=True, slots=True)
class Note:
    """Something that is not an error but probably not intended (D29). `line` is None for the whole table."""

    line: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Result(Reported):
    """A run is `ok` if no requirement without an action was violated, a check if no assertion is violated.

    `records_in` is the size of the input table, including the `dropped` incomplete records (D11). `unnamed`
    are the columns that the policy never names (D30), in the order of the table. `table` has the same kind as
    the input; it is None for a check and for a run that wrote a file. `performed` tells a run, whose actions
    were performed, from a check.
    """

    records_in: int
    records_out: int
    ok: bool
    requirements: tuple[RequirementOutcome, ...]
    trace_used: int
    dropped: int = 0
    unnamed: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    table: Any = field(default=None, repr=False)
    performed: bool = False

    def with_table(self, table: Any) -> "Result":
        return replace(self, table=table)


@dataclass(frozen=True, slots=True)
class Plan(Displayed):
    """A run without its output: the result, the stages of the plan, and the SQL statements sent."""

    result: Result
    stages: tuple[str, ...]
    statements: tuple[str, ...]
