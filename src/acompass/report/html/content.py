"""The data that a page shows."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from acompass.measures import Measures, Overview
from acompass.prove.proof import Claim
from acompass.report.certificate import Certificate, Reader
from acompass.result import RequirementOutcome, Result

Command: TypeAlias = Literal["run", "check", "measure"]


@dataclass(frozen=True, slots=True)
class RequirementRow:
    """A requirement, or a step of a THEN after the first, of which `text` is the action alone. `claim` is the
    proof of its assertion, None if there is none."""

    outcome: RequirementOutcome
    text: str
    is_first_step: bool
    claim: Claim | None


@dataclass(frozen=True, slots=True)
class PageContent:
    """`series` names the tables of `overview`: (before, after), or a single table."""

    command: Command
    reader: Reader
    result: Result | None
    requirements: tuple[RequirementRow, ...]
    overview: Overview | None
    series: tuple[str, ...]
    certificate: Certificate

    @property
    def is_internal(self) -> bool:
        return self.reader == "curator"

    @property
    def measures(self) -> tuple[Measures, ...]:
        return () if self.overview is None else self.overview.measures

    @property
    def shown(self) -> int:
        """How many tables, from the last, are shown in detail: a receiver sees the release alone."""
        return len(self.series) if self.is_internal else 1

    @property
    def has_counts(self) -> bool:
        """Whether the page says how many records each line affected, and has notes. In a run, these are about
        the table before; a check is about the table itself."""
        return self.is_internal or self.command == "check"
