"""Write an output file atomically (invariant 5), and report operating system errors as diagnostics."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from acompass.atomic import atomically, folder_atomically
from acompass.diagnostics import TableError
from acompass.tables import errors

_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def replacing(path: str) -> Iterator[str]:
    """The name of a hidden file that replaces `path` when the context ends without an error."""
    with written(path):
        target = Path(os.path.realpath(path))
        if not target.parent.is_dir():
            raise errors.no_folder(str(Path(path).parent))
        if target.is_dir():
            raise errors.unwritable(path, "it is a folder")
        with atomically(path) as part:
            yield part


@contextmanager
def replacing_folder(path: str) -> Iterator[str]:
    """The name of a hidden folder that becomes `path` when the context ends without an error."""
    with written(path), folder_atomically(path) as part:
        yield part


@contextmanager
def written(path: str) -> Iterator[None]:
    """Turn operating system errors about an output into diagnostics."""
    try:
        yield
    except OSError as error:
        raise write_fault(path, error.errno) from None


def write_fault(path: str, number: int | None) -> TableError:
    if number in _NO_SPACE:
        return errors.disk_full(path)
    return errors.unwritable(path, os.strerror(number).lower() if number else "the file system failed")
