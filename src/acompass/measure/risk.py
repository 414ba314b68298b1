"""Journalist and marketer risk: the table's classes compared with those of a population."""

from collections.abc import Sequence
from fractions import Fraction

from acompass.diagnostics import Diagnostic, TableError
from acompass.measure.columns import Positions
from acompass.measure.records import Records, paired_counts
from acompass.measures import Journalist, Persons, risk_among


def journalist(
    records: Records, found: Positions, population: Records, theirs: Positions
) -> Journalist | None:
    """The risk of the equivalence classes of a table; None if the table is empty."""
    both = list(zip(found.quasi_identifiers, theirs.quasi_identifiers, strict=True))
    pairs = [
        (records.persons(size), population.persons(persons), classes)
        for size, persons, classes in paired_counts(records, population, both)
        if size
    ]
    uncovered = sum(classes for size, persons, classes in pairs if persons < size)
    if uncovered:
        raise _not_a_population(uncovered, sum(classes for _, _, classes in pairs))
    return _risks(pairs) if pairs else None


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
