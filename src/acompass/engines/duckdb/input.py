"""The files and columns that DuckDB reads.

CSV files are read into a temporary table of text, in input order; Parquet files are scanned in place. A column has a
stored type, a type in the policy, and SQL that converts between them.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from glob import escape

import duckdb
from sqlglot import exp

from acompass.dataclasses import dataclass
from acompass.engines.duckdb.session import fresh_name, text_list, text_literal
from acompass.language.program.types import (
    BOOLEAN,
    DATE,
    FLOAT,
    INTEGER,
    MOST_DIGITS,
    OPAQUE,
    TEXT,
    TIMESTAMP,
    Kind,
    Type,
    decimal,
)
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import ROW_KEY
from acompass.tables import errors
from acompass.tables.csv import Csv, has_blanks_at_quotes, has_mixed_line_ends, quote_field, require_names
from acompass.tables.source import Files, report_read_errors, require_no_partitions
from acompass.tables.temporary_files import private_file, temporary_folder

_WITH_TIME_ZONE = ("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS")
_NANOSECONDS = ("TIMESTAMP_NS", "TIMESTAMPTZ_NS")
#: integers with more digits than a decimal has
HUGE = ("HUGEINT", "UHUGEINT")
_WIDE = ("UBIGINT", *HUGE)

_TYPES: dict[str, Type] = {
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"), INTEGER),
    **dict.fromkeys(_WIDE, decimal(0)),
    **dict.fromkeys(("FLOAT", "DOUBLE"), FLOAT),
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", *_WITH_TIME_ZONE), TIMESTAMP),
    "VARCHAR": TEXT,
    "JSON": TEXT,
    "BOOLEAN": BOOLEAN,
    "DATE": DATE,
}
_DECIMAL = re.compile(r"DECIMAL\(\d+,\s*(\d+)\)")

#: the DuckDB type that plans use for each kind
_READ_AS = {Kind.INTEGER: "BIGINT", Kind.FLOAT: "DOUBLE", Kind.TEXT: "VARCHAR", Kind.TIMESTAMP: "TIMESTAMP"}


@dataclass(frozen=True)
class DuckDBColumn:
    position: int
    name: str
    stored: str  # the name of its type in DuckDB

    @cached_property
    def type(self) -> Type:
        """The type in a policy. A timestamp with a time zone is converted to UTC."""
        if scale := _DECIMAL.fullmatch(self.stored):
            return decimal(int(scale[1]))
        return TEXT if self.is_enum else _TYPES.get(self.stored, OPAQUE)

    @property
    def is_enum(self) -> bool:
        return self.stored.startswith("ENUM(")

    @property
    def may_be_nan(self) -> bool:
        return self.type.kind is Kind.FLOAT

    def value(self, is_named: bool) -> Sql:
        """An ENUM is always converted to text, because DuckDB orders an ENUM by its definition."""
        return self._plan_value() if is_named or self.is_enum else self._column()

    def _plan_value(self) -> Sql:
        column = self._column()
        if self.stored == "TIMESTAMPTZ_NS":
            return sql.call(
                "make_timestamp", exp.IntDiv(this=sql.call("epoch_ns", column), expression=sql.integer(1000))
            )
        if self.stored in _WITH_TIME_ZONE:
            return sql.call("make_timestamp", sql.call("epoch_us", column))
        if self.stored in _WIDE:
            return sql.cast(column, sql.decimal_type(0))
        read_as = _READ_AS.get(self.type.kind, self.stored)
        value = column if read_as == self.stored else sql.cast(column, read_as)
        if not self.may_be_nan:
            return value
        # -0.0 equals 0.0, but DuckDB groups them separately; adding zero turns -0.0 into 0.0
        return exp.paren(exp.Add(this=value, expression=sql.cast(sql.integer(0), "DOUBLE")))

    def is_missing(self) -> Sql:
        is_null = exp.Is(this=self._column(), expression=exp.null())
        if not self.may_be_nan:
            return is_null
        return exp.or_(is_null, sql.call("isnan", self._column()))

    def limit(self) -> tuple[Sql, str] | None:
        if self.stored in _NANOSECONDS:
            rest = exp.Mod(this=sql.call("epoch_ns", self._column()), expression=sql.integer(1000))
            return exp.NEQ(this=rest, expression=sql.integer(0)), errors.MICROSECONDS
        if self.stored in HUGE:
            fits = sql.try_cast(self._column(), sql.decimal_type(0))
            is_lost = exp.Is(this=fits, expression=exp.null())
            is_present = exp.Not(this=exp.Is(this=self._column(), expression=exp.null()))
            return exp.and_(is_present, is_lost), errors.DIGITS
        return None

    def _column(self) -> Sql:
        return sql.column(self.position, "t")


def restore_type(value: str, stored: str) -> str:
    """SQL for a plan's value converted back to the stored type of its column."""
    if stored in _WITH_TIME_ZONE:
        return f"CAST(make_timestamptz(epoch_us({value})) AS {stored})"
    return f"CAST({value} AS {stored})"


