"""Writes admissions.csv, always the same one: `python examples/admissions/make_table.py`.

Every person in it is invented. Names, numbers, places and diagnoses are drawn from the lists below.
"""

import csv
import random
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import TextIO

COLUMNS = (
    "name",
    "insurance number",
    "age",
    "zip",
    "employer",
    "education",
    "admission",
    "diagnosis",
)
RECORDS = 300
FIRST_DAY = date(2025, 1, 1)
FIRST = (
    "Ada",
    "Ben",
    "Cleo",
    "Dan",
    "Eva",
    "Finn",
    "Gina",
    "Hugo",
    "Ida",
    "Jon",
    "Kim",
    "Leo",
    "Mia",
    "Nils",
)
LAST = ("Abel", "Brandt", "Cole", "Dorn", "Ekman", "Fox", "Gray", "Holm", "Ivers", "Jung", "Klein", "Lund")
ZIPS = ("21201", "21202", "21205", "21213", "21217", "21218", "21224", "21230", "21401", "21403", "21409")
EMPLOYERS = ("Harbor Works", "City Schools", "North Mill", "Lakeside Foods", "Union Rail", "none")
EDUCATIONS = (
    "primary",
    "secondary",
    "secondary",
    "vocational",
    "vocational",
    "bachelor",
    "master",
    "doctorate",
)
UNLISTED = ("evening classes", "abroad")
DIAGNOSES = ("flu", "flu", "asthma", "asthma", "fracture", "diabetes", "migraine", "pneumonia")


def chosen(rng: random.Random, items: Sequence[str]) -> str:
    """Uses `random()` alone, whose values are the same in every version of Python."""
    return items[int(rng.random() * len(items))]


def record(rng: random.Random) -> tuple[str, ...]:
    age = int(18 + 50 * (rng.random() + rng.random()) / 2 + 27 * rng.random())
    day = FIRST_DAY + timedelta(days=int(rng.random() * 365))
    educations = UNLISTED if rng.random() < 0.04 else EDUCATIONS
    return (
        f"{chosen(rng, FIRST)} {chosen(rng, LAST)}",
        f"{chosen(rng, 'ABCDEFGH')}{int(rng.random() * 900_000_000) + 100_000_000}",
        str(age),
        chosen(rng, ZIPS),
        chosen(rng, EMPLOYERS),
        chosen(rng, educations),
        day.isoformat(),
        chosen(rng, DIAGNOSES),
    )


def write(file: TextIO) -> None:
    rng = random.Random("admissions")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(record(rng) for _ in range(RECORDS))


if __name__ == "__main__":
    with Path(__file__).with_name("admissions.csv").open("w", encoding="utf-8", newline="") as table:
        write(table)
