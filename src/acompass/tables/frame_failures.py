"""Turn whatever the library of a data frame raises into a diagnostic that names the frame or the column.

The library's own message may quote records, so it is omitted (invariant 4).
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from acompass.diagnostics import AcompassError, TableError
from acompass.tables import errors
from acompass.tables.frames import FrameKind


@contextmanager
def frame_failures(kind: FrameKind) -> Iterator[None]:
    with _reported(lambda error: errors.frame_failed(kind, error)):
        yield


@contextmanager
def column_failures(name: object) -> Iterator[None]:
    with _reported(lambda error: errors.column_failed(str(name), error)):
        yield


@contextmanager
def _reported(report: Callable[[BaseException], TableError]) -> Iterator[None]:
    try:
        yield
    except (AcompassError, MemoryError):
        raise
    except BaseException as error:
        if not _is_of_the_library(error):
            raise
        raise report(error) from None


def _is_of_the_library(error: BaseException) -> bool:
    # DuckDB raises this RuntimeError on Ctrl-C; Polars' panics are not Exceptions
    if isinstance(error, Exception):
        return str(error) != "Query interrupted"
    return type(error).__name__ == "PanicException"
