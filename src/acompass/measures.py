"""The measures of a table, as data. Rational measures are exact fractions; only renderers round."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from acompass.displayed import Reported

#: a number of persons: with decimal weights, an exact fraction
Persons: TypeAlias = int | Fraction

#: by default, records are counted in classes smaller than each of these
THRESHOLDS = (2, 3, 5, 10)
#: a value or range shared by fewer records could identify a person
SMALLEST = 10
#: the most frequent values of a column that its summary names
_SUMMARIZED = 5


@dataclass(frozen=True, slots=True)
class Classes:
    """The equivalence classes by size: pairs (size, number of classes), in ascending order of size."""

    sizes: tuple[tuple[Persons, int], ...]
    thresholds: tuple[int, ...] = THRESHOLDS

    @property
    def records(self) -> Persons:
        return sum(size * classes for size, classes in self.sizes)

    @property
    def number(self) -> int:
        return sum(classes for _, classes in self.sizes)

    @property
    def k(self) -> Persons | None:
        """None for an empty table, which is k-anonymous for every k."""
        return self.sizes[0][0] if self.sizes else None

    @property
    def largest(self) -> Persons | None:
        return self.sizes[-1][0] if self.sizes else None

    @property
    def uniques(self) -> Persons:
        return self.records_below(2)

    def records_below(self, k: int) -> Persons:
        return sum(size * classes for size, classes in self.sizes if size < k)

    @property
    def average(self) -> Fraction | None:
        return Fraction(self.records, self.number) if self.sizes else None

    @property
    def normalized_average(self) -> Fraction | None:
        """LeFevre's C_AVG for the largest k that the table satisfies."""
        return self.average / self.sizes[0][0] if self.average is not None else None

    @property
    def discernibility(self) -> Persons:
        return sum(size * size * classes for size, classes in self.sizes)

    @property
    def prosecutor_maximum(self) -> Fraction | None:
        return risk_among(self.sizes[0][0]) if self.sizes else None

    @property
    def prosecutor_average(self) -> Fraction | None:
        if not self.sizes:
            return None
        return sum(size * risk_among(size) * number for size, number in self.sizes) / Fraction(self.records)


def risk_among(persons: Persons) -> Fraction:
    """The risk of one person among several; 1 if weights add up to less than one person."""
    return min(Fraction(1), 1 / Fraction(persons))


@dataclass(frozen=True, slots=True)
class Journalist:
    """The risk if the table is a sample of a population, which is known or estimated by sampling weights."""

    maximum: Fraction
    average: Fraction
    marketer: Fraction


@dataclass(frozen=True, slots=True)
class RecordsAbove:
    """How many records have a risk above 1/`k`."""

    k: int
    journalist: int
    individual: int


@dataclass(frozen=True, slots=True)
class Sampling:
    """What sampling weights say: the table is a sample, and its records stand for `persons` of a population.

    The individual risk of a record is that of sdcMicro; its `average` is also called the global risk.
    `outstanding` is the number of records with a risk above 0.1 and far above the median, `understated` that
    of classes whose weights add up to fewer persons than they have records.
    """

    weight: str
    persons: Persons
    maximum: float
    average: float
    expected: float
    outstanding: int
    above: tuple[RecordsAbove, ...]
    understated: int


@dataclass(frozen=True, slots=True)
class QuasiIdentifier:
    """The classes by this quasi-identifier alone, and by all others together."""

    column: str
    alone: Classes
    without: Classes


@dataclass(frozen=True, slots=True)
class Sensitive:
    """The models of one sensitive column.

    The table is (c, `distinct_l`)-diverse for every c above `recursive_c`. `t_ordered` is None if the
    column's values have no order, `enhanced_beta` if no β exists, and `delta_every_value` if some value is
    absent from some class.
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
        """The ordered distance if the values have an order, otherwise the equal distance."""
        return self.t_equal if self.t_ordered is None else self.t_ordered


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """How a column's distribution differs between two tables; entropies are in bits."""

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
    """The measured table (after) compared with an earlier one (before).

    Entropies are those of the quasi-identifiers together, in bits.
    """

    records_before: Persons
    records_after: Persons
    columns: tuple[ColumnChange, ...]
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]
    entropy_before: float
    entropy_after: float
    discernibility: Persons

    @property
    def information_lost(self) -> float | None:
        return share_lost(self.entropy_before, self.entropy_after)


