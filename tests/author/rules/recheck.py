"""Rechecks a released hospital table against the HIPAA Safe Harbor rule, without A-COMPASS:
`python -m tests.author.rules.recheck hospital.csv released.csv --year 2026` counts the cells of the release
that still show an identifier of the clauses (A) to (R) of 45 CFR 164.514(b)(2)(i), and exits with 1 if there are any.

The script uses csv, re and datetime only. A cell shows an identifier if a value of the original table is the cell or
occurs in it, or if the cell looks like one. The tables are those of `tests.author.rules.hospital`."""

import argparse
import csv
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import date
from typing import NamedTuple

#: clause: what it forbids, and the columns of the original table that have it
CLAUSES = {
    "A": ("names", ("Patient Name", "Emergency Contact", "Employer")),
    "B": ("places smaller than a state", ("Street Address", "City", "County", "Census Tract", "Zip Code")),
    "C": ("dates and ages over 89", ("DOB", "Admit Date", "Discharge Date", "Date of Death", "Last Updated")),
    "D": ("telephone numbers", ("Home Phone",)),
    "E": ("fax numbers", ("Fax",)),
    "F": ("e-mail addresses", ("Email",)),
    "G": ("Social Security numbers", ("SSN",)),
    "H": ("medical record numbers", ("MRN",)),
    "I": ("health plan numbers", ("Insurance Member ID",)),
    "J": ("account numbers", ("Account No",)),
    "K": ("certificates and licenses", ("Driver License",)),
    "L": ("vehicles and license plates", ("License Plate",)),
    "M": ("devices and serial numbers", ("Device Serial No",)),
    "N": ("web addresses", ("Portal URL",)),
    "O": ("IP addresses", ("IP Address",)),
    "P": ("biometric identifiers", ("Fingerprint ID",)),
    "Q": ("photographs", ("Photo File",)),
    "R": ("any other number or code", ("Encounter ID",)),
}
ZIP, BIRTH, AGE, ADMISSION = "Zip Code", "DOB", "Age", "Admit Date"
DATES = CLAUSES["C"][1]
#: areas of three digits that had 20,000 people or fewer after the census of 2000 or a later one
SMALL_AREAS = re.findall(r"\d+", "036 059 063 102 203 205 369 556 692 790 821 823 830 831 878 879 884 890 893")
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
#: how the identifiers of a clause look; what a pattern matches is not matched again by those below it
PATTERNS = {
    "O": (r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])", r"(?<![\w:])(?:[0-9a-f]{1,4}:){3,7}[0-9a-f]{1,4}(?![\w:])"),
    "C": (
        r"(?<!\d)(?:1[89]|20)\d\d[-/.](?:0?[1-9]|1[0-2])(?:[-/.](?:0?[1-9]|[12]\d|3[01]))?(?!\d)",
        r"(?<!\d)(?:0?[1-9]|[12]\d|3[01])[-/.](?:0?[1-9]|[12]\d|3[01])[-/.](?:(?:1[89]|20)\d\d|\d\d)(?!\d)",
        r"(?<!\d)(?:0?[1-9]|1[0-2])/(?:1[89]|20)\d\d(?!\d)",
        r"(?<!\d)(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?!\d)",
        rf"\b{_MONTH}\s+(?:\d\d?(?:st|nd|rd|th)?,?\s+)?(?:1[89]|20)\d\d\b",
        rf"\b\d\d?(?:st|nd|rd|th)?[-\s]+{_MONTH}[-\s]+(?:(?:1[89]|20)\d\d|\d\d)\b",
        r"\b(?:1[89]|20)\d\d[-\s]?Q[1-4]\b|\bQ[1-4][-/\s]?(?:1[89]|20)\d\d\b|\b(?:1[89]|20)\d\d-?W\d\d\b",
        r"\b(?:9\d|1[0-2]\d)[-\s]*(?:years?|yrs?|y/?o)\b",
    ),
    "D": (r"(?<!\d)(?:\+?1[-. ]?)?(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}(?!\d)", r"(?<![-\d])\d{3}-\d{4}(?![-\d])"),
    "F": (r"[^\s@]+@[^\s@]+\.\w+",),
    "G": (r"(?<![-\d])\d{3}[- ]\d{2}[- ]\d{4}(?![-\d])",),
    "N": (r"\b(?:https?|ftp)://\S+|\bwww\.\S+",),
    "Q": (r"\S+\.(?:jpe?g|png|gif|tiff?|dcm|bmp)\b",),
    "B": (r"(?<![\d.,-])\d{5}(?:-\d{4})?(?![\d.-])",),
    "R": (r"(?<![\w.,])(?=(?:[\w-]*\d){4})[\w-]{8,}(?![\w.,])",),
}
_COMPILED = {clause: [re.compile(each, re.IGNORECASE) for each in each] for clause, each in PATTERNS.items()}
#: a value of at least as many characters is searched inside longer cells, too
_LONG = 6
_YEAR = re.compile(r"(?<!\d)(1[89]\d\d|20\d\d)(?!\d)")
_OR_EARLIER = re.compile(r"<|≤|before|earlier|older", re.IGNORECASE)

