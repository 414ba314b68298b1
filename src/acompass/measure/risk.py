"""The journalist's and the marketer's risk: the table's classes against a population's."""

from collections.abc import Sequence
from fractions import Fraction

import duckdb

from acompass.diagnostics import Diagnostic, TableError
from acompass.measure.classes import CLASSES
from acompass.measure.result import Journalist
from acompass.measure.view import View, comparable, same_kind


def journalist(
    con: duckdb.DuckDBPyConnection,
    view: View,
    quasi_identifiers: Sequence[int],
    population: View,
    theirs: Sequence[int],
) -> Journalist:
    """`theirs` are the population's columns for `quasi_identifiers`, in the same order."""
    ours = [view.schema[position] for position in quasi_identifiers]
    keys = ", ".join(f"{comparable(population, p, own)} AS p{i}" for i, (p, own) in enumerate(zip(theirs, ours)))
    matches = []
    for i, (position, own) in enumerate(zip(theirs, ours)):
        cast = "" if same_kind(population.schema[position].type, own.type) else "::VARCHAR"
        matches.append(f"q{i}{cast} IS NOT DISTINCT FROM p{i}")
    pairs = con.execute(f"""
        WITH populated AS (SELECT {keys}, {population.count} AS persons FROM {population.relation} GROUP BY ALL)
        SELECT size, coalesce(persons, 0) AS persons, count(*)
        FROM {CLASSES} LEFT JOIN populated ON {" AND ".join(matches)} GROUP BY ALL
    """).fetchall()
    uncovered = sum(classes for size, persons, classes in pairs if persons < size)
    if uncovered:
        raise _not_a_population(uncovered, sum(classes for _, _, classes in pairs))
    return _risks(pairs)


def _risks(pairs: Sequence[tuple[int, int, int]]) -> Journalist:
    """Rows are (records of a class, persons of the population in it, how many such classes)."""
    records = sum(size * classes for size, _, classes in pairs)
    in_classes: dict[int, int] = {}
    for size, persons, classes in pairs:
        in_classes[persons] = in_classes.get(persons, 0) + size * classes
    marketer = sum((Fraction(n, persons) for persons, n in sorted(in_classes.items())), Fraction(0)) / records
    spread = Fraction(sum(c for *_, c in pairs), sum(persons * c for _, persons, c in pairs))
    return Journalist(Fraction(1, min(in_classes)), max(spread, marketer), marketer)


def _not_a_population(uncovered: int, classes: int) -> TableError:
    message = (
        f"{uncovered:,} of {classes:,} equivalence classes have more records in the table than in the population, "
        "expected every record's person in the population"
    )
    return TableError([Diagnostic("AC607", message, help="recode the population's columns as the table's are")])
