"""What a policy gives the people of a whole table: (ε, δ) for one record more or less, and its stability."""

from dataclasses import dataclass
from decimal import ROUND_CEILING, Context
from enum import StrEnum
from fractions import Fraction

from acompass.semantics import Record

#: how many digits of δ are shown, rounded up
_DIGITS = 3


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why nothing is claimed; `line` is None where no line of the policy is to blame."""

    line: int | None
    reason: str


class Direction(StrEnum):
    """Which of two neighbouring tables makes the worst outcome likely."""

    WITH = "with the record"
    WITHOUT = "without the record"


@dataclass(frozen=True, slots=True)
class TablePrivacy:
    """Pr[output of R in S] ≤ E · Pr[output of R' in S] + δ for all sets S of outputs, and all tables R and R'
    of which one has one record more. The output is a bag, so it has to be written in canonical order.

    `ratio` is E, a rational just below e^ε. After the lines `sampled`, a record is left with a probability of
    at most `beta`; the line `rejects` rejects the classes of fewer than `k` records. `delta` is worst for a
    class of `class_size` records against one of `class_size - 1`. If `is_exact`, no smaller δ is true: so
    many copies of the record `witness` attain it, by the outcome that a record is left (WITH) or that none is
    (WITHOUT).
    """

    epsilon: Fraction
    ratio: Fraction
    delta: Fraction
    k: int
    beta: Fraction
    class_size: int
    direction: Direction
    sampled: tuple[int, ...]
    rejects: int
    is_exact: bool
    witness: Record | None

    @property
    def delta_shown(self) -> str:
        return rounded_up(self.delta)


def rounded_up(delta: Fraction) -> str:
    """Three digits, never less than the number."""
    up = Context(prec=_DIGITS, rounding=ROUND_CEILING)
    return format(up.divide(delta.numerator, delta.denominator), "g")


@dataclass(frozen=True, slots=True)
class LineStability:
    """`records` is None where there is no bound; `reason` says why."""

    index: int
    line: int
    records: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class Stability:
    """The number of records in which two outputs can differ (the symmetric difference of bags) when the
    inputs differ in one record: of each requirement, and of the policy. None is infinite."""

    requirements: tuple[LineStability, ...]
    policy: int | None
