"""Create temporary files, which may hold records and must not outlive the command, and replace files atomically.

Each path is reported to the command's supervisor (`cli/supervisor.py`) before it exists, so that the supervisor can
remove it if the command is killed. If both are killed, the next start removes what is left. A file is written
atomically (invariant 5): to a temporary file in the same folder, which is then renamed."""

import atexit
import os
import re
import shutil
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

#: the pipe to the supervisor; None in the Python API, which has no supervisor
_supervisor: int | None = None
#: the temporary folders of this process, with the descriptors that lock them
_folders: dict[str, int | None] = {}
_is_first = True


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

    global _is_first
    root = tempfile.gettempdir()
    if _is_first and _supervisor is None:  # a supervisor does this itself
        remove_abandoned_folders(os.path.join(root, name) for name in os.listdir(root))
    _is_first = False
    while True:
        path = str(Path(root, f"acompass-{os.getpid()}-{os.urandom(8).hex()}"))
        _report(f"+{path}")
        os.mkdir(path, 0o700)
        with suppress(FileNotFoundError):
            _folders[path] = _lock(path)
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


def private_file(folder: str, name: str) -> str:
    """The path of a new file that only the user can read, for a copy of records."""
    path = str(Path(folder, name))
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    return path


_FOLDER = re.compile(r"acompass-[0-9]+-[0-9a-f]{16}")


def remove_abandoned_folders(paths: Iterable[str]) -> None:
    """Remove those paths that are temporary folders of this user's killed processes.

    The owner of a folder holds a lock on it, which the system releases when the owner ends: another process that has
    got the same number, in this or another container, neither protects the folder nor hides a running owner.
    """
    for path in paths:
        if _FOLDER.fullmatch(os.path.basename(path)):
            with suppress(OSError):
                _remove_if_abandoned(path)


if sys.platform == "win32":  # folders are neither locked nor removed

    def _lock(path: str) -> int | None:
        return None

    def _remove_if_abandoned(path: str) -> None:
        pass
else:
    import fcntl

    def _lock(path: str) -> int | None:
        """Lock a new folder, and return the descriptor. Another start may have removed it before: FileNotFoundError.

        Without locks in this file system, None; then other starts cannot lock and remove the folder, either."""
        folder = _open_folder(path)
        try:
            fcntl.flock(folder, fcntl.LOCK_SH)
        except OSError:
            os.close(folder)
            return None
        try:
            os.lstat(path)
        except FileNotFoundError:
            os.close(folder)
            raise
        return folder

    def _remove_if_abandoned(path: str) -> None:
        folder = _open_folder(path)
        try:
            if os.fstat(folder).st_uid == os.geteuid():
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails if the owner is running
                shutil.rmtree(path, ignore_errors=True)
        finally:
            os.close(folder)

    def _open_folder(path: str) -> int:
        return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)


@atexit.register
def _remove_folders() -> None:
    for path in _folders:
        remove_path(path)


def _note_removal(path: str) -> None:
    """Report the removal, if it succeeded; otherwise the path is removed again on exit."""
    if not os.path.lexists(path):
        lock = _folders.pop(path, None)
        if lock is not None:
            os.close(lock)
        _report(f"-{path}")


def _report(text: str) -> None:
    if _supervisor is not None:
        with suppress(OSError):
            os.write(_supervisor, os.fsencode(text) + b"\0")  # short enough to be written atomically


_SUFFIX = ".acompass-part"
#: an earlier output folder, while a new one takes its place
_OLD_SUFFIX = ".acompass-old"
#: what comes before the suffix: an owner, and digits that make the name unique
_OWNER = r"([0-9]+)\.([0-9a-f]{8})\.([0-9]+)\.[0-9a-f]{8}"


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
    """The name of a hidden folder that becomes `path` when the context ends without an error."""
    with _new_part(path) as (target, part):
        os.mkdir(part)
        yield part
        for file in Path(part).rglob("*"):
            _sync(str(file))
        _keep_mode(target, part)
        put_in_place(part, target)


