"""What an engine's failure looks like to a user.

An engine's own message can quote a record, so it is left out (invariant 4).
"""

import os

from acompass.checked.types import Kind, Schema
from acompass.diagnostics import Diagnostic, EngineError


def engine_failed(engine: str, error: Exception) -> EngineError:
    message = f"{engine} stopped with a {type(error).__name__}"
    if os.environ.get("ACOMPASS_DEBUG"):
        message += f": {error}"
    help_ = "set ACOMPASS_DEBUG=1 to see the engine's own message, which may quote records"
    return EngineError([Diagnostic("AC301", message, help=help_)])


def out_of_memory(engine: str) -> EngineError:
    help_ = "give it more with `--memory-limit`, or free space in the folder for temporary files"
    return EngineError([Diagnostic("AC302", f"{engine} ran out of memory or temporary space", help=help_)])


def unknown_engine(url: str) -> EngineError:
    help_ = "use `duckdb`, `reference`, `postgres://…` or `spark://…`"
    # what comes after may be a password
    scheme = url.partition("//")[0]
    return EngineError([Diagnostic("AC303", f"unknown engine `{scheme}`", help=help_)])


def is_the_reference() -> EngineError:
    help_ = "name another engine, such as `duckdb`"
    message = "the reference engine is what other engines are compared with"
    return EngineError([Diagnostic("AC316", message, help=help_)])


def require_plain(engine: str, schema: Schema) -> None:
    for column in schema:
        if column.type.kind is Kind.OPAQUE:
            raise cannot_hold(engine, column.name)


def cannot_hold(engine: str, column: str) -> EngineError:
    help_ = "run on `duckdb`, or leave the column out"
    return EngineError([Diagnostic("AC304", f"{engine} cannot hold the column `{column}`", help=help_)])
