"""Read CSV files on Spark's workers into a table of text."""

from collections.abc import Sequence

from pyspark.sql import SparkSession
from sqlglot import exp

from acompass.engines.spark.errors import failures, record_over_lines
from acompass.engines.spark.files import locations
from acompass.engines.spark.lines import Lines, value
from acompass.engines.spark.session import PlanSession
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.tables.csv import Csv
from acompass.tables.header import opened_bytes


def read_text(spark: SparkSession, session: PlanSession, csv: Csv) -> str:
    """Create a view with text columns c0, c1, … and NULL for missing; return its name."""
    lines = Lines(csv.delimiter, len(csv.names))
    headers = [_first_line(path, shown) for path, shown in csv.files]
    with failures():
        view = session.view(spark.read.text(locations(csv.source)))
    repeated = _repeated_headers(session, view, lines, csv, headers)
    is_header = exp.In(this=lines.line, expressions=[exp.Literal.string(line) for line in set(headers)])
    fields = exp.alias_(lines.fields, "f")
    source = sql.table(view, "t")
    kept: exp.Query = exp.select(fields).from_(source).where(exp.Not(this=is_header), lines.is_record())
    if repeated:
        extra = session.upload((("value", "TEXT"),), [(line,) for line in repeated])
        kept = exp.union(kept, exp.select(fields.copy()).from_(sql.table(extra, "t")), distinct=False)
    values = [exp.alias_(value(_field(p)), sql.name(p)) for p in range(len(csv.names))]
    return session.store(exp.select(*values).from_(kept.subquery("t")))


def _field(position: int) -> Sql:
    return sql.call("get", exp.column("f", table="t"), sql.integer(position))


def _repeated_headers(
    session: PlanSession, view: str, lines: Lines, csv: Csv, headers: Sequence[str]
) -> list[str]:
    """The records that are equal to a header line. In each file, one such line is the header."""
    are_headers = (exp.EQ(this=lines.line, expression=exp.Literal.string(line)) for line in headers)
    counts = [sql.count_where(is_header) for is_header in are_headers]
    query = exp.select(sql.count_where(lines.is_malformed()), *counts).from_(sql.table(view, "t"))
    malformed, *found = session.fetch(query)[0]
    if malformed:
        csv.require_well_formed()
        raise record_over_lines(csv.source.shown[0])
    surplus = {line: found[headers.index(line)] - headers.count(line) for line in headers}
    return [line for line, times in surplus.items() for _ in range(times)]


def _first_line(path: str, shown: str) -> str:
    with opened_bytes(path, shown) as file:
        return file.readline().decode("utf-8-sig").split("\r")[0].rstrip("\n")
