"""Store the same typed records as tables of several engines: in memory, in PostgreSQL and in Spark."""

import datetime
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeAlias

import psycopg
import pyarrow
import pytest
from psycopg import sql

from acompass.language.program.types import Kind, Schema, Type

Record: TypeAlias = tuple[Any, ...]

_ARROW: dict[Kind, Any] = {
    Kind.INTEGER: pyarrow.int64(),
    Kind.FLOAT: pyarrow.float64(),
    Kind.TEXT: pyarrow.string(),
    Kind.BOOLEAN: pyarrow.bool_(),
    Kind.DATE: pyarrow.date32(),
    Kind.TIMESTAMP: pyarrow.timestamp("us"),
}
_POSTGRES = {
    Kind.INTEGER: "bigint",
    Kind.FLOAT: "double precision",
    Kind.TEXT: "text",
    Kind.BOOLEAN: "boolean",
    Kind.DATE: "date",
    Kind.TIMESTAMP: "timestamp",
}
_SPARK = {**_POSTGRES, Kind.FLOAT: "double", Kind.TEXT: "string", Kind.TIMESTAMP: "timestamp_ntz"}
_DIGITS = 38


@dataclass(frozen=True)
class Place:
    store: Callable[[str, Schema, Sequence[Record]], Any]  # makes a table of records
    options: dict[str, Any]  # arguments of a call on such a table


def make_place(engine: str, request: pytest.FixtureRequest) -> Place:
    """PostgreSQL and Spark store the records in another order, which must not matter."""
    if engine == "postgres":
        url = request.getfixturevalue("postgres").url("english")
        return Place(lambda name, schema, records: _in_postgres(url, name, schema, records), {"engine": url})
    if engine == "spark":
        spark = request.getfixturevalue("spark")
        return Place(lambda _, schema, records: _in_spark(spark, schema, records), {})
    return Place(lambda _, schema, records: in_memory(schema, records), {"engine": engine})


def in_memory(schema: Schema, records: Sequence[Record]) -> Any:
    columns = list(zip(*records, strict=True)) if records else [()] * len(schema)
    arrays = [pyarrow.array(c, _arrow_type(s.type)) for s, c in zip(schema, columns, strict=True)]
    return pyarrow.table(arrays, names=[column.name for column in schema])


def _arrow_type(type_: Type) -> Any:
    return pyarrow.decimal128(_DIGITS, type_.scale) if type_.kind is Kind.DECIMAL else _ARROW[type_.kind]


def _in_postgres(url: str, name: str, schema: Schema, records: Sequence[Record]) -> str:
    columns = [
        sql.SQL("{} " + _column_type("numeric", _POSTGRES, column.type)).format(sql.Identifier(column.name))
        for column in schema
    ]
    table = sql.Identifier(name)
    with psycopg.connect(url) as con:
        con.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(table))
        con.execute(sql.SQL("CREATE TABLE {} ({})").format(table, sql.SQL(", ").join(columns)))
        with con.cursor().copy(sql.SQL("COPY {} FROM STDIN").format(table)) as copy:
            for record in _shuffle(records):
                copy.write_row(record)
    return name


def _in_spark(spark: Any, schema: Schema, records: Sequence[Record]) -> Any:
    types = [_column_type("decimal", _SPARK, column.type) for column in schema]
    described = ", ".join(f"c{i} {type_}" for i, type_ in enumerate(types))
    frame = spark.createDataFrame(_shuffle(records), described)
    return frame.toDF(*(column.name for column in schema))


def _column_type(decimal: str, names: dict[Kind, str], type_: Type) -> str:
    return f"{decimal}({_DIGITS}, {type_.scale})" if type_.kind is Kind.DECIMAL else names[type_.kind]


def _shuffle(records: Sequence[Record]) -> list[Record]:
    return random.Random("another order").sample(list(records), len(records))


def sample_values(kind: Kind) -> list[Any]:
    """A few values, so that they collide: missing values, and values that engines spell or order differently."""
    match kind:
        case Kind.INTEGER:
            return [None, 0, 1, -7, 10, 2**53 + 1, 2**63 - 1]
        case Kind.FLOAT:
            return [None, float("nan"), 0.0, -0.0, 0.1, 1e23, 5e-324, float("inf"), float("-inf")]
        case Kind.DECIMAL:
            return [None, *map(Decimal, ("0.00", "0.50", "-2.25", "10.10"))]
        case Kind.TEXT:
            return [None, "", " ", "a", "A", "b'\"", "é", "e\u0301", "\\n", "a\nb", "😀", "*"]
        case Kind.BOOLEAN:
            return [None, True, False]
        case Kind.DATE:
            return [None, datetime.date(1, 1, 1), datetime.date(2024, 2, 29), datetime.date(9999, 12, 31)]
        case Kind.TIMESTAMP:
            return [None, datetime.datetime(2024, 2, 29, 12), datetime.datetime(2024, 2, 29, 12, 0, 0, 5)]
        case _:
            raise AssertionError(kind)
