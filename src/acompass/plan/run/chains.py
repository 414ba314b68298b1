"""Run a chain of record-level requirements: simulate it once for each combination of regions (see `regions`), and
apply the outcome to the records."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from typing import Any

from sqlglot import exp

from acompass.dataclasses import dataclass, replace
from acompass.language.program.constants import is_64_bit, scale_of
from acompass.language.program.types import MOST_DIGITS, Kind, Schema, Type, Value
from acompass.language.text.tree import Operator
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialect import conversions, schema_after
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import State
from acompass.plan.run.context import Context
from acompass.plan.stages import ChainStage, Combination, SimulatedOutcome, ordered_constants, simulate


def run_chain(context: Context, state: State, stage: ChainStage) -> State:
    chain = _Chain(context, state, stage)
    combinations = chain.combinations()
    final = schema_after(state.schema, stage.requirements)
    outcome = _with_stored_values(simulate(stage.requirements, stage.columns, combinations), final)
    for requirement, verdict in zip(stage.requirements, outcome.verdicts, strict=True):
        context.verdicts[requirement.index] = verdict
    after = _apply(chain, combinations, outcome)
    kept = (c.records for c, stays in zip(combinations, outcome.kept, strict=True) if stays)
    return replace(after, records=sum(kept), schema=final)


def _with_stored_values(outcome: SimulatedOutcome, final: Schema) -> SimulatedOutcome:
    """The outcome with every written value as it is stored: `2` and `2.0` are equal numbers, but different texts."""
    written = tuple(
        {column: sql.stored_value(value, final[column].type) for column, value in changes.items()}
        for changes in outcome.written
    )
    return replace(outcome, written=written)


def _apply(chain: "_Chain", combinations: Sequence[Combination], outcome: SimulatedOutcome) -> State:
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

    @cached_property
    def constants(self) -> Mapping[int, Sequence[Value]]:
        return ordered_constants(self.stage.requirements, self.stage.columns)

    def type(self, column: int) -> Type:
        return self.state.schema[column].type

    def regions(self) -> list[Sql]:
        """The regions of a record of the state, named `t`."""
        return [
            compare_with_each(self.state.value(column), self.type(column), self.constants[column])
            for column in self.stage.columns
        ]

    def keys(self, table: str) -> list[Sql]:
        return [exp.column(f"k{j}", table=table) for j in range(len(self.stage.columns))]

    def combinations(self) -> list[Combination]:
        source: Sql
        size: Sql
        if self.stage.by_values:
            source, size = self.values, exp.Sum(this=exp.column("n", table="q"))
        else:
            regions = (sql.with_alias(region, f"k{j}") for j, region in enumerate(self.regions()))
            located = sql.query([*regions, *self.state.weights()], self.state.source())
            source, size = located.subquery("q", copy=False), self.state.count("q")
        query = sql.query([*self.keys("q"), sql.with_alias(size, "n")], source)
        rows = self.context.session.fetch(query.group_by(*self.keys("q"), copy=False))
        return [Combination(tuple(int(k) for k in row[:-1]), int(row[-1])) for row in rows]

    @cached_property
    def values(self) -> Sql:
        """The distinct combinations of values v0, v1, …, with their regions k0, k1, … and their number of records n.

        They are a relation named `q`: a stored table if the engine has ASOF joins, otherwise a subquery.
        """
        columns = {column: sql.column(column, "t") for column in self.stage.columns}
        joins, regions = [], list[Sql]()
        can_join = self._can_join()
        for j, (column, value) in enumerate(columns.items()):
            if can_join:
                joins.append(asof_join(value.copy(), self._upload_constants(column), f"m{j}"))
                regions.append(region_of_match(value.copy(), f"m{j}"))
            else:
                regions.append(search_region(value, self.type(column), self.constants[column]))
        values = (sql.with_alias(value, f"v{j}") for j, value in enumerate(columns.values()))
        named = (sql.with_alias(region, f"k{j}") for j, region in enumerate(regions))
        select = sql.query([exp.column("n", table="t"), *values, *named], self._distinct_values())
        select.set("joins", joins)
        return sql.table(self.context.session.store(select), "q") if can_join else select.subquery("q", copy=False)

    def _distinct_values(self) -> Sql:
        values = {column: self.state.value(column) for column in self.stage.columns}
        named = (sql.with_alias(value, sql.name(column)) for column, value in values.items())
        select = sql.query([*named, sql.with_alias(self.state.count(), "n")], self.state.source())
        return select.group_by(*(value.copy() for value in values.values()), copy=False).subquery("t", copy=False)

    def _can_join(self) -> bool:
        constants = ((constant, column) for column in self.stage.columns for constant in self.constants[column])
        joins_by_order = self.context.session.dialect.joins_by_order
        return joins_by_order and all(fits_type(constant, self.type(column)) for constant, column in constants)

    def _upload_constants(self, column: int) -> str:
        """A table of the column's constants and their numbers."""
        fields = (("j", "INT"), ("constant", sql.type_name(self.type(column))))
        return self.context.session.upload(fields, list(enumerate(self.constants[column])))