@dataclass(frozen=True, slots=True)
class ColumnLoss:
    """`levels` says in words by which levels it is measured; `proposed` if the values chose them."""

    column: str
    loss: float
    levels: str
    proposed: bool


@dataclass(frozen=True, slots=True)
class Loss:
    """ARX's default measure: 0 for an unchanged table, 1 for a suppressed one."""

    columns: tuple[ColumnLoss, ...]
    total: float


@dataclass(frozen=True, slots=True)
class Measures(Reported):
    """All measures of a table. `journalist` is None without a population or sampling weights, `sampling`
    without sampling weights, `comparison` without an earlier table, `loss` without hierarchies."""

    quasi_identifiers: tuple[str, ...]
    weight: str | None
    classes: Classes
    sensitive: tuple[Sensitive, ...]
    journalist: Journalist | None = None
    comparison: Comparison | None = None
    loss: Loss | None = None
    sampling: Sampling | None = None
    by_quasi_identifier: tuple[QuasiIdentifier, ...] = ()

    @property
    def records(self) -> Persons:
        return self.classes.records

    @property
    def k(self) -> Persons | None:
        return self.classes.k

    @property
    def marketer(self) -> Fraction | None:
        """The risk against the population if there is one, otherwise against the table itself."""
        return self.classes.prosecutor_average if self.journalist is None else self.journalist.marketer

    def to_json(self) -> dict[str, object]:
        from acompass.report.json.measures import measures_object

        return measures_object(self)


@dataclass(frozen=True, slots=True)
class Bar:
    """`counts` has one entry per table; None stands for a count that is withheld."""

    label: str
    counts: tuple[Persons | None, ...]


@dataclass(frozen=True, slots=True)
class Distribution:
    """`other` has the number of records in each table that no bar shows: those with rare values, those with
    values beyond the most frequent, and before, those with values that the released table does not have. None
    stands for a number that is withheld. `series` names the tables. No bar is for a value that fewer than
    `smallest` records have."""

    column: str
    bars: tuple[Bar, ...]
    other: tuple[Persons | None, ...]
    totals: tuple[Persons, ...]
    series: tuple[str, ...] = ("table",)
    smallest: int = SMALLEST


#: how the values of a column look; a code is text of one length with digits in it, such as a postal code
Form: TypeAlias = Literal["number", "date", "code", "text"]


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """What is known about a column before any policy. No value is in it that fewer than SMALLEST records
    have. `type` is the type that a policy may give the column, `distribution` None if its values
    cannot be compared."""

    name: str
    type: str
    form: Form
    missing: int
    distinct: int
    distribution: Distribution | None

    @property
    def summary(self) -> str:
        """The most frequent values or ranges with their counts, in a line; empty if all are rare."""
        bars = () if self.distribution is None else self.distribution.bars
        frequent = sorted((bar for bar in bars if bar.counts[0]), key=lambda bar: -(bar.counts[0] or 0))
        return ", ".join(f"{bar.label} ({bar.counts[0]:,})" for bar in frequent[:_SUMMARIZED])


@dataclass(frozen=True, slots=True)
class Overview:
    """`measures` has one entry per table, in order; it is empty without quasi-identifiers. `loss` is that of
    the last table against the first, None if there is one table or its levels are not known."""

    measures: tuple[Measures, ...]
    columns: tuple[Distribution, ...]
    loss: Loss | None = None


def share_lost(before: float, after: float) -> float | None:
    """None if there was no information to lose."""
    return None if before == 0 else 1 - after / before
