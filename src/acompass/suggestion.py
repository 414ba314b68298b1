"""A suggested policy and what it does to the table of the search, as data."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from acompass.diagnostics import CallError
from acompass.displayed import Displayed
from acompass.policy import Policy


class Unreachable(CallError):
    """No policy was found that reaches the goal and drops few enough records."""


@dataclass(frozen=True, slots=True)
class SuggestedStep:
    """`affected` is the number of records that the step is performed on, `loss` what it adds to the loss.

    `where` is the condition of the classes that it is for."""

    text: str
    affected: int
    loss: float
    is_always: bool = False
    where: str | None = None


@dataclass(frozen=True, slots=True)
class Levels:
    """The levels of a column in words. `proposed`: they come from the column's own values."""

    words: str
    proposed: bool


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The least loss that was found with so many lines."""

    lines: int
    loss: float
    dropped: int


@dataclass(frozen=True)
class Suggestion(Displayed):
    """`dropped` are the records that the last step rejects, `incomplete` those with missing values, which
    were left out before (D11). `t` is how close the classes of this table are, where that was asked for.
    `finished` is False if the search was stopped."""

    policy: Policy
    k: int
    l: int | None  # noqa: E741
    t: float | None
    records_in: int
    dropped: int
    incomplete: int
    loss: float
    per_column: Mapping[str, float]
    steps: tuple[SuggestedStep, ...]
    levels: Mapping[str, Levels]
    seconds: float = 0.0
    finished: bool = True
    curve: tuple[CurvePoint, ...] = field(default=())

    @property
    def text(self) -> str:
        """The text of the policy."""
        return self.policy.text

    @property
    def records_out(self) -> int:
        return self.records_in - self.incomplete - self.dropped
