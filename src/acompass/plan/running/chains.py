"""A chain of record-level requirements.

The engine counts the records of each combination of regions, the chain is simulated on the combinations, and
one expression or one join applies the outcome to the records.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from acompass.checked.program import Operator
from acompass.checked.types import Schema, Type, Value
from acompass.plan.lowering import sql
from acompass.plan.lowering.locate import compare_with_each
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import State
from acompass.plan.lowering.type_changes import conversions, retyped
from acompass.plan.regions import constants_of
from acompass.plan.running.context import Context
from acompass.plan.running.located_values import LocatedValues
from acompass.plan.running.simulate import Combination, Simulated, simulate
from acompass.plan.stages import ChainStage


def run_chain(context: Context, state: State, stage: ChainStage) -> State:
    chain = _Chain(context, state, stage)
    combinations = chain.combinations()
    final = retyped(state.schema, stage.requirements)
    outcome = _stored(simulate(stage.requirements, stage.columns, combinations), final)
    for requirement, verdict in zip(stage.requirements, outcome.verdicts, strict=True):
        context.verdicts[requirement.index] = verdict
    after = _apply(chain, combinations, outcome)
    kept = (c.records for c, stays in zip(combinations, outcome.kept, strict=True) if stays)
    return replace(after, records=sum(kept), schema=final)


def _stored(outcome: Simulated, final: Schema) -> Simulated:
    """The outcome with every written value as it is stored: `2` and `2.0` are one number, but two texts."""
    written = tuple(
        {column: sql.stored_value(value, final[column].type) for column, value in changes.items()}
        for changes in outcome.written
    )
    return replace(outcome, written=written)


def _apply(chain: "_Chain", combinations: Sequence[Combination], outcome: Simulated) -> State:
    converted = conversions(chain.context.session.dialect, chain.stage.requirements)
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
        self.values = LocatedValues(self.context.session, self.state, self.stage.columns, self.constants)

    def type_of(self, column: int) -> Type:
        return self.state.schema[column].type

    def regions(self) -> list[Sql]:
        """The regions of the records of the state, called `t`."""
        return [
            compare_with_each(self.state.value(column), self.type_of(column), self.constants[column])
            for column in self.stage.columns
        ]

    def keys(self, table: str) -> list[Sql]:
        return [exp.column(f"k{j}", table=table) for j in range(len(self.stage.columns))]

    def combinations(self) -> list[Combination]:
        source: Sql
        size: Sql
        if self.stage.by_values:
            source, size = self.values.relation, exp.Sum(this=exp.column("n", table="q"))
        else:
            regions = (sql.named(region, f"k{j}") for j, region in enumerate(self.regions()))
            located = sql.query([*regions, *self.state.weights()], self.state.source())
            source, size = located.subquery("q", copy=False), self.state.count("q")
        query = sql.query([*self.keys("q"), sql.named(size, "n")], source)
        rows = self.context.session.fetch(query.group_by(*self.keys("q"), copy=False))
        return [Combination(tuple(int(k) for k in row[:-1]), int(row[-1])) for row in rows]


@dataclass(frozen=True)
class _Range:
    """Regions `first` to `last` of the chain's only column, which have the same outcome."""

    first: int
    last: int
    kept: bool
    written: dict[int, Value]


def _apply_inline(
    chain: _Chain, combinations: Sequence[Combination], outcome: Simulated, converted: dict[int, Sql]
) -> State:
    (column,) = chain.stage.columns
    dialect = chain.context.session.dialect
    ranges = _ranges(combinations, outcome)
    writes = [
        exp.If(this=_within(chain, column, r), true=dialect.constant(r.written[column]))
        for r in ranges
        if r.kept and column in r.written
    ]
    old = converted.get(column, sql.column(column, "t"))
    changed = {**converted, column: exp.Case(ifs=writes, default=old)} if writes else converted
    drops = [_within(chain, column, r) for r in ranges if not r.kept]
    where = sql.negated(sql.any_of(*drops)) if drops else None
    return chain.state.derive(changed, where=where)


