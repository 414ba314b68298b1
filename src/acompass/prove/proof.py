"""The answer of `prove`: a verdict on every claim, with a reason or a counterexample."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from acompass.checked.types import Schema, Value
from acompass.displayed import Reported


class ClaimVerdict(StrEnum):
    PROVED = "proved"
    REFUTED = "refuted"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Instead:
    """What another run leaves; `records` is None where it writes nothing."""

    title: str
    schema: Schema
    records: tuple[tuple[Value, ...], ...] | None


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A table and a trace on which the claim fails, with the table that the policy makes of them (`left`).

    A claim about two runs fails because the other one leaves something else (`instead`).
    """

    schema: Schema
    records: tuple[tuple[Value, ...], ...]
    trace: tuple[str, ...]
    left_schema: Schema
    left: tuple[tuple[Value, ...], ...]
    instead: Instead | None = None

    @property
    def columns(self) -> dict[str, str]:
        return {column.name: str(column.type) for column in self.schema}


@dataclass(frozen=True, slots=True)
class Claim:
    """`line` is None unless the claim is the policy's own assertion. `reason` has a line for each step.

    `is_certified` is None where no certificate was asked for; `uncertified` is why a proved claim has none.
    """

    text: str
    line: int | None
    verdict: ClaimVerdict
    reason: str
    counterexample: Counterexample | None = None
    is_certified: bool | None = None
    uncertified: str = ""


@dataclass(frozen=True, slots=True)
class Proof(Reported):
    """The verdicts rest on `types`, the type of each column; `decimal` is a number of any scale. The policy
    itself decides the types of the columns in `inferred`."""

    claims: tuple[Claim, ...]
    types: Mapping[str, str]
    inferred: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return all(claim.verdict is ClaimVerdict.PROVED for claim in self.claims)
