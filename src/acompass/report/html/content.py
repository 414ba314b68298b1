"""What goes into a page."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from acompass.measure.overview import Overview
from acompass.policy import Policy
from acompass.prove import Proof
from acompass.report.html.certificate import Certificate
from acompass.result import Result

Command: TypeAlias = Literal["run", "check", "measure"]


@dataclass(frozen=True, slots=True)
class Content:
    """`series` name the tables that `overview` looks at: what it is before and after, or one table."""

    command: Command
    policy: Policy | None
    result: Result | None
    proof: Proof | None
    overview: Overview | None
    series: tuple[str, ...]
    certificate: Certificate
