"""Resources that the processes of one run share: the first process that needs one creates it, the others wait."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

#: the name of this process in a run with pytest-xdist
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")


def shared_folder(factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of this run share."""
    own = factory.getbasetemp()
    return own.parent if WORKER else own


@contextmanager
def lock(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on this path, across processes."""
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
