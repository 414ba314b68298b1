"""A file that appears whole or not at all (invariant 5): written beside its place, then renamed."""

import errno
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from acompass.diagnostics import TableError
from acompass.tables import errors

_SUFFIX = ".acompass-part"
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def replacing(path: str) -> Iterator[str]:
    """The name of a hidden file that takes the place of `path` once the context ends without an error.

    A symbolic link stays one: what it points at is replaced.
    """
    with written(path):
        target = Path(os.path.realpath(path))
        if not target.parent.is_dir():
            raise errors.no_folder(str(Path(path).parent))
        if target.is_dir():
            raise errors.unwritable(path, "it is a folder")
        _remove_leftovers(target)
        part = _create_part(target)
        try:
            yield part
            _keep_mode(target, part)
            _sync(part)
            os.replace(part, target)
        except BaseException:
            with suppress(OSError):
                os.unlink(part)
            raise
        _sync(str(target.parent))


@contextmanager
def written(path: str) -> Iterator[None]:
    """Turns the operating system's complaints about an output into a diagnostic."""
    try:
        yield
    except OSError as error:
        raise write_fault(path, error.errno) from None


def write_fault(path: str, number: int | None) -> TableError:
    if number in _NO_SPACE:
        return errors.disk_full(path)
    return errors.unwritable(path, os.strerror(number).lower() if number else "the file system failed")


def _create_part(target: Path) -> str:
    """The name tells whose it is, so that the next run can tell what was left by one that was killed."""
    handle, name = tempfile.mkstemp(
        prefix=f"{_prefix(target)}{os.getpid()}.", suffix=_SUFFIX, dir=target.parent
    )
    mask = os.umask(0)
    os.umask(mask)
    os.fchmod(handle, 0o666 & ~mask)
    os.close(handle)
    return name


def _prefix(target: Path) -> str:
    return f".{target.name[:100]}."


def _remove_leftovers(target: Path) -> None:
    left = re.compile(re.escape(_prefix(target)) + r"([0-9]+)\.[^.]*" + re.escape(_SUFFIX))
    for name in os.listdir(target.parent):
        process = left.fullmatch(name)
        if process is not None and not _is_running(int(process[1])):
            with suppress(OSError):
                os.unlink(target.parent / name)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _keep_mode(target: Path, part: str) -> None:
    if target.exists():
        os.chmod(part, stat.S_IMODE(target.stat().st_mode))


def _sync(path: str) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
