"""What `prove` answers: a verdict on every claim, with a reason or a counterexample."""

from dataclasses import dataclass
from enum import StrEnum

from acompass.checked.types import Schema, Value


class Verdict(StrEnum):
    PROVED = "proved"
    REFUTED = "refuted"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A table and a trace on which the claim fails, and the table that the policy leaves of them."""

    schema: Schema
    records: tuple[tuple[Value, ...], ...]
    trace: tuple[str, ...]
    left_schema: Schema
    left: tuple[tuple[Value, ...], ...]

    @property
    def columns(self) -> dict[str, str]:
        return {column.name: str(column.type) for column in self.schema}


@dataclass(frozen=True, slots=True)
class Claim:
    """`line` is the assertion's in the policy, None for a claim from outside. `reason` has a line a step."""

    text: str
    line: int | None
    verdict: Verdict
    reason: str
    counterexample: Counterexample | None = None


@dataclass(frozen=True, slots=True)
class Proof:
    claims: tuple[Claim, ...]

    @property
    def ok(self) -> bool:
        return all(claim.verdict is Verdict.PROVED for claim in self.claims)
