"""What a measurement says. Rational measures are fractions; only what is printed is rounded."""

from dataclasses import dataclass
from fractions import Fraction

#: the k for which records in smaller classes are counted when none is given
THRESHOLDS = (2, 3, 5, 10)


@dataclass(frozen=True, slots=True)
class Classes:
    """The equivalence classes, by size: pairs (size, how many classes), sizes ascending."""

    sizes: tuple[tuple[int, int], ...]
    thresholds: tuple[int, ...] = THRESHOLDS

    @property
    def records(self) -> int:
        return sum(size * classes for size, classes in self.sizes)

    @property
    def number(self) -> int:
        return sum(classes for _, classes in self.sizes)

    @property
    def k(self) -> int | None:
        """None on a table of no records, which is k-anonymous for every k."""
        return self.sizes[0][0] if self.sizes else None

    @property
    def largest(self) -> int | None:
        return self.sizes[-1][0] if self.sizes else None

    @property
    def uniques(self) -> int:
        return self.records_below(2)

    def records_below(self, k: int) -> int:
        return sum(size * classes for size, classes in self.sizes if size < k)

    @property
    def average(self) -> Fraction | None:
        return Fraction(self.records, self.number) if self.sizes else None

    @property
    def normalized_average(self) -> Fraction | None:
        """LeFevre's C_AVG with the k that the table reaches."""
        return self.average / self.sizes[0][0] if self.average is not None else None

    @property
    def discernibility(self) -> int:
        return sum(size * size * classes for size, classes in self.sizes)

    @property
    def prosecutor_maximum(self) -> Fraction | None:
        return Fraction(1, self.sizes[0][0]) if self.sizes else None

    @property
    def prosecutor_average(self) -> Fraction | None:
        return Fraction(self.number, self.records) if self.sizes else None


@dataclass(frozen=True, slots=True)
class Journalist:
    """The risk against a population that the table's people belong to."""

    maximum: Fraction
    average: Fraction
    marketer: Fraction


@dataclass(frozen=True, slots=True)
class Sensitive:
    """One sensitive column against the equivalence classes of the quasi-identifiers.

    The table is (c, `distinct_l`)-diverse for every c above `recursive_c`. `t_ordered` is None where the
    column's values have no order of their own, `enhanced_beta` where no β will do, `delta_every_value` where
    some value is absent from some class.
    """

    column: str
    values: int
    alpha: Fraction
    distinct_l: int
    entropy_l: int
    entropy_effective: float
    recursive_c: Fraction
    t_equal: Fraction
    t_ordered: Fraction | None
    basic_beta: Fraction
    enhanced_beta: Fraction | None
    enhanced_beta_bound: float
    delta: float
    delta_every_value: float | None

    @property
    def t(self) -> Fraction:
        """The ordered distance where values have an order, else the equal one."""
        return self.t_equal if self.t_ordered is None else self.t_ordered


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """How a column's distribution differs between the two tables; entropies in bits."""

    column: str
    distance: Fraction
    values_before: int
    values_after: int
    entropy_before: float
    entropy_after: float

    @property
    def information_lost(self) -> float | None:
        return share_lost(self.entropy_before, self.entropy_after)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The measured table (after) against another one (before); entropies of the quasi-identifiers."""

    records_before: int
    records_after: int
    columns: tuple[ColumnChange, ...]
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]
    entropy_before: float
    entropy_after: float
    discernibility: int

    @property
    def information_lost(self) -> float | None:
        return share_lost(self.entropy_before, self.entropy_after)


@dataclass(frozen=True, slots=True)
class Measures:
    """Everything measured. `journalist` is None without a population, `comparison` without another table."""

    quasi_identifiers: tuple[str, ...]
    weight: str | None
    classes: Classes
    sensitive: tuple[Sensitive, ...]
    journalist: Journalist | None = None
    comparison: Comparison | None = None

    @property
    def records(self) -> int:
        return self.classes.records

    @property
    def k(self) -> int | None:
        return self.classes.k

    @property
    def marketer(self) -> Fraction | None:
        """Against the population where there is one, else against the table itself."""
        return self.classes.prosecutor_average if self.journalist is None else self.journalist.marketer

    def to_json(self) -> dict[str, object]:
        from acompass.measure.as_json import measures_to_json

        return measures_to_json(self)


def share_lost(before: float, after: float) -> float | None:
    """None where there was nothing to lose."""
    return None if before == 0 else 1 - after / before
