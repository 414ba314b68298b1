"""Compare with sdcMicro on its own tables: `python -m tests.laws.sdcmicro Tarragona.csv free1.csv`.

The tables are part of sdcMicro, under another license, so they are not in this repository. In R, `write.csv(Tarragona,
"Tarragona.csv", row.names = FALSE)` writes one. `individual_ranking` computes the means as sdcMicro's `mafast` and
`onedims` define them."""

import argparse
import csv
import sys
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import acompass

SEED = "a seed for the comparison with sdcMicro"
#: the amounts in free1, columns 31 to 34
AMOUNTS = ("INCOME", "MONEY", "ASSETS", "DEBTS")
#: the bounds of the noise
LOWER, UPPER = -50, 50


def individual_ranking(values: Sequence[Fraction], size: int) -> list[Fraction]:
    """The mean that each value is replaced by: floor(n / size) groups, the last one with the remaining values."""
    order = sorted(range(len(values)), key=lambda at: values[at])
    groups = max(len(values) // size, 1)
    means: list[Fraction] = [Fraction(0)] * len(values)
    for group in range(groups):
        end = len(values) if group == groups - 1 else (group + 1) * size
        members = order[group * size : end]
        for at in members:
            means[at] = sum((values[each] for each in members), Fraction(0)) / len(members)
    return means


def rounded(value: Fraction, digits: int) -> Fraction:
    """Halves away from zero."""
    scaled = abs(value) * 10**digits
    whole = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    return Fraction(whole if value >= 0 else -whole, 10**digits)


def differences_in_means(texts: Sequence[str], size: int) -> int:
    """How many records of a column get another mean than from sdcMicro, apart from the order of equal values."""
    digits = max(len(text.partition(".")[2]) for text in texts)
    values = [Fraction(text) for text in texts]
    expected = [rounded(mean, digits) for mean in individual_ranking(values, size)]
    policy = f"ALWAYS : MICROAGGREGATE value BY {size};"
    released = _run(policy, texts)
    pairs = Counter(zip(values, map(Fraction, released), strict=True))
    return sum((Counter(zip(values, expected, strict=True)) - pairs).values())


def noise(texts: Sequence[str], lower: int, upper: int, seed: str = SEED) -> list[Fraction]:
    """What ADD RANDOM adds to each record of a column."""
    released = _run(f"ALWAYS : ADD RANDOM {lower} {upper} TO value;", texts, seed)
    return [Fraction(after) - Fraction(before) for before, after in zip(texts, released, strict=True)]


def variance(numbers: Sequence[Fraction]) -> Fraction:
    mean = sum(numbers, Fraction(0)) / len(numbers)
    return sum(((number - mean) ** 2 for number in numbers), Fraction(0)) / len(numbers)


def uniform_variance(lower: int, upper: int) -> Fraction:
    return Fraction((upper - lower + 1) ** 2 - 1, 12)


def _run(policy: str, texts: Sequence[str], seed: str = SEED) -> list[str]:
    """The column after the policy, in the order of the records."""
    records = [{"record": at, "value": Decimal(text)} for at, text in enumerate(texts)]
    result = acompass.run(policy, records, seed=seed)
    released = sorted(result.table, key=lambda record: record["record"])
    return [str(record["value"]) for record in released]


def _columns(path: str) -> dict[str, list[str]]:
    with Path(path).open(encoding="utf-8", newline="") as file:
        records = list(csv.DictReader(file))
    return {name: [record[name] for record in records] for name in records[0]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tarragona")
    parser.add_argument("free1")
    given = parser.parse_args()
    wrong = 0
    for name, texts in _columns(given.tarragona).items():
        for size in (3, 5):
            differ = differences_in_means(texts, size)
            wrong += differ
            print(f"Tarragona {name}, groups of {size}: {differ} of {len(texts)} records differ")
    expected = uniform_variance(LOWER, UPPER)
    columns = _columns(given.free1)
    for name in AMOUNTS:
        measured = float(variance(noise(columns[name], LOWER, UPPER, f"{SEED}: {name}")))
        print(f"free1 {name}: variance of the noise {measured:.1f}, expected {float(expected):.1f}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
