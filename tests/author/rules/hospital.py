"""A made-up hospital table with all 18 identifiers of the HIPAA Safe Harbor rule, spelled as a hospital spells them:
`python -m tests.author.rules.hospital --patients 10000 -o hospital.csv`. `--check` writes the rule's policy for the
table, runs it, and checks the release with `acompass check --rule` and with `recheck.py`.

Some patients have several admissions, ages go up to 104, and some people live in the areas whose ZIP codes
the rule hides. Columns that a hospital does not always fill in are sometimes empty."""

import argparse
import csv
import io
import os
import random
import shlex
import subprocess
import sys
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from acompass.author.rules.library import find_rule
from tests.repo.sources import ROOT

RULE = "hipaa-safe-harbor"
#: what fills the only column that the policy keeps and that some patients lack; the policy makes it `*`
MISSING = {"Date of Death": "9999-12-31"}


def _listed(words: str, separator: str | None = None) -> list[str]:
    return words.split(separator)


#: areas of three digits with 20,000 people or fewer: 17 after the census of 2000, 14 after a later one
SMALL_IN_2000 = _listed("036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893")
SMALL_LATER = _listed("036 059 102 203 205 369 556 692 821 823 878 879 884 893")
COLUMNS = _listed(
    "Encounter ID,MRN,Patient Name,Street Address,City,County,State,Zip Code,Census Tract,DOB,Age,Sex,Admit Date,"
    "Discharge Date,Length of Stay,Date of Death,Last Updated,Diagnosis,Total Charges,Home Phone,Fax,Email,SSN,"
    "Insurance Member ID,Account No,Driver License,License Plate,Device Serial No,Portal URL,IP Address,Photo File,"
    "Fingerprint ID,Emergency Contact,Employer,Notes",
    ",",
)
FIRST_DAY, LAST_DAY = date(2015, 1, 1), date(2024, 12, 31)
EXTRACTED = date(2025, 3, 14)
OLDEST = 104


class Place(NamedTuple):
    city: str
    county: str
    state: str
    zip3: str
    area_code: str


def _places(lines: str) -> tuple[Place, ...]:
    return tuple(Place(*line.split("|")) for line in lines.strip().splitlines())


