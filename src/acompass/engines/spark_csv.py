"""CSV files on Spark: read once as text, made complete, then typed (D10, D11), all on the workers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from pyspark.sql import SparkSession
from sqlglot import exp

from acompass.checked.types import INTEGER, TEXT, Column, Type, decimal
from acompass.checked.uses import ColumnUse, Use
from acompass.engines import spark_faults
from acompass.engines.engine import TableRequest
from acompass.engines.spark_files import locations
from acompass.engines.spark_lines import Lines, value
from acompass.engines.spark_reading import Read, count_records, count_where
from acompass.engines.spark_session import PlanSession, failures
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import State
from acompass.tables import faults
from acompass.tables.columns import NUMBER_PATTERN
from acompass.tables.csv import body
from acompass.tables.filling import is_number
from acompass.tables.header import opened_bytes, read_header
from acompass.tables.missing import DROP, ERROR
from acompass.tables.source import Files

_MOST_DIGITS = 38
_FAST_DIGITS = 18


@dataclass(frozen=True)
class _Text:
    """`table` has the columns c0, c1, … as text, NULL where missing; of `used`, `missing` so many are."""

    table: str
    names: tuple[str, ...]
    delimiter: str
    source: Files
    used: Mapping[int, ColumnUse]
    missing: Mapping[int, int]


def read_csv(spark: SparkSession, session: PlanSession, source: Files, request: TableRequest) -> Read:
    names, delimiter = read_header(source)
    table = _read_lines(spark, session, source, names, delimiter)
    used = request.uses(names)
    text = _Text(table, names, delimiter, source, used, _count_missing(session, table, sorted(used)))
    columns = _completed(text, request.missing)
    where = _complete(text) if request.missing == DROP else sql.TRUE.copy()
    typing = _Typing(session, text, columns, where, dropping=request.missing == DROP)
    types = typing.types()
    select = exp.select(*(exp.alias_(typing.cast(p, types), sql.name(p)) for p in range(len(names))))
    schema = tuple(Column(name, types.get(p, TEXT)) for p, name in enumerate(names))
    state = State(select.from_(_table(table)).where(where), schema, has_row_key=False, records=0)
    counted = replace(state, records=count_records(session, state.source()))
    dropping = request.missing == DROP and text.missing
    whole = count_records(session, _table(table)) if dropping else counted.records
    return Read(counted, frozenset(used), text.missing, whole - counted.records, delimiter=delimiter)


def integer_columns(session: PlanSession, state: State, positions: Sequence[int]) -> frozenset[int]:
    """The text columns whose every value is a canonical 64-bit integer."""
    if not positions:
        return frozenset()
    tests = (_are_integers(sql.column(p, "t")) for p in positions)
    row = session.fetch(exp.select(*tests).from_(state.source()))[0]
    return frozenset(p for p, holds in zip(positions, row, strict=True) if holds)


def _table(name: str) -> Sql:
    return sql.table(name, "t")


def _read_lines(
    spark: SparkSession, session: PlanSession, source: Files, names: Sequence[str], delimiter: str
) -> str:
    """The records as text, kept. Each file has its header once more than the table has such records."""
    lines = Lines(delimiter, len(names))
    headers = [_first_line(path, shown) for path, shown in zip(source.paths, source.shown, strict=True)]
    with failures():
        frame = spark.read.text(locations(source))
        view = session.view(frame)
    is_header = exp.In(this=lines.line, expressions=[exp.Literal.string(line) for line in set(headers)])
    counts = [count_where(exp.EQ(this=lines.line, expression=exp.Literal.string(line))) for line in headers]
    query = exp.select(count_where(lines.is_malformed()), *counts).from_(_table(view))
    malformed, *found = session.fetch(query)[0]
    if malformed:
        _raise_fault(source, names, delimiter)
    again = [line for line in dict.fromkeys(headers) for _ in range(_surplus(line, headers, found))]
    fields = exp.alias_(lines.fields, "f")
    kept: exp.Query = exp.select(fields).from_(_table(view)).where(exp.Not(this=is_header), lines.is_record())
    if again:
        extra = session.upload((("value", "TEXT"),), [(line,) for line in again])
        kept = exp.union(kept, exp.select(fields.copy()).from_(_table(extra)), distinct=False)
    values = [
        exp.alias_(value(sql.call("get", exp.column("f", table="t"), sql.integer(p))), sql.name(p))
        for p in range(len(names))
    ]
    return session.store(exp.select(*values).from_(kept.subquery("t")))


def _surplus(line: str, headers: Sequence[str], found: Sequence[int]) -> int:
    return found[headers.index(line)] - headers.count(line)


def _first_line(path: str, shown: str) -> str:
    with opened_bytes(path, shown) as file:
        return file.readline().decode("utf-8-sig").split("\r")[0].rstrip("\n")


def _raise_fault(source: Files, names: Sequence[str], delimiter: str) -> None:
    """Our own reader goes through the files and says where; it finds nothing wrong only with long records."""
    for path, shown in zip(source.paths, source.shown, strict=True):
        for _ in body(path, shown, delimiter, len(names)):
            pass
    raise spark_faults.record_over_lines(source.shown[0])


def _count_missing(session: PlanSession, table: str, positions: Sequence[int]) -> dict[int, int]:
    if not positions:
        return {}
    counts = (count_where(_is_null(sql.column(p, "t"))) for p in positions)
    row = session.fetch(exp.select(*counts).from_(_table(table)))[0]
    return {p: int(count) for p, count in zip(positions, row, strict=True) if count}


def _is_null(column: Sql) -> Sql:
    return exp.Is(this=column, expression=exp.null())


def _complete(text: _Text) -> Sql:
    return sql.all_of(*(exp.Not(this=_is_null(sql.column(p, "t"))) for p in text.missing))


def _completed(text: _Text, missing: str) -> list[Sql]:
    """Fills before typing: what is filled in has its say about the column's type."""
    columns: list[Sql] = [sql.column(p, "t") for p in range(len(text.names))]
    if missing in (ERROR, DROP):
        return columns
    for p in text.missing:
        if text.used[p].use is Use.NUMBER and not is_number(missing):
            raise faults.unfit_filling(text.names[p], "used as a number", missing)
        columns[p] = exp.Coalesce(this=columns[p], expressions=[exp.Literal.string(missing)])
    return columns


