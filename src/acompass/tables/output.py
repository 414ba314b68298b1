"""Validate an output path before anything runs."""

import glob
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from acompass.tables import errors, format_errors
from acompass.tables.source import Files, Source

STANDARD_OUTPUT = "-"
_SUFFIXES = (".csv", ".csv.gz", ".parquet")
_STDIN, _STDOUT = 0, 1


def require_writable(path: str, source: Source) -> None:
    """Raise unless the format is known, the folder exists, and the path is not the input itself."""
    format_of(path)
    if isinstance(source, Files) and (_replaces(path, source.given) or _replaces_stdin(path, source)):
        raise errors.output_is_input(path)
    if path != STANDARD_OUTPUT and not Path(os.path.realpath(path)).parent.is_dir():
        raise errors.no_folder(str(Path(path).parent))


def require_folder(path: str, source: Source, force: bool) -> None:
    """Raise unless a folder of Parquet files can be written there, or in place of one with `force`."""
    if is_stream(path) or path.lower().endswith((".csv", ".csv.gz")):
        raise format_errors.partition_not_a_folder(path)
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise errors.no_folder(str(Path(path).parent))
    if not target.exists():
        return
    if not target.is_dir():
        raise errors.unwritable(path, "it is a file")
    if isinstance(source, Files) and _replaces(path, source.given):
        raise errors.output_is_input(path)
    if any(target.iterdir()) and not force:
        raise format_errors.folder_not_empty(path)
    if any(each.suffix != ".parquet" for each in target.rglob("*") if not each.is_dir()):
        raise format_errors.folder_of_others(path)


def parquet_files(folder: str) -> str:
    """A glob of the files in a folder that was written in partitions."""
    return os.path.join(glob.escape(folder), "**", "*.parquet")


def require_other_file(path: str, inputs: tuple[str, ...]) -> None:
    """Raise if writing to `path` would replace one of the input files."""
    if _replaces(path, inputs):
        raise errors.output_is_input(path)


def require_no_hierarchy(path: str, hierarchies: Iterable[str | os.PathLike[str]]) -> None:
    """Raise if writing to `path` would replace a hierarchy of the policy."""
    if any(is_same_file(path, os.fspath(each)) for each in hierarchies):
        raise errors.output_is_hierarchy(path)


def is_same_file(path: str, other: str) -> bool:
    """Whether two paths lead to one regular file, by whatever links and spellings."""
    file, other_file = _regular_file(path), _regular_file(other)
    return file is not None and other_file is not None and os.path.samestat(file, other_file)


def _replaces(path: str, inputs: tuple[str, ...]) -> bool:
    if os.path.isdir(path):
        return any(os.path.samefile(path, folder) for each in inputs for folder in _folders(each))
    return any(is_same_file(path, each) for each in inputs)


def _folders(path: str) -> Iterator[Path]:
    """The folders that the file is in, both as named and behind symbolic links."""
    yield from Path(os.path.abspath(path)).parents
    yield from Path(os.path.realpath(path)).parents


def _replaces_stdin(path: str, source: Files) -> bool:
    """Whether the output is a file that the shell redirects to standard input."""
    if source.given:
        return False
    output, stdin = _regular_file(path), _regular_file(_STDIN)
    return output is not None and stdin is not None and os.path.samestat(output, stdin)


def _regular_file(path: str | int) -> os.stat_result | None:
    """What `stat` says of a regular file; of standard output for `-`, which the shell may redirect."""
    with suppress(OSError):
        found = os.stat(_STDOUT if path == STANDARD_OUTPUT else path)
        if stat.S_ISREG(found.st_mode):
            return found
    return None


def format_of(path: str) -> str:
    """The suffix of the format to write: `.csv`, `.csv.gz` or `.parquet`."""
    if is_stream(path):
        return ".csv"
    for suffix in _SUFFIXES:
        if path.lower().endswith(suffix):
            return suffix
    raise errors.unknown_format(path)


def is_stream(path: str) -> bool:
    """Whether the output is standard output, a pipe, a terminal or a device, which no rename can replace."""
    if path == STANDARD_OUTPUT:
        return True
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)
