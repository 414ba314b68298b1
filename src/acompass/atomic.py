"""Write a file atomically (invariant 5): to a temporary file in the same folder, which is then renamed."""

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from acompass.leftovers import noted, remove

_SUFFIX = ".acompass-part"


@contextmanager
def atomically(path: str | Path) -> Iterator[str]:
    """The name of a hidden file that replaces `path` when the context ends without an error.

    A symbolic link is kept, and its target is replaced. Operating system errors are not translated.
    """
    target = Path(os.path.realpath(path))
    _remove_leftovers(target)
    part = _part(target)
    with noted(part):
        try:
            os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
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
def folder_atomically(path: str | Path) -> Iterator[str]:
    """The name of a new hidden folder that replaces the folder `path`, or is named so if there is none.

    No file system exchanges two folders at once: an old one is first put aside, and put back on a failure.
    """
    target = Path(os.path.realpath(path))
    _remove_leftovers(target)
    part = _part(target)
    with noted(part):
        try:
            os.mkdir(part)
            yield part
            for file in Path(part).rglob("*"):
                _sync(str(file))
            _exchange(target, part)
        except BaseException:
            remove(part)
            raise
    _sync(str(target.parent))


def _exchange(target: Path, part: str) -> None:
    if not target.exists():
        os.rename(part, target)
        return
    aside = _part(target)
    _keep_mode(target, part)
    os.rename(target, aside)
    try:
        os.rename(part, target)
    except BaseException:
        os.rename(aside, target)
        raise
    with noted(aside):
        remove(aside)


def _part(target: Path) -> str:
    """The name contains the process id, so that a later run can remove the file of a killed process."""
    return str(target.parent / f"{_prefix(target)}{os.getpid()}.{os.urandom(4).hex()}{_SUFFIX}")


def _prefix(target: Path) -> str:
    return f".{target.name[:100]}."


def _remove_leftovers(target: Path) -> None:
    left = re.compile(re.escape(_prefix(target)) + r"([0-9]+)\.[^.]*" + re.escape(_SUFFIX))
    for name in os.listdir(target.parent):
        process = left.fullmatch(name)
        if process is not None and not _is_running(int(process[1])):
            remove(str(target.parent / name))


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
