"""Turn PostgreSQL's errors into diagnostics.

The server's messages may quote records. Only those that cannot are passed on (invariant 4).
"""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors as server

from acompass.diagnostics import AcompassError, EngineError
from acompass.engines.errors import engine_error, engine_failed, out_of_memory, sum_too_large

_NAME = "PostgreSQL"
_MEMORY = (server.OutOfMemory, server.DiskFull, server.InsufficientResources)


@contextmanager
def failures() -> Iterator[None]:
    try:
        yield
    except (server.AdminShutdown, server.CrashShutdown):
        raise connection_lost() from None
    except server.QueryCanceled:
        raise canceled_by_server() from None
    except server.InsufficientPrivilege as error:
        raise not_permitted(error.diag.message_primary or "") from None
    except server.NumericValueOutOfRange:
        raise sum_too_large() from None
    except (server.UntranslatableCharacter, server.CharacterNotInRepertoire):
        raise no_nul() from None
    except _MEMORY:
        raise out_of_memory(_NAME) from None
    except psycopg.OperationalError as error:
        raise _operational(error) from None
    except psycopg.Error as error:
        raise engine_failed(_NAME, error) from None


def _operational(error: psycopg.OperationalError) -> AcompassError:
    return connection_lost() if error.sqlstate is None else engine_failed(_NAME, error)


def unreachable(why: str) -> EngineError:
    help_ = "use `postgres://user:password@host:5432/database`, and check that the server is running"
    return engine_error("AC305", f"cannot connect to PostgreSQL: {why}", help_)


def connection_lost() -> EngineError:
    return engine_error("AC306", "the connection to PostgreSQL was lost", "run again: nothing was written")


def not_permitted(why: str) -> EngineError:
    help_ = (
        "`check` needs SELECT on the table; `run` also needs TEMPORARY on the database and CREATE on the "
        "schema of the output"
    )
    return engine_error("AC307", f"PostgreSQL reports: {why}", help_)


def no_such_table(name: str) -> EngineError:
    help_ = "write the name as in SQL: `people`, `schema.people`, or `'\"People\"'` for a quoted name"
    return engine_error("AC308", f"no table or view `{name}` in the database", help_)


def no_such_schema(name: str) -> EngineError:
    help_ = f'create it first: CREATE SCHEMA "{name}"'
    return engine_error("AC308", f"no schema `{name}` in the database", help_)


def not_a_name(text: str) -> EngineError:
    help_ = "write a table as `people` or `schema.people`, a file as `people.csv` or `people.parquet`"
    return engine_error("AC308", f"`{text}` names neither a table nor a file", help_)


def no_nul() -> EngineError:
    message = "a text contains a NUL character, which PostgreSQL cannot store"
    return engine_error("AC311", message, "remove the NUL characters first")


def canceled_by_server() -> EngineError:
    help_ = "raise `statement_timeout`, or run again when the server is less busy"
    return engine_error("AC313", "PostgreSQL canceled the statement", help_)


def unfit_name(name: str, longest: int) -> EngineError:
    help_ = f"use a name of 1 to {longest} bytes"
    return engine_error("AC315", f"PostgreSQL does not allow the name `{name}`", help_)
