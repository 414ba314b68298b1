"""Write a folder of Parquet files, with a folder for each value of a column as Hive has them.

The files have the columns of the partition too, so that they can be read without their folders' names.
"""

from collections.abc import Sequence
from pathlib import Path

import duckdb

from acompass.engines.duckdb.names import identifier, text_literal
from acompass.engines.duckdb.output import Output, engine_writing
from acompass.engines.duckdb.to_parquet import engine_can_name, named_columns, write_parquet
from acompass.tables import format_errors
from acompass.tables.replacing import replacing_folder


def write_partitions(
    con: duckdb.DuckDBPyConnection, output: Output, partition: Sequence[str], path: str
) -> int:
    """Write the folder whole or not at all; return the number of records."""
    if not engine_can_name(output.names):
        raise format_errors.partition_names(path)
    columns = ", ".join(identifier(name) for name in partition)
    with replacing_folder(path) as part:
        with engine_writing(part, path):
            row = con.execute(
                f"COPY (SELECT {named_columns(output)} FROM ({output.select})) TO {text_literal(part)} "
                f"(FORMAT parquet, PARTITION_BY ({columns}), WRITE_PARTITION_COLUMNS true)"
            ).fetchone()
        records = int(row[0]) if row else 0
        if records == 0:
            # a file without records, so that the columns can be read
            write_parquet(con, output, str(Path(part, "data_0.parquet")), path)
    return records