@contextmanager
def _new_part(path: str | Path) -> Iterator[tuple[Path, str]]:
    """The target of a path, and a hidden name next to it that is removed after an error."""
    target = Path(os.path.realpath(path))
    part = hidden_name(target)
    with note_path(part):
        try:
            yield target, part
        except BaseException:
            remove_path(part)
            raise
    _sync(str(target.parent))


def hidden_name(target: Path) -> str:
    """A new name next to the target, for a file or folder that replaces it. Names of killed processes are removed."""
    _remove_abandoned_parts(target)
    return _owned_name(target, _SUFFIX)


def put_in_place(part: str, target: Path) -> None:
    """Rename a folder to the target, whatever is there now, which is removed."""
    if not os.path.lexists(target):
        os.rename(part, target)
    elif _exchange(part, str(target)):
        remove_path(part)
    else:
        _replace_in_two_steps(part, target)


def _exchange(path: str, other: str) -> bool:
    """Exchange two folders atomically, as Linux can in most file systems; False otherwise."""
    import ctypes

    try:
        rename = ctypes.CDLL(None).renameat2
    except (OSError, AttributeError, TypeError):
        return False
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return bool(rename(here, os.fsencode(path), here, os.fsencode(other), exchange) == 0)


def _replace_in_two_steps(part: str, target: Path) -> None:
    """Move the target aside first, and back on failure. If the process is killed in between, the next start does."""
    aside = _owned_name(target, _OLD_SUFFIX)
    os.rename(target, aside)
    try:
        os.rename(part, target)
    except BaseException:
        os.rename(aside, target)
        raise
    with note_path(aside):
        remove_path(aside)


def _owned_name(target: Path, suffix: str) -> str:
    """A name with the owner: its process id, computer and start time, so that a later run can tell whether it runs."""
    owner = f"{os.getpid()}.{_computer()}.{_start_time(os.getpid()) or 0}"
    return str(target.parent / f"{_prefix(target)}{owner}.{os.urandom(4).hex()}{suffix}")


def _prefix(target: Path) -> str:
    return f".{target.name.encode(errors='ignore')[:100].decode(errors='ignore')}."


def _remove_abandoned_parts(target: Path) -> None:
    """Remove hidden files and folders of killed processes next to the target; restore a target that was moved aside."""
    left = re.compile(rf"\..*\.{_OWNER}{re.escape(_SUFFIX)}", re.DOTALL)
    aside = re.compile(rf"{re.escape(_prefix(target))}{_OWNER}{re.escape(_OLD_SUFFIX)}", re.DOTALL)
    for name in os.listdir(target.parent):
        path = target.parent / name
        if (found := left.fullmatch(name)) is not None and _is_gone(*found.groups()):
            remove_path(str(path))
        elif (found := aside.fullmatch(name)) is not None and _is_gone(*found.groups()):
            if os.path.lexists(target):
                remove_path(str(path))
            else:
                os.rename(path, target)


def _is_gone(process: str, computer: str, start: str) -> bool:
    """Whether the owner of a name has ended; False for one on another computer, which cannot be asked."""
    if computer != _computer() or sys.platform == "win32":
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):
        return False
    now = _start_time(int(process))
    return now is not None and now != int(start)


def _computer() -> str:
    """A number for this computer or container, in which a process id means one process."""
    import binascii

    container = 0
    with suppress(OSError):
        container = os.stat("/proc/self/ns/pid").st_ino
    name = "" if sys.platform == "win32" else os.uname().nodename
    return f"{binascii.crc32(f'{name}:{container}'.encode()):08x}"


def _start_time(process: int) -> int | None:
    """When a process started, in ticks since the system did; -1 if it only waits to be reaped, None if unknown."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        return -1 if fields[0] in b"ZX" else int(fields[19])
    except (OSError, IndexError, ValueError):
        return None


def _keep_mode(target: Path, part: str) -> None:
    if target.exists():
        os.chmod(part, stat.S_IMODE(target.stat().st_mode))


def _sync(path: str) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
