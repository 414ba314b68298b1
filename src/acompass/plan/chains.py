"""A chain of record-level requirements.

Count the records of each combination of regions, simulate the chain on the combinations, and write the
outcome back with one expression or one join.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from acompass.checked.program import Operator
from acompass.checked.types import Type, Value
from acompass.plan import sql
from acompass.plan.actions import conversions, retyped
from acompass.plan.context import Context
from acompass.plan.regions import Combination, Simulated, constants_of, simulate
from acompass.plan.sql import Sql
from acompass.plan.stages import ChainStage
from acompass.plan.state import State


def run_chain(context: Context, state: State, stage: ChainStage) -> State:
    chain = _Chain(context, state, stage)
    combinations = chain.combinations()
    outcome = simulate(stage.requirements, stage.columns, combinations)
    for requirement, verdict in zip(stage.requirements, outcome.verdicts, strict=True):
        context.verdicts[requirement.index] = verdict
    after = _apply(chain, combinations, outcome)
    kept = (c.records for c, stays in zip(combinations, outcome.kept, strict=True) if stays)
    return replace(after, records=sum(kept), schema=retyped(state, stage.requirements))


def _apply(chain: "_Chain", combinations: Sequence[Combination], outcome: Simulated) -> State:
    converted = conversions(chain.context, chain.stage.requirements)
    if all(outcome.kept) and not any(outcome.written) and not converted:
        return chain.state
    if chain.stage.inline:
        return _apply_inline(chain, combinations, outcome, converted)
    return _apply_lookup(chain, combinations, outcome, converted)


@dataclass
class _Chain:
    context: Context
    state: State
    stage: ChainStage

    def __post_init__(self) -> None:
        self.constants = constants_of(self.stage.requirements, self.stage.columns)

    def type_of(self, column: int) -> Type:
        return self.state.schema[column].type

    def region(self, column: int, expression: Sql) -> Sql:
        """The number of the region that a value lies in."""
        constants, type_ = self.constants[column], self.type_of(column)
        if self.stage.by_values:
            return _search(expression, type_, constants, 0, len(constants))
        steps = [
            sql.cast(exp.paren(sql.comparison(expression, type_, operator, constant)), "INT")
            for constant in constants
            for operator in (Operator.GE, Operator.GT)
        ]
        total: Sql = sql.integer(0)
        for step in steps:
            total = exp.Add(this=total, expression=step)
        return total

    def regions(self, table: str) -> list[Sql]:
        return [self.region(column, sql.column(column, table)) for column in self.stage.columns]

    def distinct_values(self) -> exp.Select:
        """The combinations of values there are, with how many records have them."""
        columns = [sql.column(column, "t") for column in self.stage.columns]
        count = exp.alias_(exp.Count(this=exp.Star()), "n")
        return exp.select(*columns, count).from_(self.state.source()).group_by(*(c.copy() for c in columns))

    def combinations(self) -> list[Combination]:
        if self.stage.by_values:
            source: Sql = self.distinct_values().subquery("t")
            size: Sql = exp.Sum(this=exp.column("n", table="q"))
            carried: list[Sql] = [exp.column("n", table="t")]
        else:
            source, size, carried = self.state.source(), exp.Count(this=exp.Star()), []
        keys = [f"k{j}" for j in range(len(self.stage.columns))]
        located = exp.select(
            *(exp.alias_(r, k) for k, r in zip(keys, self.regions("t"), strict=True)), *carried
        )
        groups = [exp.column(key, table="q") for key in keys]
        query = exp.select(*groups, exp.alias_(size, "n")).from_(located.from_(source).subquery("q"))
        rows = self.context.session.fetch(query.group_by(*(group.copy() for group in groups)))
        return [Combination(tuple(int(k) for k in row[:-1]), int(row[-1])) for row in rows]


def _search(value: Sql, type_: Type, constants: Sequence[Value], low: int, high: int) -> Sql:
    """A binary search, as nested CASEs."""
    if low == high:
        return sql.integer(2 * low)
    middle = (low + high) // 2
    constant = constants[middle]
    below = exp.If(
        this=sql.comparison(value, type_, Operator.LT, constant),
        true=_search(value, type_, constants, low, middle),
    )
    equal = exp.If(this=sql.comparison(value, type_, Operator.EQ, constant), true=sql.integer(2 * middle + 1))
    return exp.Case(ifs=[below, equal], default=_search(value, type_, constants, middle + 1, high))


@dataclass(frozen=True)
class _Range:
    """Regions `first` to `last` of the chain's one column, which all have the same outcome."""

    first: int
    last: int
    kept: bool
    written: dict[int, Value]


