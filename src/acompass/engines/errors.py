"""Errors that several engines report, and the cancellation of a running call.

An engine's own message may quote a record, so it is never shown (invariant 4, no record in a message).
"""

import importlib.util
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event

from acompass.errors.diagnostics import Canceled, Diagnostic, EngineError, option_text
from acompass.language.program.types import MOST_DIGITS, Kind, Schema


def engine_error(code: str, message: str, help_: str) -> EngineError:
    return EngineError([Diagnostic(code, message, help=help_)])


def engine_failed(engine: str, error: Exception) -> EngineError:
    message = f"{engine} failed with `{type(error).__name__}`"
    if os.environ.get("ACOMPASS_DEBUG"):
        message += f": {error}"
    help_ = "set ACOMPASS_DEBUG=1 to see the engine's own message, which may quote records"
    return engine_error("AC301", message, help_)


def out_of_memory(engine: str) -> EngineError:
    help_ = f"raise `{option_text('memory_limit')}`, or free space for temporary files"
    return engine_error("AC302", f"{engine} ran out of memory or temporary space", help_)


def unknown_engine(url: str) -> EngineError:
    """The message shows only the scheme, because the rest of the URL may contain a password."""
    help_ = "use `duckdb`, `reference`, `postgres://…` or `spark://…`"
    return engine_error("AC303", f"unknown engine `{url.partition('//')[0]}`", help_)


def cannot_hold(engine: str, column: str) -> EngineError:
    help_ = "run on `duckdb`, or leave the column out"
    return engine_error("AC304", f"{engine} does not support the type of column `{column}`", help_)


def require_plain(engine: str, schema: Schema) -> None:
    for column in schema:
        if column.type.kind is Kind.OPAQUE:
            raise cannot_hold(engine, column.name)


def output_exists(name: str) -> EngineError:
    help_ = f"choose another name, or replace the table with `{option_text('replace', True)}`"
    return engine_error("AC309", f"table `{name}` already exists", help_)


def output_not_replaceable(name: str, why: str) -> EngineError:
    help_ = "choose another name for the output"
    return engine_error("AC310", f"`{name}` cannot be replaced: {why}", help_)


def library_needed(code: str, what: str, library: str, extra: str) -> EngineError:
    return engine_error(code, f"{what} needs {library}", f"pip install 'acompass[{extra}]'")


def require_numpy() -> None:
    """Raise if numpy, which the search of `suggest` needs, is not installed."""
    if importlib.util.find_spec("numpy") is None:
        raise library_needed("AC620", "`suggest`", "numpy", "suggest")


def no_memory_limit() -> EngineError:
    help_ = "set the memory of the executors with `spark.executor.memory`"
    return engine_error("AC326", f"`{option_text('memory_limit')}` does not apply to Spark", help_)


def cancellation_error() -> Canceled:
    help_ = "call again: nothing was written"
    return Canceled([Diagnostic("AC327", "the call was canceled", help=help_)])


def needs_duckdb(what: str) -> EngineError:
    help_ = "export the table to a file, and use the file without an engine"
    return engine_error("AC328", f"{what} needs a file or a data frame, not a table in another engine", help_)


def sum_too_large() -> EngineError:
    help_ = "divide the column by a power of ten first, or sum smaller groups"
    message = f"a sum is beyond the largest float, or has more than {MOST_DIGITS} digits"
    return engine_error("AC314", message, help_)


#: receives what cancels an opening of a table, each time that this changes
_WATCHING: ContextVar[Callable[[Callable[[], None]], None] | None] = ContextVar("watching", default=None)


@contextmanager
def watch_opening(note: Callable[[Callable[[], None]], None]) -> Iterator[None]:
    """Watch the tables that this thread opens, for which there is no session yet."""
    token = _WATCHING.set(note)
    try:
        yield
    finally:
        _WATCHING.reset(token)


def note_opening(cancel: Callable[[], None]) -> None:
    """An engine is about to read a table, which `cancel` interrupts from another thread."""
    note = _WATCHING.get()
    if note is not None:
        note(cancel)


class Cancellation:
    def __init__(self) -> None:
        self._requested = Event()

    def request(self) -> None:
        self._requested.set()

    def reset(self) -> None:
        self._requested.clear()

    def check(self) -> None:
        """Raise Canceled if cancellation was requested."""
        if self._requested.is_set():
            raise cancellation_error()
