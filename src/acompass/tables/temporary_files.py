"""Create temporary files, which may hold records and must not outlive the command, and replace files atomically.

Each path is reported to the command's supervisor (`cli/supervisor.py`) before it exists, so that the supervisor can
remove it if the command is killed. A file is written atomically (invariant 5): to a temporary file in the same folder,
which is then renamed."""

import atexit
import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

#: the pipe to the supervisor; None in the Python API, which has no supervisor
_supervisor: int | None = None
_folders: set[str] = set()


def report_to(pipe: int) -> None:
    global _supervisor
    _supervisor = pipe


@contextmanager
def note_path(path: str) -> Iterator[None]:
    """Report a path that the caller creates and removes."""
    _report(f"+{path}")
    try:
        yield
    finally:
        _note_removal(path)


def note_process(process: int) -> None:
    """Report a process that writes temporary files and must end with the command."""
    _report(f"!{process}")


def note_end() -> None:
    """Report that the command has removed its files and prints its own reason for ending."""
    _report(".")


def note_stoppable() -> bool:
    """Report that Ctrl-C asks the command for its best result so far; False without a supervisor."""
    _report("?")
    return _supervisor is not None


def folder_until_exit() -> str:
    """A new temporary folder that is removed when the process ends."""
    import tempfile  # here, because every command imports this module

    path = str(Path(tempfile.gettempdir(), f"acompass-{os.urandom(8).hex()}"))
    _report(f"+{path}")
    _folders.add(path)
    os.mkdir(path, 0o700)
    return path


@contextmanager
def temporary_folder() -> Iterator[str]:
    path = folder_until_exit()
    try:
        yield path
    finally:
        remove_path(path)
        _note_removal(path)


def remove_path(path: str) -> None:
    """Remove a file or a folder, if it exists."""
    with suppress(OSError):
        os.unlink(path)
    shutil.rmtree(path, ignore_errors=True)


@atexit.register
def _remove_folders() -> None:
    for path in _folders:
        remove_path(path)


def _note_removal(path: str) -> None:
    """Report the removal, if it succeeded; otherwise the path is removed again on exit."""
    if not os.path.lexists(path):
        _folders.discard(path)
        _report(f"-{path}")


def _report(text: str) -> None:
    if _supervisor is not None:
        with suppress(OSError):
            os.write(_supervisor, os.fsencode(text) + b"\0")  # short enough to be written atomically


_SUFFIX = ".acompass-part"


@contextmanager
def replace_atomically(path: str | Path) -> Iterator[str]:
    """The name of a hidden file that replaces `path` when the context ends without an error.

    A symbolic link is kept, and its target is replaced. Operating system errors are not translated.
    """
    with _new_part(path) as (target, part):
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        yield part
        _keep_mode(target, part)
        _sync(part)
        os.replace(part, target)


@contextmanager
def replace_folder_atomically(path: str | Path) -> Iterator[str]:
    """The name of a hidden folder that becomes `path` when the context ends without an error.

    Folders cannot be exchanged atomically: an existing one is moved aside first, and moved back on failure.
    """
    with _new_part(path) as (target, part):
        os.mkdir(part)
        yield part
        for file in Path(part).rglob("*"):
            _sync(str(file))
        _replace_folder(target, part)


@contextmanager
def _new_part(path: str | Path) -> Iterator[tuple[Path, str]]:
    """The target of a path, and a hidden name next to it that is removed after an error."""
    target = Path(os.path.realpath(path))
    _remove_abandoned_parts(target)
    part = _part(target)
    with note_path(part):
        try:
            yield target, part
        except BaseException:
            remove_path(part)
            raise
    _sync(str(target.parent))


def _replace_folder(target: Path, part: str) -> None:
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
    with note_path(aside):
        remove_path(aside)


def _part(target: Path) -> str:
    """A name with the process id, so that a later run can remove the file of a killed process."""
    return str(target.parent / f"{_prefix(target)}{os.getpid()}.{os.urandom(4).hex()}{_SUFFIX}")


def _prefix(target: Path) -> str:
    return f".{target.name[:100]}."


def _remove_abandoned_parts(target: Path) -> None:
    left = re.compile(re.escape(_prefix(target)) + r"([0-9]+)\.[^.]*" + re.escape(_SUFFIX))
    for name in os.listdir(target.parent):
        process = left.fullmatch(name)
        if process is not None and not _is_running(int(process[1])):
            remove_path(str(target.parent / name))


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
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
