"""The context of one execution of a plan: the engine's session, the random trace, verdicts, samples and affected bags,
and what actions write into.

`Session` is the interface between a plan and an engine, which knows nothing about the semantics. The random trace
(Definition 4, D19) is a seed or a list of values."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Any, Protocol, TypeAlias

from sqlglot import exp

from acompass.dataclasses import dataclass, field, replace
from acompass.language.program.constants import is_64_bit
from acompass.language.program.effects import is_always
from acompass.language.program.kernels import UnfitValueError
from acompass.language.program.keys import Key
from acompass.language.program.program import Requirement, Verdict
from acompass.language.program.references import Reference
from acompass.language.program.types import INTEGER, Kind, Type, Value, to_text
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialect import PLAIN_KINDS, Dialect, conversions, schema_after, text_key
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import State
from acompass.plan.stages import Sample, Stage

#: called with the number of requirements done and their total
Progress: TypeAlias = Callable[[int, int], None]
#: what is equal for two values only if they have the same result; it copies its argument
Merge: TypeAlias = Callable[[Sql], Sql]
#: called after each stage, with the states before and after it
Observer: TypeAlias = Callable[["Context", Stage, State, State], None]


class Session(Protocol):
    dialect: Dialect

    def fetch(self, query: exp.Select) -> list[tuple[Any, ...]]:
        """The rows of a query with a small result."""

    def store(self, query: exp.Select) -> str:
        """Store the rows of the query in a temporary table and return its name."""

    def upload(self, columns: Sequence[tuple[str, str]], rows: Iterable[tuple[Any, ...]]) -> str:
        """Store rows in a temporary table with columns of (name, SQL type) and return its name."""

    def drop(self, name: str) -> None:
        """Free the space of a temporary table that is no longer read, if the engine can."""

    def clear(self) -> None:
        """Drop every temporary table."""


#: the column with the totals of a reference table
TOTAL = "total_in_file"
#: the totals of a reference table, under an alias: a row for each group, with its key g0, g1, … and its total (X14)
Totals: TypeAlias = Callable[[Reference, str], Sql]


def uploaded_totals(session: Session) -> Totals:
    """Upload the totals of each reference table once."""
    tables: dict[Reference, str] = {}

    def find(reference: Reference, alias: str) -> Sql:
        if reference not in tables:
            tables[reference] = _store_totals(session, reference)
        return sql.table(tables[reference], alias)

    return find


def _store_totals(session: Session, reference: Reference) -> str:
    query = _query_file(session.dialect, reference) if session.dialect.reads_files else None
    if query is not None:
        return session.store(query)
    rows = ((*group, total) for group, total in reference.totals.items())
    return session.upload(total_columns(reference), rows)


def _query_file(dialect: Dialect, reference: Reference) -> exp.Select | None:
    """A query for the totals of a large file, in types that need no other conversion than that of integers."""
    names = [*reference.columns, *(() if reference.added is None else (reference.added,))]
    scan = reference.source.complete_scan(names, reference.added)
    if scan is None:
        return None
    columns = [(exp.column(exp.var(scan.columns[name][0]), table="f"), scan.columns[name][1]) for name in names]
    keys = [_file_key(*column, type_) for column, type_ in zip(columns, reference.types, strict=False)]
    known = [key for key in keys if key is not None]
    if len(known) < len(keys) or reference.type.kind is Kind.FLOAT:
        return None
    total: Sql = exp.Count(this=exp.Star())
    if reference.added is not None:
        number = sql.cast(columns[-1][0], "HUGEINT" if reference.type == INTEGER else sql.type_name(reference.type))
        total = dialect.exact_sum(number, reference.type)
    named = [sql.with_alias(key, f"g{j}") for j, key in enumerate(known)]
    # the digest distinguishes the query from those of earlier contents
    file = exp.alias_(exp.Table(this=exp.var(f"{scan.table} /* {reference.digest} */")), "f")
    present = sql.all_of(*(sql.negate(exp.Is(this=key.copy(), expression=exp.null())) for key in known))
    select = sql.query([*named, sql.with_alias(total, TOTAL)], file, present)
    return select.group_by(*(key.copy() for key in known), copy=False)


def _file_key(column: Sql, stored: Type, type_: Type) -> Sql | None:
    """A value of the file in the type of the table's column, NULL if it has none; None for types that need Python."""
    match stored.kind, type_.kind:
        case (Kind.TEXT, Kind.TEXT) | (Kind.DATE, Kind.DATE):
            return column
        case Kind.INTEGER, Kind.INTEGER:
            return sql.try_cast(column, "BIGINT")
        case Kind.INTEGER, Kind.TEXT:
            return sql.cast(column, "TEXT")
        case Kind.TEXT, Kind.INTEGER:
            whole = sql.call("regexp_full_match", column.copy(), exp.Literal.string(r"-?(0|[1-9][0-9]*)(\.0+)?"))
            return exp.Case(ifs=[exp.If(this=whole, true=sql.try_cast(column, "BIGINT"))])
        case _:
            return None


