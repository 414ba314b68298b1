"""Validate an output path before anything runs, write the file atomically (invariant 5), and report system errors."""

import errno
import glob
import os
import shutil
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from acompass.errors.diagnostics import TableError
from acompass.policy import Policy
from acompass.tables import errors, format_errors
from acompass.tables.source import Files, Source, find_paths
from acompass.tables.temporary_files import replace_atomically, replace_folder_atomically

STANDARD_OUTPUT = "-"
_SUFFIXES = (".csv", ".csv.gz", ".parquet")
_STDIN, _STDOUT = 0, 1


def require_writable(path: str, source: Source) -> None:
    """Raise unless the format is known, the folder exists, and the path is not the input itself."""
    output_format(path)
    # without given files, the shell may redirect the same file to standard input
    if isinstance(source, Files) and (_replaces(path, source.given) if source.given else is_same_file(path, _STDIN)):
        raise errors.output_is_input(path)
    if path != STANDARD_OUTPUT:
        _require_parent(path)


def _require_parent(path: str) -> None:
    if not Path(os.path.realpath(path)).parent.is_dir():
        raise errors.no_folder(str(Path(path).parent))


def require_folder(path: str, source: Source, replace: bool) -> None:
    """Raise unless a folder of Parquet files can be created; with `replace`, it may take the place of one."""
    if is_stream(path) or path.lower().endswith((".csv", ".csv.gz")):
        raise format_errors.partition_not_a_folder(path)
    _require_parent(path)
    target = Path(os.path.realpath(path))
    if not target.exists():
        return
    if not target.is_dir():
        raise errors.unwritable(path, "it is a file")
    if isinstance(source, Files) and _replaces(path, source.given):
        raise errors.output_is_input(path)
    if any(target.iterdir()) and not replace:
        raise format_errors.folder_not_empty(path)
    if any(each.suffix != ".parquet" for each in target.rglob("*") if not each.is_dir()):
        raise format_errors.folder_with_other_files(path)


def parquet_files(folder: str) -> str:
    """A glob that matches the files of a folder written in partitions."""
    return os.path.join(glob.escape(folder), "**", "*.parquet")


def require_other_file(path: str, inputs: tuple[str, ...]) -> None:
    """Raise if writing to `path` would replace one of the input files."""
    if _replaces(path, inputs):
        raise errors.output_is_input(path)


def require_no_policy_file(path: str, policy: Policy) -> None:
    """Raise if writing to `path` would replace a file that the policy names."""
    require_no_hierarchy(path, policy.hierarchies)
    if any(is_same_file(path, os.fspath(each)) for each in policy.references):
        raise errors.output_is_reference(path)


def require_no_secret(paths: Iterable[Any], secrets: Iterable[str | os.PathLike[str] | None]) -> None:
    """Raise if writing to one of the paths would replace the file of a key or a seed: without it, a release cannot be
    repeated or continued."""
    for path in paths:
        if isinstance(path, str | os.PathLike) and any(
            secret is not None and is_same_file(os.fspath(path), os.fspath(secret)) for secret in secrets
        ):
            raise errors.output_is_secret(os.fspath(path))


def require_no_hierarchy(path: str, hierarchies: Iterable[str | os.PathLike[str]]) -> None:
    """Raise if writing to `path` would replace a hierarchy of the policy."""
    if any(is_same_file(path, os.fspath(each)) for each in hierarchies):
        raise errors.output_is_hierarchy(path)


def is_same_file(path: str | int, other: str | int) -> bool:
    """Whether two paths or file descriptors lead to one regular file, through whatever links and spellings."""
    file, other_file = _regular_file(path), _regular_file(other)
    return file is not None and other_file is not None and os.path.samestat(file, other_file)


def _replaces(path: str, inputs: tuple[str, ...]) -> bool:
    if os.path.isdir(path):
        return any(os.path.samefile(path, folder) for each in inputs for folder in _folders(each))
    return any(is_same_file(path, each) for each in inputs)


def _folders(path: str) -> Iterator[Path]:
    """All folders above a file, both as named and with symbolic links resolved."""
    yield from Path(os.path.abspath(path)).parents
    yield from Path(os.path.realpath(path)).parents


def _regular_file(path: str | int) -> os.stat_result | None:
    """The `stat` of a regular file, None for anything else; `-` is standard output, which the shell may redirect."""
    with suppress(OSError):
        found = os.stat(_STDOUT if path == STANDARD_OUTPUT else path)
        if stat.S_ISREG(found.st_mode):
            return found
    return None


def output_format(path: str) -> str:
    """The suffix of the format to write: `.csv`, `.csv.gz` or `.parquet`."""
    if is_stream(path):
        return ".csv"
    for suffix in _SUFFIXES:
        if path.lower().endswith(suffix):
            return suffix
    raise errors.unknown_format(path)


def is_stream(path: str) -> bool:
    """Whether the output is standard output, a pipe, a terminal or a device: none can be replaced by a rename."""
    if path == STANDARD_OUTPUT:
        return True
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def replace_file(path: str) -> Iterator[str]:
    """The name of a hidden file that replaces `path` when the context ends without an error."""
    with report_write_errors(path):
        _require_parent(path)
        if os.path.isdir(path):
            raise errors.unwritable(path, "it is a folder")
        with replace_atomically(path) as part:
            yield part


@contextmanager
def replace_folder(path: str) -> Iterator[str]:
    """The name of a hidden folder that becomes `path` when the context ends without an error."""
    with report_write_errors(path), replace_folder_atomically(path) as part:
        yield part


@contextmanager
def report_write_errors(path: str) -> Iterator[None]:
    """Turn operating system errors about an output into diagnostics."""
    try:
        yield
    except OSError as error:
        raise write_error(path, error.errno) from None


def write_error(path: str, number: int | None) -> TableError:
    if number in _NO_SPACE:
        return errors.disk_full(path)
    return errors.unwritable(path, os.strerror(number).lower() if number else "the file system failed")


def require_policy_place(path: str, table: Any, files: Iterable[str] = ()) -> None:
    """Raise if a policy cannot be written to `path`: its folder does not exist, or it would replace an input."""
    _require_parent(path)
    tables = find_paths(os.fspath(table)) if isinstance(table, str | os.PathLike) else ()
    require_other_file(path, (*tables, *files))


def write_policy(path: str, text: str) -> None:
    with replace_file(path) as part:
        Path(part).write_text(text, encoding="utf-8", newline="")


def copy_to_stream(file: str, stream: str) -> None:
    """Copy a file to standard output or a device."""
    with open(file, "rb") as source:
        if stream == STANDARD_OUTPUT:
            shutil.copyfileobj(source, sys.stdout.buffer)
            sys.stdout.buffer.flush()
        else:
            with report_write_errors(stream), open(stream, "wb") as device:
                shutil.copyfileobj(source, device)
