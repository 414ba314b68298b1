"""The files and columns that Spark reads. All workers must be able to reach the files.

Spark splits CSV files into lines, and SQL expressions on the workers split the lines into fields of text. Spark's own
CSV reader is not used, because it differs from `tables.csv`.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pyarrow.parquet
from pyspark.sql import DataFrame, SparkSession
from sqlglot import exp

from acompass.dataclasses import dataclass
from acompass.engines.errors import cannot_hold, engine_error
from acompass.engines.spark.session import PlanSession, not_shared, report_failures
from acompass.language.program.types import BOOLEAN, DATE, FLOAT, INTEGER, OPAQUE, TEXT, TIMESTAMP, Kind, Type, decimal
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.tables import errors
from acompass.tables.csv import Csv, open_bytes
from acompass.tables.source import Files, report_read_errors, require_no_partitions

_TYPES: dict[str, Type] = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), INTEGER),
    **dict.fromkeys(("float", "double"), FLOAT),
    **dict.fromkeys(("timestamp", "timestamp_ntz"), TIMESTAMP),
    **dict.fromkeys(("string", "void"), TEXT),
    "boolean": BOOLEAN,
    "date": DATE,
}
_DECIMAL = re.compile(r"decimal\(\d+,(\d+)\)")
#: the metadata key for the declared type of a CHAR column, which is padded to a fixed width
_WIDTH = "__CHAR_VARCHAR_TYPE_STRING"


@dataclass(frozen=True)
class SparkColumn:
    position: int
    name: str
    stored: str  # the name of its type in Spark
    data_type: Any  # the type itself
    padded: bool  # a CHAR, padded to a fixed width

    @property
    def type(self) -> Type:
        if scale := _DECIMAL.fullmatch(self.stored):
            return decimal(int(scale[1]))
        return TEXT if self.stored.startswith("string collate") else _TYPES.get(self.stored, OPAQUE)

    def value(self, is_named: bool) -> Sql:
        """Text is always converted, because canonical order compares code points."""
        column = self._column()
        if self.type.kind is Kind.TEXT:
            return self._text(column)
        if not is_named:
            return column
        match self.type.kind:
            case Kind.INTEGER if self.stored != "bigint":
                return sql.cast(column, "BIGINT")
            case Kind.FLOAT:
                # adding zero turns -0.0 into 0.0
                return exp.Add(this=sql.cast(column, "DOUBLE"), expression=sql.cast(sql.integer(0), "DOUBLE"))
            case Kind.TIMESTAMP if self.stored == "timestamp":  # with a time zone
                return sql.cast(column, "TIMESTAMPNTZ")
            case _:
                return column

    def _text(self, column: Sql) -> Sql:
        if self.padded:
            column = sql.call("rtrim", column)
        if self.stored == "string":
            return column
        return sql.call("collate", sql.cast(column, "TEXT"), exp.Literal.string("UTF8_BINARY"))

    def is_missing(self) -> Sql:
        null = exp.Is(this=self._column(), expression=exp.null())
        return exp.or_(null, sql.call("isnan", self._column())) if self.type.kind is Kind.FLOAT else null

    def limit(self) -> tuple[Sql, str] | None:
        """Python has no dates and times before year 1 or after year 9999."""
        if self.type.kind not in (Kind.DATE, Kind.TIMESTAMP):
            return None
        year = sql.call("year", self._column())
        outside = exp.or_(
            exp.LT(this=year, expression=sql.integer(1)), exp.GT(this=year.copy(), expression=sql.integer(9999))
        )
        return outside, errors.YEARS

    def _column(self) -> Sql:
        return sql.column(self.position, "t")


def read_columns(frame: DataFrame) -> tuple[SparkColumn, ...]:
    fields = [(field, str(field.metadata.get(_WIDTH, ""))) for field in frame.schema.fields]
    return tuple(
        SparkColumn(i, field.name, field.dataType.simpleString(), field.dataType, width.startswith("char("))
        for i, (field, width) in enumerate(fields)
    )


_GLOB = re.compile(r"([\\\[\]{}*?])")


def _locations(source: Files) -> list[str]:
    """The URLs of the files, with glob characters escaped."""
    for path, shown in zip(source.paths, source.shown, strict=True):
        if Path(path).name.startswith(("_", ".")):
            raise errors.unreadable(shown, "Spark skips names that begin with `_` or `.`")
    return [_GLOB.sub(r"\\\1", location(path)) for path in source.paths]


def read_parquet(spark: SparkSession, source: Files) -> DataFrame:
    """Raise if the files have different columns: Spark would silently use the columns of one file."""
    schemas = [_schema(path, shown) for path, shown in zip(source.paths, source.shown, strict=True)]
    for schema, shown in zip(schemas, source.shown, strict=True):
        if not schema.equals(schemas[0]):
            raise errors.files_differ(source.shown[0], shown, "columns")
    require_no_partitions(source, schemas[0].names)
    for field in schemas[0]:
        if "timestamp[ns" in str(field.type):  # also inside a list or a struct
            raise cannot_hold("Spark", field.name)
    with report_failures():
        return spark.read.parquet(*_locations(source))


def _schema(path: str, shown: str) -> pyarrow.Schema:
    with report_read_errors(path, shown):
        try:
            return pyarrow.parquet.read_schema(path)
        except pyarrow.ArrowException:
            raise errors.damaged_file(shown, "Parquet") from None


def location(path: str) -> str:
    """The path as a URL. Without a scheme, Spark would use the cluster's default file system."""
    return "file:" + os.path.abspath(path)


