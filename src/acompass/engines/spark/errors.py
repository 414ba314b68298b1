"""Turn Spark's errors into diagnostics. Spark's own messages may quote records, so they are omitted."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from acompass.diagnostics import EngineError
from acompass.engines.errors import engine_error, engine_failed

_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")


@contextmanager
def failures() -> Iterator[None]:
    """Turn Spark's errors into diagnostics, and disable pyspark's error log, which quotes records."""
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    were_disabled = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise engine_failed("Spark", error) from None
    finally:
        for logger, was_disabled in zip(loggers, were_disabled, strict=True):
            logger.disabled = was_disabled


def cannot_start(master: str) -> EngineError:
    help_ = (
        "check that Java 17 or later is installed (`java -version`) and that the master is running; use a "
        "master such as `spark://host:7077` or `local[4]`"
    )
    return engine_error("AC321", f"cannot start Spark on `{master}`", help_)


def runs_elsewhere(master: str, running: str) -> EngineError:
    help_ = f"use `{running}`, or stop it first"
    message = f"Spark is already running on `{running}` in this process, not on `{master}`"
    return engine_error("AC322", message, help_)


def no_such_table(name: str) -> EngineError:
    help_ = "write a table as `people` or `schema.people`, a file as `people.csv` or `people.parquet`"
    return engine_error("AC308", f"no table or view `{name}` in Spark's catalog", help_)


def lives_elsewhere(kind: str) -> EngineError:
    help_ = "use a Spark data frame, the name of a table or a path, or omit the engine"
    return engine_error("AC323", f"Spark cannot read {kind}", help_)


def not_shared(what: str) -> EngineError:
    help_ = "use a file system that all workers share, or `--engine 'local[*]'`"
    return engine_error("AC324", f"the workers of a cluster cannot reach {what}", help_)


def record_over_lines(path: str) -> EngineError:
    help_ = "convert it to Parquet first: `duckdb -c \"COPY (FROM 'x.csv') TO 'x.parquet'\"`"
    message = f"a quoted field in `{path}` spans several lines, which Spark cannot read"
    return engine_error("AC325", message, help_)