def _apply_inline(
    chain: _Chain, combinations: Sequence[Combination], outcome: Simulated, converted: dict[int, Sql]
) -> State:
    (column,) = chain.stage.columns
    ranges = _ranges(combinations, outcome)
    writes = [
        exp.If(this=_within(chain, column, r), true=sql.literal(r.written[column]))
        for r in ranges
        if r.kept and column in r.written
    ]
    old = converted.get(column, sql.column(column, "t"))
    changed = {**converted, column: exp.Case(ifs=writes, default=old)} if writes else converted
    drops = [_within(chain, column, r) for r in ranges if not r.kept]
    where = exp.Not(this=exp.paren(exp.or_(*drops))) if drops else None
    return chain.state.derive(changed, where=where)


def _ranges(combinations: Sequence[Combination], outcome: Simulated) -> list[_Range]:
    """Neighbouring regions with the same outcome are one range; a region without records goes with either."""
    ranges: list[_Range] = []
    for i in sorted(range(len(combinations)), key=lambda i: combinations[i].regions):
        region, kept, written = combinations[i].regions[0], outcome.kept[i], dict(outcome.written[i])
        if ranges and (ranges[-1].kept, ranges[-1].written) == (kept, written):
            ranges[-1] = replace(ranges[-1], last=region)
        else:
            ranges.append(_Range(region, region, kept, written))
    return ranges


def _within(chain: _Chain, column: int, r: _Range) -> Sql:
    constants, type_, value = chain.constants[column], chain.type_of(column), sql.column(column, "t")
    bounds: list[Sql] = []
    if r.first > 0:
        operator = Operator.GE if r.first % 2 else Operator.GT
        bounds.append(sql.comparison(value, type_, operator, constants[(r.first - 1) // 2]))
    if r.last < 2 * len(constants):
        operator = Operator.LE if r.last % 2 else Operator.LT
        bounds.append(sql.comparison(value, type_, operator, constants[r.last // 2]))
    return exp.paren(sql.conjunction(bounds))


def _apply_lookup(
    chain: _Chain, combinations: Sequence[Combination], outcome: Simulated, converted: dict[int, Sql]
) -> State:
    """Joins the outcome of each combination that stays; records of the others find no partner."""
    written = sorted({column for changes in outcome.written for column in changes})
    table = _upload(chain, combinations, outcome, written)
    new = {column: _written_or(column, converted.get(column, sql.column(column, "t"))) for column in written}
    found = [exp.column(f"k{j}", table="o") for j in range(len(chain.stage.columns))]
    pairs = zip(found, chain.regions("t"), strict=True)
    on = exp.and_(*(exp.EQ(this=key, expression=exp.paren(region)) for key, region in pairs))
    outcomes = exp.Join(this=exp.to_table(table).as_("o"), on=on)
    if not chain.stage.by_values:
        return chain.state.derive({**converted, **new}, joins=[outcomes])
    return _apply_by_values(chain, outcomes, {**converted, **new})


def _apply_by_values(chain: _Chain, outcomes: exp.Join, new: dict[int, Sql]) -> State:
    """The outcome of each distinct combination of values, kept and joined on the values themselves."""
    old = [exp.alias_(sql.column(c, "t"), f"v{j}") for j, c in enumerate(chain.stage.columns)]
    fresh = [exp.alias_(expression, f"w{column}") for column, expression in new.items()]
    located = exp.select(*old, *fresh).from_(chain.distinct_values().subquery("t"))
    located.append("joins", outcomes)
    table = chain.context.session.store(located)
    on = exp.and_(
        *(
            exp.EQ(this=sql.column(c, "t"), expression=exp.column(f"v{j}", table="m"))
            for j, c in enumerate(chain.stage.columns)
        )
    )
    join = exp.Join(this=exp.to_table(table).as_("m"), on=on)
    changed: dict[int, Sql] = {column: exp.column(f"w{column}", table="m") for column in new}
    return chain.state.derive(changed, joins=[join])


def _written_or(column: int, old: Sql) -> Sql:
    value = exp.column(f"w{column}", table="o")
    return exp.Coalesce(this=value, expressions=[old])


def _upload(
    chain: _Chain, combinations: Sequence[Combination], outcome: Simulated, written: Sequence[int]
) -> str:
    final = retyped(chain.state, chain.stage.requirements)
    keys = [(f"k{j}", "INT") for j in range(len(chain.stage.columns))]
    values = [(f"w{column}", sql.type_name(final[column].type)) for column in written]
    rows: list[tuple[Any, ...]] = [
        (*combination.regions, *(changes.get(column) for column in written))
        for combination, stays, changes in zip(combinations, outcome.kept, outcome.written, strict=True)
        if stays
    ]
    return chain.context.session.upload([*keys, *values], rows)