def local_files(frame: DataFrame) -> tuple[str, ...]:
    """The files that a data frame reads: paths of local files, URLs of others."""
    return tuple(
        os.path.realpath(unquote(urlsplit(url).path)) if url.startswith("file:") else url for url in frame.inputFiles()
    )


def require_shared(spark: SparkSession, what: str) -> None:
    """Raise unless Spark runs on this machine, so that its workers can reach `what`."""
    if not str(spark.sparkContext.master).startswith("local"):
        raise not_shared(what)


_QUOTED = '"[^"]*+(?:""[^"]*+)*+"'


class Lines:
    """Expressions over `t.value`, a line of a table with `width` columns."""

    def __init__(self, delimiter: str, width: int):
        self._delimiter = delimiter
        self._width = width
        self._mark = re.escape(delimiter)

    @property
    def line(self) -> Sql:
        return exp.column("value", table="t")

    @property
    def fields(self) -> Sql:
        """The fields as written, with quotes. A delimiter is prepended, so that every match begins with one."""
        pattern = f"{self._mark}({_QUOTED}|[^{self._mark}]*+)"
        matches = sql.call("regexp_extract_all", self._with_leading_delimiter(), sql.literal(pattern), sql.integer(1))
        plain = sql.call("split", self.line, sql.literal(self._mark), sql.integer(-1))
        return exp.Case(ifs=[exp.If(this=self._has_quote(), true=matches)], default=plain)

    def is_malformed(self) -> Sql:
        """Whether our own reader would report an error, or the record continues on the next line."""
        record = f'^(?:{self._mark}(?:{_QUOTED}|(?!")[^{self._mark}]*+))++\\z'
        is_misquoted = exp.and_(
            self._has_quote(),
            exp.Not(this=exp.RegexpLike(this=self._with_leading_delimiter(), expression=sql.literal(record))),
        )
        return exp.or_(exp.Not(this=sql.call("is_valid_utf8", self.line)), is_misquoted, exp.paren(self._is_ragged()))

    def is_record(self) -> Sql:
        """An empty line is not a record, unless the table has only one column."""
        return sql.TRUE.copy() if self._width == 1 else exp.NEQ(this=self.line, expression=sql.literal(""))

    def _is_ragged(self) -> Sql:
        """Whether the line has too few fields, or too many; empty fields after the last column are ignored."""
        size = sql.call("size", self.fields)
        beyond = sql.call("slice", self.fields, sql.integer(self._width + 1), size.copy())
        filled = sql.call("exists", beyond, exp.var("field -> field <> ''"))
        few = exp.LT(this=size, expression=sql.integer(self._width))
        return exp.and_(self.is_record(), exp.paren(exp.or_(few, filled)))

    def _has_quote(self) -> Sql:
        return exp.GT(this=sql.call("instr", self.line, sql.literal('"')), expression=sql.integer(0))

    def _with_leading_delimiter(self) -> Sql:
        return sql.call("concat", sql.literal(self._delimiter), self.line)


