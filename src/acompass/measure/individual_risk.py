"""Individual risk of re-identification by sampling weights, as sdcMicro estimates it.

Benedetti and Franconi (1998) model the number of persons in the population that share the quasi-identifiers
of a record by a negative binomial distribution. Franconi and Polettini (2004) approximate the risk in classes
of three and more records.
"""

from collections.abc import Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import TypeAlias

from acompass.measure.exact import DIGITS, decimal_of, log_of
from acompass.measures import Persons

#: a risk, and the number of records that have it
Risk: TypeAlias = tuple[Decimal, int]

#: what makes the median absolute deviation comparable to a standard deviation, as in R
_DEVIATION = Decimal("1.4826")
#: a record stands out if its risk is this many deviations above the median, and above this risk
_DEVIATIONS, _NOTABLE = 2, Decimal("0.1")


def individual_risk(records: int, persons: Persons) -> Decimal:
    """The risk of a record in a class of `records` that stand for `persons`.

    A class that stands for no more persons than it has records is known to be sampled whole.
    """
    if persons <= records:
        return decimal_of(Fraction(1, records))
    share = Fraction(records) / persons
    if records > 2:
        return decimal_of(share / (records - 1 + share))
    odds, logarithm = share / (1 - share), log_of(1 / share)
    with localcontext(Context(prec=DIGITS)):
        if records == 1:
            return decimal_of(odds) * logarithm
        return decimal_of(odds) - decimal_of(odds**2) * logarithm


def total_risk(risks: Sequence[Risk]) -> Decimal:
    """The number of records that an attacker is expected to re-identify."""
    with localcontext(Context(prec=DIGITS)):
        return sum((risk * records for risk, records in risks), Decimal(0))


def outstanding(risks: Sequence[Risk]) -> int:
    """How many records have a much higher risk than most, by the rule that sdcMicro prints."""
    with localcontext(Context(prec=DIGITS)):
        middle = _median(risks)
        deviation = _DEVIATION * _median([(abs(risk - middle), records) for risk, records in risks])
        threshold = max(middle + _DEVIATIONS * deviation, _NOTABLE)
        return sum(records for risk, records in risks if risk > threshold)


def _median(values: Sequence[Risk]) -> Decimal:
    """The mean of the two middle values if their number is even."""
    ascending, number = sorted(values), sum(records for _, records in values)
    return (_at(ascending, (number - 1) // 2) + _at(ascending, number // 2)) / 2


def _at(ascending: Sequence[Risk], place: int) -> Decimal:
    """The value at a place, if each value is repeated as often as it occurs."""
    for value, records in ascending:
        if place < records:
            return value
        place -= records
    raise IndexError(place)
