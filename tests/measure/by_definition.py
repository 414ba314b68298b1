"""The models as the literature defines them, in plain Python over lists of records: slow and exact."""

import csv
import io
import math
import tempfile
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from acompass.cli.app import app
from tests.repo.sources import ROOT

Record = Sequence[Hashable]


def classes(records: Sequence[Record], quasi_identifiers: Sequence[int]) -> list[list[Record]]:
    grouped: dict[tuple[Hashable, ...], list[Record]] = defaultdict(list)
    for record in records:
        grouped[tuple(record[q] for q in quasi_identifiers)].append(record)
    return list(grouped.values())


def shares(records: Sequence[Record], column: int) -> dict[Hashable, Fraction]:
    return {value: Fraction(n, len(records)) for value, n in Counter(r[column] for r in records).items()}


def pairs(records: Sequence[Record], quasi_identifiers: Sequence[int], column: int) -> list[tuple[Fraction, Fraction]]:
    """(share in a class, share in the table) for every class and every value of the table."""
    everywhere = shares(records, column)
    return [
        (inside.get(value, Fraction(0)), p)
        for inside in (shares(each, column) for each in classes(records, quasi_identifiers))
        for value, p in everywhere.items()
    ]


def alpha(records: Sequence[Record], quasi_identifiers: Sequence[int], column: int) -> Fraction:
    return max(max(shares(each, column).values()) for each in classes(records, quasi_identifiers))


def distinct_l(records: Sequence[Record], quasi_identifiers: Sequence[int], column: int) -> int:
    return min(len(shares(each, column)) for each in classes(records, quasi_identifiers))


def entropy_l(records: Sequence[Record], quasi_identifiers: Sequence[int], column: int) -> int:
    """The largest l with nⁿ ≥ lⁿ · Π nᵢ^nᵢ in every class: exp(H) ≥ l, decided in integers."""
    return min(_entropy_l(Counter(r[column] for r in each)) for each in classes(records, quasi_identifiers))


def _entropy_l(counts: Counter[Hashable]) -> int:
    size = counts.total()
    spent = math.prod(n**n for n in counts.values())
    return max(l_ for l_ in range(1, len(counts) + 1) if size**size >= l_**size * spent)


def recursive_c(records: Sequence[Record], quasi_identifiers: Sequence[int], column: int, l_: int) -> Fraction:
    worst = Fraction(0)
    for each in classes(records, quasi_identifiers):
        r = sorted(Counter(record[column] for record in each).values(), reverse=True)
        worst = max(worst, Fraction(r[0], sum(r[l_ - 1 :])))
    return worst


def t_equal(records: Sequence[Record], quasi_identifiers: Sequence[int], column: int) -> Fraction:
    everywhere = shares(records, column)
    distances = []
    for each in classes(records, quasi_identifiers):
        inside = shares(each, column)
        distances.append(sum(abs(inside.get(v, Fraction(0)) - p) for v, p in everywhere.items()) / 2)
    return max(distances)


def t_ordered(
    records: Sequence[Record], quasi_identifiers: Sequence[int], column: int, order: Sequence[Hashable]
) -> Fraction:
    """`order` lists every value of the column once, in ascending order."""
    everywhere = shares(records, column)
    worst = Fraction(0)
    for each in classes(records, quasi_identifiers):
        inside = shares(each, column)
        behind = moved = Fraction(0)
        for value in order:
            behind += inside.get(value, Fraction(0)) - everywhere[value]
            moved += abs(behind)
        worst = max(worst, moved / (len(order) - 1) if len(order) > 1 else Fraction(0))
    return worst


def basic_beta(records: Sequence[Record], quasi_identifiers: Sequence[int], column: int) -> Fraction:
    return max((q - p) / p for q, p in pairs(records, quasi_identifiers, column))


def enhanced_beta(records: Sequence[Record], quasi_identifiers: Sequence[int], column: int) -> Fraction | None:
    """For small tables only, where doubles can tell a rational number from a logarithm."""
    if all((q - p) / p <= -math.log(p) + 1e-13 for q, p in pairs(records, quasi_identifiers, column)):
        return basic_beta(records, quasi_identifiers, column)
    return None


def delta(records: Sequence[Record], quasi_identifiers: Sequence[int], column: int) -> float:
    return max(abs(math.log(q / p)) for q, p in pairs(records, quasi_identifiers, column) if q > 0)


def has_every_value(records: Sequence[Record], quasi_identifiers: Sequence[int], column: int) -> bool:
    return all(q > 0 for q, _ in pairs(records, quasi_identifiers, column))


def population_sizes(
    records: Sequence[Record], population: Sequence[Record], quasi_identifiers: Sequence[int]
) -> list[tuple[int, int]]:
    """(records, persons) for every class of the table."""
    persons = Counter(tuple(r[q] for q in quasi_identifiers) for r in population)
    return [
        (len(each), persons[tuple(each[0][q] for q in quasi_identifiers)])
        for each in classes(records, quasi_identifiers)
    ]


def sample_sizes(
    records: Sequence[Record], quasi_identifiers: Sequence[int], weights: Sequence[Fraction]
) -> list[tuple[int, Fraction]]:
    """For every record, the number of records in its class and of persons that they represent."""
    keys = [tuple(record[q] for q in quasi_identifiers) for record in records]
    number = Counter(keys)
    persons: dict[tuple[Hashable, ...], Fraction] = defaultdict(Fraction)
    for key, weight in zip(keys, weights, strict=True):
        persons[key] += weight
    return [(number[key], persons[key]) for key in keys]


def individual_risk(records: int, persons: Fraction) -> float:
    """E(1/F | f) for a negative binomial F: Σ 1/j · C(j−1, f−1) · pᶠ · (1−p)^(j−f) over j ≥ f, with p = f/F.

    For three or more records, its approximation p / (f − (1 − p)).
    """
    if persons <= records:
        return 1 / records
    p = float(records / persons)
    if records > 2:
        return p / (records - (1 - p))
    last = records + math.ceil(40 / -math.log1p(-p))
    ways = (math.comb(j - 1, records - 1) for j in range(records, last))
    return math.fsum(
        n * p**records * (1 - p) ** (j - records) / j for j, n in zip(range(records, last), ways, strict=True)
    )


DOCS = ROOT / "docs"


def measure_command(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["measure", *arguments], catch_exceptions=False)


_folder = tempfile.TemporaryDirectory(prefix="acompass-measure-")


def csv_table(header: str, *records: tuple[Any, ...]) -> str:
    """The path of a CSV file with these records; None is a missing value."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(records)
    with tempfile.NamedTemporaryFile("w", suffix=".csv", dir=_folder.name, delete=False, encoding="utf-8") as file:
        file.write(f"{header}\n{text.getvalue()}")
    return str(Path(file.name))
