"""The answers of `suggest`, `pram`, `estimate`, `dbt`, `rules.new` and `rules.check`.

Numbers are exact; only renderers round."""

import math
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from acompass.dataclasses import dataclass, field, replace
from acompass.errors.diagnostics import CallError
from acompass.errors.display import Answer, json_object, json_value
from acompass.language.program.types import Value
from acompass.policy import Policy
from acompass.result import Note, RequirementOutcome

if TYPE_CHECKING:
    from acompass.author.rules.library import Rule, RuleColumn
    from acompass.author.rules.matching import Matching


class Unreachable(CallError):
    """No policy was found that reaches the goal without dropping too many records."""


@dataclass(frozen=True, slots=True)
class SuggestedStep:
    text: str
    affected: int  # records that the step is performed on
    loss: float  # added by the step
    is_always: bool = False
    where: str | None = None  # condition of the classes that the step applies to


@dataclass(frozen=True, slots=True)
class Levels:
    """The levels of a column."""

    words: str  # their description
    proposed: bool  # derived from the column's own values


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The lowest loss found with this number of lines."""

    lines: int
    loss: float
    dropped: int

    def to_json(self) -> dict[str, Any]:
        return json_object(self, "lines", "loss", "dropped")


@dataclass(frozen=True)
class Suggestion(Answer):
    policy: Policy
    k: int
    l: int | None  # noqa: E741
    t: float | None  # how close the classes of this table are, if requested
    records_in: int
    dropped: int  # records that the last step rejects
    incomplete: int  # records with missing values, which were dropped before (D11, missing values)
    loss: float
    per_column: Mapping[str, float] = field(hash=False)
    steps: tuple[SuggestedStep, ...]
    levels: Mapping[str, Levels] = field(hash=False)
    seconds: float = 0.0
    finished: bool = True  # False if the search was stopped
    curve: tuple[CurvePoint, ...] = field(default=())
    person: str | None = None  # the column whose distinct values k counts; None if k counts records
    notes: tuple[Note, ...] = ()
    style: str = "cascade"
    max_lost: Fraction = Fraction(1)  # the share of the records that the search was allowed to drop
    cells_changed: int = 0  # quasi-identifiers of released records that differ from those of the table
    smallest: int = 0  # records of the smallest released class, or its persons
    alternatives: tuple["Alternative", ...] = field(default=())  # if several searches were compared, by loss

    @property
    def text(self) -> str:
        return self.policy.text

    @property
    def plain_text(self) -> str:
        """The policy without numbers of the table: its comment stays true when a line is changed later."""
        from acompass.language.text.formatter import format_tree, remark_lines

        goal = f"k = {self.k:,}{' persons' if self.person else ''}{'' if self.l is None else f' and l = {self.l:,}'}"
        lost = f"at most {share_text(self.max_lost)} of the records dropped" if self.max_lost else "no records dropped"
        origin = f"From a search for {goal} ({self.style}, {lost})."
        return "".join(f"{line}\n" for line in remark_lines(origin)) + format_tree(self.policy.tree)

    @property
    def highest_risk(self) -> Fraction:
        """The prosecutor risk of the smallest released class on the table that was searched."""
        return Fraction(1, self.smallest)

    @property
    def records_out(self) -> int:
        return self.records_in - self.incomplete - self.dropped

    def to_json(self) -> dict[str, Any]:
        """The object of `--json`; scripts rely on its keys."""
        found = json_object(self, "k", "l", "records_in", "records_out", "loss", "per_column")
        found |= {"requirements": len(self.steps), "seconds": self.seconds, **json_object(self, "person", "notes")}
        found |= json_object(self, "curve") if self.curve else {}
        return {**found, **json_object(self, "alternatives")} if self.alternatives else found


class Standing(StrEnum):
    """How an alternative compares with the others that were searched for, by loss and by dropped records."""

    SEARCHING = "searching"
    LEAST = "least loss"
    FEWER_DROPPED = "fewer dropped"  # than any alternative with less loss
    BEATEN = "beaten"  # another loses less and drops no more records, or loses as much and drops fewer
    SAME = "same"  # as an alternative before it
    UNREACHABLE = "unreachable"


@dataclass(frozen=True)
class Alternative:
    """One of several searches in the same table."""

    style: str
    max_lost: Fraction  # the share of the records that it may drop
    answer: Suggestion | None = None
    problem: Unreachable | None = None
    standing: Standing = Standing.SEARCHING

    @property
    def reason(self) -> str | None:
        """Why there is no answer."""
        return None if self.problem is None else self.problem.diagnostics[0].message

    def to_json(self) -> dict[str, Any]:
        found = {**json_object(self, "style"), "max_lost": float(self.max_lost), "standing": str(self.standing)}
        if self.answer is None:
            return found | {"reason": self.reason}
        answer = json_object(self.answer, "loss", "dropped", "cells_changed", "smallest", "seconds")
        return found | answer | {"requirements": len(self.answer.steps)}


def compare_alternatives(alternatives: Sequence[Alternative]) -> tuple[Alternative, ...]:
    """The alternatives by loss, each with its standing; those without an answer come last."""
    answered = [(each, each.answer) for each in alternatives if each.answer is not None]
    answered.sort(key=lambda pair: (pair[1].loss, pair[1].dropped, len(pair[1].steps)))
    compared, texts = list[Alternative](), set[str]()
    fewest = math.inf
    for each, answer in answered:
        if answer.policy.text in texts:
            standing = Standing.SAME
        elif answer.dropped >= fewest:
            standing = Standing.BEATEN
        else:
            standing = Standing.FEWER_DROPPED if texts else Standing.LEAST
        texts.add(answer.policy.text)
        fewest = min(fewest, answer.dropped)
        compared.append(replace(each, standing=standing))
    return (*compared, *(each for each in alternatives if each.answer is None))


def share_text(share: Fraction) -> str:
    """A share as a percentage with at most four decimals: `5%`, `0.25%`."""
    text = f"{float(share * 100):.4f}"
    return f"{text.rstrip('0').rstrip('.')}%"


@dataclass(frozen=True)
class RulePolicy(Answer):
    """The policy of a rule, for a table or for the rule's own columns."""

    policy: Policy
    rule: "Rule" = field(repr=False)
    matching: "Matching | None" = field(repr=False)  # None for the rule's own columns
    output: str | None = None  # the file of the policy
    written: tuple[str, ...] = ()  # paths of the policy and of the files that it needs, if they were not there
    reading: Mapping[str, Any] = field(default_factory=dict, hash=False)  # options of the call that a run needs, too
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return self.policy.text

    @property
    def not_found(self) -> "tuple[RuleColumn, ...]":
        """The rule's columns that were looked for and that the table does not have."""
        columns = {} if self.matching is None else self.matching.columns
        absent = (each for each in self.rule.columns if not columns.get(each.name))
        return tuple(each for each in absent if self.matching is not None and not columns.get(each.unless or ""))

    def to_json(self) -> dict[str, Any]:
        """The object of `--json`; scripts rely on its keys."""
        matching = self.matching
        return {
            "rule": self.rule.name,
            "policy": self.text,
            "columns": None if matching is None else json_value(matching.columns),
            "not_found": [each.name for each in self.not_found],
            "others": [] if matching is None else list(matching.others),
            "files": [path.name for path in self.policy.files],
            **json_object(self, "written", "notes"),
            "leaves_out": list(self.rule.leaves_out),
        }


