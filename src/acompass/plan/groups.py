"""Group-level requirements: one aggregation, whose violating classes are kept and joined back
(Definitions 10 and 11)."""

from dataclasses import replace

from sqlglot import exp

from acompass.checked.program import Quantifier, Reject, Requirement, seen_schema
from acompass.plan import sql
from acompass.plan.actions import Affected, perform
from acompass.plan.classes import Classes
from acompass.plan.context import Context
from acompass.plan.regions import Verdict
from acompass.plan.sql import Sql
from acompass.plan.stages import GroupStage
from acompass.plan.state import State
from acompass.result import Sample


def run_groups(context: Context, state: State, stage: GroupStage) -> State:
    classes = Classes(context, state, stage.requirements, stage.two_levels)
    if len(stage.requirements) > 1:
        return _run_shared(classes)
    affected = _evaluate(classes)
    return perform(context, state, stage.requirements[0], affected)


def _evaluate(classes: Classes) -> Affected:
    context, state, (requirement,) = classes.context, classes.state, classes.requirements
    if requirement.assertion.quantifier is Quantifier.SOME:
        affected, holds = _evaluate_some(classes, requirement)
    elif classes.process.group_by:
        affected = _violating_classes(classes, requirement)
        holds = affected.count == 0
    else:
        affected = _whole_result(classes, requirement)
        holds = affected.count == 0
    context.verdicts[requirement.index] = Verdict(holds, affected.count, state.records)
    if context.show and not holds:
        context.samples[requirement.index] = _sample(classes, requirement)
    return affected


def _evaluate_some(classes: Classes, requirement: Requirement) -> tuple[Affected, bool]:
    satisfied = classes.satisfied(requirement)
    query = exp.select(exp.Count(this=exp.Star())).from_(classes.grouped.subquery("k")).where(satisfied)
    holds = bool(classes.context.session.fetch(query)[0][0])
    return Affected(sql.TRUE.copy(), 0 if holds else classes.state.records), holds


def _whole_result(classes: Classes, requirement: Requirement) -> Affected:
    """PROCESS without GROUP BY: all of R' or nothing."""
    violating = exp.Not(this=exp.paren(classes.satisfied(requirement)))
    query = exp.select(exp.column("n", table="k")).from_(classes.grouped.subquery("k")).where(violating)
    rows = classes.context.session.fetch(query)
    return Affected(classes.where, int(rows[0][0]) if rows else 0)


def _violating_classes(classes: Classes, requirement: Requirement) -> Affected:
    session = classes.context.session
    violating = exp.Not(this=exp.paren(classes.satisfied(requirement)))
    if requirement.action is None:
        query = exp.select(_sum(exp.column("n", table="k"))).from_(classes.grouped.subquery("k"))
        return Affected(sql.FALSE.copy(), int(session.fetch(query.where(violating))[0][0]))
    query = exp.select(*classes.keys("k"), exp.column("n", table="k"))
    table = session.store(query.from_(classes.grouped.subquery("k")).where(violating))
    total = exp.select(_sum(exp.column("n"))).from_(exp.to_table(table))
    count = int(session.fetch(total)[0][0])
    found = exp.Not(this=exp.Is(this=exp.column("n", table="v"), expression=exp.null()))
    return Affected(exp.and_(found, classes.where), count, [classes.join(table)])


def _run_shared(classes: Classes) -> State:
    """Each requirement sees the classes that the REJECTs before it left (share_aggregations)."""
    context, state, requirements = classes.context, classes.state, classes.requirements
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


def _sample(classes: Classes, requirement: Requirement) -> Sample:
    context = classes.context
    columns = [*classes.keys("k"), exp.column(f"a{requirement.index}", table="k")]
    violating = exp.Not(this=exp.paren(classes.satisfied(requirement)))
    query = exp.select(*columns).from_(classes.grouped.subquery("k")).where(violating).limit(context.show)
    rows = context.session.fetch(query)
    return Sample(tuple(column.name for column in seen_schema(requirement)), rows)