CITIES = _places("""
Boston|Suffolk|MA|021|617
Worcester|Worcester|MA|016|508
Providence|Providence|RI|029|401
Hartford|Hartford|CT|061|860
Brooklyn|Kings|NY|112|718
Buffalo|Erie|NY|142|716
Newark|Essex|NJ|071|973
Philadelphia|Philadelphia|PA|191|215
Pittsburgh|Allegheny|PA|152|412
Baltimore|Baltimore City|MD|212|410
Richmond|Henrico|VA|232|804
Charlotte|Mecklenburg|NC|282|704
Atlanta|Fulton|GA|303|404
Jacksonville|Duval|FL|322|904
Birmingham|Jefferson|AL|352|205
Nashville|Davidson|TN|372|615
Cleveland|Cuyahoga|OH|441|216
Indianapolis|Marion|IN|462|317
Milwaukee|Milwaukee|WI|532|414
Minneapolis|Hennepin|MN|554|612
Chicago|Cook|IL|606|312
Omaha|Douglas|NE|681|402
Houston|Harris|TX|770|713
Denver|Denver|CO|802|303
Phoenix|Maricopa|AZ|850|602
Albuquerque|Bernalillo|NM|871|505
Las Vegas|Clark|NV|891|702
Los Angeles|Los Angeles|CA|900|213
Portland|Multnomah|OR|972|503
Seattle|King|WA|981|206
""")
SMALL_PLACES = _places("""
Charlestown|Sullivan|NH|036|603
Canaan|Essex|VT|059|802
New London|New London|CT|063|860
Manhattan|New York|NY|102|212
Washington|District of Columbia|DC|203|202
Washington|District of Columbia|DC|205|202
Butler|Choctaw|AL|369|205
Grand Marais|Cook|MN|556|218
Valentine|Cherry|NE|692|402
Vega|Oldham|TX|790|806
Yellowstone|Park|WY|821|307
Rawlins|Carbon|WY|823|307
Jackson|Teton|WY|830|307
Kemmerer|Lincoln|WY|831|307
Socorro|Socorro|NM|878|575
Truth or Consequences|Sierra|NM|879|575
Tucumcari|Quay|NM|884|575
Alamo|Lincoln|NV|890|775
Ely|White Pine|NV|893|775
""")
FEMALE = _listed(
    "Mary Patricia Linda Barbara Elizabeth Jennifer Maria Susan Margaret Dorothy Lisa Nancy Karen Betty Helen Sandra "
    "Donna Carol Ruth Sharon Michelle Laura Sarah Kimberly Deborah Jessica Shirley Cynthia Angela Melissa Brenda Amy "
    "Anna Rebecca Virginia Kathleen Pamela Martha Debra Amanda"
)
MALE = _listed(
    "James John Robert Michael William David Richard Charles Joseph Thomas Christopher Daniel Paul Mark Donald George "
    "Kenneth Steven Edward Brian Ronald Anthony Kevin Jason Matthew Gary Timothy Jose Larry Jeffrey Frank Scott Eric "
    "Stephen Andrew Raymond Gregory Joshua Jerry Dennis"
)
LAST = _listed(
    "Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Martinez Hernandez Lopez Gonzalez Wilson "
    "Anderson Thomas Taylor Moore Jackson Martin Lee Perez Thompson White Harris Sanchez Clark Ramirez Lewis Robinson "
    "Walker Young Allen King Wright Scott Torres Nguyen Hill Flores Green Adams Nelson Baker Hall Rivera Campbell "
    "Mitchell Carter Roberts Gomez Phillips Evans Turner Diaz Parker Cruz Edwards Collins Reyes O'Brien"
)
STREETS = _listed("Maple Oak Washington Lincoln Cedar Elm Highland Prospect Chestnut Franklin Willow Jefferson Spruce")
EMPLOYERS = _listed(
    "Acme Freight|Blue Ridge Foods|Harbor Steel Works|Lakeside School District|Northern Power|Pine Valley Farms|"
    "Riverside Bakery|Summit Insurance|Union Paper Mill|Westside Motors|City Transit Authority",
    "|",
)
DIAGNOSES = _listed(
    "asthma|atrial fibrillation|breast cancer|chronic kidney disease|colon cancer|COPD|coronary artery disease|"
    "dementia|depression|femur fracture|gallstones|heart failure|hypertension|influenza|"
    "iron deficiency anemia|lung cancer|migraine|osteoarthritis|pneumonia|sepsis|stroke|"
    "type 1 diabetes|type 2 diabetes|urinary tract infection",
    "|",
)


class Person(NamedTuple):
    """A patient: the cells that are the same in all admissions, and the dates that they depend on."""

    cells: dict[str, str]
    born: date
    died: date | None
    admitted: list[date]


def hospital_rows(patients: int = 10_000, seed: int = 32, dates: str = "%Y-%m-%d") -> Iterator[dict[str, str]]:
    """The records of `patients` patients, ordered by admission. `dates` is the format of the dates."""
    draw = random.Random(seed)
    people = [_person(draw, number) for number in range(patients)]
    encounters = sorted((day, number) for number, person in enumerate(people) for day in person.admitted)
    for position, (day, number) in enumerate(encounters):
        yield _record(draw, people[number], day, dates) | {"Encounter ID": f"E{2_400_000 + 7 * position}"}


def write_hospital(path: Path, patients: int = 10_000, seed: int = 32, dates: str = "%Y-%m-%d") -> None:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(hospital_rows(patients, seed, dates))
    path.write_text(text.getvalue(), encoding="utf-8")


