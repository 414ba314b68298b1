"""The engine that a URL names."""

import importlib.util
from contextlib import AbstractContextManager
from typing import Any

from acompass.engines.engine import Engine
from acompass.engines.failures import unknown_engine
from acompass.plan.running.session import Session

DEFAULT = "duckdb"


def connect(url: Any, table: Any, memory_limit: str | None) -> Engine:
    """The engine asked for, else the one that the table lives in; imports no other."""
    if _is_of_spark(url) or (url is None and _is_of_spark(table)):
        return _spark(url or table.sparkSession, memory_limit)
    name = url or DEFAULT
    if name == "duckdb":
        from acompass.engines.duckdb import DuckDBEngine

        return DuckDBEngine(memory_limit)
    if name == "reference":
        from acompass.engines.reference import ReferenceEngine

        return ReferenceEngine(memory_limit)
    if name.startswith(("postgres://", "postgresql://")):
        return _postgres(name, memory_limit)
    if name == "spark" or name.startswith(("spark://", "local[", "yarn", "k8s://")) or name == "local":
        return _spark(name, memory_limit)
    raise unknown_engine(name)


def open_session(url: str) -> AbstractContextManager[Session]:
    return connect(url, None, None).session()


def _postgres(url: str, memory_limit: str | None) -> Engine:
    from acompass.engines.postgres_faults import library_needed

    if importlib.util.find_spec("psycopg") is None:
        raise library_needed()
    from acompass.engines.postgres import PostgresEngine

    return PostgresEngine(url, memory_limit)


def _is_of_spark(given: Any) -> bool:
    """A session or a data frame of Spark's; told without importing it."""
    return type(given).__module__.startswith("pyspark.sql")


def _spark(place: Any, memory_limit: str | None) -> Engine:
    from acompass.engines import spark_faults

    if any(importlib.util.find_spec(library) is None for library in ("pyspark", "pyarrow")):
        raise spark_faults.library_needed()
    if memory_limit is not None:
        raise spark_faults.no_memory_limit()
    from acompass.engines.spark import SparkEngine

    return SparkEngine(place)
