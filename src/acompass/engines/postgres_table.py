"""A table or view where it lives in PostgreSQL. It is only read."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from sqlglot import exp

from acompass.checked.types import OPAQUE, Column, Schema, decimal
from acompass.engines import postgres_faults as faults
from acompass.engines.engine import TableRequest
from acompass.engines.postgres_columns import (
    COLUMNS,
    StoredColumn,
    is_missing,
    out_of_range,
    stored_column,
    value_of,
    without_nan,
)
from acompass.engines.postgres_names import names_in
from acompass.engines.postgres_session import ReadingSession
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import State
from acompass.tables import faults as table_faults
from acompass.tables.filling import filling
from acompass.tables.missing import DROP, ERROR

_MOST_DIGITS = 38


@dataclass(frozen=True)
class Relation:
    """`sql` is its name, with the schema and quoted; `kind` the letter that the catalog has for it."""

    oid: int
    sql: str
    kind: str

    def table(self) -> exp.Table:
        found = exp.maybe_parse(self.sql, into=exp.Table, dialect="postgres")
        assert isinstance(found, exp.Table)
        return found


@dataclass(frozen=True)
class Read:
    """A table as the plan starts from it. `missing` are the named columns that lack values, with how many;
    `dropped` of its records are left out for that."""

    columns: tuple[StoredColumn, ...]
    named: frozenset[int]
    state: State
    missing: dict[int, int]
    dropped: int

    @property
    def schema(self) -> Schema:
        return self.state.schema


def find_relation(session: ReadingSession, text: str) -> Relation | None:
    for name in names_in(text):
        literal = exp.Literal.string(name.sql).sql("postgres")
        rows = session.execute(
            "SELECT c.oid::bigint, quote_ident(nspname) || '.' || quote_ident(relname), "
            "relkind::text FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = relnamespace "
            f"WHERE c.oid = to_regclass({literal}) AND relkind IN ('r', 'v', 'm', 'f', 'p')"
        ).fetchall()
        if rows:
            return Relation(*rows[0])
    return None


def read_table(session: ReadingSession, text: str, relation: Relation | None, request: TableRequest) -> Read:
    if relation is None:
        raise faults.no_such_table(text)
    columns = tuple(
        stored_column(*row) for row in session.execute(COLUMNS.format(oid=relation.oid)).fetchall()
    )
    named = frozenset(request.uses([column.name for column in columns]))
    look = _Look(session, relation, columns, named, dropping=request.missing == DROP)
    columns = look.typed_columns()
    state = State(
        _select(relation, columns, named, look.missing, request.missing),
        tuple(Column(column.name, column.type) for column in columns),
        has_row_key=False,
        records=look.records,
    )
    return Read(columns, named, state, look.missing, look.dropped)


class _Look:
    """What one reading of the table says of its values."""

    def __init__(
        self,
        session: ReadingSession,
        relation: Relation,
        columns: Sequence[StoredColumn],
        named: frozenset[int],
        dropping: bool,
    ):
        self._columns = columns
        self._named = sorted(named)
        self._wide = [i for i, column in enumerate(columns) if column.is_wide]
        self._timed = [i for i in self._named if out_of_range(columns[i]) is not None]
        kept = [exp.Not(this=is_missing(columns[i])) for i in self._named] if dropping else []
        asked: list[Sql] = [
            exp.Count(this=exp.Star()),
            _count_where(sql.all_of(*kept)),
            *(_count_where(is_missing(columns[i])) for i in self._named),
            *(_count_where(out_of_range(columns[i]) or sql.FALSE.copy()) for i in self._timed),
            *(each for i in self._wide for each in _extent(columns[i])),
        ]
        row = list(session.fetch(exp.select(*asked).from_(relation.table()))[0])
        whole, self.records = int(row.pop(0)), int(row.pop(0))
        self.dropped = whole - self.records
        counts = [row.pop(0) for _ in self._named]
        self.missing = {i: count for i, count in zip(self._named, counts, strict=True) if count}
        self._require_times([row.pop(0) for _ in self._timed])
        self._extents = row

    def _require_times(self, counts: list[int]) -> None:
        for i, count in zip(self._timed, counts, strict=True):
            if count:
                raise table_faults.not_exact(self._columns[i].name, "times go from year 1 to year 9999")

    def typed_columns(self) -> tuple[StoredColumn, ...]:
        """A numeric that says nothing of its digits gets the scale that its values need."""
        typed = list(self._columns)
        for i in self._wide:
            largest, scale = self._extents.pop(0), self._extents.pop(0)
            typed[i] = self._typed(i, largest, scale)
        return tuple(typed)

    def _typed(self, position: int, largest: Decimal | None, scale: int | None) -> StoredColumn:
        column = self._columns[position]
        digits = _whole_digits(largest or Decimal(0)) + (scale or 0)
        if digits <= _MOST_DIGITS:
            return replace(column, type=decimal(scale or 0))
        if position in self._named:
            raise table_faults.not_exact(column.name, f"numbers have at most {_MOST_DIGITS} digits")
        return replace(column, type=OPAQUE)


def _whole_digits(value: Decimal) -> int:
    return max(value.adjusted() + 1, 0) if value.is_finite() else _MOST_DIGITS + 1


def _count_where(condition: Sql) -> Sql:
    return exp.Filter(this=exp.Count(this=exp.Star()), expression=exp.Where(this=condition))


def _extent(column: StoredColumn) -> list[Sql]:
    """The largest absolute value and the largest scale."""
    value = without_nan(column)
    return [sql.call("max", sql.call("abs", value)), sql.call("max", sql.call("scale", value.copy()))]


def _select(
    relation: Relation,
    columns: Sequence[StoredColumn],
    named: frozenset[int],
    lacking: dict[int, int],
    missing: str,
) -> exp.Select:
    values = [value_of(column, i in named) for i, column in enumerate(columns)]
    if missing not in (ERROR, DROP):
        for i in lacking:
            values[i] = _filled(columns[i], values[i], missing)
    select = exp.select(*(exp.alias_(value, sql.name(i)) for i, value in enumerate(values)))
    select = select.from_(relation.table())
    if missing == DROP and lacking:
        select = select.where(*(exp.Not(this=is_missing(columns[i])) for i in lacking))
    return select


def _filled(column: StoredColumn, value: Sql, text: str) -> Sql:
    fill: Sql = exp.maybe_parse(filling(text, Column(column.name, column.type)), dialect="duckdb")
    return exp.Case(ifs=[exp.If(this=is_missing(column), true=fill)], default=value)