@dataclass(frozen=True)
class _Range:
    """Regions of the chain's only column that have the same outcome."""

    first: int
    last: int
    kept: bool
    written: dict[int, Value]


def _apply_inline(
    chain: _Chain, combinations: Sequence[Combination], outcome: SimulatedOutcome, converted: dict[int, Sql]
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
    where = sql.negate(sql.any_of(*drops)) if drops else None
    return chain.state.derive(changed, where=where)


def _ranges(combinations: Sequence[Combination], outcome: SimulatedOutcome) -> list[_Range]:
    """Merge adjacent regions with the same outcome. Regions without records may fall into any range."""
    ranges: list[_Range] = []
    for i in sorted(range(len(combinations)), key=lambda i: combinations[i].regions):
        region, kept, written = combinations[i].regions[0], outcome.kept[i], dict(outcome.written[i])
        if ranges and (ranges[-1].kept, ranges[-1].written) == (kept, written):
            ranges[-1] = replace(ranges[-1], last=region)
        else:
            ranges.append(_Range(region, region, kept, written))
    return ranges


def _within(chain: _Chain, column: int, r: _Range) -> Sql:
    constants, type_, value = chain.constants[column], chain.type(column), chain.state.value(column)
    bounds: list[Sql] = []
    if r.first > 0:
        operator = Operator.GE if r.first % 2 else Operator.GT
        bounds.append(sql.comparison(value, type_, operator, constants[(r.first - 1) // 2]))
    if r.last < 2 * len(constants):
        operator = Operator.LE if r.last % 2 else Operator.LT
        bounds.append(sql.comparison(value, type_, operator, constants[r.last // 2]))
    return exp.Paren(this=sql.all_of(*bounds))


def _apply_lookup(
    chain: _Chain, combinations: Sequence[Combination], outcome: SimulatedOutcome, converted: dict[int, Sql]
) -> State:
    """Join the outcomes of the combinations that are kept. Records of the others have no match and are dropped."""
    written = sorted({column for changes in outcome.written for column in changes})
    table = _upload(chain, combinations, outcome, written)
    own: Sequence[Sql]
    if chain.stage.by_values:
        table = _outcomes_of_values(chain, table, written)
        old, own = "v", [chain.state.value(column) for column in chain.stage.columns]
    else:
        old, own = "k", chain.regions()
    keys = ((mine, exp.column(f"{old}{j}", table="o")) for j, mine in enumerate(own))
    on = sql.all_of(*(exp.EQ(this=exp.Paren(this=mine), expression=theirs) for mine, theirs in keys))
    for column in written:
        old_value = converted.get(column, sql.column(column, "t"))
        converted[column] = exp.Coalesce(this=exp.column(f"w{column}", table="o"), expressions=[old_value])
    return chain.state.derive(converted, joins=[exp.Join(this=sql.table(table, "o"), on=on)])


def _outcomes_of_values(chain: _Chain, outcomes: str, written: Sequence[int]) -> str:
    """Store the outcome of each distinct combination of values."""
    values = [exp.column(f"v{j}", table="q") for j in range(len(chain.stage.columns))]
    new = [exp.column(f"w{column}", table="o") for column in written]
    pairs = zip(chain.keys("q"), chain.keys("o"), strict=True)
    on = sql.all_of(*(exp.EQ(this=mine, expression=theirs) for mine, theirs in pairs))
    select = sql.query([*values, *new], chain.values.copy())
    select.append("joins", exp.Join(this=sql.table(outcomes, "o"), on=on))
    return chain.context.session.store(select)


def _upload(
    chain: _Chain, combinations: Sequence[Combination], outcome: SimulatedOutcome, written: Sequence[int]
) -> str:
    final = schema_after(chain.state.schema, chain.stage.requirements)
    keys = [(f"k{j}", "INT") for j in range(len(chain.stage.columns))]
    values = [(f"w{column}", sql.stored_type(final[column].type)) for column in written]
    rows: list[tuple[Any, ...]] = [
        (*combination.regions, *(changes.get(column) for column in written))
        for combination, stays, changes in zip(combinations, outcome.kept, outcome.written, strict=True)
        if stays
    ]
    return chain.context.session.upload([*keys, *values], rows)


def compare_with_each(value: Sql, type_: Type, constants: Sequence[Value]) -> Sql:
    """The region of a value: the number of constants that it reaches, plus the number that it exceeds."""
    total: Sql = sql.integer(0)
    for constant in constants:
        for operator in (Operator.GE, Operator.GT):
            step = sql.cast(exp.paren(sql.comparison(value, type_, operator, constant)), "INT")
            total = exp.Add(this=total, expression=step)
    return total


def search_region(value: Sql, type_: Type, constants: Sequence[Value]) -> Sql:
    """The region of a value: a binary search, written as nested CASEs."""
    return _search_between(value, type_, constants, 0, len(constants))


def _search_between(value: Sql, type_: Type, constants: Sequence[Value], low: int, high: int) -> Sql:
    if low == high:
        return sql.integer(2 * low)
    middle = (low + high) // 2
    constant = constants[middle]
    below = exp.If(
        this=sql.comparison(value, type_, Operator.LT, constant),
        true=_search_between(value, type_, constants, low, middle),
    )
    equal = exp.If(this=sql.comparison(value, type_, Operator.EQ, constant), true=sql.integer(2 * middle + 1))
    return exp.Case(ifs=[below, equal], default=_search_between(value, type_, constants, middle + 1, high))


def asof_join(value: Sql, constants: str, alias: str) -> exp.Join:
    """Join each value to the largest constant not above it; `constants` is a table with columns j and constant."""
    reached = exp.GTE(this=value, expression=exp.column("constant", table=alias))
    return exp.Join(this=sql.table(constants, alias), on=reached, method="ASOF", side="LEFT")


def region_of_match(value: Sql, alias: str) -> Sql:
    """The region of a value that an `asof_join` matched with a constant, or not at all."""
    number = exp.column("j", table=alias)
    doubled = exp.Mul(this=sql.integer(2), expression=number)
    equal = exp.EQ(this=value, expression=exp.column("constant", table=alias))
    return exp.Case(
        ifs=[
            exp.If(this=sql.is_null(number.copy()), true=sql.integer(0)),
            exp.If(this=equal, true=exp.Add(this=doubled, expression=sql.integer(1))),
        ],
        default=exp.Add(this=doubled.copy(), expression=sql.integer(2)),
    )


def fits_type(constant: Value, type_: Type) -> bool:
    """Whether the column's type can hold a constant that the column is compared with."""
    match type_.kind:
        case Kind.INTEGER:
            return isinstance(constant, int) and is_64_bit(constant)
        case Kind.DECIMAL:
            exact = Decimal(constant) if isinstance(constant, int | Decimal) else Decimal(0)
            return scale_of(exact) <= type_.scale and abs(exact).adjusted() < MOST_DIGITS - type_.scale
        case _:
            return True
