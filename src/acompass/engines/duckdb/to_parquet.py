"""Write Parquet with the table's own column names."""

from collections.abc import Sequence

import duckdb

from acompass.engines.duckdb.names import identifier, text_literal
from acompass.engines.duckdb.output import Output, engine_writing
from acompass.tables.frames import require_arrow
from acompass.tables.replacing import written


def write_parquet(con: duckdb.DuckDBPyConnection, output: Output, part: str, path: str) -> int:
    if not engine_can_name(output.names):
        return _write_renamed(con, output, part, path)
    with engine_writing(part, path):
        row = con.execute(
            f"COPY (SELECT {named_columns(output)} FROM ({output.select})) TO {text_literal(part)} "
            "(FORMAT parquet, USE_TMP_FILE false)"
        ).fetchone()
    return int(row[0]) if row else 0


def named_columns(output: Output) -> str:
    """SQL for the columns in their output types, with the table's names."""
    return ", ".join(
        f"{output.column(position)} AS {identifier(name)}"
        for position, name in zip(output.positions, output.names, strict=True)
    )


def engine_can_name(names: Sequence[str]) -> bool:
    """DuckDB allows neither an empty name nor two names that differ only in case."""
    folded = {name.casefold() for name in names}
    return "" not in folded and len(folded) == len(names)


def _write_renamed(con: duckdb.DuckDBPyConnection, output: Output, part: str, path: str) -> int:
    require_arrow("a Parquet file with such column names")
    import pyarrow.parquet

    reader = con.sql(output.typed).to_arrow_reader()
    named = zip(reader.schema, output.names, strict=True)
    schema = pyarrow.schema([field.with_name(name) for field, name in named])
    records = 0
    with written(path), pyarrow.parquet.ParquetWriter(part, schema) as file:
        for batch in reader:
            records += batch.num_rows
            file.write_batch(pyarrow.record_batch(batch.columns, schema=schema))
    return records