def _person(draw: random.Random, number: int) -> Person:
    sex = draw.choice("FM")
    first, last = draw.choice(FEMALE if sex == "F" else MALE), draw.choice(LAST)
    born, admitted, died = _life(draw, number)
    cells = _address(draw) | _numbers(draw, number, f"{first}.{last}".replace("'", "").lower())
    cells |= {"Patient Name": f"{last}, {first}", "Sex": sex}
    cells["Emergency Contact"] = f"{draw.choice(FEMALE + MALE)} {last}"
    cells["Employer"] = _sometimes(draw, 0.6, draw.choice(EMPLOYERS))
    if age_on(admitted[0], born) < 16:
        cells |= dict.fromkeys(("Driver License", "License Plate", "Employer", "Email"), "")
    return Person(cells, born, died, admitted)


def _life(draw: random.Random, number: int) -> tuple[date, list[date], date | None]:
    """A birth date, the dates of the admissions, and the date of death if there is one. Every age from 0 to 104 occurs
    among the first 105 patients."""
    days = (LAST_DAY - FIRST_DAY).days
    first = FIRST_DAY + timedelta(draw.randrange(days))
    if number <= OLDEST:
        age = number
    else:
        age = min(
            draw.choices((draw.randrange(18), draw.randrange(18, 90), draw.randrange(90, 105)), (12, 83, 5))[0], OLDEST
        )
    born = _years_before(first, age) - timedelta(draw.randrange(360))
    admitted, died = [first], None
    while draw.random() < 0.25 and age < OLDEST:
        later = admitted[-1] + timedelta(30 + draw.randrange(700))
        if later > LAST_DAY or age_on(later, born) > OLDEST:
            break
        admitted.append(later)
    if draw.random() < 0.02 + age / 400:
        later = admitted[-1] + timedelta(45 + draw.randrange(1200))
        died = later if later < EXTRACTED else None
    return born, admitted, died


def _years_before(day: date, years: int) -> date:
    return day.replace(year=day.year - years, day=min(day.day, 28))


def age_on(day: date, born: date) -> int:
    return day.year - born.year - ((day.month, day.day) < (born.month, born.day))


def _address(draw: random.Random) -> dict[str, str]:
    place = draw.choice(SMALL_PLACES if draw.random() < 0.06 else CITIES)
    plus_four = _sometimes(draw, 0.15, f"-{draw.randrange(1, 10_000):04}")
    return {
        "Street Address": f"{draw.randrange(1, 3000)} {draw.choice(STREETS)} {draw.choice(('St', 'Ave', 'Rd', 'Ln'))}",
        "City": place.city,
        "County": f"{place.county} County",
        "State": place.state,
        "Zip Code": f"{place.zip3}{draw.randrange(1, 100):02}{plus_four}",
        "Census Tract": f"{draw.randrange(1, 57):02}{draw.randrange(1, 200, 2):03}{draw.randrange(100, 980_000):06}",
        "Home Phone": _phone(draw, place.area_code),
        "Fax": _sometimes(draw, 0.1, _phone(draw, place.area_code)),
    }


def _phone(draw: random.Random, area_code: str) -> str:
    return f"({area_code}) 555-{draw.randrange(10_000):04}"


def _sometimes(draw: random.Random, probability: float, cell: str) -> str:
    return cell if draw.random() < probability else ""


def _numbers(draw: random.Random, number: int, login: str) -> dict[str, str]:
    """The identifiers other than names and places. Those that belong to one person contain the patient's number."""
    letters = "".join(draw.choice("ABCDEFGHJKLMNPRSTUVWXYZ") for _ in range(6))
    return {
        "MRN": f"{40_000_000 + 13 * number}",
        "Email": _sometimes(draw, 0.7, f"{login}{number}@example.{draw.choice(('com', 'org', 'net'))}"),
        "SSN": f"{draw.randrange(900, 1000)}-{draw.randrange(1, 100):02}-{1 + number % 9999:04}",
        "Insurance Member ID": f"{letters[:3]}{700_000_000 + 11 * number}",
        "Account No": f"{8_100_000_000 + 17 * number}",
        "Driver License": _sometimes(draw, 0.8, f"{letters[3]}{5_000_000 + 3 * number}"),
        "License Plate": _sometimes(draw, 0.5, f"{letters[3:]} {draw.randrange(1000, 10_000)}"),
        "Device Serial No": _sometimes(draw, 0.2, f"PM-{letters[:2]}-{300_000 + number}"),
        "Portal URL": f"https://portal.example.org/patients/{login}{number}",
        "IP Address": _sometimes(draw, 0.6, f"198.51.{draw.randrange(256)}.{draw.randrange(1, 255)}"),
        "Photo File": f"img_{login}{number}.jpg",
        "Fingerprint ID": f"FP{draw.getrandbits(40):010x}",
    }


