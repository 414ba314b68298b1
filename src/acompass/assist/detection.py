"""Find out how a file must be read: encoding, delimiter, decimal mark, header, sheet, words for missing values, dates.

`detect` looks at a bounded sample of a file, gives a reason in words for each finding, and raises no error for a file:
what cannot be found is None. Values of records are only in `rows`.
"""

import codecs
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, Self, TypeAlias

from acompass.assist.detected_columns import (
    ColumnValues,
    Described,
    DetectedColumn,
    Finding,
    NaWord,
    chosen_formats,
    describe_column,
    detect_decimal,
    detect_words,
    value_reader,
)
from acompass.dataclasses import dataclass, field, replace
from acompass.errors.diagnostics import AcompassError, Diagnostic
from acompass.errors.display import count_text
from acompass.language.program.types import Column, Kind
from acompass.measure.answer import Form
from acompass.session import open as open_session
from acompass.tables import csv, errors, format_errors
from acompass.tables.formats import (
    COMMA,
    DELIMITERS,
    MISSING_WORDS,
    POINT,
    UTF_8,
    FileFormat,
    TextShape,
    codec_name,
    looks_like_value,
)
from acompass.tables.input import open_source, sheet_names
from acompass.tables.source import Files, find_encoding, find_files, plain_bytes

#: the size of the sample: records, and bytes of the first file
SAMPLED = 20_000
_SAMPLED_BYTES = 8 << 20
#: the bytes that are checked to be UTF-8, and to be in another encoding, which takes longer
_SCANNED_BYTES = 1 << 28
_DECODED_BYTES = 1 << 26
_CHUNK = 1 << 20
#: the records that are shown
_SHOWN = 50

Row: TypeAlias = tuple[str | None, ...]


_NONE = Finding(None, "determined by the format of the file")


@dataclass(frozen=True)
class Detected(Described):
    """How a file can be read. `options` are those of `acompass.open`."""

    file: str
    format: str | None = None
    size: int | None = None
    error: Diagnostic | None = None  # why it cannot be opened with these options
    encoding: Finding = _NONE
    delimiter: Finding = _NONE
    decimal: Finding = _NONE
    header: Finding = _NONE
    sheet: Finding = _NONE
    na: tuple[NaWord, ...] = ()
    columns: tuple[DetectedColumn, ...] = ()
    rows: tuple[Row, ...] = ()
    records: int = 0  # in the sample
    is_whole: bool = True  # whether the sample is the whole table
    records_in_file: int | None = None
    is_estimate: bool = False
    sample: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)

    def with_option(self, name: str, value: Any) -> Self:
        return replace(self, options={**self.options, name: value})

    def to_json(self) -> dict[str, Any]:
        found = super().to_json()
        if self.error is not None:
            found["error"] = {name: getattr(self.error, name) for name in ("code", "message", "help")}
        return found


def detect(path: str | os.PathLike[str], reading: Mapping[str, Any] | None = None) -> Detected:
    """Find out how to read a file, a glob of them, or a workbook. `reading` are options that are already chosen."""
    shown, given = os.fspath(path), {name: value for name, value in (reading or {}).items() if value is not None}
    found = Detected(shown, options=given)
    try:
        FileFormat(given.get("delimiter"), given.get("encoding"), given.get("decimal")).require_known()
        files = find_files(shown)
        found = replace(found, format=files.format, size=sum(os.path.getsize(each) for each in files.paths))
        match files.format:
            case "parquet":
                found = _detect_typed(found)
            case "workbook":
                found = _detect_workbook(found, files)
            case "csv":
                found = _detect_csv(found, files)
        return _with_rows_as_read(found, given)
    except AcompassError as error:
        return replace(found, error=error.diagnostics[0])
    except UnicodeError:  # a codec that cannot replace what it cannot decode
        undecodable = format_errors.not_in_encoding(shown, given.get("encoding", UTF_8), None)
        return replace(found, error=undecodable.diagnostics[0])
    except OSError as error:
        unreadable = errors.unreadable(shown, (error.strerror or "it is damaged").lower())
        return replace(found, error=unreadable.diagnostics[0])


def _with_rows_as_read(found: Detected, given: Mapping[str, Any]) -> Detected:
    """The first records as these options read them, whatever else was found."""
    words, formats = given.get("na") or (), chosen_formats(given.get("dates"))
    readers = [
        value_reader(words, formats.get(column.name or ""), column.kind == "number" and given.get("decimal") == COMMA)
        for column in found.columns
    ]
    rows = (tuple(read(cell) for read, cell in zip(readers, row, strict=True)) for row in found.rows)
    return replace(found, rows=tuple(rows))


