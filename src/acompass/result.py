"""The result of a run or a check: verdicts, counts and, for a run, the table.

A repr contains no record, because it may end up in a log or traceback (invariant 4, no record value in any message)."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from acompass.dataclasses import dataclass, field, replace
from acompass.errors.diagnostics import MOST_SHOWN, AcompassError
from acompass.errors.display import Answer, json_object
from acompass.language.program.effects import ActionName
from acompass.plan.stages import Sample

#: whether the assertion holds for the table that a run writes (D33, what is written has been verified): the prover
#: showed it for every table, or it was evaluated on this one; None if nothing is promised or it cannot be evaluated
After: TypeAlias = Literal["proved", "holds", "violated"] | None

#: in place of a verdict if a policy checks nothing (D40, nothing checked)
NO_CHECK = "no check in this policy"


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
    after: After = None  # for a run
    is_accepted: bool = False  # whether the policy accepts that the output violates it, with `allow AC330`
    #: whether a released table is meant to satisfy the assertion (D33); not for ALWAYS, nor if it only selects records
    is_promise: bool = True

    @property
    def is_violated(self) -> bool:
        return self.holds is False

    @property
    def is_failed_check(self) -> bool:
        return self.is_violated and self.action is None

    def to_json(self) -> dict[str, Any]:
        """The object of a check; that of a run also has `after`."""
        fixed = json_object(self, "index", "line", "text", "holds", "affected", "action")
        return fixed if self.sample is None else {**fixed, "sample": json_object(self.sample, "columns", "rows")}


@dataclass(frozen=True, slots=True)
class Note:
    """Something that is not an error but probably not intended (D29, nothing selected)."""

    line: int | None  # None for a note on the whole table
    text: str

    def to_json(self) -> dict[str, Any]:
        return json_object(self, "line", "text")


@dataclass(frozen=True, slots=True)
class Result(Answer):
    records_in: int  # number of records in the input table, including `dropped`
    records_out: int
    #: for a check, no assertion is violated; for a run, no requirement without an action is, and no assertion of the
    #: policy for the output, except where the policy accepts it
    ok: bool
    requirements: tuple[RequirementOutcome, ...]
    trace_used: int
    dropped: int = 0  # incomplete records (D11, missing values)
    unnamed: tuple[str, ...] = ()  # columns that the policy does not name (D30), in the order of the table
    notes: tuple[Note, ...] = ()
    #: of the same kind as the input; None for a check and for a run that wrote a file. `==` ignores it: most libraries
    #: compare tables value by value, so their tables are neither equal nor different
    table: Any = field(default=None, repr=False, compare=False)
    performed: bool = False  # True for a run, False for a check
    #: for a run, the lines of the assertions that the output violates (AC330), except those that the policy accepts and
    #: checks that failed already
    broken: tuple[int, ...] = ()

    @property
    def objection(self) -> str | None:
        """Why a run does not write its output; None if it does."""
        if self.ok:
            return None
        is_failed = any(each.is_failed_check for each in self.requirements)
        reasons = ["a requirement without an action is violated"] * is_failed
        if self.broken:
            reasons.append(f"{_lines_text(self.broken)} not hold for the table that would be written (AC330)")
        return " and ".join(reasons)

    @property
    def checks_nothing(self) -> bool:
        """Whether the policy checks nothing, so that `ok` says nothing about the table (D40): no verdict in a check; in
        a run, no assertion that the released table is meant to satisfy."""
        if self.performed:
            return not any(outcome.is_promise for outcome in self.requirements)
        return all(outcome.holds is None for outcome in self.requirements)

    def with_table(self, table: Any) -> "Result":
        return replace(self, table=table)

    def to_json(self) -> dict[str, Any]:
        """The object of `--json`; scripts rely on its keys."""
        found = json_object(
            self, "records_in", "records_out", "dropped", "ok", "requirements", "trace_used", "unnamed", "notes"
        )
        if self.checks_nothing:
            found["notes"].append(Note(None, NO_CHECK).to_json())
        if self.performed:
            for outcome, each in zip(self.requirements, found["requirements"], strict=True):
                each["after"] = outcome.after
        return found


def _lines_text(lines: Sequence[int]) -> str:
    if len(lines) == 1:
        return f"line {lines[0]} does"
    return f"lines {', '.join(map(str, lines[:-1]))} and {lines[-1]} do"


@dataclass(frozen=True, slots=True)
class Plan(Answer):
    """A run without its output: the result, the stages of the plan, and the SQL statements of the requirements."""

    result: Result
    stages: tuple[str, ...]
    statements: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The object of `--json`, which is that of the result."""
        return self.result.to_json()


@dataclass(frozen=True, slots=True)
class CheckedFolder(Answer):
    """The policies of some folders, with their results or errors."""

    checked: tuple[tuple[str, Result | AcompassError], ...]
    unchecked: tuple[str, ...]  # policies without a table

    def to_json(self) -> dict[str, Any]:
        return {
            "policies": [{"policy": policy, **_answer_json(answer)} for policy, answer in self.checked],
            "unchecked": list(self.unchecked),
        }


def _answer_json(answer: Result | AcompassError) -> dict[str, Any]:
    if isinstance(answer, Result):
        return answer.to_json()
    from acompass.errors.rendering import diagnostics_object

    return diagnostics_object(answer.diagnostics, answer.source, answer.name, MOST_SHOWN)