Row = dict[str, str]
Cell = tuple[int, str]


def recheck(known: "Known", released: list[Row], year: int) -> dict[str, set[Cell]]:
    """For each clause, the cells (position of the record, column) of the release that still show its identifiers.
    `year` is the year of the release."""
    found: dict[str, set[Cell]] = {clause: set() for clause in CLAUSES}
    seen: dict[str, frozenset[str]] = {}
    for position, row in enumerate(released):
        for column, cell in row.items():
            if cell not in seen:
                seen[cell] = frozenset(_clauses_of(cell, known))
            for clause in seen[cell]:
                found[clause].add((position, column))
        if ZIP in row and not _is_permitted_zip(row[ZIP]):
            found["B"].add((position, ZIP))
        found["C"].update((position, column) for column in _shown_ages(row, year))
    return found


class Known:
    """The values of the original table, to be found in cells: whole, inside a longer text, and numbers however
    their digits are separated."""

    def __init__(self, original: list[Row]) -> None:
        self.counts: dict[str, int] = {}
        self._whole: dict[str, set[str]] = defaultdict(set)
        self._inside: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for clause, (_, columns) in CLAUSES.items():
            values = {(column, row[column]) for row in original for column in columns if row[column]}
            self.counts[clause] = len(values)
            for spelling in {each for column, value in values for each in _spellings(column, value)}:
                self._whole[spelling].add(clause)
                if len(spelling) >= _LONG:
                    self._inside[spelling[:_LONG]].add((spelling, clause))

    def find(self, cell: str) -> tuple[set[str], str]:
        """The clauses of which `cell` has a value, and the cell without these values."""
        text = cell.casefold().strip()
        if text in self._whole:
            return set(self._whole[text]), ""
        clauses, rest = set[str](), cell
        for start in range(len(text) - _LONG + 1):
            for value, clause in self._inside.get(text[start : start + _LONG], ()):
                if text.startswith(value, start) and _is_whole_word(text, start, start + len(value)):
                    clauses.add(clause)
                    rest = re.sub(re.escape(value), " ", rest, flags=re.IGNORECASE)
        for number in re.findall(r"\d[\d(). -]{5,}\d", text):
            of_number = self._whole.get("#" + re.sub(r"\D", "", number), set())
            clauses |= of_number
            rest = rest.replace(number, " ") if of_number else rest
        return clauses, rest


def _is_whole_word(text: str, start: int, end: int) -> bool:
    """Whether no word or number of `text` goes on before `start` or after `end`."""
    pairs = [text[start - 1 : start + 1] if start else "", text[end - 1 : end + 1] if end < len(text) else ""]
    return not any(pair and (pair.isdigit() or pair.isalpha()) for pair in pairs)


