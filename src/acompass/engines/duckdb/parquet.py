"""Parquet files, scanned in place: their columns and the statistics in their footers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from glob import escape

import duckdb

from acompass.checked.types import Kind
from acompass.engines.duckdb.columns import DuckDBColumn
from acompass.engines.duckdb.names import text_list
from acompass.plan.lowering import sql
from acompass.plan.lowering.state import ROW_KEY
from acompass.tables import errors
from acompass.tables.header import require_names
from acompass.tables.source import Files, readable

_MAGIC = b"PAR1"
#: larger than the number of records in a file, yet row keys of millions of files fit in 64 bits
_FILE_STRIDE = 1 << 40


@dataclass(frozen=True)
class Parquet:
    """`files` is SQL for the list of paths; `leaves` is the index of each column's first leaf column."""

    files: str
    columns: tuple[DuckDBColumn, ...]
    leaves: tuple[int, ...]

    @property
    def select(self) -> str:
        """SQL for the records, with the columns as stored.

        Parquet's statistics do not include NaN; without `can_have_nan`, DuckDB would assume there is none.
        """
        aliases = ", ".join(sql.name(position) for position in range(len(self.columns)))
        options = "hive_partitioning = false, union_by_name = false, can_have_nan = true"
        row_key = f"CAST(file_index AS BIGINT) * {_FILE_STRIDE} + file_row_number"
        return (
            f"SELECT {aliases}, {row_key} AS {ROW_KEY} "
            f"FROM read_parquet({self.files}, {options}) AS t({aliases})"
        )

    def records(self, con: duckdb.DuckDBPyConnection) -> int:
        row = con.execute(f"SELECT sum(num_rows) FROM parquet_file_metadata({self.files})").fetchone()
        assert row is not None
        return int(row[0])

    def null_counts(self, con: duckdb.DuckDBPyConnection, positions: Iterable[int]) -> Mapping[int, int]:
        """The null counts of columns for which every file has statistics. Floats are left out, because NaN is
        not counted."""
        plain = [p for p in positions if self.columns[p].type.kind not in (Kind.FLOAT, Kind.OPAQUE)]
        positions_of = {self.leaves[position]: position for position in plain}
        if not plain:
            return {}
        rows = con.execute(
            f"SELECT column_id, sum(stats_null_count) FROM parquet_metadata({self.files}) "
            f"WHERE column_id IN ({', '.join(map(str, positions_of))}) GROUP BY column_id "
            "HAVING count(*) = count(stats_null_count)"
        ).fetchall()
        return {positions_of[leaf]: int(count) for leaf, count in rows}


def read_footers(con: duckdb.DuckDBPyConnection, source: Files) -> Parquet:
    each_file = zip(source.paths, source.shown, strict=True)
    first, *others = [(shown, _columns(con, path, shown)) for path, shown in each_file]
    for shown, columns in others:
        if columns != first[1]:
            raise errors.files_differ(first[0], shown, "columns")
    require_names([column.name for column, _ in first[1]])
    paths = text_list([escape(path) for path in source.paths])
    return Parquet(paths, tuple(column for column, _ in first[1]), tuple(leaf for _, leaf in first[1]))


def _columns(con: duckdb.DuckDBPyConnection, path: str, shown: str) -> list[tuple[DuckDBColumn, int]]:
    """The columns with their names in the file. DuckDB renames empty names and names that differ in case."""
    _require_magic(path, shown)
    try:
        nodes = con.execute(
            "SELECT name, coalesce(num_children, 0), duckdb_type "
            f"FROM parquet_schema({text_list([escape(path)])}) ORDER BY column_id"
        ).fetchall()
    except duckdb.Error:
        raise errors.damaged(shown, "Parquet") from None
    return list(_top_level(nodes))


def _top_level(nodes: Sequence[tuple[str, int, str]]) -> Iterator[tuple[DuckDBColumn, int]]:
    """The root's children, each with the index of its first leaf. `nodes` is the tree, depth first."""
    position = leaf = within = 0
    for name, children, type_ in nodes[1:]:
        if within == 0:
            yield DuckDBColumn(position, name, type_), leaf
            position += 1
            within = 1
        within += children - 1
        leaf += children == 0


def _require_magic(path: str, shown: str) -> None:
    with readable(path, shown), open(path, "rb") as file:
        start = file.read(len(_MAGIC))
        file.seek(0, 2)
        file.seek(max(file.tell() - len(_MAGIC), 0))
        if start != _MAGIC or file.read() != _MAGIC:
            raise errors.damaged(shown, "Parquet")