def _record(draw: random.Random, person: Person, admitted: date, dates: str) -> dict[str, str]:
    stay = min(1 + int(draw.expovariate(0.2)), 29)
    discharged = admitted + timedelta(stay)
    updated = datetime(EXTRACTED.year, 1, 1) + timedelta(minutes=draw.randrange(72 * 24 * 60))
    diagnosis = draw.choice(DIAGNOSES)
    last, first = person.cells["Patient Name"].split(", ")
    note = draw.choice(
        (
            f"{first} {last} admitted with {diagnosis}",
            f"called {person.cells['Emergency Contact']} at {person.cells['Home Phone']}",
            f"transferred from {person.cells['City']} on {admitted:%B} {admitted.day}, {admitted.year}",
            f"{age_on(admitted, person.born)} years old, lives alone",
            "follow-up in two weeks",
        )
    )
    return person.cells | {
        "DOB": person.born.strftime(dates),
        "Age": str(age_on(admitted, person.born)),
        "Admit Date": admitted.strftime(dates),
        "Discharge Date": discharged.strftime(dates),
        "Length of Stay": str(stay),
        "Date of Death": person.died.strftime(dates) if person.died else "",
        "Last Updated": f"{updated:%Y-%m-%d %H:%M:%S}",
        "Diagnosis": diagnosis,
        "Total Charges": f"{900 + stay * draw.randrange(150_000, 500_000) / 100:.2f}",
        "Notes": note,
    }


def release_year() -> int:
    """The last year in which the rule's own number is right."""
    return 90 + int(str(next(each.value for each in find_rule(RULE).parameters if each.name == "old")))


def release_and_check(folder: Path, patients: int, seed: int = 32) -> int:
    """Release the table by the rule, and check the release twice; 0 if nothing is left."""
    write_hospital(folder / "hospital.csv", patients, seed)
    missing = [text for column, value in MISSING.items() for text in ("--missing", f"{column}={value}")]
    commands = [
        ["acompass", "rules", "new", RULE, "-o", "release.acp", "hospital.csv"],
        ["acompass", "run", "release.acp", "hospital.csv", "-o", "released.csv", *missing],
        ["acompass", "check", "--rule", RULE, "released.csv"],
        ["tests.author.rules.recheck", "hospital.csv", "released.csv", "--year", str(release_year())],
    ]
    for command in commands:
        print(f"$ {'' if command[0] == 'acompass' else 'python -m '}{shlex.join(command)}", flush=True)
        paths = [str(ROOT), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
        code = subprocess.run([sys.executable, "-m", *command], cwd=folder, env=environment, check=False).returncode
        print(flush=True)
        if code:
            return code
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--patients", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=32)
    parser.add_argument("--dates", default="%Y-%m-%d", help="format of the dates, such as %%m/%%d/%%Y")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("-o", "--output", type=Path)
    what.add_argument("--check", action="store_true", help="release the table and check the release")
    arguments = parser.parse_args()
    if arguments.check:
        with TemporaryDirectory() as folder:
            return release_and_check(Path(folder), arguments.patients, arguments.seed)
    write_hospital(arguments.output, arguments.patients, arguments.seed, arguments.dates)
    return 0


if __name__ == "__main__":
    sys.exit(main())
