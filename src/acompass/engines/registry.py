"""The registry of engines: finds the engine for a URL or a table, and imports no other."""

import importlib.util
import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from importlib.metadata import entry_points
from typing import Any

from acompass.dataclasses import dataclass
from acompass.engines.errors import library_needed, no_memory_limit, unknown_engine
from acompass.engines.protocol import Engine
from acompass.plan.run.context import Session
from acompass.tables.formats import Options

DEFAULT = "duckdb"
#: the group of entry points with which third parties add engines; an entry point's name is the scheme of the
#: engine's URLs, and its value a function from a URL to an Engine
ENTRY_POINTS = "acompass.engines"


@dataclass(frozen=True)
class RegisteredEngine:
    make: Callable[[Any, Options], Engine]
    names: Sequence[str] = ()  # complete URLs
    prefixes: Sequence[str] = ()  # beginnings of URLs
    owns: Callable[[Any], bool] = lambda _given: False  # recognizes the engine's own objects

    def matches(self, url: Any) -> bool:
        is_named = isinstance(url, str) and (url in self.names or url.startswith(tuple(self.prefixes)))
        return is_named or self.owns(url)


def connect(table: Any, options: Options) -> Engine:
    """The requested engine, or by default the one that the table belongs to."""
    if options.engine is None:
        owner = next((engine for engine in ENGINES if engine.owns(table)), None)
        return _find(DEFAULT).make(DEFAULT, options) if owner is None else owner.make(table, options)
    return _find(options.engine).make(options.engine, options)


def open_session(url: str) -> AbstractContextManager[Session]:
    return connect(None, Options(engine=url)).session()


def known_schemes() -> set[str]:
    """The words that engine URLs begin with, such as `postgres` and `local`."""
    starts = [start for engine in ENGINES for start in (*engine.names, *engine.prefixes)]
    return {re.split(r"\W", start)[0] for start in starts} | entry_points(group=ENTRY_POINTS).names


def _find(url: Any) -> RegisteredEngine:
    for engine in ENGINES:
        if engine.matches(url):
            return engine
    found = list(entry_points(group=ENTRY_POINTS, name=str(url).partition(":")[0]))
    if not found:
        raise unknown_engine(str(url))
    make = found[0].load()
    return RegisteredEngine(lambda given, _options: make(given))


def _duckdb(_url: Any, _options: Options) -> Engine:
    from acompass.engines.duckdb.table import DuckDBEngine

    return DuckDBEngine()


def _reference(_url: Any, _options: Options) -> Engine:
    from acompass.engines.reference import ReferenceEngine

    return ReferenceEngine()


def _postgres(url: Any, _options: Options) -> Engine:
    if importlib.util.find_spec("psycopg") is None:
        raise library_needed("AC312", "`postgres://`", "psycopg", "postgres")
    from acompass.engines.postgres.table import PostgresEngine

    return PostgresEngine(url)


def _spark(place: Any, options: Options) -> Engine:
    if any(importlib.util.find_spec(library) is None for library in ("pyspark", "pyarrow")):
        raise library_needed("AC320", "Spark", "pyspark", "spark")
    if options.memory_limit is not None:
        raise no_memory_limit()
    from acompass.engines.spark.table import SparkEngine

    return SparkEngine(place.sparkSession if type(place).__name__ == "DataFrame" else place)


def _is_spark_object(given: Any) -> bool:
    """Whether this is a Spark session or data frame, without importing Spark."""
    return type(given).__module__.startswith("pyspark.sql")


ENGINES = (
    RegisteredEngine(_duckdb, names=("duckdb",)),
    RegisteredEngine(_reference, names=("reference",)),
    RegisteredEngine(_postgres, prefixes=("postgres://", "postgresql://")),
    RegisteredEngine(_spark, ("spark", "local"), ("spark://", "local[", "yarn", "k8s://"), owns=_is_spark_object),
)
