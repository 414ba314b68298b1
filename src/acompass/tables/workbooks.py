"""Sheets of Excel workbooks as CSV files: the stored values, as a CSV export would show them.

calamine reads workbooks fast, but gives nothing for a cell with an error, and for a formula whose value is
not stored. Neither is a missing value, so `sheet_problems` looks for them.
"""

import datetime
import importlib.util
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TextIO

from acompass.tables import errors, format_errors
from acompass.tables.csv import quoted
from acompass.tables.file_format import UTF_8, FileFormat
from acompass.tables.sheet_problems import require_values
from acompass.tables.source import readable

if TYPE_CHECKING:
    from python_calamine import CalamineSheet, CalamineWorkbook

#: the first bytes of a workbook that is encrypted, and of an .xls file
_OLE_MAGIC = b"\xd0\xcf\x11\xe0"
#: from here on, the shortest digits of an integer are fewer than all its digits
_SHORTENED = 1e16


def copy_as_csv(path: str, shown: str, format_: FileFormat, copy: str) -> int:
    """Write a sheet to a CSV file; return the row of its header."""
    if importlib.util.find_spec("python_calamine") is None:
        raise format_errors.reader_needed(shown)
    from python_calamine import CalamineError

    with readable(path, shown):
        try:
            workbook = _open(path, shown)
            name = _sheet_name(workbook, shown, format_.sheet)
            require_values(path, shown, name)
            sheet = workbook.get_sheet_by_name(name)
            area = _area(sheet)
        except CalamineError:
            raise errors.damaged(shown, "Excel") from None
    if area is None:
        raise format_errors.empty_sheet(shown, name, workbook.sheet_names)
    with open(copy, "w", encoding=UTF_8, newline="") as file:
        _write(sheet, area, format_, file)
    return area.top + 1


def _open(path: str, shown: str) -> "CalamineWorkbook":
    from python_calamine import CalamineWorkbook

    with open(path, "rb") as file:
        if file.read(len(_OLE_MAGIC)) == _OLE_MAGIC:
            raise format_errors.locked_workbook(shown)
    return CalamineWorkbook.from_path(path)


def _sheet_name(workbook: "CalamineWorkbook", shown: str, wanted: str | None) -> str:
    """The sheet of that name, or the first one that is not hidden."""
    from python_calamine import SheetTypeEnum, SheetVisibleEnum

    sheets = [each for each in workbook.sheets_metadata if each.typ is SheetTypeEnum.WorkSheet]
    if wanted is None:
        visible = (each.name for each in sheets if each.visible is SheetVisibleEnum.Visible)
        name = next(visible, None)
        if name is None:
            raise format_errors.no_sheet(shown)
        return name
    names = [each.name for each in sheets]
    if wanted not in names:
        raise format_errors.unknown_sheet(shown, wanted, names)
    return wanted


@dataclass(frozen=True)
class _Area:
    """The rows and columns with values, from 0. In the columns `timed`, a date has a time of day."""

    top: int
    bottom: int
    columns: range
    timed: frozenset[int]


def _area(sheet: "CalamineSheet") -> _Area | None:
    """None if no cell has a value."""
    rows: list[int] = []
    filled: set[int] = set()
    timed: set[int] = set()
    for row, cells in enumerate(sheet.iter_rows()):
        columns = {column for column, cell in enumerate(cells) if cell != ""}
        if columns:
            rows = [rows[0] if rows else row, row]
            filled |= columns
            timed.update(c for c in columns if isinstance(cells[c], datetime.datetime))
    if not rows:
        return None
    return _Area(rows[0], rows[1], range(min(filled), max(filled) + 1), frozenset(timed))


def _write(sheet: "CalamineSheet", area: _Area, format_: FileFormat, file: TextIO) -> None:
    assert format_.delimiter is not None, "a sheet is copied with a delimiter"
    for row, cells in enumerate(sheet.iter_rows()):
        if area.top <= row <= area.bottom:
            texts = (_text(cells[column], column in area.timed, format_) for column in area.columns)
            file.write(_line(texts, format_.delimiter))


def _line(texts: Iterable[str], delimiter: str) -> str:
    return delimiter.join(quoted(text) if text else "" for text in texts) + "\n"


def _text(value: Any, is_timed: bool, format_: FileFormat) -> str:
    match value:
        case bool():
            return str(value).upper()
        case float():
            number = _plain_number(value)
            return number.replace(".", ",") if format_.has_comma else number
        case datetime.datetime() | datetime.time():
            return value.isoformat()
        case datetime.date():
            return f"{value.isoformat()}T00:00:00" if is_timed else value.isoformat()
        case datetime.timedelta():
            return _duration(value)
        case _:
            return str(value)


def _plain_number(value: float) -> str:
    """The shortest digits that are this number, without an exponent: `54`, `0.1`, `0.0000001`."""
    if value.is_integer() and abs(value) < _SHORTENED:
        return str(int(value))
    return f"{Decimal(repr(value)):f}"


def _duration(value: datetime.timedelta) -> str:
    """Hours, minutes and seconds, as Excel shows them: `26:30:00`."""
    sign = "-" if value < datetime.timedelta() else ""
    minutes, seconds = divmod(abs(value), datetime.timedelta(minutes=1))
    fraction = f".{seconds.microseconds:06}" if seconds.microseconds else ""
    return f"{sign}{minutes // 60}:{minutes % 60:02}:{seconds.seconds:02}{fraction}"
