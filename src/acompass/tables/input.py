"""Open a table: find its files, and convert those that engines cannot read to temporary copies.

Sheets of Excel workbooks are copied to CSV, with the values that a CSV export would show; files in other encodings are
copied to UTF-8. calamine reads workbooks fast, but returns an empty cell for errors and for formulas without a stored
value. Neither is a missing value, so `_require_values` searches the XML for them. It also allocates every cell between
the first and the last one, and aborts the process if it cannot, so the sizes of a workbook are checked before."""

import datetime
import importlib.util
import os
import re
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from decimal import Decimal
from itertools import product
from typing import TYPE_CHECKING, Any, TextIO, TypeVar

from acompass.arguments import STANDARD_INPUT
from acompass.dataclasses import dataclass, replace
from acompass.errors.diagnostics import AcompassError
from acompass.tables import errors, format_errors, source
from acompass.tables.csv import quote_field
from acompass.tables.formats import UTF_8, FileFormat
from acompass.tables.source import Files, Frame, Source, copy_standard_input, find_files, report_read_errors
from acompass.tables.temporary_files import private_file, temporary_folder

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from python_calamine import CalamineSheet, CalamineWorkbook

T = TypeVar("T")

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
            files = replace(files, delimiter=format_.delimiter, has_comma=format_.has_comma, has_header=format_.header)
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
    return tuple(private_file(folder, f"{number}.csv") for number in range(len(files.paths)))


#: the first bytes of an encrypted workbook, and of an .xls file
_OLE_MAGIC = b"\xd0\xcf\x11\xe0"
#: floats from here on have more digits than `repr` shows
_SHORTENED = 1e16


def _copy_as_csv(path: str, shown: str, format_: FileFormat, copy: str) -> int:
    """Write a sheet to a CSV file; return the row of its header."""
    with _open_workbook(path, shown) as workbook:
        name = _sheet_name(workbook, shown, format_.sheet)
        _require_values(path, shown, name)
        sheet = workbook.get_sheet_by_name(name)
        area = _find_area(sheet)
    if area is None:
        raise format_errors.empty_sheet(shown, name, workbook.sheet_names)
    with open(copy, "w", encoding=UTF_8, newline="") as file:
        _write_sheet(sheet, area, format_, file)
    return area.top + 1