@dataclass(frozen=True, repr=False)
class Perturbation(Answer, Policy):
    """A PRAM policy. Its text may contain values of the column and their counts, so `repr` does not show it."""

    column: str
    values: int  # number of the column's values
    #: e^ε: how much more likely one value of a record's column can make the release than another value; None if
    #: unbounded
    ratio: Fraction | None
    rarest: Fraction | None = None  # share of the rarest weighted value; None without weights

    @property
    def epsilon(self) -> Decimal | None:
        """ln(`ratio`), rounded up."""
        from acompass.reason.privacy.answer import epsilon_from_ratio

        return None if self.ratio is None else epsilon_from_ratio(self.ratio)

    def __repr__(self) -> str:
        ratio = None if self.ratio is None else str(self.ratio)
        return f"Perturbation(column={self.column!r}, values={self.values}, ratio={ratio})"

    def to_json(self) -> dict[str, Any]:
        """The object of `--json`. It contains no value of the table."""
        return {
            "column": self.column,
            "values": self.values,
            "ratio": None if self.ratio is None else str(self.ratio),
            "epsilon": None if self.epsilon is None else float(self.epsilon),
            "rarest": None if self.rarest is None else float(self.rarest),
        }


@dataclass(frozen=True, slots=True)
class Quantity:
    """An unbiased estimate."""

    estimate: Fraction
    variance: Fraction | None  # also estimated without bias; None if that is impossible

    @property
    def standard_error(self) -> float | None:
        """None also if the estimated variance happens to be negative."""
        return None if self.variance is None or self.variance < 0 else math.sqrt(self.variance)

    def to_json(self) -> dict[str, float | None]:
        return {"estimated": float(self.estimate), "standard_error": self.standard_error}


@dataclass(frozen=True, slots=True)
class ValueEstimate:
    #: None for a group of values in neither the policy nor the released table, which the policy treats alike
    value: Value | None
    released: int  # records with the value in the released table
    count: Quantity  # before the release
    share: Quantity | None  # before the release; None if no unbiased estimate is known

    def to_json(self, records: int) -> dict[str, Any]:
        """`records` is the number of released records."""
        share = {"estimated": None, "standard_error": None} if self.share is None else self.share.to_json()
        released = float(Fraction(self.released, records)) if records else None
        return {
            "value": json_value(self.value),
            "count": {"released": self.released, **self.count.to_json()},
            "share": {"released": released, **share},
        }


