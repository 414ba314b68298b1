"""The result of `prove`: a verdict on every claim, with a reason or a counterexample."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from acompass.dataclasses import dataclass, field
from acompass.errors.display import Answer, json_object
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

    def to_json(self) -> dict[str, Any]:
        return json_object(self, "columns", "records", "trace")


@dataclass(frozen=True, slots=True)
class Claim:
    text: str
    line: int | None  # None unless the claim is the policy's own assertion
    verdict: ClaimVerdict
    reason: str  # one line for each step
    counterexample: Counterexample | None = None
    is_certified: bool | None = None  # None if no certificate was requested
    uncertified: str = ""  # why a proved claim has no certificate

    def to_json(self) -> dict[str, Any]:
        fixed = json_object(self, "text", "line", "verdict", "reason", "counterexample")
        if self.is_certified is None:
            return fixed
        return {**fixed, "certified": self.is_certified, "uncertified": self.uncertified or None}


@dataclass(frozen=True, slots=True)
class Proof(Answer):
    claims: tuple[Claim, ...]
    #: the column types that the verdicts assume; `decimal` is a number of any scale
    types: Mapping[str, str] = field(hash=False)
    inferred: tuple[str, ...] = ()  # the columns whose types were inferred from the policy

    @property
    def ok(self) -> bool:
        return all(claim.verdict is ClaimVerdict.PROVED for claim in self.claims)

    def to_json(self) -> dict[str, Any]:
        """The object of `--json`; scripts rely on its keys."""
        return json_object(self, "types", "claims")
