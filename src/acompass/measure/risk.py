"""The risk of re-identification: from a population, from sampling weights, and by quasi-identifier.

The individual risk from sampling weights is estimated as in sdcMicro. Benedetti and Franconi (1998) model the number of
persons in the population that share a record's quasi-identifiers by a negative binomial distribution. Franconi and
Polettini (2004) approximate the risk in classes of three and more records.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import Any, TypeAlias

import duckdb

from acompass.errors.diagnostics import CallError, Diagnostic, TableError, option_text
from acompass.measure.answer import (
    Journalist,
    Persons,
    QuasiIdentifier,
    RecordsAbove,
    Sampling,
    count_noun,
    risk_among,
)
from acompass.measure.classes import Grouping, merged_classes
from acompass.measure.models import DIGITS, natural_log, to_decimal
from acompass.measure.records import Records, pair_counts, with_unit
from acompass.measure.roles import Positions, Roles

#: a risk, and the number of records that have it
Risk: TypeAlias = tuple[Decimal, int]
#: (records in a class, persons that they represent, number of such classes)
SampledClass: TypeAlias = tuple[int, Persons, int]

#: the factor that makes the median absolute deviation comparable to a standard deviation, as in R
_DEVIATION = Decimal("1.4826")
#: a record stands out if its risk is this many deviations above the median, and above this risk
_DEVIATIONS, _NOTABLE = 2, Decimal("0.1")
#: sums of weights are added and divided, but never multiplied, so they may use all digits of a decimal
LARGEST_TOTAL = 10**36
NOT_SAMPLED = (None, None)


def journalist_risk(records: Records, found: Positions, population: Records, theirs: Positions) -> Journalist | None:
    """The risk of the equivalence classes of a table; None if the table is empty."""
    both = list(zip(found.quasi_identifiers, theirs.quasi_identifiers, strict=True))
    pairs = [
        (records.persons(size), population.persons(persons), classes)
        for size, persons, classes in pair_counts(records, population, both)
        if size
    ]
    uncovered = sum(classes for size, persons, classes in pairs if persons < size)
    if uncovered:
        raise _not_a_population(uncovered, sum(classes for _, _, classes in pairs), records.person is not None)
    return _journalist_risks(pairs) if pairs else None


def _journalist_risks(pairs: Sequence[tuple[Persons, Persons, int]]) -> Journalist:
    """Each row is (records in a class, persons of the population in it, number of such classes)."""
    records = sum(size * classes for size, _, classes in pairs)
    in_classes: dict[Persons, Persons] = {}
    for size, persons, classes in pairs:
        in_classes[persons] = in_classes.get(persons, 0) + size * classes
    risks = (n * risk_among(persons) for persons, n in sorted(in_classes.items()))
    marketer = sum(risks, Fraction(0)) / records
    spread = Fraction(sum(c for *_, c in pairs), sum(persons * c for _, persons, c in pairs))
    return Journalist(risk_among(min(in_classes)), min(Fraction(1), max(spread, marketer)), marketer)


def _not_a_population(uncovered: int, classes: int, counts_persons: bool) -> TableError:
    message = (
        f"{uncovered:,} of {classes:,} equivalence classes have more {count_noun(counts_persons)} in the table "
        "than in the population, expected every person of the table in the population"
    )
    return TableError([Diagnostic("AC607", message, help="recode the population's columns like the table's")])


def individual_risk(records: int, persons: Persons) -> Decimal:
    """The risk of a record in a class of `records` that represent `persons`. A class that represents no more persons
    than it has records contains all of them."""
    if persons <= records:
        return to_decimal(Fraction(1, records))
    share = Fraction(records) / persons
    if records > 2:
        return to_decimal(share / (records - 1 + share))
    odds, logarithm = share / (1 - share), natural_log(1 / share)
    with localcontext(Context(prec=DIGITS)):
        if records == 1:
            return to_decimal(odds) * logarithm
        return to_decimal(odds) - to_decimal(odds**2) * logarithm


def total_risk(risks: Sequence[Risk]) -> Decimal:
    """The expected number of re-identified records."""
    with localcontext(Context(prec=DIGITS)):
        return sum((risk * records for risk, records in risks), Decimal(0))


def count_outstanding(risks: Sequence[Risk]) -> int:
    """The number of records with a much higher risk than most, by the rule of sdcMicro."""
    with localcontext(Context(prec=DIGITS)):
        middle = _median(risks)
        deviation = _DEVIATION * _median([(abs(risk - middle), records) for risk, records in risks])
        threshold = max(middle + _DEVIATIONS * deviation, _NOTABLE)
        return sum(records for risk, records in risks if risk > threshold)


def _median(values: Sequence[Risk]) -> Decimal:
    """The median; the mean of the two middle values if their number is even."""
    ascending, number = sorted(values), sum(records for _, records in values)
    return (_value_at(ascending, (number - 1) // 2) + _value_at(ascending, number // 2)) / 2


def _value_at(ascending: Sequence[Risk], place: int) -> Decimal:
    """The value at a position, with each value repeated as often as it occurs."""
    for value, records in ascending:
        if place < records:
            return value
        place -= records
    raise IndexError(place)


def refuse_other_populations(roles: Roles, population: Any) -> None:
    """Raise if sampling weights, which estimate the population and make a record one person, are combined with a known
    population or with weights."""
    if roles.sampling_weight is None:
        return
    others = {"weight": roles.weight, "population": population}
    for other in (option_text(name) for name, value in others.items() if value is not None):
        own = option_text("sampling_weight")
        message = f"`{other}` and `{own}` are given, expected one of them"
        raise CallError([Diagnostic("AC609", message, help=f"omit `{other}` or `{own}`")])


def sampling_risk(
    records: Records, found: Positions, thresholds: Sequence[int]
) -> tuple[Journalist, Sampling] | tuple[None, None]:
    """The risks of a nonempty table; None without sampling weights."""
    weight = found.sampling_weight
    if weight is None:
        return NOT_SAMPLED
    weighted = with_unit(replace(records, weight=weight), LARGEST_TOTAL)
    rows = weighted.sampled_classes(found.quasi_identifiers, weight)
    sampled = [(n, weighted.persons(units), classes) for n, units, classes in rows]
    column = records.schema[weight].name
    return _sampling_journalist(sampled), _sampling_measures(column, sampled, thresholds)


def _sampling_journalist(sampled: Sequence[SampledClass]) -> Journalist:
    """The journalist risk, as for a known population. Averages have 60 digits; exact fractions could have millions."""
    populated = [(records, max(persons, records), classes) for records, persons, classes in sampled]
    records = sum(records * classes for records, _, classes in sampled)
    found = total_risk([(to_decimal(1 / Fraction(persons)), n * classes) for n, persons, classes in populated])
    marketer = Fraction(found) / records
    spread = Fraction(sum(c for *_, c in populated)) / sum(persons * c for _, persons, c in populated)
    return Journalist(1 / Fraction(min(persons for _, persons, _ in populated)), max(spread, marketer), marketer)


def _sampling_measures(column: str, sampled: Sequence[SampledClass], thresholds: Sequence[int]) -> Sampling:
    risks = [(individual_risk(n, persons), n * classes) for n, persons, classes in sampled]
    expected, records = total_risk(risks), sum(records for _, records in risks)
    return Sampling(
        weight=column,
        persons=sum(persons * classes for _, persons, classes in sampled),
        maximum=float(max(risk for risk, _ in risks)),
        average=float(Fraction(expected) / records),
        expected=float(expected),
        outstanding=count_outstanding(risks),
        above=tuple(_records_above(k, sampled, risks) for k in thresholds),
        understated=sum(classes for n, persons, classes in sampled if persons < n),
    )


def _records_above(k: int, sampled: Sequence[SampledClass], risks: Sequence[Risk]) -> RecordsAbove:
    limit = to_decimal(Fraction(1, k))
    return RecordsAbove(
        k,
        journalist=sum(n * classes for n, persons, classes in sampled if max(persons, n) < k),
        individual=sum(records for risk, records in risks if risk > limit),
    )


def risk_by_quasi_identifier(
    con: duckdb.DuckDBPyConnection, grouping: Grouping, records: Records, quasi_identifiers: Sequence[int]
) -> tuple[QuasiIdentifier, ...]:
    """Computed from CLASSES and CELLS, without reading the records again. Empty for an empty table."""
    found = merged_classes(con, records, grouping, list(_groupings(grouping.keys)))
    columns = [records.schema[position].name for position in quasi_identifiers]
    pairs = zip(columns, found[::2], found[1::2], strict=True)
    return tuple(QuasiIdentifier(*pair) for pair in pairs) if found[0].sizes else ()


def _groupings(keys: Sequence[str]) -> Iterator[list[str]]:
    """For each column, first the column itself, then all others."""
    for key in keys:
        yield [key]
        yield [other for other in keys if other != key]
