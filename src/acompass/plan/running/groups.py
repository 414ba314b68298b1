"""Group-level requirements: one aggregation, whose violating classes are kept and joined back
(Definitions 10 and 11)."""

from dataclasses import replace

from sqlglot import exp

from acompass.checked.program import Quantifier, Reject, Requirement
from acompass.checked.verdict import Verdict
from acompass.plan.lowering import sql
from acompass.plan.lowering.classes import Classes
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import State
from acompass.plan.running.actions import Affected, perform
from acompass.plan.running.context import Context
from acompass.plan.stages import GroupStage
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
    query = sql.query([exp.Count(this=exp.Star())], classes.grouped(), satisfied)
    holds = bool(classes.context.session.fetch(query)[0][0])
    return Affected(sql.TRUE.copy(), 0 if holds else classes.state.records), holds


def _whole_result(classes: Classes, requirement: Requirement) -> Affected:
    """PROCESS without GROUP BY: all of R' or nothing."""
    violating = sql.negated(classes.satisfied(requirement))
    query = sql.query([exp.column("n", table="k")], classes.grouped(), violating)
    rows = classes.context.session.fetch(query)
    return Affected(classes.where, int(rows[0][0]) if rows else 0)


def _violating_classes(classes: Classes, requirement: Requirement) -> Affected:
    session = classes.context.session
    violating, size = sql.negated(classes.satisfied(requirement)), exp.column("n", table="k")
    if requirement.action is None:
        query = sql.query([_sum(size)], classes.grouped(), violating)
        return Affected(sql.FALSE.copy(), int(session.fetch(query)[0][0]))
    table = session.store(sql.query([*classes.keys("k"), size], classes.grouped(), violating))
    total = sql.query([_sum(exp.column("n"))], sql.table(table))
    count = int(session.fetch(total)[0][0])
    found = exp.Not(this=exp.Is(this=exp.column("n", table="v"), expression=exp.null()))
    return Affected(sql.all_of(found, classes.where), count, [classes.join(table)])


def _run_shared(classes: Classes) -> State:
    """Each requirement sees the classes that the REJECTs before it left (share_aggregations)."""
    context, state, requirements = classes.context, classes.state, classes.requirements
    rejected: list[Sql] = []
    flags: list[Sql] = []
    for requirement in requirements:
        violated = sql.negated(classes.satisfied(requirement))
        flags.append(sql.all_of(violated.copy(), *(sql.negated(r.copy()) for r in rejected)))
        if isinstance(requirement.action, Reject):
            rejected.append(violated)
    grouped, n = classes.grouped(), exp.column("n", table="k")
    if not rejected:
        counts = context.session.fetch(sql.query((_sum_where(n, flag) for flag in flags), grouped))[0]
        return _shared_verdicts(context, state, requirements, [int(count) for count in counts])
    marks = (sql.named(_as_number(flag), f"v{j}") for j, flag in enumerate(flags))
    marked = sql.query([*classes.keys("k"), n, *marks], grouped, sql.any_of(*flags))
    table = context.session.store(marked)
    sums = (_sum_where(exp.column("n"), _is_one(f"v{j}")) for j in range(len(flags)))
    counts = context.session.fetch(sql.query(sums, sql.table(table)))[0]
    after = _shared_verdicts(context, state, requirements, [int(count) for count in counts])
    if after.records == state.records:
        return after
    dropping = [j for j, r in enumerate(requirements) if isinstance(r.action, Reject)]
    drop = sql.any_of(*(_is_one(f"v{j}", "v") for j in dropping))
    gone = exp.Coalesce(this=exp.Paren(this=drop), expressions=[sql.FALSE.copy()])
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
    query = sql.query(columns, classes.grouped(), sql.negated(classes.satisfied(requirement)))
    rows = context.session.fetch(query.limit(context.show))
    return Sample(tuple(column.name for column in requirement.assertion.schema), rows)
