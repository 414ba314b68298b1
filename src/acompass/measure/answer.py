"""The measures of a table, as data. Rational measures are exact fractions; only renderers round."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import prod
from typing import Any, Literal, TypeAlias

from acompass.dataclasses import dataclass
from acompass.errors.display import Answer, json_object
from acompass.result import Note

#: a number of persons: with decimal weights, an exact fraction
Persons: TypeAlias = int | Fraction

#: by default, records are counted in classes smaller than each of these
THRESHOLDS = (2, 3, 5, 10)
#: a value or range shared by fewer records could identify a person
SMALLEST = 10
#: the number of frequent values in a column's summary
_SUMMARIZED = 5


@dataclass(frozen=True, slots=True)
class Classes:
    """The equivalence classes by size."""

    sizes: tuple[tuple[Persons, int], ...]  # pairs (size, number of classes), in ascending order of size
    thresholds: tuple[int, ...] = THRESHOLDS
    #: pairs (size, number of persons whose smallest class has this size), in ascending order of size; None if every
    #: record is counted, so that each is in one class
    smallest: tuple[tuple[int, int], ...] | None = None

    @property
    def records(self) -> Persons:
        """The sum of all sizes; a person with records in several classes is counted in each."""
        return sum(size * classes for size, classes in self.sizes)

    @property
    def exposed(self) -> tuple[tuple[Persons, Persons], ...]:
        """Pairs (size, number of records or persons whose smallest class has this size), each counted once."""
        return self.smallest or tuple((size, size * classes) for size, classes in self.sizes)

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
        """The number of records, or of persons with a record, in classes smaller than k."""
        return sum(number for size, number in self.exposed if size < k)

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
        total = sum(number for _, number in self.exposed)
        return sum(number * risk_among(size) for size, number in self.exposed) / Fraction(total)

    def to_json(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "largest": _persons(self.largest),
            "average_size": _number(self.average),
            "normalized_average_size": _number(self.normalized_average),
            "discernibility": _persons(self.discernibility),
            "uniques": _persons(self.uniques),
            "records_below": {str(k): _persons(self.records_below(k)) for k in self.thresholds},
            "sizes": [{"size": _persons(size), "classes": number} for size, number in self.sizes],
        }


def count_noun(counts_persons: bool) -> str:
    return "persons" if counts_persons else "records"


def _persons(number: Persons | None) -> int | float | None:
    """An integer, unless decimal weights make it a fraction."""
    return None if number is None else int(number) if number == int(number) else float(number)


def _number(value: Fraction | None) -> float | None:
    """The nearest double."""
    return None if value is None else float(value)


def risk_among(persons: Persons) -> Fraction:
    """The risk of one person among several; 1 if weights add up to less than one person."""
    return min(Fraction(1), 1 / Fraction(persons))


@dataclass(frozen=True, slots=True)
class Journalist:
    """The risk if the table is a sample of a population, which is known or estimated from sampling weights."""

    maximum: Fraction
    average: Fraction
    marketer: Fraction


@dataclass(frozen=True, slots=True)
class RecordsAbove:
    """The number of records with a risk above 1/`k`."""

    k: int
    journalist: int
    individual: int


@dataclass(frozen=True, slots=True)
class Sampling:
    """The individual risk of a sample's records, estimated from sampling weights as in sdcMicro."""

    weight: str
    persons: Persons  # the persons of the population that the records represent
    maximum: float
    average: float  # also called the global risk
    expected: float
    outstanding: int  # records with a risk above 0.1 and far above the median
    above: tuple[RecordsAbove, ...]
    understated: int  # classes whose weights add up to fewer persons than they have records

    def to_json(self) -> dict[str, Any]:
        return {
            "persons": _persons(self.persons),
            "expected_reidentifications": self.expected,
            "outstanding": self.outstanding,
            "records_above": {f"1/{each.k}": json_object(each, "journalist", "individual") for each in self.above},
            "understated_classes": self.understated,
        }


@dataclass(frozen=True, slots=True)
class QuasiIdentifier:
    """The classes by this quasi-identifier alone, and by all others together."""

    column: str
    alone: Classes
    without: Classes

    def to_json(self) -> dict[str, Any]:
        return {
            "column": self.column,
            "values": self.alone.number,
            "uniques": _persons(self.alone.uniques),
            "without": {
                "k": _persons(self.without.k),
                "uniques": _persons(self.without.uniques),
                "average_risk": _number(self.without.prosecutor_average),
            },
        }