def portable_time(time: Sql, stored: str) -> tuple[Sql, str] | None:
    """A value that has the order of the times, and its type: nanoseconds since 1970 or a time in UTC, in place of times
    that Python would round, or that have a time zone; None for others."""
    if stored in _NANOSECONDS:
        return sql.call("epoch_ns", time), "BIGINT"
    if stored in _WITH_TIME_ZONE:
        return sql.call("make_timestamp", sql.call("epoch_us", time)), "TIMESTAMP"
    return None


def from_portable_time(value: str, stored: str) -> str:
    if stored not in _NANOSECONDS:
        return restore_type(value, stored)
    local = f"make_timestamp_ns({value})"
    return local if stored == "TIMESTAMP_NS" else f"CAST(CAST({local} AS VARCHAR) || '+00' AS {stored})"


#: the maximum record length in bytes; DuckDB's default of 2 MiB is too short for free text
LONGEST_RECORD = 1 << 27


def read_text(con: duckdb.DuckDBPyConnection, csv: Csv) -> str:
    """Create a table with VARCHAR columns c0, c1, … and NULL for missing values; return its name. Its rowids follow the
    input order."""
    table = fresh_name("csv")
    has_blanks = any(has_blanks_at_quotes(path, shown, csv.delimiter) for path, shown in csv.files)
    # DuckDB would infer the line ending from a line break in a name, and might then find no records
    has_line_break = any("\n" in name or "\r" in name for name in csv.names)
    is_mixed = len(csv.names) == 1 and any(has_mixed_line_ends(path, shown) for path, shown in csv.files)
    if has_blanks or has_line_break or is_mixed or not _try_to_read(con, csv, table):
        _read_normalized(con, csv, table)
    return table


def _try_to_read(con: duckdb.DuckDBPyConnection, csv: Csv, table: str) -> bool:
    """Whether DuckDB could read the files. Its message is discarded, because it quotes records; our own reader reports
    the error."""
    try:
        _read(con, csv, table, csv.source.paths, csv.delimiter)
    except (duckdb.InvalidInputException, duckdb.IOException, duckdb.ConversionException):
        return False
    return True


def _read(con: duckdb.DuckDBPyConnection, csv: Csv, table: str, paths: tuple[str, ...], delimiter: str) -> None:
    con.execute(
        f"CREATE TEMP TABLE {table} AS SELECT * "
        f"FROM read_csv({text_list([escape(path) for path in paths])}, {csv_options(len(csv.names))}, "
        f"header = true, delim = {text_literal(delimiter)}, hive_partitioning = false)"
    )


def csv_options(width: int) -> str:
    """The options with which `read_csv` reads text exactly as in the file."""
    columns = ", ".join(f"'{sql.name(i)}': 'VARCHAR'" for i in range(width))
    return (
        f"columns = {{{columns}}}, auto_detect = false, "
        """quote = '"', escape = '"', nullstr = '', allow_quoted_nulls = false, null_padding = false, """
        f"strict_mode = true, max_line_size = {LONGEST_RECORD}"
    )


def _read_normalized(con: duckdb.DuckDBPyConnection, csv: Csv, table: str) -> None:
    """Read a normalized copy of the files, which our own reader writes; it also finds every error in the files."""
    with temporary_folder() as folder:
        copies = tuple(private_file(folder, f"{i}.csv") for i in range(len(csv.source.paths)))
        for (path, shown), copy in zip(csv.files, copies, strict=True):
            _normalize(csv, path, shown, copy)
        try:
            _read(con, csv, table, copies, ",")
        except duckdb.InvalidInputException:
            why = f"a record is longer than {LONGEST_RECORD} bytes"
            raise errors.unreadable(csv.source.shown[0], why) from None


def _normalize(csv: Csv, path: str, shown: str, copy: str) -> None:
    with open(copy, "w", encoding="utf-8", newline="") as file:
        file.write(",".join('"h"' for _ in csv.names) + "\n")
        for _, fields in csv.records(path, shown):
            file.write(",".join("" if field is None else quote_field(field) for field in fields) + "\n")