def field_value(field: Sql) -> Sql:
    """The value of a field; NULL if it is empty without quotes (D11)."""
    inner = sql.call(
        "substring",
        field.copy(),
        sql.integer(2),
        exp.Sub(this=sql.call("length", field.copy()), expression=sql.integer(2)),
    )
    is_quoted = exp.EQ(this=sql.call("left", field.copy(), sql.integer(1)), expression=sql.literal('"'))
    return exp.Case(
        ifs=[
            exp.If(this=exp.EQ(this=field.copy(), expression=sql.literal("")), true=exp.null()),
            exp.If(this=is_quoted, true=sql.call("replace", inner, sql.literal('""'), sql.literal('"'))),
        ],
        default=field.copy(),
    )


def read_text(spark: SparkSession, session: PlanSession, csv: Csv) -> str:
    """Create a view with text columns c0, c1, … and NULL for missing values; return its name. Check the header."""
    lines = Lines(csv.delimiter, len(csv.names))
    headers = [_first_line(path, shown) for path, shown in csv.files]
    with report_failures():
        view = session.view(spark.read.text(_locations(csv.source)))
    repeated = _repeated_headers(session, view, lines, csv, headers)
    is_header = exp.In(this=lines.line, expressions=[exp.Literal.string(line) for line in set(headers)])
    fields = exp.alias_(lines.fields, "f")
    source = sql.table(view, "t")
    kept: exp.Query = exp.select(fields).from_(source).where(exp.Not(this=is_header), lines.is_record())
    if repeated:
        extra = session.upload((("value", "TEXT"),), [(line,) for line in repeated])
        kept = exp.union(kept, exp.select(fields.copy()).from_(sql.table(extra, "t")), distinct=False)
    values = [exp.alias_(_value(p), sql.name(p)) for p in range(len(csv.names))]
    return session.store(exp.select(*values).from_(kept.subquery("t")))


def _repeated_headers(session: PlanSession, view: str, lines: Lines, csv: Csv, headers: Sequence[str]) -> list[str]:
    """The records that equal a header line, apart from the header of each file itself. Raise if a line is malformed,
    or the header looks like a record."""
    are_headers = (exp.EQ(this=lines.line, expression=exp.Literal.string(line)) for line in headers)
    names = [] if csv.source.has_header else csv.names
    are_names = (exp.EQ(this=_value(p), expression=exp.Literal.string(name)) for p, name in enumerate(names))
    counts = [sql.count_where(condition) for condition in (*are_headers, *are_names)]
    malformed_line = exp.alias_(exp.paren(lines.is_malformed()), "m")
    parts = exp.select(exp.column("value"), malformed_line, exp.alias_(lines.fields, "f")).from_(sql.table(view, "t"))
    query = exp.select(sql.count_where(exp.column("m", table="t")), *counts).from_(parts.subquery("t"))
    malformed, *found = session.fetch(query)[0]
    if malformed:
        csv.require_well_formed()
        message = f"a quoted field in `{csv.source.shown[0]}` spans several lines, which Spark cannot read"
        help_ = "convert it to Parquet first: `duckdb -c \"COPY (FROM 'x.csv') TO 'x.parquet'\"`"
        raise engine_error("AC325", message, help_)
    # each file's header has every name once
    named = found[len(headers) :]
    csv.require_header(lambda: {p for p, count in enumerate(named) if count > len(headers)})
    surplus = {line: found[headers.index(line)] - headers.count(line) for line in headers}
    return [line for line, times in surplus.items() for _ in range(times)]


def _value(position: int) -> Sql:
    """The value of a column, from the fields of a line."""
    return field_value(sql.call("get", exp.column("f", table="t"), sql.integer(position)))


def _first_line(path: str, shown: str) -> str:
    with open_bytes(path, shown) as file:
        return file.readline().decode("utf-8-sig").split("\r")[0].rstrip("\n")