# Files with types


def _detect_typed(found: Detected) -> Detected:
    with open_session(found.file) as session:
        schema, rows = session.first_records(SAMPLED)
        records = session.records()
    values = [Counter(column) for column in zip(*rows, strict=True)] if rows else [Counter() for _ in schema]
    texts = [
        ColumnValues(column.name, counts) if column.type.kind is Kind.TEXT else ColumnValues(column.name, Counter())
        for column, counts in zip(schema, values, strict=True)
    ]
    found = replace(_with_words_and_dates(found, texts, POINT), rows=tuple(rows[:_SHOWN]))
    columns = tuple(
        replace(described, type=str(column.type)) if column.type.kind is Kind.TEXT else _typed_column(column, counts)
        for column, described, counts in zip(schema, found.columns, values, strict=True)
    )
    return _with_size(replace(found, columns=columns), len(rows), len(rows) == records, records, is_estimate=False)


def _typed_column(column: Column, counts: Counter[str | None]) -> DetectedColumn:
    if column.type.kind is Kind.OPAQUE:
        reason = "its values are nested, so a policy cannot use the column"
        return DetectedColumn(column.name, None, reason, str(column.type))
    missing = counts[None] + (counts["nan"] if column.type.kind is Kind.FLOAT else 0)
    present = [value for value in counts if value is not None]
    kind: Form = "text"
    if column.type.kind in (Kind.DATE, Kind.TIMESTAMP):
        kind = "date"
    elif column.type.is_number:
        kind = "code" if TextShape.of(present).is_code(column.name) else "number"
    reason = f"the file has the type {column.type}"
    if kind == "code":
        reason += ", but the values look like codes of one length"
    return DetectedColumn(column.name, kind, reason, str(column.type), missing, len(present))


# Workbooks


def _detect_workbook(found: Detected, files: Files) -> Detected:
    names = sheet_names(files.paths[0], files.shown[0])
    given, without_records = found.options.get("sheet"), None
    for name in names if given is None else [given]:
        sheet = Finding(name, _sheet_reason(name, names, given), tuple(names), is_default=name == names[0])
        wanted = replace(found if sheet.is_default else found.with_option("sheet", name), sheet=sheet)
        try:
            with open_source(found.file, FileFormat(decimal=found.options.get("decimal"), sheet=name)) as copy:
                assert isinstance(copy, Files), "a path is a file"
                assert copy.delimiter is not None, "a copy of a sheet has one"
                sample = _sample(copy.paths[0], files.shown[0], UTF_8)
                wanted = _detect_records(wanted, sample, copy.delimiter, copy.header_rows[0])
        except AcompassError as error:
            if given is not None and given in names:  # another sheet can still be chosen
                return replace(wanted, error=error.diagnostics[0], sample="no records")
            is_last = name == names[-1] and without_records is None
            if given is not None or error.diagnostics[0].code != "AC204" or is_last:
                raise
        else:
            if wanted.records or given is not None:
                return wanted
            without_records = without_records or wanted
    if without_records is None:
        raise format_errors.no_sheet(files.shown[0])
    return without_records


def _sheet_reason(name: str, names: Sequence[str], given: str | None) -> str:
    if len(names) == 1:
        return "the workbook has one sheet"
    if name == names[0]:
        return f"the first of {len(names)} sheets"
    return f"one of {len(names)} sheets" if given is not None else "the sheets before it have no records"


# CSV files


def _detect_csv(found: Detected, files: Files) -> Detected:
    path, shown = files.paths[0], files.shown[0]
    with csv.open_bytes(path, shown):  # raises for workbooks and JSON
        pass
    encoding, problem = _detect_encoding(path, shown, found.options.get("encoding"))
    found = replace(found, encoding=encoding, error=problem)
    if not encoding.is_default:
        found = found.with_option("encoding", encoding.value)
    codec, _ = find_encoding(path, shown, codec_name(str(encoding.value or UTF_8)))
    sample = _sample(path, shown, codec)
    given = found.options.get("delimiter")
    delimiter = given or csv.likely_delimiter(lambda each: csv.first_widths(sample.lines, each))
    reason = _delimiter_reason(sample, delimiter)
    others = tuple(each for each in DELIMITERS if each != delimiter)
    found = replace(found, delimiter=Finding(delimiter, reason, others, is_default=given is None))
    return _detect_records(found, sample, delimiter, None)


