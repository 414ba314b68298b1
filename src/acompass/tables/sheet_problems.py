"""Find the cells of a sheet whose value is an error or is not stored, in the XML of the workbook."""

import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree

from acompass.tables import errors, format_errors

_CHUNK = 1 << 22
_WORKBOOK, _PARTS = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"
#: a tag may have a prefix that stands for a namespace
_TAG = rb"(?:\w+:)?"
_ERROR = re.compile(rb"<%bc\s([^>]*\bt=[\"']e[\"'][^>]*)>" % _TAG)
#: a formula is text between tags; its cell has an empty value or none
_UNCOMPUTED = re.compile(
    rb"<%(t)bc\s([^>]*)>\s*<%(t)bf\b(?:[^>]*/>|[^>]*>[^<]*</%(t)bf>)\s*"
    rb"(?:<%(t)bv\s*/>|<%(t)bv>\s*</%(t)bv>)?\s*</%(t)bc>" % {b"t": _TAG}
)
#: text that is computed may be empty
_TEXT = re.compile(rb"\bt=[\"']str[\"']")
#: how Python fails on a zip file whose parts are cut, absent, encrypted or packed in an unknown way
_DAMAGES = (zipfile.BadZipFile, zlib.error, EOFError, KeyError, RuntimeError, ElementTree.ParseError)
_REFERENCE = re.compile(rb"\br=[\"']([A-Z]+[0-9]+)[\"']")


@dataclass
class _Found:
    count: int = 0
    first: str = ""

    def add(self, attributes: bytes) -> None:
        self.count += 1
        if self.count == 1:
            reference = _REFERENCE.search(attributes)
            self.first = "unnamed" if reference is None else f"`{reference[1].decode()}`"


def require_values(path: str, shown: str, sheet: str) -> None:
    wrong, uncomputed = _Found(), _Found()
    try:
        for rows in _rows(path, sheet):
            for cell in _cells(_ERROR, rows, b'"e"', b"'e'"):
                wrong.add(cell)
            for cell in _cells(_UNCOMPUTED, rows, b"<f", b":f"):
                if not _TEXT.search(cell):
                    uncomputed.add(cell)
    except _DAMAGES:
        raise errors.damaged(shown, "Excel") from None
    if wrong.count:
        raise format_errors.error_cells(shown, sheet, wrong.count, wrong.first)
    if uncomputed.count:
        raise format_errors.uncomputed_cells(shown, sheet, uncomputed.count, uncomputed.first)


def _cells(pattern: re.Pattern[bytes], rows: bytes, *marks: bytes) -> Iterator[bytes]:
    """The attributes of the cells that match. Most sheets have none of the marks, which are found faster."""
    if any(mark in rows for mark in marks):
        for cell in pattern.finditer(rows):
            yield cell[1]


def _rows(path: str, sheet: str) -> Iterator[bytes]:
    """The XML of the sheet, in pieces that do not break a row."""
    with zipfile.ZipFile(path) as file, file.open(_part(file, sheet)) as part:
        rest = b""
        while chunk := part.read(_CHUNK):
            window = rest + chunk
            end = window.rfind(b"row>") + 1
            yield window[:end]
            rest = window[end:]
        yield rest


def _part(file: zipfile.ZipFile, sheet: str) -> str:
    """The name of the file inside the workbook that has the sheet."""
    sheets = {each.get("name"): _identifier(each) for each in _elements(file, _WORKBOOK, "sheet")}
    parts = {each.get("Id"): each.attrib["Target"] for each in _elements(file, _PARTS, "Relationship")}
    target = parts[sheets[sheet]]
    return target.lstrip("/") if target.startswith("/") else f"xl/{target}"


def _identifier(sheet: ElementTree.Element) -> str | None:
    """The attribute `r:id`, in whichever namespace of the two versions of the standard."""
    return next((value for name, value in sheet.items() if name.endswith("}id")), None)


def _elements(file: zipfile.ZipFile, part: str, name: str) -> Iterator[ElementTree.Element]:
    for element in ElementTree.fromstring(file.read(part)).iter():
        if element.tag.rpartition("}")[2] == name:
            yield element
