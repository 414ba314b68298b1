"""Tables that Spark reads where they are: data frames, tables of its catalog, Parquet files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from pyspark.sql import DataFrame
from sqlglot import exp

from acompass.checked.types import Column, Schema
from acompass.engines.engine import TableRequest
from acompass.engines.spark_columns import StoredColumn, stored_column
from acompass.engines.spark_session import PlanSession, failures
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import State
from acompass.tables import faults
from acompass.tables.filling import filling
from acompass.tables.header import require_names
from acompass.tables.missing import DROP, ERROR


@dataclass(frozen=True)
class Read:
    """A table as the plan starts from it. `missing` are the named columns that lack values, with how many;
    `dropped` of its records are left out for that; `columns` how they are stored, none of a CSV, whose
    columns that no policy names are text."""

    state: State
    named: frozenset[int]
    missing: Mapping[int, int]
    dropped: int
    columns: tuple[StoredColumn, ...] = ()
    delimiter: str = field(default=",")

    @property
    def schema(self) -> Schema:
        return self.state.schema

    @property
    def is_untyped(self) -> bool:
        return not self.columns


def read_frame(session: PlanSession, frame: DataFrame, request: TableRequest) -> Read:
    with failures():
        columns = tuple(stored_column(i, each) for i, each in enumerate(frame.schema.fields))
    require_names([column.name for column in columns])
    with failures():
        view = session.view(frame.toDF(*(sql.name(column.position) for column in columns)))
    table = sql.table(view, "t")
    named = frozenset(request.uses([column.name for column in columns]))
    lacking, records = _look(session, table, columns, named)
    select = _select(table, columns, named, lacking, request.missing)
    schema = tuple(Column(column.name, column.type) for column in columns)
    state = State(select, schema, has_row_key=False, records=records)
    if request.missing == DROP and lacking:
        state = replace(state, records=count_records(session, state.source()))
    return Read(state, named, lacking, records - state.records, columns)


def count_records(session: PlanSession, source: Sql) -> int:
    return int(session.fetch(sql.query([exp.Count(this=exp.Star())], source))[0][0])


def _look(
    session: PlanSession, table: Sql, columns: Sequence[StoredColumn], named: frozenset[int]
) -> tuple[dict[int, int], int]:
    positions = sorted(named)
    counts = [count_where(columns[p].is_missing()) for p in positions]
    unfit = [count_where(columns[p].out_of_range()) for p in positions]
    query = exp.select(exp.Count(this=exp.Star()), *counts, *unfit).from_(table.copy())
    records, *found = session.fetch(query)[0]
    for p, count in zip(positions, found[len(positions) :], strict=True):
        if count:
            raise faults.not_exact(columns[p].name, "times go from year 1 to year 9999")
    missing = zip(positions, found[: len(positions)], strict=True)
    return {p: int(count) for p, count in missing if count}, int(records)


def count_where(condition: Sql) -> Sql:
    return sql.call("count_if", condition)


def _select(
    table: Sql,
    columns: Sequence[StoredColumn],
    named: frozenset[int],
    lacking: Mapping[int, int],
    missing: str,
) -> exp.Select:
    values = [column.value(column.position in named) for column in columns]
    if missing not in (ERROR, DROP):
        for p in lacking:
            values[p] = _filled(columns[p], values[p], missing)
    select = exp.select(*(exp.alias_(value, sql.name(p)) for p, value in enumerate(values))).from_(
        table.copy()
    )
    if missing == DROP and lacking:
        select = select.where(*(exp.Not(this=exp.paren(columns[p].is_missing())) for p in lacking))
    return select


def _filled(column: StoredColumn, value: Sql, text: str) -> Sql:
    fill: Sql = exp.maybe_parse(filling(text, Column(column.name, column.type)), dialect="duckdb")
    return exp.Case(ifs=[exp.If(this=column.is_missing(), true=fill)], default=value)