def _delimiter_reason(sample: "_Sample", delimiter: str) -> str:
    widths = csv.first_widths(sample.lines, delimiter)
    name = {"\t": "tabs", ",": "commas", ";": "semicolons", "|": "vertical bars"}[delimiter]
    if not widths or widths[0] < 2:
        below = [csv.first_widths(sample.lines[1:], each) for each in DELIMITERS]
        if any(len(found) > 1 and found[0] > 1 and len(set(found)) == 1 for found in below):
            return "the first line has no delimiter, and the others do: if it is a title, remove it from the file"
        return "the first line has no delimiter, so there is one column"
    even = "" if len(set(widths)) > 1 else ", as in the records after it"
    return f"{name} split the first line into {count_text(widths[0], 'column')}{even}"


@dataclass(frozen=True)
class _Sample:
    lines: list[bytes]  # in UTF-8
    is_whole: bool
    size: int  # in bytes of the file
    of: int | None  # the size of the text in the file; None if it is compressed
    shown: str


def _sample(path: str, shown: str, encoding: str) -> _Sample:
    with plain_bytes(path, shown) as file:
        content = file.read(_SAMPLED_BYTES + 1)
    is_whole = len(content) <= _SAMPLED_BYTES
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    text = decoder.decode(content, final=is_whole).removeprefix("\ufeff")
    lines = text.encode(UTF_8, "replace").splitlines(keepends=True)
    if not is_whole and len(lines) > 1:
        del lines[-1]
    whole = None if path.lower().endswith(".gz") else os.path.getsize(path)
    return _Sample(lines, is_whole, len(content), len(content) if is_whole else whole, shown)


def _detect_encoding(path: str, shown: str, given: str | None) -> tuple[Finding, Diagnostic | None]:
    if given is not None:
        codec, _ = find_encoding(path, shown, codec_name(given))
        usual, problem = _detect_encoding(path, shown, None)
        if usual.value == codec:
            return replace(usual, value=given, is_default=False), problem
        return Finding(given, "chosen", is_default=False), _undecodable(path, shown, codec)
    found, has_mark = find_encoding(path, shown, None)
    if has_mark:
        reason = f"the file begins with the byte order mark of {found.upper()}"
        return Finding(found, reason), _undecodable(path, shown, found)
    with plain_bytes(path, shown) as file:
        start = file.read(_CHUNK)
    wide = _utf_16(start)
    if wide and _undecodable(path, shown, wide) is None:
        return Finding(wide, "every other byte is zero, as in UTF-16 without a byte order mark", is_default=False), None
    place, is_ascii = _first_not_utf8(path, shown)
    if place is None:
        return Finding(UTF_8, "all characters are ASCII" if is_ascii else "all bytes are valid UTF-8"), None
    line, byte, content = place
    text = content.decode(UTF_8, "replace")
    bad = text.count("\ufffd")
    if sum(not character.isascii() for character in text) > 10 * bad:
        problem = format_errors.not_utf8(shown, line, byte, "cp1252").diagnostics[0]
        return Finding(None, f"most of the file is UTF-8, but line {line:,} is not", ("cp1252", "latin-1")), problem
    likely = "cp1252" if _undecodable(path, shown, "cp1252") is None else "latin-1"
    reason = (
        f"line {line:,} is not UTF-8; {likely} is the most common encoding of such files: check letters with accents"
    )
    others = tuple(each for each in ("cp1252", "latin-1", "cp1250", "cp1251", "cp850") if each != likely)
    return Finding(likely, reason, others, is_default=False), None


def _undecodable(path: str, shown: str, encoding: str) -> Diagnostic | None:
    decoder, done = codecs.getincrementaldecoder(encoding)(), 0
    with plain_bytes(path, shown) as file:
        while done < _DECODED_BYTES:
            chunk = file.read(_CHUNK)
            try:
                decoder.decode(chunk, final=not chunk)
            except UnicodeError:
                return format_errors.not_in_encoding(shown, encoding, None).diagnostics[0]
            if not chunk:
                break
            done += len(chunk)
    return None


def _utf_16(start: bytes) -> str | None:
    """The encoding of a text in which most characters are ASCII and take two bytes."""
    even, odd = start[::2].count(0), start[1::2].count(0)
    if odd > len(start) // 5 and even == 0:
        return "utf-16-le"
    return "utf-16-be" if even > len(start) // 5 and odd == 0 else None


