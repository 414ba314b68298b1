"""The tables that `suggest` is measured on, as files in a folder: a table and a hierarchy for each column."""

import csv
import gzip
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.arx_loss import Rows, read_rows

ADULT = Path(__file__).parents[1] / "examples" / "adult"
ADULT_COLUMNS = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "income",
)


@dataclass(frozen=True)
class Table:
    path: Path
    hierarchies: dict[str, Path]  # a file for each quasi-identifier
    given: bool  # whether to pass the hierarchies to `suggest`; otherwise, it derives the same ones
    delimiter: str = ","
    sensitive: str | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.hierarchies)

    @property
    def rows(self) -> dict[str, Rows]:
        return {column: read_rows(path) for column, path in self.hierarchies.items()}


def adult(folder: Path, name: str = "adult", start: int = 0, step: int = 1) -> Table:
    """The 30,162 complete records of Adult, or every `step`-th of them from `start` on."""
    path = folder / f"{name}.csv"
    with gzip.open(ADULT / "adult.csv.gz", "rt", encoding="utf-8", newline="") as file:
        header, *records = csv.reader(file)
    complete = [record for record in records if "?" not in record]
    _write(path, header, complete[start::step])
    hierarchies = {column: ADULT / "hierarchies" / f"{column}.csv" for column in ADULT_COLUMNS}
    return Table(path, hierarchies, given=True, sensitive="occupation")


#: our own bands: those behind ARX's figures are not available, and the optima differ (0.1665, 0.1191)
FARS_BANDS = {
    "iage": "5,10,20,40",
    "irace": "5",
    "ideathmon": "3,6",
    "ideathday": "8,16",
    "isex": None,
    "ihispanic": None,
    "istatenum": "10,20",
}


def fars(folder: Path, path: Path) -> Table:
    """US road fatalities, with other hierarchies than ARX's figures, so the two cannot be compared."""
    hierarchies = {column: folder / f"fars-{column}.csv" for column in FARS_BANDS}
    for column, widths in FARS_BANDS.items():
        levels = ("--from-values",) if widths is None else ("--bands", widths)
        _acompass("hierarchy", str(path), column, *levels, "-o", str(hierarchies[column]))
    return Table(path, hierarchies, given=True, delimiter=";")


def proposed(folder: Path, path: Path, columns: Sequence[str], delimiter: str = ",") -> Table:
    """A table whose hierarchies `acompass hierarchy` proposes, as `suggest` does."""
    hierarchies = {}
    for column in columns:
        hierarchies[column] = folder / f"{path.stem}-{column}.csv"
        _acompass("hierarchy", str(path), column, "-o", str(hierarchies[column]))
    return Table(path, hierarchies, given=False, delimiter=delimiter)


def _write(path: Path, header: Sequence[str], records: Sequence[Sequence[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *records])


def _acompass(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "acompass", *arguments], check=True, capture_output=True)
