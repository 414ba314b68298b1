"""Open a table: find its files, and convert those that engines cannot read to temporary copies.

Sheets of Excel workbooks are copied to CSV, with the values that a CSV export would show; files in other encodings are
copied to UTF-8. calamine reads workbooks fast, but returns an empty cell for errors and for formulas without a stored
value. Neither is a missing value, so `_require_values` searches the XML for them."""

import datetime
import importlib.util
import os
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from acompass.dataclasses import dataclass, replace
from acompass.options import STANDARD_INPUT
from acompass.tables import errors, format_errors, source
from acompass.tables.csv import quote_field
from acompass.tables.formats import UTF_8, FileFormat
from acompass.tables.source import Files, Frame, Source, copy_standard_input, find_files, report_read_errors
from acompass.tables.temporary_files import temporary_folder

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from python_calamine import CalamineSheet, CalamineWorkbook

_DEFAULT = FileFormat()


@contextmanager
def open_source(table: Any, format_: FileFormat = _DEFAULT) -> Iterator[Source]:
    """The source behind a path, a glob, `-` or a data frame. Copies are removed when the context ends."""
    format_.require_known()
    if not isinstance(table, str | os.PathLike):
        yield Frame(table)
        return
    with ExitStack() as stack:
        if os.fspath(table) == STANDARD_INPUT:
            files = copy_standard_input(stack.enter_context(temporary_folder()))
        else:
            files = find_files(os.fspath(table))
        yield _convert_files(files, format_, stack)


def _convert_files(files: Files, format_: FileFormat, stack: ExitStack) -> Files:
    """The files as the engines read them: Parquet, or CSV in UTF-8."""
    match files.format:
        case "parquet":
            return files
        case "workbook":
            files = replace(files, has_header=format_.header)
            return _copy_sheets(files, format_, stack.enter_context(temporary_folder()))
        case "csv":
            files = replace(
                files, delimiter=format_.delimiter, has_comma=format_.has_comma, has_header=format_.header
            )
            return _decode_files(files, format_.codec, stack)


def _copy_sheets(files: Files, format_: FileFormat, folder: str) -> Files:
    """Each sheet as a CSV file, as Excel exports it in a locale with this decimal mark."""
    delimiter = format_.delimiter or (";" if format_.has_comma else ",")
    copies = _copy_paths(files, folder)
    rows = tuple(
        _copy_as_csv(path, shown, replace(format_, delimiter=delimiter), copy)
        for path, shown, copy in zip(files.paths, files.shown, copies, strict=True)
    )
    return replace(
        files,
        paths=copies,
        format="csv",
        delimiter=delimiter,
        encoding=format_.codec or UTF_8,
        has_comma=format_.has_comma,
        header_rows=rows,
    )


def _decode_files(files: Files, codec: str | None, stack: ExitStack) -> Files:
    """UTF-8 copies, or the files themselves if all are UTF-8. `encoding` becomes that of the first file."""
    pairs = tuple(zip(files.paths, files.shown, strict=True))
    found = [source.find_encoding(path, shown, codec) for path, shown in pairs]
    encoding, has_mark = found[0]
    files = replace(files, encoding=encoding, has_mark=has_mark)
    if all(each == UTF_8 for each, _ in found):
        return files
    copies = _copy_paths(files, stack.enter_context(temporary_folder()))
    for (path, shown), (each, _), copy in zip(pairs, found, copies, strict=True):
        source.copy_as_utf8(path, shown, each, copy)
    return replace(files, paths=copies)


def _copy_paths(files: Files, folder: str) -> tuple[str, ...]:
    return tuple(str(Path(folder, f"{number}.csv")) for number in range(len(files.paths)))


#: the first bytes of an encrypted workbook, and of an .xls file
_OLE_MAGIC = b"\xd0\xcf\x11\xe0"
#: floats from here on have more digits than `repr` shows
_SHORTENED = 1e16


