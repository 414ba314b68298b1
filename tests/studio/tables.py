"""Tables and policies for the studio's tests."""

from pathlib import Path

from tests.repo.sources import ROOT

ELECTRICITY = ROOT / "examples" / "electricity"
ADULT = ROOT / "examples" / "adult"

AGES = "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;\n"
CLASSES = "EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= k : REJECT;\n"

PEOPLE = """\
Name,Age,Zip,Disease
Ann,34,21401,flu
Bob,34,21401,cold
Cid,86,21403,flu
Dee,34,21401,flu
Eve,51,21402,cold
Fay,51,21402,flu
"""


def written(folder: Path, policy: str = AGES, table: str = PEOPLE) -> tuple[Path, Path]:
    """A policy and a table in a folder."""
    paths = folder / "people.acp", folder / "people.csv"
    for path, text in zip(paths, (policy, table), strict=True):
        path.write_bytes(text.encode())
    return paths
