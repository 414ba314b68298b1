"""Group-level requirements: one aggregation, whose violating classes are kept and joined back
(Definitions 10 and 11)."""

from dataclasses import dataclass, replace
from typing import assert_never

from sqlglot import exp

from acompass.checked.program import Function, Process, Quantifier, Reject, Requirement, seen_schema
from acompass.checked.types import Kind, Type
from acompass.plan import sql
from acompass.plan.actions import Affected, perform
from acompass.plan.context import Context
from acompass.plan.regions import Verdict
from acompass.plan.sql import Sql
from acompass.plan.stages import GroupStage, process_of
from acompass.plan.state import State
from acompass.result import Sample


def run_groups(context: Context, state: State, stage: GroupStage) -> State:
    first = stage.requirements[0]
    if len(stage.requirements) > 1:
        return _run_shared(context, state, stage.requirements)
    affected = _evaluate(context, state, first)
    return perform(context, state, first, affected)


def _evaluate(context: Context, state: State, requirement: Requirement) -> Affected:
    process = process_of(requirement)
    if requirement.assertion.quantifier is Quantifier.SOME:
        affected, holds = _evaluate_some(context, state, requirement)
    elif process.group_by:
        affected = _violating_classes(context, state, requirement)
        holds = affected.count == 0
    else:
        affected = _whole_result(context, state, requirement)
        holds = affected.count == 0
    context.verdicts[requirement.index] = Verdict(holds, affected.count, state.records)
    if context.show and not holds:
        context.samples[requirement.index] = _sample(context, state, requirement)
    return affected


def _evaluate_some(context: Context, state: State, requirement: Requirement) -> tuple[Affected, bool]:
    classes = Classes(context, state, (requirement,))
    satisfied = classes.satisfied(requirement)
    query = exp.select(exp.Count(this=exp.Star())).from_(classes.grouped.subquery("k")).where(satisfied)
    holds = bool(context.session.fetch(query)[0][0])
    return Affected(sql.TRUE.copy(), 0 if holds else state.records), holds


def _whole_result(context: Context, state: State, requirement: Requirement) -> Affected:
    """PROCESS without GROUP BY: all of R' or nothing."""
    classes = Classes(context, state, (requirement,))
    violating = exp.Not(this=exp.paren(classes.satisfied(requirement)))
    query = exp.select(exp.column("n", table="k")).from_(classes.grouped.subquery("k")).where(violating)
    rows = context.session.fetch(query)
    return Affected(classes.where, int(rows[0][0]) if rows else 0)


def _violating_classes(context: Context, state: State, requirement: Requirement) -> Affected:
    classes = Classes(context, state, (requirement,))
    violating = exp.Not(this=exp.paren(classes.satisfied(requirement)))
    if requirement.action is None:
        query = exp.select(_sum(exp.column("n", table="k"))).from_(classes.grouped.subquery("k"))
        return Affected(sql.FALSE.copy(), int(context.session.fetch(query.where(violating))[0][0]))
    query = exp.select(*classes.keys("k"), exp.column("n", table="k"))
    table = context.session.store(query.from_(classes.grouped.subquery("k")).where(violating))
    total = exp.select(_sum(exp.column("n"))).from_(exp.to_table(table))
    count = int(context.session.fetch(total)[0][0])
    found = exp.Not(this=exp.Is(this=exp.column("n", table="v"), expression=exp.null()))
    return Affected(exp.and_(found, classes.where), count, [classes.join(table)])


def _run_shared(context: Context, state: State, requirements: tuple[Requirement, ...]) -> State:
    """Each requirement sees the classes that the REJECTs before it left (share_aggregations)."""
    classes = Classes(context, state, requirements)
    rejected: list[Sql] = []
    flags: list[Sql] = []
    for requirement in requirements:
        violated = exp.Not(this=exp.paren(classes.satisfied(requirement)))
        flags.append(exp.and_(violated, *(exp.Not(this=exp.paren(r.copy())) for r in rejected)))
        if isinstance(requirement.action, Reject):
            rejected.append(violated)
    grouped = classes.grouped.subquery("k")
    n = exp.column("n", table="k")
    if not rejected:
        counts = context.session.fetch(exp.select(*(_sum_where(n, flag) for flag in flags)).from_(grouped))[0]
        return _shared_verdicts(context, state, requirements, [int(count) for count in counts])
    marked = exp.select(
        *classes.keys("k"), n, *(exp.alias_(_as_number(flag), f"v{j}") for j, flag in enumerate(flags))
    ).from_(grouped)
    table = context.session.store(marked.where(exp.or_(*(flag.copy() for flag in flags))))
    sums = (_sum_where(exp.column("n"), _is_one(f"v{j}")) for j in range(len(flags)))
    counts = context.session.fetch(exp.select(*sums).from_(exp.to_table(table)))[0]
    after = _shared_verdicts(context, state, requirements, [int(count) for count in counts])
    if after.records == state.records:
        return after
    dropping = [j for j, r in enumerate(requirements) if isinstance(r.action, Reject)]
    drop = exp.or_(*(_is_one(f"v{j}", "v") for j in dropping))
    gone = exp.Coalesce(this=exp.paren(drop), expressions=[sql.FALSE.copy()])
    kept = state.derive({}, joins=[classes.join(table)], where=exp.Not(this=gone))
    return replace(kept, records=after.records)


