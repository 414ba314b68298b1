"""The result of `prove`: a verdict on every claim, with a reason or a counterexample."""

from collections.abc import Mapping
from enum import StrEnum

from acompass.dataclasses import dataclass
from acompass.errors.display import ReportedAnswer
from acompass.language.program.types import Schema, Value


class ClaimVerdict(StrEnum):
    PROVED = "proved"
    REFUTED = "refuted"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Instead:
    """The result of another run."""

    title: str
    schema: Schema
    records: tuple[tuple[Value, ...], ...] | None  # None if the run writes nothing


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A table and a trace on which the claim fails."""

    schema: Schema
    records: tuple[tuple[Value, ...], ...]
    trace: tuple[str, ...]
    left_schema: Schema
    left: tuple[tuple[Value, ...], ...]  # the table that the policy produces
    instead: Instead | None = None  # for a claim about two runs, the different result of the other one

    @property
    def columns(self) -> dict[str, str]:
        return {column.name: str(column.type) for column in self.schema}


@dataclass(frozen=True, slots=True)
class Claim:
    text: str
    line: int | None  # None unless the claim is the policy's own assertion
    verdict: ClaimVerdict
    reason: str  # one line for each step
    counterexample: Counterexample | None = None
    is_certified: bool | None = None  # None if no certificate was requested
    uncertified: str = ""  # why a proved claim has no certificate


@dataclass(frozen=True, slots=True)
class Proof(ReportedAnswer):
    claims: tuple[Claim, ...]
    types: Mapping[str, str]  # the column types that the verdicts assume; `decimal` is a number of any scale
    inferred: tuple[str, ...] = ()  # the columns whose types were inferred from the policy

    @property
    def ok(self) -> bool:
        return all(claim.verdict is ClaimVerdict.PROVED for claim in self.claims)