@dataclass(frozen=True, slots=True)
class Estimate(Answer):
    """The estimated distribution of a column before the release."""

    column: str
    line: int | None  # the first line that draws for the column or drops records at random, if any
    released: int  # number of released records
    records: Quantity  # number of records before `line`
    values: tuple[ValueEstimate, ...] = field(repr=False)  # values of the table and the policy, hidden in `repr`
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        """The object of `--json`; scripts rely on its keys."""
        records = {"released": self.released, **self.records.to_json()}
        values = [each.to_json(self.released) for each in self.values]
        return {**json_object(self, "column", "line"), "records": records, "values": values, "notes": list(self.notes)}


@dataclass(frozen=True, slots=True)
class DbtFiles(Answer):
    """The files of a dbt project. `changed`, `removed` and `others` are empty without a project."""

    files: Mapping[str, str] = field(repr=False, hash=False)  # text by path in the project
    tested: str  # the model that the tests run on
    tests: tuple[str, ...]
    variables: Mapping[str, int] = field(hash=False)  # dbt variables that set parameters, with their default values
    notes: tuple[Note, ...]  # which lines have no test, and why
    changed: tuple[str, ...] = ()  # files that were written, or would be
    removed: tuple[str, ...] = ()  # files of lines that the policy no longer has
    others: tuple[str, ...] = ()  # Python models of the same policy from earlier calls, which dbt still builds
    is_written: bool = False  # whether the changes were made

    @property
    def is_current(self) -> bool:
        """Whether the project has exactly these files for the policy."""
        return not (self.changed or self.removed)

    def to_json(self) -> dict[str, Any]:
        changes = json_object(self, "changed", "removed", "others", "variables", "notes")
        return {**json_object(self, "tested", "tests"), "files": list(self.files), **changes}


@dataclass(frozen=True, slots=True)
class ClauseCheck:
    """Whether a table satisfies one clause of a rule."""

    name: str
    title: str
    columns: tuple[str, ...] = ()  # of the table that the clause is about; none if the table has no such column
    requirements: tuple[RequirementOutcome, ...] = ()  # what the clause asks of these columns
    #: why a requirement cannot be evaluated, so that the clause is violated: the values are not of the kind it needs
    problem: str | None = None
    #: incomplete records that were left out (D11, missing values), of the requirement that leaves out most
    dropped: int = 0

    @property
    def is_checked(self) -> bool:
        """Whether the table has what the clause is about."""
        return bool(self.requirements) or self.problem is not None

    @property
    def holds(self) -> bool:
        return self.problem is None and not any(each.is_violated for each in self.requirements)

    @property
    def worst(self) -> RequirementOutcome | None:
        """The requirement that most records violate; a clause about several columns has one for each."""
        return max(self.requirements, key=lambda each: (each.affected, each.records), default=None)

    @property
    def affected(self) -> int | None:
        """The number of records that violate the worst requirement; None if none was evaluated."""
        return None if self.worst is None else self.worst.affected

    def to_json(self) -> dict[str, Any]:
        found = json_object(self, "name", "title", "holds", "affected", "problem", "columns", "dropped")
        return {**found, "requirements": [_clause_requirement(each) for each in self.requirements]}


def _clause_requirement(outcome: RequirementOutcome) -> dict[str, Any]:
    """Without the number, the line and the action: the policy of a clause is not a file, and it only checks."""
    found = outcome.to_json()
    return {name: found[name] for name in ("text", "holds", "affected", "sample") if name in found}


@dataclass(frozen=True, slots=True)
class RuleCheck(Answer):
    """Whether a table satisfies a published rule, clause by clause."""

    rule: str
    title: str
    source: str  # a link
    dated: date  # of the source
    records_in: int
    clauses: tuple[ClauseCheck, ...]
    columns: Mapping[str, tuple[str, ...]] = field(hash=False)  # of the table, for each column of the rule
    others: tuple[str, ...]  # columns that were not recognized as the rule's
    leaves_out: tuple[str, ...]  # what the rule asks for and no clause checks
    changed: tuple[str, ...] = ()  # a sentence for each number of the rule that the call changed
    notes: tuple[Note, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the table violates no clause."""
        return all(each.holds for each in self.clauses)

    @property
    def violated(self) -> tuple[ClauseCheck, ...]:
        return tuple(each for each in self.clauses if not each.holds)

    def to_json(self) -> dict[str, Any]:
        """The object of `--json`; scripts rely on its keys."""
        found = json_object(self, "rule", "title", "source", "dated", "ok", "records_in", "clauses", "columns")
        return {**found, **json_object(self, "others", "leaves_out", "changed", "notes")}
