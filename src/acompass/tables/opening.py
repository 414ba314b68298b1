"""Open a table: find its files, and make UTF-8 copies of those that are in another encoding, or workbooks."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from acompass.leftovers import temporary_folder
from acompass.tables import encodings, workbooks
from acompass.tables.file_format import UTF_8, FileFormat
from acompass.tables.source import STANDARD_INPUT, Files, Frame, Source, copied_input, found_files

_DEFAULT = FileFormat()


@contextmanager
def opened(table: Any, format_: FileFormat = _DEFAULT) -> Iterator[Source]:
    """The source that `table` names. Copies exist until the context ends."""
    format_.require_known()
    if not isinstance(table, str | os.PathLike):
        yield Frame(table)
        return
    with ExitStack() as stack:
        if os.fspath(table) == STANDARD_INPUT:
            files = copied_input(stack.enter_context(temporary_folder()))
        else:
            files = found_files(os.fspath(table))
        yield _readable(files, format_, stack)


def _readable(files: Files, format_: FileFormat, stack: ExitStack) -> Files:
    """The files as the engines read them: Parquet, or CSV in UTF-8."""
    match files.format:
        case "parquet":
            return files
        case "workbook":
            return _sheets(files, format_, stack.enter_context(temporary_folder()))
        case "csv":
            said = replace(files, delimiter=format_.delimiter, has_comma=format_.has_comma)
            return _decoded(said, format_.codec, stack)


def _sheets(files: Files, format_: FileFormat, folder: str) -> Files:
    """Each sheet as a CSV file, as Excel would export it where numbers have such a decimal mark."""
    delimiter = format_.delimiter or (";" if format_.has_comma else ",")
    copies = _copies(files, folder)
    rows = tuple(
        workbooks.copy_as_csv(path, shown, replace(format_, delimiter=delimiter), copy)
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


def _decoded(files: Files, codec: str | None, stack: ExitStack) -> Files:
    """The same files if they are UTF-8; the output has the encoding of the first one."""
    pairs = tuple(zip(files.paths, files.shown, strict=True))
    found = [encodings.encoding_of(path, shown, codec) for path, shown in pairs]
    encoding, has_mark = found[0]
    files = replace(files, encoding=encoding, has_mark=has_mark)
    if all(each == UTF_8 for each, _ in found):
        return files
    copies = _copies(files, stack.enter_context(temporary_folder()))
    for (path, shown), (each, _), copy in zip(pairs, found, copies, strict=True):
        encodings.copy_as_utf8(path, shown, each, copy)
    return replace(files, paths=copies)


def _copies(files: Files, folder: str) -> tuple[str, ...]:
    return tuple(str(Path(folder, f"{number}.csv")) for number in range(len(files.paths)))
