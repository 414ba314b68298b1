"""Copies of the examples, which a test may change."""

import shutil
from pathlib import Path

from tests.studio.tables import ADULT, ELECTRICITY

ELECTRICITY_ARGUMENTS = ("policy.acp", "table.csv", "--set", "k=2", "--set", "l=1")
ADULT_ARGUMENTS = ("policy.acp", "adult.csv.gz", "--set", "k=5", "--set", "l=2")


def electricity(folder: Path) -> Path:
    return _copied(ELECTRICITY, folder)


def adult(folder: Path) -> Path:
    return _copied(ADULT, folder)


def _copied(example: Path, folder: Path) -> Path:
    return Path(shutil.copytree(example, folder / example.name))