@contextmanager
def _report_damage(shown: str) -> Iterator[None]:
    """Whatever calamine, zipfile or expat raise is damage, except for a file that cannot be read. A panic of calamine
    is not an Exception."""
    try:
        yield
    except (AcompassError, OSError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except MemoryError:
        raise format_errors.large_workbook(shown) from None
    except BaseException:
        raise errors.damaged_file(shown, "Excel") from None


@contextmanager
def _open_workbook(path: str, shown: str) -> Iterator["CalamineWorkbook"]:
    if importlib.util.find_spec("python_calamine") is None:
        raise format_errors.reader_needed(shown)
    from python_calamine import CalamineWorkbook

    with report_read_errors(path, shown), _report_damage(shown):
        with open(path, "rb") as file:
            if file.read(len(_OLE_MAGIC)) == _OLE_MAGIC:
                raise format_errors.locked_workbook(shown)
        _require_parts(path, shown)
        yield CalamineWorkbook.from_path(path)


def sheet_names(path: str, shown: str) -> list[str]:
    """The names of a workbook's visible sheets."""
    with _open_workbook(path, shown) as workbook:
        return _visible_sheets(workbook)


def _visible_sheets(workbook: "CalamineWorkbook") -> list[str]:
    from python_calamine import SheetTypeEnum, SheetVisibleEnum

    sheets = (each for each in workbook.sheets_metadata if each.typ is SheetTypeEnum.WorkSheet)
    return [each.name for each in sheets if each.visible is SheetVisibleEnum.Visible]


def _sheet_name(workbook: "CalamineWorkbook", shown: str, wanted: str | None) -> str:
    """`wanted` if the workbook has it; by default, the first visible sheet."""
    from python_calamine import SheetTypeEnum

    if wanted is None:
        for name in _visible_sheets(workbook):
            return name
        raise format_errors.no_sheet(shown)
    names = [each.name for each in workbook.sheets_metadata if each.typ is SheetTypeEnum.WorkSheet]
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
    wrong, uncomputed, extent = _FoundCells(), _FoundCells(), _Extent()
    for rows in _rows(path, sheet):
        extent.add_rows(rows)
        for cell in _cells(_ERROR, rows, b'"e"', b"'e'"):
            wrong.add(cell)
        for cell in _cells(_UNCOMPUTED, rows, b"<f", b":f"):
            if not _TEXT.search(cell):
                uncomputed.add(cell)
    if not extent.is_certain or extent.is_too_large:
        extent = _measure_extent(path, sheet)
    if extent.is_impossible:
        raise format_errors.impossible_cell(shown, sheet)
    if extent.is_too_large:
        raise format_errors.sparse_sheet(shown, sheet, extent.rows, extent.columns, extent.cells)
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


#: Excel's own limits
_MOST_ROWS, _MOST_COLUMNS = 1 << 20, 1 << 14
#: calamine needs 32 bytes for each cell of the area: up to this many are allowed in any sheet, and in larger ones four
#: for each cell with a value
_MOST_CELLS = 1 << 24
_MOST_EMPTY = 4
#: how the tag of a cell may begin, with or without a namespace prefix
_CELL_TAGS = tuple(b"%cc%c" % pair for pair in product(b"<:", b" \t\r\n/>"))
_USUAL_LETTERS = re.compile(rb'c r="([A-Z]{1,3})[1-9][0-9]{0,6}"')
_USUAL_DIGITS = re.compile(rb'c r="[A-Z]{1,3}([1-9][0-9]{0,6})"')
_ANY_REFERENCE = re.compile(r"([A-Za-z]{1,3})([1-9][0-9]{0,6})")


class _Extent:
    """The area from the first cell of a sheet to the last one in use."""

    def __init__(self) -> None:
        self.rows = self.columns = self.cells = 0
        self.is_impossible = False
        self._has_others = False  # cells in an unusual form

    @property
    def is_certain(self) -> bool:
        return self.cells > 0 and not self._has_others

    @property
    def is_too_large(self) -> bool:
        return self.rows * self.columns > max(_MOST_CELLS, _MOST_EMPTY * self.cells)

    def add(self, row: int, column: int) -> None:
        self.rows, self.columns = max(self.rows, row), max(self.columns, column)
        self.is_impossible |= not (0 < self.rows <= _MOST_ROWS and 0 < self.columns <= _MOST_COLUMNS)

    def add_rows(self, rows: bytes) -> None:
        """Add the cells in the form that almost all programs write, including those without a value."""
        letters = _USUAL_LETTERS.findall(rows)
        digits = set(_USUAL_DIGITS.findall(rows))
        is_usual = rows.count(b"<c") == len(letters) and b":c" not in rows  # faster, and true of most pieces
        self._has_others |= not is_usual and len(letters) != sum(map(rows.count, _CELL_TAGS))
        self.cells += len(letters)
        for column in set(letters):
            self.add(1, _column_number(column.decode()))
        if digits:
            self.add(max(map(int, digits)), 1)


def _column_number(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def _measure_extent(path: str, sheet: str) -> _Extent:
    """Read the XML with a parser, which takes longer, and ignore cells without a value, as calamine does."""
    from xml.parsers import expat

    extent, place = _Extent(), (0, 0)

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal place
        name, reference = tag.rpartition(":")[2], attributes.get("r")
        if name == "row":
            place = (place[0] + 1 if reference is None else int(reference), 0)
        elif name == "c" and reference is None:
            place = (place[0], place[1] + 1)
        elif name == "c":
            found = _ANY_REFERENCE.fullmatch(str(reference).strip())
            extent.is_impossible |= found is None
            place = place if found is None else (int(found[2]), _column_number(found[1]))
        elif name in ("v", "is", "f"):
            extent.cells += 1
            extent.add(*place)

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    for rows in _rows(path, sheet):
        parser.Parse(rows)
    parser.Parse(b"", True)
    return extent


#: no part of a workbook is larger; small files that become large are attacks
_LARGEST_PART = 1 << 32
_LARGE_PART = 1 << 28
_MOST_EXPANSION = 200


def _require_parts(path: str, shown: str) -> None:
    """Raise if a part of the workbook is too large to be read, or not as large as it says, or has another's name."""
    with zipfile.ZipFile(path) as file:
        parts = file.infolist()
        for part in parts:
            is_bomb = part.file_size > max(_LARGE_PART, _MOST_EXPANSION * part.compress_size)
            if is_bomb or part.file_size > _LARGEST_PART:
                raise format_errors.large_workbook(shown)
        if len({part.filename.lower() for part in parts}) < len(parts):
            raise errors.damaged_file(shown, "Excel")
        for part in parts:
            name = part.filename.lower()
            if name.startswith("xl/") and name.endswith(".xml") and "worksheets/" not in name:
                with file.open(part) as content:  # reading to the end compares the size and the checksum
                    while content.read(_CHUNK):
                        pass


def _part(file: zipfile.ZipFile, sheet: str) -> str:
    """The name of the sheet's file inside the workbook."""
    sheets = _unique((each.get("name"), _relationship_id(each)) for each in _elements(file, _WORKBOOK, "sheet"))
    relations = _elements(file, _PARTS, "Relationship")
    parts = _unique((each.get("Id"), each.attrib["Target"]) for each in relations)
    target = parts[sheets[sheet]]
    return target.lstrip("/") if target.startswith("/") else f"xl/{target}"


def _unique(pairs: Iterable[tuple[str | None, T]]) -> dict[str | None, T]:
    """A dict of the pairs; with duplicate names, calamine might read another part than the one that was checked."""
    found: dict[str | None, T] = {}
    for name, value in pairs:
        if name in found:
            raise KeyError(name)
        found[name] = value
    return found


def _relationship_id(sheet: "Element") -> str | None:
    """The attribute `r:id`, whose namespace differs between the two versions of the standard."""
    return next((value for name, value in sheet.items() if name.endswith("}id")), None)


def _elements(file: zipfile.ZipFile, part: str, name: str) -> Iterator["Element"]:
    from xml.etree import ElementTree  # only workbooks are XML

    for element in ElementTree.fromstring(file.read(part)).iter():
        if element.tag.rpartition("}")[2] == name:
            yield element