def _copy_as_csv(path: str, shown: str, format_: FileFormat, copy: str) -> int:
    """Write a sheet to a CSV file; return the row of its header."""
    if importlib.util.find_spec("python_calamine") is None:
        raise format_errors.reader_needed(shown)
    from python_calamine import CalamineError

    with report_read_errors(path, shown):
        try:
            workbook = _open_workbook(path, shown)
            name = _sheet_name(workbook, shown, format_.sheet)
            _require_values(path, shown, name)
            sheet = workbook.get_sheet_by_name(name)
            area = _find_area(sheet)
        except CalamineError:
            raise errors.damaged_file(shown, "Excel") from None
    if area is None:
        raise format_errors.empty_sheet(shown, name, workbook.sheet_names)
    with open(copy, "w", encoding=UTF_8, newline="") as file:
        _write_sheet(sheet, area, format_, file)
    return area.top + 1


def _open_workbook(path: str, shown: str) -> "CalamineWorkbook":
    from python_calamine import CalamineWorkbook

    with open(path, "rb") as file:
        if file.read(len(_OLE_MAGIC)) == _OLE_MAGIC:
            raise format_errors.locked_workbook(shown)
    return CalamineWorkbook.from_path(path)


def _sheet_name(workbook: "CalamineWorkbook", shown: str, wanted: str | None) -> str:
    """`wanted` if the workbook has it; by default, the first visible sheet."""
    from python_calamine import SheetTypeEnum, SheetVisibleEnum

    sheets = [each for each in workbook.sheets_metadata if each.typ is SheetTypeEnum.WorkSheet]
    if wanted is None:
        for each in sheets:
            if each.visible is SheetVisibleEnum.Visible:
                return each.name
        raise format_errors.no_sheet(shown)
    names = [each.name for each in sheets]
    if wanted not in names:
        raise format_errors.unknown_sheet(shown, wanted, names)
    return wanted


@dataclass(frozen=True)
class _Area:
    """The rows and columns of a sheet that have values, counted from 0."""

    top: int
    bottom: int
    columns: range
    timed: frozenset[int]  # columns in which some dates have a time of day


def _find_area(sheet: "CalamineSheet") -> _Area | None:
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


def _write_sheet(sheet: "CalamineSheet", area: _Area, format_: FileFormat, file: TextIO) -> None:
    assert format_.delimiter is not None, "a sheet is copied with a delimiter"
    for row, cells in enumerate(sheet.iter_rows()):
        if area.top <= row <= area.bottom:
            texts = (_text(cells[column], column in area.timed, format_) for column in area.columns)
            file.write(format_.delimiter.join(quote_field(text) if text else "" for text in texts) + "\n")


def _text(value: Any, is_timed: bool, format_: FileFormat) -> str:
    match value:
        case bool():
            return str(value).upper()
        case float():
            number = _number_text(value)
            return number.replace(".", ",") if format_.has_comma else number
        case datetime.datetime() | datetime.time():
            return value.isoformat()
        case datetime.date():
            return f"{value.isoformat()}T00:00:00" if is_timed else value.isoformat()
        case datetime.timedelta():
            return _duration_text(value)
        case _:
            return str(value)


def _number_text(value: float) -> str:
    """The shortest digits that round-trip, without an exponent: `54`, `0.1`, `0.0000001`."""
    if value.is_integer() and abs(value) < _SHORTENED:
        return str(int(value))
    return f"{Decimal(repr(value)):f}"


def _duration_text(value: datetime.timedelta) -> str:
    """Hours, minutes and seconds, as Excel shows them: `26:30:00`."""
    sign = "-" if value < datetime.timedelta() else ""
    minutes, seconds = divmod(abs(value), datetime.timedelta(minutes=1))
    fraction = f".{seconds.microseconds:06}" if seconds.microseconds else ""
    return f"{sign}{minutes // 60}:{minutes % 60:02}:{seconds.seconds:02}{fraction}"


