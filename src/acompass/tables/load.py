"""Any source into the embedded engine."""

from typing import assert_never

import duckdb

from acompass.tables.from_csv import load_csv
from acompass.tables.from_frame import load_frame
from acompass.tables.from_parquet import load_parquet
from acompass.tables.loaded import Loaded, Uses
from acompass.tables.missing import ERROR
from acompass.tables.source import Files, Frame, Source


def load(con: duckdb.DuckDBPyConnection, source: Source, uses: Uses, missing: str = ERROR) -> Loaded:
    """`missing` is `error`, `drop`, or the value to fill with (D11).

    With `error` an incomplete table is loaded all the same, for the policy to be checked against its schema
    first: `require_complete` then raises.
    """
    match source:
        case Files(format="csv"):
            return load_csv(con, source, uses, missing)
        case Files():
            return load_parquet(con, source, uses, missing)
        case Frame():
            return load_frame(con, source, uses, missing)
        case _:
            assert_never(source)