def _ranges(combinations: Sequence[Combination], outcome: Simulated) -> list[_Range]:
    """Neighbouring regions with the same outcome, as ranges. Regions without records may be in any range."""
    ranges: list[_Range] = []
    for i in sorted(range(len(combinations)), key=lambda i: combinations[i].regions):
        region, kept, written = combinations[i].regions[0], outcome.kept[i], dict(outcome.written[i])
        if ranges and (ranges[-1].kept, ranges[-1].written) == (kept, written):
            ranges[-1] = replace(ranges[-1], last=region)
        else:
            ranges.append(_Range(region, region, kept, written))
    return ranges


def _within(chain: _Chain, column: int, r: _Range) -> Sql:
    constants, type_, value = chain.constants[column], chain.type_of(column), chain.state.value(column)
    bounds: list[Sql] = []
    if r.first > 0:
        operator = Operator.GE if r.first % 2 else Operator.GT
        bounds.append(sql.comparison(value, type_, operator, constants[(r.first - 1) // 2]))
    if r.last < 2 * len(constants):
        operator = Operator.LE if r.last % 2 else Operator.LT
        bounds.append(sql.comparison(value, type_, operator, constants[r.last // 2]))
    return exp.Paren(this=sql.all_of(*bounds))


def _apply_lookup(
    chain: _Chain, combinations: Sequence[Combination], outcome: Simulated, converted: dict[int, Sql]
) -> State:
    """Join the outcomes of the combinations that remain. Records of the others have no match and drop out."""
    written = sorted({column for changes in outcome.written for column in changes})
    table = _upload(chain, combinations, outcome, written)
    own: Sequence[Sql]
    if chain.stage.by_values:
        table = _outcomes_of_values(chain, table, written)
        old, own = "v", [chain.state.value(column) for column in chain.stage.columns]
    else:
        old, own = "k", chain.regions()
    pairs = zip(own, (exp.column(f"{old}{j}", table="o") for j in range(len(own))), strict=True)
    on = sql.all_of(*(exp.EQ(this=exp.Paren(this=mine), expression=theirs) for mine, theirs in pairs))
    new = {column: _written_or(column, converted.get(column, sql.column(column, "t"))) for column in written}
    join = exp.Join(this=sql.table(table, "o"), on=on)
    return chain.state.derive({**converted, **new}, joins=[join])


def _outcomes_of_values(chain: _Chain, outcomes: str, written: Sequence[int]) -> str:
    """The outcome of each distinct combination of values."""
    values = [exp.column(f"v{j}", table="q") for j in range(len(chain.stage.columns))]
    new = [exp.column(f"w{column}", table="o") for column in written]
    pairs = zip(chain.keys("q"), chain.keys("o"), strict=True)
    on = sql.all_of(*(exp.EQ(this=mine, expression=theirs) for mine, theirs in pairs))
    select = sql.query([*values, *new], chain.values.relation.copy())
    select.append("joins", exp.Join(this=sql.table(outcomes, "o"), on=on))
    return chain.context.session.store(select)


def _written_or(column: int, old: Sql) -> Sql:
    value = exp.column(f"w{column}", table="o")
    return exp.Coalesce(this=value, expressions=[old])


def _upload(
    chain: _Chain, combinations: Sequence[Combination], outcome: Simulated, written: Sequence[int]
) -> str:
    final = retyped(chain.state.schema, chain.stage.requirements)
    keys = [(f"k{j}", "INT") for j in range(len(chain.stage.columns))]
    values = [(f"w{column}", sql.stored_type(final[column].type)) for column in written]
    rows: list[tuple[Any, ...]] = [
        (*combination.regions, *(changes.get(column) for column in written))
        for combination, stays, changes in zip(combinations, outcome.kept, outcome.written, strict=True)
        if stays
    ]
    return chain.context.session.upload([*keys, *values], rows)
