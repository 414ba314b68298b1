"""Parquet under the table's own names."""

import duckdb

from acompass.checked.types import Schema
from acompass.tables.content import Content, engine_writing
from acompass.tables.frames import require_arrow
from acompass.tables.loaded import text_literal
from acompass.tables.replacing import written


def write_parquet(con: duckdb.DuckDBPyConnection, content: Content, part: str, path: str) -> int:
    if not _engine_can_name(content.schema):
        return _write_renamed(con, content, part, path)
    named = ", ".join(
        f"{content.typed(position)} AS {_identifier(each.name)}"
        for position, each in enumerate(content.schema)
    )
    with engine_writing(part, path):
        row = con.execute(
            f"COPY (SELECT {named} FROM ({content.select})) TO {text_literal(part)} "
            "(FORMAT parquet, USE_TMP_FILE false)"
        ).fetchone()
    return int(row[0]) if row else 0


def _identifier(name: str) -> str:
    quoted = name.replace('"', '""')
    return f'"{quoted}"'


def _engine_can_name(schema: Schema) -> bool:
    """Not an empty name, nor two names that differ only in case."""
    names = {each.name.casefold() for each in schema}
    return "" not in names and len(names) == len(schema)


def _write_renamed(con: duckdb.DuckDBPyConnection, content: Content, part: str, path: str) -> int:
    require_arrow("a Parquet file with such column names")
    import pyarrow.parquet  # only for names that the engine cannot write

    typed = ", ".join(f"{content.typed(p)} AS c{p}" for p in range(len(content.schema)))
    reader = con.sql(f"SELECT {typed} FROM ({content.select})").to_arrow_reader()
    names = [each.name for each in content.schema]
    schema = pyarrow.schema([field.with_name(name) for field, name in zip(reader.schema, names, strict=True)])
    records = 0
    with written(path), pyarrow.parquet.ParquetWriter(part, schema) as file:
        for batch in reader:
            records += batch.num_rows
            file.write_batch(pyarrow.record_batch(batch.columns, schema=schema))
    return records
