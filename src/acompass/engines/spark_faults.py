"""What can be wrong between us and Spark, one function a code; its own messages can quote a record."""

from acompass.diagnostics import Diagnostic, EngineError


def _error(code: str, message: str, help_: str) -> EngineError:
    return EngineError([Diagnostic(code, message, help=help_)])


def library_needed() -> EngineError:
    return _error("AC320", "Spark needs pyspark", "pip install 'acompass[spark]'")


def cannot_start(master: str) -> EngineError:
    help_ = (
        "check that Java 17 or later is installed (`java -version`), and that the master runs; masters are "
        "written `spark://host:7077` and `local[4]`"
    )
    return _error("AC321", f"Spark cannot be started on `{master}`", help_)


def runs_elsewhere(master: str, running: str) -> EngineError:
    help_ = f"use `{running}`, or stop it first"
    return _error("AC322", f"Spark runs on `{running}` in this process, not on `{master}`", help_)


def no_such_table(name: str) -> EngineError:
    help_ = "write a table as `people` or `schema.people`, a file as `people.csv` or `people.parquet`"
    return _error("AC308", f"no table or view `{name}` in Spark's catalog", help_)


def output_exists(name: str) -> EngineError:
    return _error(
        "AC309", f"there is a table `{name}` already", "choose another name, or replace it: `--force`"
    )


def lives_elsewhere(kind: str) -> EngineError:
    help_ = "give a Spark data frame, a table's name or a path, or leave the engine out"
    return _error("AC323", f"Spark cannot read {kind}", help_)


def not_shared(what: str) -> EngineError:
    help_ = "use a file where all workers can reach it, or `--engine 'local[*]'`"
    return _error("AC324", f"the workers of a cluster cannot reach {what}", help_)


def record_over_lines(path: str) -> EngineError:
    help_ = "make it Parquet first, which has no lines: `duckdb -c \"COPY (FROM 'x.csv') TO 'x.parquet'\"`"
    return _error(
        "AC325", f"a quoted field of `{path}` goes over several lines, which Spark splits at", help_
    )


def no_memory_limit() -> EngineError:
    help_ = "give executors their memory when they start: `spark.executor.memory`"
    return _error("AC326", "Spark takes no memory limit from here", help_)
