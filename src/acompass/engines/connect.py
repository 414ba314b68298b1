"""The engine that a URL names."""

import importlib.util
from contextlib import AbstractContextManager
from typing import Any

from acompass.engines.engine import Engine
from acompass.engines.failures import unknown_engine
from acompass.plan.session import Session

DEFAULT = "duckdb"


def connect(url: str | None, table: Any, memory_limit: str | None) -> Engine:
    """The engine asked for, else the one that the table lives in; imports no other."""
    name = url or DEFAULT
    if name == "duckdb":
        from acompass.engines.duckdb import DuckDBEngine

        return DuckDBEngine(memory_limit)
    if name == "reference":
        from acompass.engines.reference import ReferenceEngine

        return ReferenceEngine(memory_limit)
    if name.startswith(("postgres://", "postgresql://")):
        return _postgres(name, memory_limit)
    raise unknown_engine(name)


def open_session(url: str) -> AbstractContextManager[Session]:
    return connect(url, None, None).session()


def _postgres(url: str, memory_limit: str | None) -> Engine:
    from acompass.engines.postgres_faults import library_needed

    if importlib.util.find_spec("psycopg") is None:
        raise library_needed()
    from acompass.engines.postgres import PostgresEngine

    return PostgresEngine(url, memory_limit)