@dataclass
class _Typing:
    """What the values of the columns that the policy uses are (D10)."""

    session: PlanSession
    text: _Text
    columns: Sequence[Sql]
    where: Sql
    dropping: bool
    _digits: dict[int, int] = field(default_factory=dict)

    def types(self) -> dict[int, Type]:
        used = self.text.used
        open_ = [p for p, use in used.items() if use.use is not Use.TEXT]
        types = dict.fromkeys(used, TEXT)
        if not open_:
            return types
        row = self._fetch([each for p in open_ for each in self._asked(p)])
        for p in open_:
            is_integer, bad, whole, scale = (row.pop(0) for _ in range(4))
            if is_integer:
                types[p] = INTEGER
            elif used[p].use is Use.NUMBER:
                types[p] = self._decimal(p, bad, whole or 0, scale or 0)
        return types

    def _asked(self, position: int) -> list[Sql]:
        column = self.columns[position]
        whole = sql.call("split_part", column.copy(), exp.Literal.string("."), sql.integer(1))
        fraction = sql.call("split_part", column.copy(), exp.Literal.string("."), sql.integer(2))
        digits = exp.Trim(this=whole, expression=exp.Literal.string("+-0"), position="LEADING")
        return [
            _are_integers(column),
            count_where(exp.Not(this=_is_written_number(column))),
            sql.call("max", sql.call("length", digits)),
            sql.call("max", sql.call("length", fraction)),
        ]

    def _decimal(self, position: int, bad: int, whole: int, scale: int) -> Type:
        name, use = self.text.names[position], self.text.used[position]
        if bad:
            raise faults.not_numbers(name, *self._first_bad(position), bad, use.span)
        if whole + scale > _MOST_DIGITS:
            raise faults.number_too_long(name, whole + scale)
        self._digits[position] = _FAST_DIGITS if whole + scale <= _FAST_DIGITS else _MOST_DIGITS
        return decimal(scale)

    def cast(self, position: int, types: Mapping[int, Type]) -> Sql:
        """The column's values in its type."""
        column, type_ = self.columns[position].copy(), types.get(position, TEXT)
        if position in self._digits:
            return sql.cast(column, f"DECIMAL({self._digits[position]}, {type_.scale})")
        return column if type_ == TEXT else sql.cast(column, sql.type_name(type_))

    def _first_bad(self, position: int) -> tuple[str, int]:
        """The file and the line; only on the way to an error, so the files are read here, in order."""
        text, source = self.text, self.text.source
        needed = text.missing if self.dropping else ()
        for path, shown in zip(source.paths, source.shown, strict=True):
            for line, fields in body(path, shown, text.delimiter, len(text.names)):
                found = fields[position]
                is_kept = all(fields[p] is not None for p in needed)
                if is_kept and found is not None and not is_number(found):
                    return shown, line
        raise AssertionError("a value that the workers found is in the files")

    def _fetch(self, asked: list[Sql]) -> list[int]:
        query = exp.select(*asked).from_(_table(self.text.table)).where(self.where.copy())
        return list(self.session.fetch(query)[0])


def _are_integers(column: Sql) -> Sql:
    """Whether each is written as the integer that it reads as would be."""
    read = sql.cast(exp.TryCast(this=column.copy(), to=exp.DataType.build("BIGINT"), safe=True), "TEXT")
    same = exp.NullSafeEQ(this=read, expression=column.copy())
    return exp.Coalesce(this=sql.call("bool_and", same), expressions=[sql.TRUE.copy()])


def _is_written_number(column: Sql) -> Sql:
    return exp.RegexpLike(this=column.copy(), expression=exp.Literal.string(f"^{NUMBER_PATTERN}\\z"))