#: conditions in one statement; DuckDB limits the depth of an expression
_MOST_CONDITIONS = 500


def find_repeated_names(con: duckdb.DuckDBPyConnection, csv: Csv, table: str) -> set[int]:
    """The columns of the table of text in which the column's name occurs as a value.

    The first query ends at the first such record, and DuckDB skips most of the table by its statistics.
    """
    is_name = {position: f"{sql.name(position)} = {text_literal(name)}" for position, name in enumerate(csv.names)}
    found: set[int] = set()
    for start in range(0, len(is_name), _MOST_CONDITIONS):
        part = range(start, min(start + _MOST_CONDITIONS, len(is_name)))
        anywhere = " OR ".join(is_name[position] for position in part)
        if con.execute(f"SELECT 1 FROM {table} WHERE {anywhere} LIMIT 1").fetchone() is not None:
            row = con.execute(f"SELECT {', '.join(f'bool_or({is_name[p]})' for p in part)} FROM {table}").fetchone()
            assert row is not None
            found |= {position for position, is_repeated in zip(part, row, strict=True) if is_repeated}
    return found


_MAGIC = b"PAR1"
#: larger than the number of records in a file, yet row keys of millions of files fit in 64 bits
_FILE_STRIDE = 1 << 40


@dataclass(frozen=True)
class Parquet:
    files: str  # SQL for the list of paths
    columns: tuple[DuckDBColumn, ...]
    leaves: tuple[int, ...]  # the index of each column's first leaf column

    @property
    def select(self) -> str:
        """SQL for the records as stored. Parquet's statistics ignore NaN; without `can_have_nan`, DuckDB would assume
        that there is none."""
        aliases = ", ".join(sql.name(position) for position in range(len(self.columns)))
        options = "hive_partitioning = false, union_by_name = false, can_have_nan = true"
        row_key = f"CAST(file_index AS BIGINT) * {_FILE_STRIDE} + file_row_number"
        return f"SELECT {aliases}, {row_key} AS {ROW_KEY} FROM read_parquet({self.files}, {options}) AS t({aliases})"

    def records(self, con: duckdb.DuckDBPyConnection) -> int:
        row = con.execute(f"SELECT sum(num_rows) FROM parquet_file_metadata({self.files})").fetchone()
        assert row is not None
        return int(row[0])

    def null_counts(self, con: duckdb.DuckDBPyConnection, positions: Iterable[int]) -> Mapping[int, int]:
        """The null counts of the columns with statistics in every file, except floats, whose NaNs are not counted."""
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
    names = [column.name for column, _ in first[1]]
    require_names(names)
    require_no_partitions(source, names)
    paths = text_list([escape(path) for path in source.paths])
    return Parquet(paths, tuple(column for column, _ in first[1]), tuple(leaf for _, leaf in first[1]))


def _columns(con: duckdb.DuckDBPyConnection, path: str, shown: str) -> list[tuple[DuckDBColumn, int]]:
    """The columns with their names in the file. DuckDB renames empty names and names that differ in case."""
    _require_magic(path, shown)
    try:
        nodes = con.execute(
            "SELECT name, coalesce(num_children, 0), duckdb_type, precision "
            f"FROM parquet_schema({text_list([escape(path)])}) ORDER BY column_id"
        ).fetchall()
    except duckdb.Error:
        raise errors.damaged_file(shown, "Parquet") from None
    for name, _, type_, precision in nodes:
        if precision is not None and precision > MOST_DIGITS and type_ == "DOUBLE":  # DuckDB would round them
            raise errors.not_exact(name, errors.DIGITS)
    return list(_top_level(nodes))


def _top_level(nodes: Sequence[tuple[str, int, str, int | None]]) -> Iterator[tuple[DuckDBColumn, int]]:
    """The root's children, each with the index of its first leaf. `nodes` is the tree, depth first."""
    position = leaf = within = 0
    for name, children, type_, _ in nodes[1:]:
        if within == 0:
            yield DuckDBColumn(position, name, type_), leaf
            position += 1
            within = 1
        within += children - 1
        leaf += children == 0


def _require_magic(path: str, shown: str) -> None:
    with report_read_errors(path, shown), open(path, "rb") as file:
        start = file.read(len(_MAGIC))
        file.seek(0, 2)
        file.seek(max(file.tell() - len(_MAGIC), 0))
        if start != _MAGIC or file.read() != _MAGIC:
            raise errors.damaged_file(shown, "Parquet")
