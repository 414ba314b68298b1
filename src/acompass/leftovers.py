"""Files and folders that may hold records and must not outlive the command.

Each is noted before it exists, so that the supervisor of a command (`cli/supervisor.py`) can remove it when
the command no longer can.
"""

import atexit
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

#: the pipe to the supervisor; without one, as in Python, nothing is noted
_supervisor: int | None = None
_folders: set[str] = set()


def report_to(pipe: int) -> None:
    global _supervisor
    _supervisor = pipe


@contextmanager
def noted(path: str) -> Iterator[None]:
    """Note a path that the caller creates and removes."""
    _report(f"+{path}")
    try:
        yield
    finally:
        _forget(path)


def note_process(process: int) -> None:
    """Note a process that writes such files and must end with the command."""
    _report(f"!{process}")


def note_end() -> None:
    """Note that the command has removed its files and says itself why it ends."""
    _report(".")


def note_stoppable() -> bool:
    """Note that Ctrl-C is to ask the command for what it has so far (`cli/stopping.py`). False if there is no
    supervisor to ask it."""
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
        remove(path)
        _forget(path)


def remove(path: str) -> None:
    """Remove a file or a folder, if it exists."""
    with suppress(OSError):
        os.unlink(path)
    shutil.rmtree(path, ignore_errors=True)


@atexit.register
def _remove_folders() -> None:
    for path in _folders:
        remove(path)


def _forget(path: str) -> None:
    """What could not be removed now is tried again later."""
    if not os.path.lexists(path):
        _folders.discard(path)
        _report(f"-{path}")


def _report(text: str) -> None:
    if _supervisor is not None:
        with suppress(OSError):
            os.write(_supervisor, os.fsencode(text) + b"\0")  # shorter than a pipe writes at once
