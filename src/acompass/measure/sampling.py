"""Risk by sampling weights: each record of the table stands for persons of a population."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeAlias

import duckdb

from acompass.diagnostics import CallError, Diagnostic
from acompass.measure.columns import Positions, Roles
from acompass.measure.exact import decimal_of
from acompass.measure.individual_risk import Risk, individual_risk, outstanding, total_risk
from acompass.measure.view import View, scaled
from acompass.measure.weights import with_unit
from acompass.measures import Journalist, Persons, RecordsAbove, Sampling

#: (records in a class, persons that they stand for, number of such classes)
Sampled: TypeAlias = tuple[int, Persons, int]

#: sums of weights are added and divided, but never multiplied, so they may have all digits of a decimal
LARGEST_TOTAL = 10**36

NOT_SAMPLED = (None, None)


def refuse_other_populations(roles: Roles, population: Any) -> None:
    """Sampling weights estimate the population. It cannot be known as well, and a record is one person."""
    if roles.sampling_weight is None:
        return
    others = {"`--weight`": roles.weight, "`--population`": population}
    for option in (name for name, value in others.items() if value is not None):
        message = f"{option} and `--sampling-weight` are given, expected one of them"
        raise CallError([Diagnostic("AC609", message, help=f"omit {option} or `--sampling-weight`")])


def sampling_risk(
    con: duckdb.DuckDBPyConnection, view: View, found: Positions, thresholds: Sequence[int]
) -> tuple[Journalist, Sampling] | tuple[None, None]:
    """The risks of a table that is not empty; None without sampling weights."""
    if found.sampling_weight is None:
        return NOT_SAMPLED
    weighted = with_unit(con, replace(view, weight=found.sampling_weight), LARGEST_TOTAL)
    sampled = _sampled(con, weighted, found.quasi_identifiers)
    column = view.schema[found.sampling_weight].name
    return _journalist(sampled), _sampling(column, sampled, thresholds)


def _sampled(con: duckdb.DuckDBPyConnection, view: View, quasi_identifiers: Sequence[int]) -> list[Sampled]:
    """In a fixed order, so that every sum has the same digits everywhere."""
    rows = con.execute(f"""
        WITH sampled AS (SELECT {view.values(quasi_identifiers, "q")}, count(*) AS records,
                                sum({scaled(f"c{view.weight}", view.unit)}) AS persons
                         FROM {view.relation} GROUP BY ALL)
        SELECT records, persons, count(*) FROM sampled GROUP BY records, persons ORDER BY records, persons
    """).fetchall()
    return [(records, view.persons(int(persons)), classes) for records, persons, classes in rows]


def _journalist(sampled: Sequence[Sampled]) -> Journalist:
    """As against a known population. Averages have 60 digits; exact fractions could have millions."""
    populated = [(records, max(persons, records), classes) for records, persons, classes in sampled]
    records = sum(records * classes for records, _, classes in sampled)
    found = total_risk(
        [(decimal_of(1 / Fraction(persons)), n * classes) for n, persons, classes in populated]
    )
    marketer = Fraction(found) / records
    spread = Fraction(sum(c for *_, c in populated)) / sum(persons * c for _, persons, c in populated)
    return Journalist(
        1 / Fraction(min(persons for _, persons, _ in populated)), max(spread, marketer), marketer
    )


def _sampling(column: str, sampled: Sequence[Sampled], thresholds: Sequence[int]) -> Sampling:
    risks = [(individual_risk(n, persons), n * classes) for n, persons, classes in sampled]
    expected, records = total_risk(risks), sum(records for _, records in risks)
    return Sampling(
        weight=column,
        persons=sum(persons * classes for _, persons, classes in sampled),
        maximum=float(max(risk for risk, _ in risks)),
        average=float(Fraction(expected) / records),
        expected=float(expected),
        outstanding=outstanding(risks),
        above=tuple(_above(k, sampled, risks) for k in thresholds),
        understated=sum(classes for n, persons, classes in sampled if persons < n),
    )


def _above(k: int, sampled: Sequence[Sampled], risks: Sequence[Risk]) -> RecordsAbove:
    limit = decimal_of(Fraction(1, k))
    return RecordsAbove(
        k,
        journalist=sum(n * classes for n, persons, classes in sampled if max(persons, n) < k),
        individual=sum(records for risk, records in risks if risk > limit),
    )
