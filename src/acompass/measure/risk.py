"""Journalist and marketer risk: the table's classes compared with those of a population."""

from collections.abc import Sequence
from fractions import Fraction

import duckdb

from acompass.checked.types import Type
from acompass.diagnostics import Diagnostic, TableError
from acompass.measure.classes import CLASSES
from acompass.measure.columns import Positions
from acompass.measure.view import View, comparable, same_kind
from acompass.measures import Journalist, Persons, risk_among


def journalist(
    con: duckdb.DuckDBPyConnection, view: View, found: Positions, population: View, theirs: Positions
) -> Journalist | None:
    """The risk of the classes that `group` created; None if the table is empty."""
    both = list(zip(found.quasi_identifiers, theirs.quasi_identifiers, strict=True))
    keys = ", ".join(f"{comparable(population, q, view.schema[p])} AS p{i}" for i, (p, q) in enumerate(both))
    matches = [_match(i, view.schema[p].type, population.schema[q].type) for i, (p, q) in enumerate(both)]
    rows = con.execute(f"""
        WITH populated AS (SELECT {keys}, {population.count} AS persons
                           FROM {population.relation} GROUP BY ALL)
        SELECT size, coalesce(persons, 0) AS persons, count(*)
        FROM {CLASSES} LEFT JOIN populated ON {" AND ".join(matches)} GROUP BY ALL
    """).fetchall()
    pairs = [(view.persons(size), population.persons(persons), classes) for size, persons, classes in rows]
    uncovered = sum(classes for size, persons, classes in pairs if persons < size)
    if uncovered:
        raise _not_a_population(uncovered, sum(classes for _, _, classes in pairs))
    return _risks(pairs) if pairs else None


def _match(i: int, ours: Type, theirs: Type) -> str:
    cast = "" if same_kind(ours, theirs) else "::VARCHAR"
    return f"q{i}{cast} IS NOT DISTINCT FROM p{i}"


def _risks(pairs: Sequence[tuple[Persons, Persons, int]]) -> Journalist:
    """Each row is (records in a class, persons of the population in it, number of such classes)."""
    records = sum(size * classes for size, _, classes in pairs)
    in_classes: dict[Persons, Persons] = {}
    for size, persons, classes in pairs:
        in_classes[persons] = in_classes.get(persons, 0) + size * classes
    risks = (n * risk_among(persons) for persons, n in sorted(in_classes.items()))
    marketer = sum(risks, Fraction(0)) / records
    spread = Fraction(sum(c for *_, c in pairs), sum(persons * c for _, persons, c in pairs))
    return Journalist(risk_among(min(in_classes)), min(Fraction(1), max(spread, marketer)), marketer)


def _not_a_population(uncovered: int, classes: int) -> TableError:
    message = (
        f"{uncovered:,} of {classes:,} equivalence classes have more records in the table than in the "
        "population, expected every person of the table in the population"
    )
    return TableError([Diagnostic("AC607", message, help="recode the population's columns like the table's")])
