"""The random trace (Definition 4, D19) as an engine draws from it: a seed, or a list of values."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

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


class SeededTrace:
    """Values are computed inside the engine. The seed is uploaded as data: a server may log the text of a
    query (D20)."""

    def __init__(self, seed: str):
        self._seed = seed
        self._table: str | None = None

    def draw(self, session: Session, used: int, count: int, lower: int, upper: int) -> Drawn:
        if self._table is None:
            self._table = session.upload((("seed", "TEXT"),), [(self._seed,)])
        position = exp.Add(this=exp.column("i", table="t"), expression=sql.integer(used))
        text = exp.DPipe(
            this=exp.DPipe(this=exp.column("seed", table="s"), expression=exp.Literal.string(":")),
            expression=sql.cast(exp.paren(position), "TEXT"),
        )
        drawn = session.dialect.scaled(session.dialect.hash52(text), upper - lower + 1)
        value = sql.cast(exp.Add(this=exp.paren(drawn), expression=exp.paren(sql.integer(lower))), "BIGINT")
        return Drawn(value, exp.Join(this=sql.table(self._table, "s"), kind="CROSS"))


class GivenTrace:
    def __init__(self, values: Sequence[Fraction]):
        self._values = values

    def draw(self, session: Session, used: int, count: int, lower: int, upper: int) -> Drawn:
        if used + count > len(self._values):
            raise TraceExhausted(used + count, len(self._values))
        span = upper - lower + 1
        values = self._values[used : used + count]
        rows = ((i, lower + int(rho * span)) for i, rho in enumerate(values, start=1))
        table = session.upload((("i", "BIGINT"), ("drawn", "BIGINT")), rows)
        on = exp.EQ(this=exp.column("i", table="s"), expression=exp.column("i", table="t"))
        return Drawn(exp.column("drawn", table="s"), exp.Join(this=sql.table(table, "s"), on=on))


Trace = SeededTrace | GivenTrace