_CHUNK = 1 << 22
_WORKBOOK, _PARTS = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"
#: a tag may have a namespace prefix
_TAG = rb"(?:\w+:)?"
_ERROR = re.compile(rb"<%bc\s([^>]*\bt=[\"']e[\"'][^>]*)>" % _TAG)
#: a cell with a formula and an empty value or none
_UNCOMPUTED = re.compile(
    rb"<%(t)bc\s([^>]*)>\s*<%(t)bf\b(?:[^>]*/>|[^>]*>[^<]*</%(t)bf>)\s*"
    rb"(?:<%(t)bv\s*/>|<%(t)bv>\s*</%(t)bv>)?\s*</%(t)bc>" % {b"t": _TAG}
)
#: a formula may compute an empty text
_TEXT = re.compile(rb"\bt=[\"']str[\"']")
#: what Python raises for a zip file whose parts are truncated, missing, encrypted, compressed in an unknown way, or not
#: XML (SyntaxError)
_DAMAGES = (zipfile.BadZipFile, zlib.error, EOFError, KeyError, RuntimeError, SyntaxError)
_REFERENCE = re.compile(rb"\br=[\"']([A-Z]+[0-9]+)[\"']")


@dataclass
class _FoundCells:
    count: int = 0
    first: str = ""

    def add(self, attributes: bytes) -> None:
        self.count += 1
        if self.count == 1:
            reference = _REFERENCE.search(attributes)
            self.first = "unnamed" if reference is None else f"`{reference[1].decode()}`"


def _require_values(path: str, shown: str, sheet: str) -> None:
    """Raise if a cell of the sheet has an error, or a formula without a stored value."""
    wrong, uncomputed = _FoundCells(), _FoundCells()
    try:
        for rows in _rows(path, sheet):
            for cell in _cells(_ERROR, rows, b'"e"', b"'e'"):
                wrong.add(cell)
            for cell in _cells(_UNCOMPUTED, rows, b"<f", b":f"):
                if not _TEXT.search(cell):
                    uncomputed.add(cell)
    except _DAMAGES:
        raise errors.damaged_file(shown, "Excel") from None
    if wrong.count:
        raise format_errors.error_cells(shown, sheet, wrong.count, wrong.first)
    if uncomputed.count:
        raise format_errors.uncomputed_cells(shown, sheet, uncomputed.count, uncomputed.first)


def _cells(pattern: re.Pattern[bytes], rows: bytes, *marks: bytes) -> Iterator[bytes]:
    """The attributes of the cells that match. Searching for `marks` first is faster: most sheets have none."""
    if any(mark in rows for mark in marks):
        for cell in pattern.finditer(rows):
            yield cell[1]


def _rows(path: str, sheet: str) -> Iterator[bytes]:
    """The XML of the sheet, in pieces that end between rows."""
    with zipfile.ZipFile(path) as file, file.open(_part(file, sheet)) as part:
        rest = b""
        while chunk := part.read(_CHUNK):
            window = rest + chunk
            end = window.rfind(b"row>") + 1
            yield window[:end]
            rest = window[end:]
        yield rest


def _part(file: zipfile.ZipFile, sheet: str) -> str:
    """The name of the sheet's file inside the workbook."""
    sheets = {each.get("name"): _relationship_id(each) for each in _elements(file, _WORKBOOK, "sheet")}
    parts = {each.get("Id"): each.attrib["Target"] for each in _elements(file, _PARTS, "Relationship")}
    target = parts[sheets[sheet]]
    return target.lstrip("/") if target.startswith("/") else f"xl/{target}"


def _relationship_id(sheet: "Element") -> str | None:
    """The attribute `r:id`, whose namespace differs between the two versions of the standard."""
    return next((value for name, value in sheet.items() if name.endswith("}id")), None)


def _elements(file: zipfile.ZipFile, part: str, name: str) -> Iterator["Element"]:
    from xml.etree import ElementTree  # only workbooks are XML

    for element in ElementTree.fromstring(file.read(part)).iter():
        if element.tag.rpartition("}")[2] == name:
            yield element
