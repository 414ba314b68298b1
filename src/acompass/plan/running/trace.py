"""The random trace (Definition 4, D19) as an engine draws from it: a seed, or a list of values."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from sqlglot import exp

from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.plan.running.session import Session


class TraceExhausted(Exception):
    """The given trace has fewer values than the run draws."""

    def __init__(self, needed: int, given: int):
        super().__init__(needed, given)
        self.needed = needed
        self.given = given


@dataclass(frozen=True, slots=True)
class Drawn:
    """`value` is the integer drawn for the record of `t` with rank `i`. It refers to the table in `join`."""

    value: Sql
    join: exp.Join


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Which cut each record's value of the trace is below. `number` is an integer for the record of `t` with
    rank `i`, and refers to the table in `join`; `ends` are the numbers before which each outcome ends."""

    number: Sql
    join: exp.Join
    ends: tuple[int, ...]


class SeededTrace:
    """Values are computed inside the engine. The seed is uploaded as data: a server may log the text of a
    query (D20)."""

    def __init__(self, seed: str):
        self._seed = seed
        self._table: str | None = None

    def draw(self, session: Session, used: int, count: int, lower: int, upper: int) -> Drawn:
        drawn = session.dialect.scaled(self._hash(session, used), upper - lower + 1)
        value = sql.cast(exp.Add(this=exp.paren(drawn), expression=exp.paren(sql.integer(lower))), "BIGINT")
        return Drawn(value, self._seed_table(session))

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

    def draw(self, session: Session, used: int, count: int, lower: int, upper: int) -> Drawn:
        span = upper - lower + 1
        return Drawn(*self._uploaded(session, used, count, lambda rho: lower + int(rho * span)))

    def choose(self, session: Session, used: int, count: int, cuts: Sequence[Fraction]) -> Outcomes:
        number, join = self._uploaded(session, used, count, lambda rho: bisect_right(cuts, rho))
        return Outcomes(number, join, tuple(range(1, len(cuts) + 1)))

    def _uploaded(
        self, session: Session, used: int, count: int, drawn: Callable[[Fraction], int]
    ) -> tuple[Sql, exp.Join]:
        if used + count > len(self._values):
            raise TraceExhausted(used + count, len(self._values))
        values = self._values[used : used + count]
        rows = ((i, drawn(rho)) for i, rho in enumerate(values, start=1))
        table = session.upload((("i", "BIGINT"), ("drawn", "BIGINT")), rows)
        on = exp.EQ(this=exp.column("i", table="s"), expression=exp.column("i", table="t"))
        return exp.column("drawn", table="s"), exp.Join(this=sql.table(table, "s"), on=on)


Trace = SeededTrace | GivenTrace
