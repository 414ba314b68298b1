"""Typed tables that the engine scans where they are: columns mapped to our types, a view over the scan."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import duckdb

from acompass.checked.types import (
    BOOLEAN,
    DATE,
    FLOAT,
    INTEGER,
    OPAQUE,
    TEXT,
    TIMESTAMP,
    Column,
    Kind,
    Schema,
    Type,
    decimal,
)
from acompass.tables import faults
from acompass.tables.filling import filling
from acompass.tables.loaded import Loaded, column, fresh_name
from acompass.tables.missing import DROP, ERROR

WITH_TIME_ZONE = ("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS")

_TYPES: dict[str, Type] = {
    **dict.fromkeys(
        ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"), INTEGER
    ),
    **dict.fromkeys(("UBIGINT", "HUGEINT", "UHUGEINT"), decimal(0)),
    **dict.fromkeys(("FLOAT", "DOUBLE"), FLOAT),
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", *WITH_TIME_ZONE), TIMESTAMP),
    "VARCHAR": TEXT,
    "JSON": TEXT,
    "BOOLEAN": BOOLEAN,
    "DATE": DATE,
}
_DECIMAL = re.compile(r"DECIMAL\(\d+,\s*(\d+)\)")

#: the engine's type for each of ours, where the stored one is another
_ENGINE_TYPES = {
    Kind.INTEGER: "BIGINT",
    Kind.FLOAT: "DOUBLE",
    Kind.TEXT: "VARCHAR",
    Kind.TIMESTAMP: "TIMESTAMP",
}


@dataclass(frozen=True)
class Scan:
    """`sql` goes after FROM and has the columns c0, c1, … as stored; `row_number` is SQL on it."""

    sql: str
    names: tuple[str, ...]
    stored: tuple[str, ...]
    row_number: str
    records: int | None = None

    @cached_property
    def schema(self) -> Schema:
        return tuple(
            Column(name, type_of(stored)) for name, stored in zip(self.names, self.stored, strict=True)
        )


def type_of(stored: str) -> Type:
    """Our type for one of the engine's. A timestamp with a time zone is read in UTC."""
    if scale := _DECIMAL.fullmatch(stored):
        return decimal(int(scale[1]))
    if stored.startswith("ENUM("):
        return TEXT
    return _TYPES.get(stored, OPAQUE)


def load_scan(
    con: duckdb.DuckDBPyConnection,
    scan: Scan,
    named: frozenset[int],
    lacking: Mapping[int, int],
    missing: str = ERROR,
) -> Loaded:
    """A view of the scan with the named columns in the engine's types for ours, dropped or filled (D11)."""
    _require_exact(con, scan, named)
    values = {p: _value(column(p), scan.stored[p]) for p in range(len(scan.names))}
    where, dropped = "", 0
    if missing == DROP and lacking:
        incomplete = " OR ".join(is_missing(scan, position) for position in lacking)
        where, dropped = f" WHERE NOT ({incomplete})", _count(con, scan, incomplete)
    elif missing != ERROR:
        values |= {p: _filled(values[p], scan, p, missing) for p in lacking}
    selected = ", ".join(f"{values[p] if p in named else _passed(p, scan)} AS {column(p)}" for p in values)
    relation = fresh_name("scan")
    con.execute(
        f"CREATE TEMP VIEW {relation} AS "
        f"SELECT {selected}, {scan.row_number} AS row_number FROM {scan.sql}{where}"
    )
    return Loaded(
        relation=relation,
        schema=scan.schema,
        row_number="row_number",
        missing=lacking,
        completed=missing != ERROR,
        dropped=dropped,
        records=None if scan.records is None else scan.records - dropped,
        stored=scan.stored,
        named=named,
    )


def count_missing(con: duckdb.DuckDBPyConnection, scan: Scan, positions: list[int]) -> dict[int, int]:
    if not positions:
        return {}
    counts = ", ".join(f"count(*) FILTER ({is_missing(scan, position)})" for position in positions)
    row = con.execute(f"SELECT {counts} FROM {scan.sql}").fetchone()
    assert row is not None
    return {position: count for position, count in zip(positions, row, strict=True) if count}


def _count(con: duckdb.DuckDBPyConnection, scan: Scan, condition: str) -> int:
    return int(con.execute(f"SELECT count(*) FROM {scan.sql} WHERE {condition}").fetchall()[0][0])


def is_missing(scan: Scan, position: int) -> str:
    name = column(position)
    is_null = f"{name} IS NULL"
    return f"{is_null} OR isnan({name})" if type_of(scan.stored[position]).kind is Kind.FLOAT else is_null


def _passed(position: int, scan: Scan) -> str:
    """An unnamed column as stored; but the engine orders an ENUM by its definition, not as text."""
    name = column(position)
    return _value(name, scan.stored[position]) if scan.stored[position].startswith("ENUM(") else name


def _value(name: str, stored: str) -> str:
    type_ = type_of(stored)
    if stored in WITH_TIME_ZONE:
        return f"make_timestamp(epoch_us({name}))"
    if stored in ("UBIGINT", "HUGEINT", "UHUGEINT"):
        return f"CAST({name} AS DECIMAL(38, 0))"
    wanted = _ENGINE_TYPES.get(type_.kind, stored)
    value = name if wanted == stored else f"CAST({name} AS {wanted})"
    # -0.0 and 0.0 are one value, but the engine would group them apart; adding zero makes them one
    return f"({value} + CAST(0 AS DOUBLE))" if type_.kind is Kind.FLOAT else value


def _filled(value: str, scan: Scan, position: int, missing: str) -> str:
    fill = filling(missing, scan.schema[position])
    return f"CASE WHEN {is_missing(scan, position)} THEN {fill} ELSE {value} END"


def _require_exact(con: duckdb.DuckDBPyConnection, scan: Scan, named: frozenset[int]) -> None:
    """The types are wider than what Python's and the other engines' hold: a nanosecond, the 39th digit."""
    for position in sorted(named):
        name = column(position)
        match scan.stored[position]:
            case "TIMESTAMP_NS" | "TIMESTAMPTZ_NS":
                lost, limit = f"epoch_ns({name}) % 1000 <> 0", "times go to the microsecond"
            case "HUGEINT" | "UHUGEINT":
                lost, limit = f"TRY_CAST({name} AS DECIMAL(38, 0)) IS NULL", "numbers have at most 38 digits"
            case _:
                continue
        found = con.execute(
            f"SELECT 1 FROM {scan.sql} WHERE {name} IS NOT NULL AND {lost} LIMIT 1"
        ).fetchone()
        if found is not None:
            raise faults.not_exact(scan.names[position], limit)