def total_columns(reference: Reference) -> list[tuple[str, str]]:
    """The names and SQL types of the columns. Sums of integers may have more than 64 bits."""
    keys = [(f"g{j}", sql.type_name(type_)) for j, type_ in enumerate(reference.types)]
    is_large = reference.type.kind is Kind.INTEGER and not all(map(is_64_bit, reference.totals.values()))
    return [*keys, (TOTAL, sql.decimal_type(0) if is_large else sql.type_name(reference.type))]


@dataclass(frozen=True, slots=True)
class DrawnValue:
    value: Sql  # the integer drawn for the record of `t` with rank `i`; refers to the table in `join`
    join: exp.Join


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The outcomes that the trace draws: outcome j if `number` is below `ends[j]`, but not below `ends[j - 1]`."""

    number: Sql  # an integer for the record of `t` with rank `i`; refers to the table in `join`
    join: exp.Join
    ends: tuple[int, ...]


class SeededTrace:
    """Computes values inside the engine. The seed is uploaded as data: a server may log the text of a query (D20)."""

    def __init__(self, seed: str):
        self._seed = seed
        self._table: str | None = None

    def draw(self, session: Session, used: int, count: int, lower: int, upper: int) -> DrawnValue:
        drawn = session.dialect.scaled(self._hash(session, used), upper - lower + 1)
        value = sql.cast(exp.Add(this=exp.paren(drawn), expression=exp.paren(sql.integer(lower))), "BIGINT")
        return DrawnValue(value, self._seed_table(session))

    def choose(self, session: Session, used: int, count: int, cuts: Sequence[Fraction]) -> Outcomes:
        """h / 2⁵² < c is the same as h < ⌈2⁵² c⌉, because h is an integer (X6)."""
        ends = tuple(ceil(2**52 * cut) for cut in cuts)
        return Outcomes(self._hash(session, used), self._seed_table(session), ends)

    def _seed_table(self, session: Session) -> exp.Join:
        if self._table is None:
            self._table = session.upload((("seed", "TEXT"),), [(self._seed,)])
        return exp.Join(this=sql.table(self._table, "s"), kind="CROSS")

    def _hash(self, session: Session, used: int) -> Sql:
        position = exp.Add(this=exp.column("i", table="t"), expression=sql.integer(used))
        text = exp.DPipe(
            this=exp.DPipe(this=exp.column("seed", table="s"), expression=exp.Literal.string(":")),
            expression=sql.cast(exp.paren(position), "TEXT"),
        )
        return session.dialect.hash52(text)


class GivenTrace:
    def __init__(self, values: Sequence[Fraction]):
        self._values = values

    def draw(self, session: Session, used: int, count: int, lower: int, upper: int) -> DrawnValue:
        span = upper - lower + 1
        return DrawnValue(*self._upload(session, used, count, lambda rho: lower + int(rho * span)))

    def choose(self, session: Session, used: int, count: int, cuts: Sequence[Fraction]) -> Outcomes:
        number, join = self._upload(session, used, count, lambda rho: bisect_right(cuts, rho))
        return Outcomes(number, join, tuple(range(1, len(cuts) + 1)))

    def _upload(self, session: Session, used: int, count: int, draw: Callable[[Fraction], int]) -> tuple[Sql, exp.Join]:
        if used + count > len(self._values):
            raise TraceExhausted(used + count, len(self._values))
        values = self._values[used : used + count]
        rows = ((i, draw(rho)) for i, rho in enumerate(values, start=1))
        table = session.upload((("i", "BIGINT"), ("drawn", "BIGINT")), rows)
        on = exp.EQ(this=exp.column("i", table="s"), expression=exp.column("i", table="t"))
        return exp.column("drawn", table="s"), exp.Join(this=sql.table(table, "s"), on=on)


class TraceExhausted(Exception):
    """The given trace has fewer values than the run draws."""

    def __init__(self, needed: int, given: int):
        super().__init__(needed, given)
        self.needed = needed
        self.given = given


Trace = SeededTrace | GivenTrace


@dataclass
class Context:
    session: Session
    trace: Trace
    #: text columns that canonical order compares as integers: integer columns that the policy never names (D10)
    integers: frozenset[int] = frozenset()
    show: int = 0  # the number of violating classes or records to fetch for each requirement
    trace_used: int = 0  # the number of trace values consumed
    verdicts: dict[int, Verdict] = field(default_factory=dict)  # by the index of the requirement, like the next two
    samples: dict[int, Sample] = field(default_factory=dict)
    missed: dict[int, State] = field(default_factory=dict)  # affected records that WITH PROBABILITY did not draw
    observe: Observer | None = None
    verdicts_only: bool = False  # whether the caller ignores the resulting table, except for its number of records
    key_tables: dict[Key, str] = field(default_factory=dict, repr=False)  # the tables with the pads of each key

    @cached_property
    def totals(self) -> Totals:
        return uploaded_totals(self.session)


@dataclass(frozen=True)
class Affected:
    """The affected bag: the records of the state, named `t`, that satisfy `predicate`."""

    predicate: Sql
    count: int  # the number of affected records
    #: the tables that `predicate` refers to; none duplicates records
    joins: list[exp.Join] = field(default_factory=list)
    #: for each column that the classes are grouped by, where its values are stored: a table and the name of a column
    stored: Mapping[int, tuple[str, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Target:
    """Where an action writes: columns of the affected records of a state."""

    context: Context
    state: State
    requirement: Requirement
    affected: Affected  # at least one record
    columns: tuple[int, ...]  # one, except for SHIFT

    @property
    def column(self) -> int:
        (column,) = self.columns
        return column

    @property
    def dialect(self) -> Dialect:
        return self.context.session.dialect

    @property
    def type(self) -> Type:
        """The type of the column after the requirement."""
        return self.requirement.after[self.column].type

    @property
    def stored(self) -> Sql:
        """The stored value of the column, converted to its type after the requirement."""
        return self._new_types.get(self.column, sql.column(self.column, "t"))

    @property
    def _new_types(self) -> dict[int, Sql]:
        return conversions(self.dialect, (self.requirement,))

    def constant(self, value: Value) -> Sql:
        """A constant of the policy, as the column stores it."""
        return self.dialect.constant(sql.stored_value(value, self.type))

    def write(self, value: Sql, *joins: exp.Join) -> State:
        return self.write_each({self.column: value}, *joins)

    def write_each(self, values: Mapping[int, Sql], *joins: exp.Join) -> State:
        """Write values into columns of the affected records. The types of all records change (D12, retyping)."""
        new = self._new_types
        for column, value in values.items():
            old = new.get(column, sql.column(column, "t"))
            case = exp.Case(ifs=[exp.If(this=self.affected.predicate.copy(), true=value)], default=old)
            new[column] = value if is_always(self.requirement) else case
        typed = replace(self.state, schema=schema_after(self.state.schema, (self.requirement,)))
        return typed.derive(new, joins=[*self.affected.joins, *joins])

    def select(self, columns: Iterable[Sql], *joins: exp.Join, where: Sql | None = None) -> exp.Select:
        """A query over the affected records that satisfy the condition."""
        own = () if self.affected.predicate == sql.TRUE else (self.affected.predicate.copy(),)
        conditions = own if where is None else (*own, where)
        select = sql.query(columns, self.state.source(), sql.all_of(*conditions) if conditions else None)
        for join in (*self.affected.joins, *joins):
            select.append("joins", join.copy())
        return select

    def count(self, condition: Sql, *joins: exp.Join) -> int:
        """The number of affected records that satisfy the condition."""
        any_record = exp.GT(this=exp.Count(this=exp.Star()), expression=sql.integer(0))
        counted = self.select([self.state.count()], *joins, where=exp.paren(condition)).having(any_record, copy=False)
        rows = self.context.session.fetch(counted)
        return int(rows[0][0]) if rows else 0

    def require_none(self, unfit: int) -> None:
        """Raise if there are records whose values cannot be written."""
        if unfit:
            raise UnfitValueError(self.requirement.index, unfit)

    def look_up(
        self, column: int, find: Callable[[str], Value | None], type_: Type, merge: Merge | None = None
    ) -> "LookupTable":
        """What `find` returns for the text of each distinct value of a column; `type_` is the type of the results.

        Values that `merge` makes equal have the same result. It is looked up for one of them."""
        value, key_type = text_key(self.dialect, sql.column(column, "t"), self.state.schema[column].type)
        fetched = self.context.session.fetch(self._distinct_values(column, value, merge))
        texts = [to_text(each, key_type) for each, _ in fetched]
        found = [find(text) for text in texts]
        missing = sum(int(count) for (_, count), result in zip(fetched, found, strict=True) if result is None)
        rows = [(each, result) for (each, _), result in zip(fetched, found, strict=True)]
        # a dry run fetches no values, but results may differ from the values that a run finds
        changes = not texts or any(text != result for text, result in zip(texts, found, strict=True))
        return LookupTable(rows, value, merge, sql.type_name(key_type), sql.stored_type(type_), missing, changes)

    def _distinct_values(self, column: int, value: Sql, merge: Merge | None) -> exp.Select:
        """The affected values, one for each result of `merge`, with the number of records."""
        count, source = self.state.count(), None
        if column in self.affected.stored and self.state.schema[column].type.kind in PLAIN_KINDS:
            source, name = self.affected.stored[column]
            value, count = exp.column(name), exp.Sum(this=exp.column("n"))
        one = value.copy() if merge is None else exp.Min(this=value.copy())
        columns = [sql.with_alias(one, "value"), count]
        select = self.select(columns) if source is None else sql.query(columns, sql.table(source))
        return select.group_by(_merged(value, merge), copy=False)


@dataclass(frozen=True)
class LookupTable:
    """Results that Python computes, looked up by distinct value: the labels of GENERALIZE (X2), and values that SQL
    cannot compute exactly."""

    rows: Sequence[tuple[Any, Any]]  # the distinct values of the affected records, with their results
    value: Sql  # the value of a record of the state, named `t`
    merge: Merge | None  # makes values equal that have the same result
    value_type: str  # its SQL type
    result_type: str  # the SQL type of the results
    missing: int  # the number of records without a result
    changes: bool  # whether a result differs from the text of its value

    @property
    def result(self) -> Sql:
        return exp.column("result", table="m")

    def join(self, context: Context) -> exp.Join:
        """A join with the results, named `m`."""
        table = context.session.upload((("value", self.value_type), ("result", self.result_type)), self.rows)
        looked_up = _merged(exp.column("value", table="m"), self.merge)
        on = exp.EQ(this=_merged(self.value, self.merge), expression=looked_up)
        return exp.Join(this=sql.table(table, "m"), on=on, side="LEFT")


def _merged(value: Sql, merge: Merge | None) -> Sql:
    return value.copy() if merge is None else merge(value)
