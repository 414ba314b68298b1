"""The context of one execution of a plan: the engine's session, the random trace, verdicts, samples and affected bags.

`Session` is the interface between a plan and an engine, which knows nothing about the semantics. The random trace
(Definition 4, D19) is a seed or a list of values."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Any, Protocol, TypeAlias

from sqlglot import exp

from acompass.dataclasses import dataclass, field
from acompass.language.program.constants import is_64_bit
from acompass.language.program.program import Verdict
from acompass.language.program.references import Reference
from acompass.language.program.types import Kind
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialect import Dialect
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import State
from acompass.plan.stages import Sample, Stage

#: called with the number of requirements done and their total
Progress: TypeAlias = Callable[[int, int], None]
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


#: the totals of a reference table, under an alias: a row for each group, with its key g0, g1, … and its total (X14)
Totals: TypeAlias = Callable[[Reference, str], Sql]


def uploaded_totals(session: Session) -> Totals:
    """Upload the totals of each reference table once."""
    tables: dict[Reference, str] = {}

    def find(reference: Reference, alias: str) -> Sql:
        if reference not in tables:
            rows = ((*group, total) for group, total in reference.totals.items())
            tables[reference] = session.upload(_total_columns(reference), rows)
        return sql.table(tables[reference], alias)

    return find


def _total_columns(reference: Reference) -> list[tuple[str, str]]:
    """The names and SQL types of the columns. Sums of integers may have more than 64 bits."""
    keys = [(f"g{j}", sql.type_name(type_)) for j, type_ in enumerate(reference.types)]
    is_large = reference.type.kind is Kind.INTEGER and not all(map(is_64_bit, reference.totals.values()))
    return [*keys, ("total", sql.decimal_type(0) if is_large else sql.type_name(reference.type))]


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
    #: for each column that the classes are grouped by, a query for its distinct values with their numbers of records
    distinct: Mapping[int, exp.Select] = field(default_factory=dict)
