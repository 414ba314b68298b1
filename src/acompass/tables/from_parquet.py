"""Parquet files as a loaded table: scanned in place, one view over all of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from glob import escape

import duckdb

from acompass.checked.types import Kind
from acompass.tables import faults
from acompass.tables.header import require_names
from acompass.tables.loaded import Loaded, Uses, column, text_list
from acompass.tables.missing import ERROR
from acompass.tables.scan import Scan, count_missing, load_scan, type_of
from acompass.tables.source import Files, readable

_MAGIC = b"PAR1"
#: more records than a file has, and few enough that millions of files fit in 64 bits
_FILE_STRIDE = 1 << 40


@dataclass(frozen=True)
class _StoredColumn:
    """`leaf` is the place of its first column chunk; a nested column has several, others have one."""

    name: str
    type: str
    leaf: int


def load_parquet(con: duckdb.DuckDBPyConnection, source: Files, uses: Uses, missing: str = ERROR) -> Loaded:
    columns = _shared_columns(con, source)
    require_names([each.name for each in columns])
    files = text_list([escape(path) for path in source.paths])
    scan = _scan(con, files, columns)
    named = frozenset(uses(scan.names))
    lacking = _count_missing(con, files, columns, scan, sorted(named))
    return load_scan(con, scan, named, lacking, missing)


def _shared_columns(con: duckdb.DuckDBPyConnection, source: Files) -> list[_StoredColumn]:
    each_file = zip(source.paths, source.shown, strict=True)
    first, *others = [(shown, _columns(con, path, shown)) for path, shown in each_file]
    for shown, columns in others:
        if columns != first[1]:
            raise faults.files_differ(shown, first[0], "has other columns")
    return first[1]


def _columns(con: duckdb.DuckDBPyConnection, path: str, shown: str) -> list[_StoredColumn]:
    """The names are those in the file: the engine renames empty names, and names that differ only in case."""
    _require_marks(path, shown)
    try:
        nodes = con.execute(
            "SELECT name, coalesce(num_children, 0), duckdb_type "
            f"FROM parquet_schema({text_list([escape(path)])}) ORDER BY column_id"
        ).fetchall()
    except duckdb.Error:
        raise faults.damaged(shown, "Parquet") from None
    return _top_level(nodes)


def _top_level(nodes: Sequence[tuple[str, int, str]]) -> list[_StoredColumn]:
    """The root's children, of a schema tree listed depth first."""
    columns: list[_StoredColumn] = []
    leaf = within = 0
    for name, children, type_ in nodes[1:]:
        if within == 0:
            columns.append(_StoredColumn(name, type_, leaf))
            within = 1
        within += children - 1
        leaf += children == 0
    return columns


def _require_marks(path: str, shown: str) -> None:
    with readable(path, shown), open(path, "rb") as file:
        start = file.read(len(_MAGIC))
        file.seek(0, 2)
        file.seek(max(file.tell() - len(_MAGIC), 0))
        if start != _MAGIC or file.read() != _MAGIC:
            raise faults.damaged(shown, "Parquet")


def _scan(con: duckdb.DuckDBPyConnection, files: str, columns: Sequence[_StoredColumn]) -> Scan:
    """Parquet's statistics leave NaN out, and unless told so the engine concludes that there is none."""
    aliases = ", ".join(column(position) for position in range(len(columns)))
    options = "hive_partitioning = false, union_by_name = false, can_have_nan = true"
    records = con.execute(f"SELECT sum(num_rows) FROM parquet_file_metadata({files})").fetchone()
    return Scan(
        sql=f"read_parquet({files}, {options}) AS t({aliases})",
        names=tuple(each.name for each in columns),
        stored=tuple(each.type for each in columns),
        row_number=f"CAST(file_index AS BIGINT) * {_FILE_STRIDE} + file_row_number",
        records=int(records[0]) if records else None,
    )


def _count_missing(
    con: duckdb.DuckDBPyConnection,
    files: str,
    columns: Sequence[_StoredColumn],
    scan: Scan,
    named: Sequence[int],
) -> dict[int, int]:
    """From the files' own statistics where they have them; NaN is not in them."""
    plain = [p for p in named if type_of(scan.stored[p]).kind not in (Kind.FLOAT, Kind.OPAQUE)]
    known = _counted_nulls(con, files, {columns[position].leaf: position for position in plain})
    counted = {position: count for position, count in known.items() if count}
    return counted | count_missing(con, scan, [position for position in named if position not in known])


def _counted_nulls(con: duckdb.DuckDBPyConnection, files: str, leaves: dict[int, int]) -> dict[int, int]:
    if not leaves:
        return {}
    rows = con.execute(
        f"SELECT column_id, sum(stats_null_count) FROM parquet_metadata({files}) "
        f"WHERE column_id IN ({', '.join(map(str, leaves))}) GROUP BY column_id "
        "HAVING count(*) = count(stats_null_count)"
    ).fetchall()
    return {leaves[leaf]: int(count) for leaf, count in rows}
