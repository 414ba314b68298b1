"""The data that a page shows."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from acompass.measures import Overview
from acompass.prove.proof import Proof
from acompass.report.certificate import Certificate
from acompass.result import Result

Command: TypeAlias = Literal["run", "check", "measure"]
#: whoever gets the table that is released, or whoever holds the table before
Reader: TypeAlias = Literal["receiver", "curator"]


@dataclass(frozen=True, slots=True)
class PageContent:
    """`series` names the tables of `overview`: (before, after), or a single table."""

    command: Command
    result: Result | None
    proof: Proof | None
    overview: Overview | None
    series: tuple[str, ...]
    certificate: Certificate
