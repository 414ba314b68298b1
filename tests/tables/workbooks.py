"""Workbooks for tests, with and without the values that only Excel itself would store."""

import re
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import openpyxl


def workbook(path: Path, **sheets: Sequence[Sequence[Any]]) -> Path:
    """Save rows as sheets of these names."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def with_stored_values(path: Path, *values: str) -> Path:
    """Store the values of formulas, in the order of their cells, as Excel does when it saves."""
    with zipfile.ZipFile(path) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    name = "xl/worksheets/sheet1.xml"
    left = iter(values)
    parts[name] = re.sub(rb"<v ?/>|<v></v>", lambda _: f"<v>{next(left)}</v>".encode(), parts[name])
    with zipfile.ZipFile(path, "w") as file:
        for part, content in parts.items():
            file.writestr(part, content)
    return path