def _first_not_utf8(path: str, shown: str) -> tuple[tuple[int, int, bytes] | None, bool]:
    """The line, the byte and the surrounding bytes of the first text that is not UTF-8; and whether all bytes are
    ASCII. Looks at the first _SCANNED_BYTES."""
    decoder, done, lines, is_ascii = codecs.getincrementaldecoder(UTF_8)(), 0, 1, True
    with plain_bytes(path, shown) as file:
        while done < _SCANNED_BYTES:
            chunk = file.read(_CHUNK)
            is_plain = chunk.isascii()
            is_ascii = is_ascii and is_plain
            try:
                if not is_plain or not chunk or decoder.getstate()[0]:
                    decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                start = len(chunk) - len(error.object) + error.start
                return (lines + chunk[: max(start, 0)].count(b"\n"), done + start + 1, chunk or error.object), False
            if not chunk:
                break
            done += len(chunk)
            lines += chunk.count(b"\n")
    return None, is_ascii


# Records of text


def _detect_records(found: Detected, sample: _Sample, delimiter: str, header_row: int | None) -> Detected:
    """`header_row` is the row of the header in a workbook."""
    records, problem = _read(sample, delimiter)
    if not records:
        empty = errors.no_header(sample.shown).diagnostics[0]
        return replace(found, error=found.error or problem or empty, sample="no records")
    first, rows = records[0], records[1 : SAMPLED + 1]
    is_whole = sample.is_whole and len(records) <= SAMPLED + 1
    columns = (
        [Counter(column) for column in zip(*rows, strict=True)] if rows else [Counter[str | None]() for _ in first]
    )
    values = [ColumnValues(name or "", counts) for name, counts in zip(first, columns, strict=True)]
    mark = detect_decimal(values, delimiter, found.options.get("decimal"))
    found = replace(found, decimal=mark)
    if not mark.is_default:
        found = found.with_option("decimal", mark.value)
    found = _with_words_and_dates(found, values, str(mark.value))
    header = _detect_header(first, values, found)
    if not header.is_default:
        found = found.with_option("header", True)
    if header.value is not True:
        odd = sum(looks_like_value(name or "") for name in first)
        again = sum(value.counts[value.name] > 0 and not looks_like_value(value.name) for value in values)
        shown = format_errors.header_is_a_record(sample.shown, header_row, odd + again, len(first))
        problem = problem or shown.diagnostics[0]
    elif problem is None:
        problem = _repeated_name([name or "" for name in first])
    if header.value is not True:
        found = _without_names(found)
        rows = [first, *rows]
    estimate = None if sample.of is None else _estimate(sample, len(records), is_whole)
    found = replace(found, header=header, rows=tuple(rows[:_SHOWN]), error=found.error or problem)
    return _with_size(found, len(rows), is_whole, len(rows) if is_whole else estimate, is_estimate=not is_whole)


def _read(sample: _Sample, delimiter: str) -> tuple[list[Row], Diagnostic | None]:
    """The header and the first records, and the first error. A record that does not fit is left out."""
    records: list[Row] = []
    problem: Diagnostic | None = None
    numbered = csv.read_records(iter(sample.lines), delimiter)
    try:
        for line, found in islice(numbered, SAMPLED + 2):
            width = len(records[0]) if records else len(found)
            if not records and found == [None]:
                return [], errors.no_header(sample.shown).diagnostics[0]
            if len(found) >= width and not any(field is not None for field in found[width:]):
                records.append(tuple(found[:width]))
            elif found != [None] and problem is None:
                problem = errors.ragged_record(sample.shown, line, len(found), width).diagnostics[0]
    except csv.MalformedCsv as malformed:
        # a quote may be open only because the sample ends
        if sample.is_whole or malformed.problem is csv.Problem.TEXT_AFTER_QUOTE:
            about = errors.open_quote if malformed.problem is csv.Problem.OPEN_QUOTE else errors.text_after_quote
            problem = problem or about(sample.shown, malformed.line).diagnostics[0]
    return records, problem


def _repeated_name(names: Sequence[str]) -> Diagnostic | None:
    try:
        csv.require_names(names)
    except AcompassError as error:
        return error.diagnostics[0]
    return None


def _estimate(sample: _Sample, records: int, is_whole: bool) -> int:
    assert sample.of is not None, "the size is known"
    used = sum(map(len, islice(sample.lines, records))) or 1
    read = sum(map(len, sample.lines)) or 1
    share = sample.size * used / read
    return records - 1 if is_whole else max(round(sample.of / share * records) - 1, records - 1)