@dataclass(frozen=True, slots=True)
class Sensitive:
    """The privacy models of one sensitive column."""

    column: str
    values: int
    alpha: Fraction
    distinct_l: int
    single_valued: int  # the number of classes in which everyone shares a value
    entropy_l: int
    entropy_effective: float
    recursive_c: Fraction  # the table is (c, `distinct_l`)-diverse for every c above this
    t_equal: Fraction
    t_ordered: Fraction | None  # None if the values have no order
    basic_beta: Fraction
    enhanced_beta: Fraction | None  # None if there is no such β
    enhanced_beta_bound: float
    delta: float
    delta_every_value: float | None  # None if a class lacks a value

    @property
    def t(self) -> Fraction:
        """The ordered distance if the values have an order, otherwise the equal distance."""
        return self.t_equal if self.t_ordered is None else self.t_ordered

    def to_json(self) -> dict[str, Any]:
        return {
            **json_object(self, "column", "values", "alpha", "distinct_l", "single_valued", "entropy_l"),
            **json_object(self, "entropy_effective", "recursive_c", "t", "t_equal", "t_ordered", "basic_beta"),
            **json_object(self, "enhanced_beta", "enhanced_beta_bound", "delta", "delta_every_value"),
        }


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """How a column differs from the table before. Labels, `*` and dropped records lose detail; they are not new values.
    Information is in bits per record of the table before."""

    column: str
    distance: float | None  # between the distributions; None with labels among too many values
    values_before: int
    values_after: int  # and labels, without `*`
    information_before: float
    information_left: float | None  # None if a label cannot be read, or if the values cover none

    @property
    def information_lost(self) -> float | None:
        return share_lost(self.information_before, self.information_left)

    def to_json(self) -> dict[str, Any]:
        return {
            **json_object(self, "column", "distance", "values_before", "values_after"),
            **json_object(self, "information_before", "information_left", "information_lost"),
        }


@dataclass(frozen=True, slots=True)
class TableChange:
    """The measured table (after) compared with an earlier one (before). Information is the sum over the
    quasi-identifiers, in bits per record of the table before."""

    records_before: Persons
    records_after: Persons
    columns: tuple[ColumnChange, ...]
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]
    information_before: float
    information_left: float | None  # None if it is unknown for a quasi-identifier
    discernibility: Persons

    @property
    def information_lost(self) -> float | None:
        return share_lost(self.information_before, self.information_left)

    def to_json(self) -> dict[str, Any]:
        return {
            "records_before": _persons(self.records_before),
            "records_after": _persons(self.records_after),
            "discernibility": _persons(self.discernibility),
            **json_object(self, "information_before", "information_left", "information_lost"),
            **json_object(self, "columns", "only_before", "only_after"),
        }


@dataclass(frozen=True, slots=True)
class ColumnLoss:
    column: str
    loss: float
    levels: str  # the levels that it is measured by, in words
    proposed: bool  # whether the levels were inferred from the values


@dataclass(frozen=True, slots=True)
class Loss:
    """ARX's default measure of loss: 0 for an unchanged table, 1 for a suppressed one."""

    columns: tuple[ColumnLoss, ...]
    total: float

    def to_json(self) -> dict[str, Any]:
        return {
            "total": self.total,
            "per_column": {each.column: each.loss for each in self.columns},
            "levels": {each.column: each.levels for each in self.columns},
            "proposed": [each.column for each in self.columns if each.proposed],
        }


@dataclass(frozen=True, slots=True)
class People:
    """The persons of a table with several records of one person (D35, persons)."""

    column: str  # tells persons apart
    persons: int
    records: int
    several: int  # persons with records in several classes, who are counted in each

    def to_json(self) -> dict[str, Any]:
        return json_object(self, "column", "persons", "records", "several")


