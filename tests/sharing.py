"""What the processes of one run share: the first one that needs it makes it, and the others wait for it."""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

#: the name of this process in a run with pytest-xdist
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")


def shared_folder(factory: pytest.TempPathFactory) -> Path:
    """A folder of this run, the same one for all its processes."""
    own = factory.getbasetemp()
    return own.parent if WORKER else own


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Only one process at a time is in here with this path."""
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """The folder of this name, which `make` fills once for all processes of the run."""
    folder = shared_folder(factory) / name
    complete = folder.with_name(f"{name}.complete")
    with locked(folder.with_name(f"{name}.lock")):
        if not complete.exists():
            folder.mkdir(exist_ok=True)
            make(folder)
            complete.touch()
    return folder
