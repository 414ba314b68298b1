"""Small tables to measure."""

import csv
import io
import tempfile
from pathlib import Path
from typing import Any

_folder = tempfile.TemporaryDirectory(prefix="acompass-measure-")


def csv_table(header: str, *records: tuple[Any, ...]) -> str:
    """The path of a CSV file with these records; None is a missing value."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(records)
    with tempfile.NamedTemporaryFile(
        "w", suffix=".csv", dir=_folder.name, delete=False, encoding="utf-8"
    ) as file:
        file.write(f"{header}\n{text.getvalue()}")
    return str(Path(file.name))