@dataclass(frozen=True, slots=True)
class Measures(Answer):
    """All measures of a table."""

    quasi_identifiers: tuple[str, ...]
    weight: str | None
    classes: Classes
    sensitive: tuple[Sensitive, ...]
    journalist: Journalist | None = None  # None without a population or sampling weights
    comparison: TableChange | None = None  # None without an earlier table
    loss: Loss | None = None  # None without hierarchies
    sampling: Sampling | None = None  # None without sampling weights
    by_quasi_identifier: tuple[QuasiIdentifier, ...] = ()
    people: People | None = None  # None if each record counts as a person, or as many as its weight says
    notes: tuple[Note, ...] = ()

    @property
    def records(self) -> Persons:
        return self.classes.records if self.people is None else self.people.records

    @property
    def persons(self) -> Persons:
        """The number of persons, as far as known: of records if nothing tells persons apart."""
        return self.classes.records if self.people is None else self.people.persons

    @property
    def noun(self) -> str:
        """What the size of a class counts."""
        return count_noun(self.people is not None)

    @property
    def k(self) -> Persons | None:
        return self.classes.k

    @property
    def marketer(self) -> Fraction | None:
        """The risk against the population if there is one, otherwise against the table itself."""
        return self.classes.prosecutor_average if self.journalist is None else self.journalist.marketer

    def to_json(self) -> dict[str, object]:
        """The object of `--json`; scripts rely on its keys. A fraction becomes the nearest double."""
        sampling = self.sampling
        return {
            "records": _persons(self.records),
            **json_object(self, "quasi_identifiers", "weight"),
            "sampling_weight": sampling and sampling.weight,
            **json_object(self, "people"),
            "k": _persons(self.k),
            "classes": self.classes.to_json(),
            "risk": self._risk_json(),
            **json_object(self, "sampling", "by_quasi_identifier", "sensitive", "comparison", "loss", "notes"),
        }

    def _risk_json(self) -> dict[str, Any]:
        classes, journalist, sampling = self.classes, self.journalist, self.sampling
        return {
            "prosecutor": {
                "maximum": _number(classes.prosecutor_maximum),
                "average": _number(classes.prosecutor_average),
            },
            "journalist": journalist and json_object(journalist, "maximum", "average"),
            "individual": sampling and json_object(sampling, "maximum", "average"),
            "marketer": _number(self.marketer),
        }


@dataclass(frozen=True, slots=True)
class Bar:
    label: str
    counts: tuple[Persons | None, ...]  # one for each table; None if the count is withheld


@dataclass(frozen=True, slots=True)
class Distribution:
    column: str
    bars: tuple[Bar, ...]
    #: the number of records in each table that no bar shows, because their values are rare, not among the most
    #: frequent, or absent from the released table; None if the number is withheld
    other: tuple[Persons | None, ...]
    totals: tuple[Persons, ...]
    #: the names of the tables
    series: tuple[str, ...] = ("table",)
    #: at least this many records have the value of a bar
    smallest: int = SMALLEST


#: the form of a column's values; a code is text of a fixed length with digits, such as a postal code, or a number whose
#: column is named as a code
Form: TypeAlias = Literal["number", "date", "code", "text"]


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """A column before any policy, without values that fewer than SMALLEST records have."""

    name: str
    type: str  # the type that a policy may give the column
    form: Form
    missing: int
    distinct: int
    distribution: Distribution | None  # None if the values cannot be compared
    rare: int = 0  # records with a value that fewer than SMALLEST records share
    unique: int = 0  # records with a value that no other record has

    @property
    def summary(self) -> str:
        """The most frequent values or ranges with their counts, on one line; empty if all are rare."""
        bars = () if self.distribution is None else self.distribution.bars
        frequent = sorted((bar for bar in bars if bar.counts[0]), key=lambda bar: -(bar.counts[0] or 0))
        return ", ".join(f"{bar.label} ({bar.counts[0]:,})" for bar in frequent[:_SUMMARIZED])


@dataclass(frozen=True, slots=True)
class ColumnEffect:
    """What a policy does to a column."""

    column: str
    is_released: bool
    changed: int  # cells of released records that are not as they were
    suppressed: int  # changed cells that are `*`
    records: int  # released
    #: one of both tables, or one of each; that of the table before for a column that is not released
    distributions: tuple[Distribution, ...]


@dataclass(frozen=True, slots=True)
class Overview:
    measures: tuple[Measures, ...]  # one for each table; empty without quasi-identifiers
    columns: tuple[Distribution, ...]
    loss: Loss | None = None  # that of the last table against the first; None without a second table or known levels
    #: for each column of the last table, the share of records, or of persons, with a value that no other has; None
    #: without quasi-identifiers, or if the table was not read
    unique: Mapping[str, Fraction] | None = None


def share_lost(before: float, left: float | None) -> float | None:
    """The share of the information that was lost, from 0 to 1; None if there was none, or if the rest is unknown."""
    return None if before == 0 or left is None else min(1.0, max(0.0, 1 - left / before))


def column_loss(shares_sum: float | Fraction, records: int | Fraction, rows: int) -> float:
    """The loss of a column in ARX's default measure: the mean share of its cells, scaled so that a column of values
    loses 0 and a column of `*` loses 1. The share of a cell is the part of the hierarchy's rows that have its label;
    `*` and dropped cells have share 1."""
    if not records or rows == 1:
        return 0.0
    lowest = Fraction(1, rows)
    mean = shares_sum / records
    return max(0.0, float((mean - lowest) / (1 - lowest)))


def total_loss(per_column: Sequence[float]) -> float:
    """The geometric mean of 1 + loss over all columns, minus 1."""
    return prod(1 + loss for loss in per_column) ** (1 / len(per_column)) - 1.0
