"""Turn DuckDB's errors into diagnostics."""

from collections.abc import Iterator
from contextlib import contextmanager

import duckdb

from acompass.diagnostics import CallError, Diagnostic
from acompass.engines.errors import canceled, engine_failed, out_of_memory, sum_too_large


@contextmanager
def failures() -> Iterator[None]:
    try:
        yield
    except duckdb.OutOfMemoryException:
        raise out_of_memory("DuckDB") from None
    except duckdb.InterruptException:
        raise canceled() from None
    except duckdb.OutOfRangeException as error:
        # the only arithmetic that can leave the range: HUGEINT and DECIMAL(38) in a SUM
        raise (sum_too_large() if "addition" in str(error) else engine_failed("DuckDB", error)) from None
    except duckdb.Error as error:
        raise engine_failed("DuckDB", error) from None
    except RuntimeError as error:
        # DuckDB raises this on Ctrl-C
        if str(error) == "Query interrupted":
            raise KeyboardInterrupt from None
        raise


def invalid_memory_size(limit: str) -> CallError:
    help_ = "use a size such as `2GiB` or `500MB`"
    return CallError([Diagnostic("AC401", f"invalid memory size `{limit}`", help=help_)])