def _with_size(found: Detected, records: int, is_whole: bool, in_file: int | None, *, is_estimate: bool) -> Detected:
    what = f"all {count_text(records, 'record')}" if is_whole else f"the first {count_text(records, 'record')}"
    sample = what.replace("all 1 record", "the only record").replace("all no", "no")
    return replace(
        found,
        records=records,
        is_whole=is_whole,
        records_in_file=in_file,
        is_estimate=is_estimate and in_file is not None,
        sample=sample,
    )


def _without_names(found: Detected) -> Detected:
    """The cells of the first line are values of a record, so they must not be shown as names."""
    place = {column.name: f"column {number}" for number, column in enumerate(found.columns, 1)}
    words = tuple(
        replace(
            word,
            counts={place[name]: count for name, count in word.counts.items()},
            reason="unknown without the names of the columns",
        )
        for word in found.na
    )
    options = {name: value for name, value in found.options.items() if name != "dates"}
    return replace(found, columns=tuple(replace(c, name=None) for c in found.columns), na=words, options=options)


def _with_words_and_dates(found: Detected, values: Sequence[ColumnValues], mark: str) -> Detected:
    """Find words for missing values, then the kinds of the columns without them."""
    words = tuple(detect_words(values, mark, found.options.get("na")))
    used = [word.word for word in words if word.is_used]
    chosen = chosen_formats(found.options.get("dates"))
    columns = tuple(describe_column(each, used, mark, chosen.get(each.name)) for each in values)
    options = dict(found.options)
    if used and "na" not in options:
        options["na"] = used
    dates = {
        column.name: column.date.value
        for column in columns
        if column.name and column.date is not None and not column.date.is_default and column.date.value is not None
    }
    if dates or chosen:
        options["dates"] = dates | chosen
    return replace(found, na=words, columns=columns, options=options)


# The header


def _detect_header(first: Row, values: Sequence[ColumnValues], found: Detected) -> Finding:
    """Whether the first line has names (D37). An option is needed if a cell could be a value."""
    cells = [cell or "" for cell in first]
    odd = [place for place, cell in enumerate(cells) if looks_like_value(cell) or values[place].counts[cell] > 0]
    if not odd:
        return Finding(True, "no cell of the first line looks like a value")
    if reason := _evidence_for_names(cells, values, found):
        return Finding(True, reason, is_default=False)
    if found.options.get("header"):
        return Finding(True, "chosen", is_default=False)
    plain = [place for place in range(len(cells)) if place not in odd]
    if not plain or any(found.columns[place].kind in ("number", "date", "code") for place in odd):
        return Finding(False, "the first line looks like a record: its cells resemble the values below")
    return Finding(None, "some cells of the first line look like values, so they may not be names")


def _evidence_for_names(cells: Sequence[str], values: Sequence[ColumnValues], found: Detected) -> str | None:
    for place, cell in enumerate(cells):
        below = found.columns[place].kind
        is_text = not looks_like_value(cell) and cell not in MISSING_WORDS
        if is_text and (below in ("number", "date") or (below == "code" and not re.search("[0-9]", cell))):
            return f"column {place + 1} has {below}s below a cell of text"
    if _count_upwards(cells, values):
        return "the numbers in the first line count upwards, and do not occur below"
    if any(not cell.strip() for cell in cells) and all(
        not cell.strip() or not (looks_like_value(cell) or values[place].counts[cell])
        for place, cell in enumerate(cells)
    ):
        return "one name is empty, as for a column of row numbers, and no other cell looks like a value"
    return None


def _count_upwards(cells: Sequence[str], values: Sequence[ColumnValues]) -> bool:
    """Whether the numbers of the first line are years, or all cells are numbers from 0 or 1 on, unlike the values."""
    places = [place for place, cell in enumerate(cells) if re.fullmatch("[0-9]{1,4}", cell)]
    numbers = [int(cells[place]) for place in places]
    if len(numbers) < 2 or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return False
    if numbers[0] < 2:
        return len(numbers) == len(cells) > 2 and not any(values[place].counts[cells[place]] for place in places)
    below = [text for place in places for text in values[place].without(())]
    return numbers[0] >= 1800 and numbers[-1] <= 2100 and not any(re.fullmatch("(1[89]|20)[0-9]{2}", t) for t in below)