def _spellings(column: str, value: str) -> Iterator[str]:
    """A value as it may occur in a cell: itself, the parts of a name, a name in both orders, the digits of a number."""
    text = value.casefold().strip()
    yield text
    if column in ("Patient Name", "Emergency Contact"):
        parts = re.split(r",?\s+", text)
        yield from parts
        yield from (" ".join(parts), " ".join(reversed(parts)), ", ".join(reversed(parts)))
    digits = re.sub(r"\D", "", text)
    if len(digits) >= 7 and column not in DATES and not re.search(r"[a-z]", text):
        yield "#" + digits


def _clauses_of(cell: str, known: Known) -> set[str]:
    clauses, rest = known.find(cell)
    for clause, patterns in _COMPILED.items():
        for pattern in patterns:
            rest, times = pattern.subn(" ", rest)
            if times:
                clauses.add(clause)
    return clauses


def _is_permitted_zip(cell: str) -> bool:
    """Whether a cell has three digits of an area of more than 20,000 people, or 000, or nothing."""
    digits = cell.rstrip("*")
    return digits == "" or (re.fullmatch(r"\d{3}", digits) is not None and digits not in SMALL_AREAS)


def _shown_ages(row: Row, year: int) -> Iterator[str]:
    """The columns that show an age over 89, by themselves or together with the years of the record."""
    ages = [int(each) for each in re.findall(r"\d+", row.get(AGE, ""))]
    if max(ages, default=0) > 90:
        yield AGE
    years = {column: _years(row.get(column, "")) for column in DATES}
    last = max((max(each) for column, each in years.items() if each and column != BIRTH), default=year)
    if years[BIRTH] and _is_over_89(row[BIRTH], min(years[BIRTH]), max(last, year)):
        yield BIRTH
    yield from _later_dates(ages, years)


def _years(cell: str) -> list[int]:
    return [int(each) for each in _YEAR.findall(cell)]


def _is_over_89(cell: str, born: int, year: int) -> bool:
    """Whether a year of birth shows an age over 89 in `year`. A category such as "1936 or earlier" may show 90."""
    return year - born > 90 if _OR_EARLIER.search(cell) else year - born >= 90


def _later_dates(ages: list[int], years: dict[str, list[int]]) -> Iterator[str]:
    """The columns whose year is so much later than the admission that the person was over 89 by then. For a person of
    the category 90 or older, every later year shows more than the category does."""
    others = [min(each) for column, each in years.items() if each and column != BIRTH]
    if not ages or not others:
        return
    reference = min(years[ADMISSION]) if years[ADMISSION] else min(others)
    for column, each in years.items():
        if each and column != BIRTH and max(each) > reference and max(ages) + max(each) - reference >= 90:
            yield column


class Line(NamedTuple):
    clause: str
    what: str
    values: int
    cells: int


def report(known: Known, released: list[Row], year: int) -> list[Line]:
    return [
        Line(clause, CLAUSES[clause][0], known.counts[clause], len(cells))
        for clause, cells in recheck(known, released, year).items()
    ]


def print_report(lines: list[Line], write: Callable[[str], object] = print) -> None:
    write("clause                             values searched   left in the release")
    for line in lines:
        left = f"{line.cells:,} cells" if line.cells else "nothing left"
        write(f"({line.clause}) {line.what:<29}{line.values:>17,}   {left}")


def read_rows(path: str) -> list[Row]:
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    if not rows:
        sys.exit(f"`{path}` has no records")
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("original")
    parser.add_argument("released")
    parser.add_argument("--year", type=int, default=date.today().year, help="year of the release; default: this year")
    arguments = parser.parse_args()
    lines = report(Known(read_rows(arguments.original)), read_rows(arguments.released), arguments.year)
    print_report(lines)
    sys.exit(int(any(line.cells for line in lines)))


if __name__ == "__main__":
    main()
