"""The estimated distribution of a column, as data. Numbers are exact fractions; only renderers round."""

import math
from dataclasses import dataclass, field
from fractions import Fraction

from acompass.checked.types import Value
from acompass.displayed import Displayed


@dataclass(frozen=True, slots=True)
class Quantity:
    """An unbiased estimate, and that of its variance; None where the variance cannot be estimated."""

    estimate: Fraction
    variance: Fraction | None

    @property
    def standard_error(self) -> float | None:
        """None also where the estimated variance is below 0, as it can be by chance."""
        return None if self.variance is None or self.variance < 0 else math.sqrt(self.variance)


@dataclass(frozen=True, slots=True)
class ValueEstimate:
    """`released` is the number of records with the value in the released table, `count` and `share` are about
    the table before. `share` is None where no unbiased estimate is known. `value` is None for all values
    together that neither the policy nor the released table has, but that the policy tells from others."""

    value: Value | None
    released: int
    count: Quantity
    share: Quantity | None


@dataclass(frozen=True, slots=True)
class Estimate(Displayed):
    """The distribution of a column as it was before `line`, the first that draws for it or drops records at
    random; None if there is no such line. `records` is the number of records then, `released` the number of
    the released ones.

    `values` are values of the released table and of the policy, so that `repr` does not show them.
    """

    column: str
    line: int | None
    released: int
    records: Quantity
    values: tuple[ValueEstimate, ...] = field(repr=False)
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        from acompass.report.json.estimate import estimate_object

        return estimate_object(self)
