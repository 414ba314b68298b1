"""A policy that randomizes a column, and what it costs."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from acompass.policy import Policy


@dataclass(frozen=True, repr=False)
class Perturbation(Policy):
    """`values` is the number of the column's values. `ratio` is e^ε: how much more probable one value of a
    record's column can make what is released than another value does; None if there is no bound. `rarest` is
    the share of the urn's rarest value, None without an urn.

    Its text may contain values of the column and their counts, so that `repr` does not show it.
    """

    column: str
    values: int
    ratio: Fraction | None
    rarest: Fraction | None = None

    @property
    def epsilon(self) -> Decimal | None:
        """ln(`ratio`), rounded up."""
        from acompass.privacy.epsilon import epsilon_of

        return None if self.ratio is None else epsilon_of(self.ratio)

    def __repr__(self) -> str:
        ratio = None if self.ratio is None else str(self.ratio)
        return f"Perturbation(column={self.column!r}, values={self.values}, ratio={ratio})"
