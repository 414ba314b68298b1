"""What can be wrong between us and a PostgreSQL server, one function a code.

The server's own messages can quote a record, so only those that cannot are passed on (invariant 4).
"""

from acompass.diagnostics import Diagnostic, EngineError


def _error(code: str, message: str, help_: str) -> EngineError:
    return EngineError([Diagnostic(code, message, help=help_)])


def unreachable(why: str) -> EngineError:
    help_ = "the form is `postgres://user:password@host:5432/database`; check that the server runs"
    return _error("AC305", f"cannot connect to PostgreSQL: {why}", help_)


def connection_lost() -> EngineError:
    return _error("AC306", "the connection to PostgreSQL was lost", "run again: nothing was written")


def not_permitted(why: str) -> EngineError:
    help_ = (
        "`check` needs SELECT on the table; `run` also TEMPORARY on the database, and CREATE on the schema "
        "that it writes into"
    )
    return _error("AC307", f"PostgreSQL does not permit it: {why}", help_)


def no_such_table(name: str) -> EngineError:
    help_ = "write it as in SQL: `people`, `schema.people`, or `'\"People\"'` for a name in quotes"
    return _error("AC308", f"no table or view `{name}` in the database", help_)


def no_such_schema(name: str) -> EngineError:
    return _error("AC308", f"no schema `{name}` in the database", f'create it first: CREATE SCHEMA "{name}"')


def no_name(text: str) -> EngineError:
    help_ = "write a table as `people` or `schema.people`, a file as `people.csv` or `people.parquet`"
    return _error("AC308", f"`{text}` names neither a table nor a file", help_)


def output_exists(name: str) -> EngineError:
    return _error(
        "AC309", f"there is a table `{name}` already", "choose another name, or replace it: `--force`"
    )


def output_not_replaceable(name: str, why: str) -> EngineError:
    return _error("AC310", f"`{name}` cannot be replaced: {why}", "choose another name for the output")


def no_nul() -> EngineError:
    help_ = "remove the NUL characters first"
    return _error("AC311", "a text holds a NUL character, which PostgreSQL cannot hold", help_)


def library_needed() -> EngineError:
    return _error("AC312", "`postgres://` needs psycopg", "pip install 'acompass[postgres]'")


def canceled() -> EngineError:
    help_ = "raise `statement_timeout`, or run again when the server has time"
    return _error("AC313", "PostgreSQL canceled the statement", help_)


def sum_too_large() -> EngineError:
    help_ = "divide the column by a power of ten before, or sum smaller groups"
    message = "a sum is beyond the largest float, or has more than 38 digits"
    return _error("AC314", message, help_)


def unfit_name(name: str, longest: int) -> EngineError:
    help_ = f"give it a name of 1 to {longest} bytes"
    return _error("AC315", f"PostgreSQL cannot hold the name `{name}`", help_)
