"""Unprepared tables, as they come out of a database, a spreadsheet or R, for the whole way in the page.

They are made from a fixed seed, so that the tests can say what the studio must find in them."""

import csv
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

Rows = Iterable[Sequence[object]]


def write_birds(folder: Path, records: int = 1200) -> Path:
    """Ringed birds, as a museum's database writes them: American dates with a midnight, missing values, an id."""
    draw = Random(33)

    def rows() -> Rows:
        for number in range(1, records + 1):
            caught = datetime(1990, 1, 1) + timedelta(days=draw.randrange(3000))
            species = draw.choices(("robin", "wren", "blackcap", "dunnock", "firecrest"), (50, 30, 12, 6, 2))[0]
            sex = draw.choices(("M", "F", ""), (45, 45, 10))[0]
            ringer = f"R{draw.choices(range(1, 40), range(40, 1, -1))[0]:03d}"
            weight = "" if draw.random() < 0.05 else f"{draw.gauss(18, 3):.1f}"
            date = f"{caught.month}/{caught.day}/{caught.year} 0:00:00"
            site = draw.choices(("marsh", "wood", "garden", "heath"), (40, 30, 20, 10))[0]
            yield number, date, species, sex, draw.randrange(1, 9), ringer, site, weight

    return _write(
        folder / "birds.csv", ("id", "date", "species", "sex", "age_code", "ringer", "site", "weight"), rows()
    )


def write_ambulance(folder: Path, records: int = 900) -> Path:
    """Ambulance calls from a German spreadsheet: semicolons, cp1252, local dates with times, decimal commas, NA."""
    draw = Random(34)

    def rows() -> Rows:
        for _ in range(records):
            called = datetime(2019, 1, 1) + timedelta(minutes=draw.randrange(525_600))
            town = draw.choices(("Köln", "Düren", "Jülich", "Hürth"), (60, 20, 12, 8))[0]
            age = "NA" if draw.random() < 0.04 else draw.randrange(1, 99)
            minutes = f"{draw.uniform(3, 40):.1f}".replace(".", ",")
            cause = draw.choices(("Sturz", "Herz", "Verkehr", "Übelkeit"), (40, 25, 20, 15))[0]
            yield f"{called:%d.%m.%Y %H:%M}", town, age, draw.choice("mw"), minutes, cause

    heads = ("Anruf", "Ort", "Alter", "Geschlecht", "Anfahrt", "Ursache")
    return _write(folder / "einsaetze.csv", heads, rows(), delimiter=";", encoding="cp1252")


def write_claims(folder: Path, records: int = 1500) -> Path:
    """Insurance claims with codes: postal codes with leading zeros, diagnoses, occupations, a contract number."""
    draw = Random(35)
    zips = [f"{draw.randrange(1000, 9900):05d}" for _ in range(60)]
    diagnoses = [f"{letter}{number:02d}" for letter in "EIJK" for number in range(10, 22)]

    def rows() -> Rows:
        for number in range(records):
            contract = f"C-{2_000_000 + 7 * number}"
            year = draw.randrange(1930, 2004)
            job = draw.choices(("2211", "2320", "5223", "8322", "9112"), (10, 25, 30, 20, 15))[0]
            amount = f"{draw.lognormvariate(6, 1):.2f}"
            yield contract, draw.choice(zips), year, draw.choice("FM"), job, draw.choice(diagnoses), amount

    heads = ("contract_number", "postal_code", "birth_year", "sex", "occupation_code", "diagnosis", "amount")
    return _write(folder / "claims.csv", heads, rows())


def write_visits(folder: Path, patients: int = 400) -> Path:
    """Visits to a clinic, one to six of each patient."""
    draw = Random(36)

    def rows() -> Rows:
        for patient in range(patients):
            age, sex, zip_code = (
                draw.randrange(18, 95),
                draw.choice("fm"),
                f"2{draw.randrange(10, 14)}0{draw.randrange(5)}",
            )
            for _ in range(draw.choices(range(1, 7), (50, 20, 12, 9, 6, 3))[0]):
                visited = datetime(2023, 1, 1) + timedelta(days=draw.randrange(365))
                ward = draw.choices(("surgery", "medicine", "eye"), (40, 45, 15))[0]
                found = draw.choices(("asthma", "flu", "fracture", "diabetes", "HIV"), (30, 30, 20, 17, 3))[0]
                yield 5000 + patient, f"{visited:%Y-%m-%d}", age, sex, zip_code, ward, found

    return _write(folder / "visits.csv", ("patient", "visit", "age", "sex", "zip", "ward", "diagnosis"), rows())


TABLES: tuple[Callable[[Path], Path], ...] = (write_birds, write_ambulance, write_claims, write_visits)


def _write(path: Path, heads: Sequence[str], rows: Rows, delimiter: str = ",", encoding: str = "utf-8") -> Path:
    with path.open("w", encoding=encoding, newline="") as file:
        csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows((heads, *rows))
    return path