def _shared_verdicts(
    context: Context, state: State, requirements: tuple[Requirement, ...], counts: list[int]
) -> State:
    records = state.records
    for requirement, count in zip(requirements, counts, strict=True):
        context.verdicts[requirement.index] = Verdict(count == 0, count, records)
        if isinstance(requirement.action, Reject):
            records -= count
    return replace(state, records=records)


def _sum(expression: Sql) -> Sql:
    return exp.Coalesce(this=exp.Sum(this=expression), expressions=[sql.integer(0)])


def _sum_where(expression: Sql, flag: Sql) -> Sql:
    return _sum(exp.Case(ifs=[exp.If(this=flag.copy(), true=expression.copy())], default=sql.integer(0)))


def _as_number(flag: Sql) -> Sql:
    return exp.Case(ifs=[exp.If(this=flag.copy(), true=sql.integer(1))], default=sql.integer(0))


def _is_one(column: str, table: str | None = None) -> Sql:
    return exp.EQ(this=exp.column(column, table=table), expression=sql.integer(1))


@dataclass
class Classes:
    """The classes of some requirements with the same WHERE and GROUP BY: `grouped` yields g0, g1, …, n (the
    number of records) and one aggregate value a requirement."""

    context: Context
    state: State
    requirements: tuple[Requirement, ...]

    @property
    def process(self) -> Process:
        return process_of(self.requirements[0])

    @property
    def where(self) -> Sql:
        condition = self.process.where
        if condition is None:
            return sql.TRUE.copy()
        return sql.condition(condition, self.state.schema, self.state.columns())

    def keys(self, table: str) -> list[Sql]:
        return [exp.column(f"g{j}", table=table) for j in range(len(self.process.group_by))]

    @property
    def grouped(self) -> exp.Select:
        keys = [sql.column(g, "t") for g in self.process.group_by]
        select = exp.select(
            *(exp.alias_(key, f"g{j}") for j, key in enumerate(keys)),
            exp.alias_(exp.Count(this=exp.Star()), "n"),
            *(exp.alias_(self._aggregate(r), f"a{r.index}") for r in self.requirements),
        ).from_(self.state.source())
        if self.process.where is not None:
            select = select.where(self.where)
        if keys:
            return select.group_by(*(key.copy() for key in keys))
        # no record, no result: an aggregate of nothing is no record (D16)
        return select.having(exp.GT(this=exp.Count(this=exp.Star()), expression=sql.integer(0)))

    def _aggregate(self, requirement: Requirement) -> Sql:
        process = process_of(requirement)
        if process.column is None:
            return exp.Count(this=exp.Star())
        column = sql.column(process.column, "t")
        type_ = self.state.schema[process.column].type
        return _aggregate(self.context, process.function, column, type_)

    def satisfied(self, requirement: Requirement) -> Sql:
        columns = (*self.keys("k"), exp.column(f"a{requirement.index}", table="k"))
        return sql.condition(requirement.assertion.condition, seen_schema(requirement), columns)

    def join(self, table: str) -> exp.Join:
        pairs = zip(self.process.group_by, self.keys("v"), strict=True)
        on = exp.and_(*(exp.EQ(this=sql.column(g, "t"), expression=key) for g, key in pairs))
        return exp.Join(this=exp.to_table(table).as_("v"), on=on, side="LEFT")


def _aggregate(context: Context, function: Function, column: Sql, type_: Type) -> Sql:
    match function:
        case Function.SUM if type_.kind is Kind.FLOAT:
            return context.session.dialect.float_sum(column)
        case Function.SUM:
            return context.session.dialect.exact_sum(column, type_)
        case Function.MIN:
            return exp.Min(this=column)
        case Function.MAX:
            return exp.Max(this=column)
        case Function.COUNT_DISTINCT:
            return exp.Count(this=exp.Distinct(expressions=[column]))
        case Function.COUNT:
            return exp.Count(this=exp.Star())
        case _:
            assert_never(function)


def _sample(context: Context, state: State, requirement: Requirement) -> Sample:
    classes = Classes(context, state, (requirement,))
    columns = [*classes.keys("k"), exp.column(f"a{requirement.index}", table="k")]
    violating = exp.Not(this=exp.paren(classes.satisfied(requirement)))
    query = exp.select(*columns).from_(classes.grouped.subquery("k")).where(violating).limit(context.show)
    rows = context.session.fetch(query)
    return Sample(tuple(column.name for column in seen_schema(requirement)), rows)
