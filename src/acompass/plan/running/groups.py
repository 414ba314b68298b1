"""Class-level requirements: one aggregation finds the violating classes, and a join finds their records
(Definitions 10 and 11)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, assert_never

from sqlglot import exp

from acompass.checked.program import (
    Action,
    Draw,
    Drop,
    Generalize,
    Quantifier,
    Random,
    Reject,
    Replace,
    Requirement,
    Sometimes,
)
from acompass.checked.verdict import Verdict
from acompass.plan.lowering import sql
from acompass.plan.lowering.classes import Classes
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import State
from acompass.plan.running.actions import perform
from acompass.plan.running.affected import Affected
from acompass.plan.running.context import Context
from acompass.plan.stages import GroupStage
from acompass.result import Sample


def run_groups(context: Context, state: State, stage: GroupStage) -> State:
    classes = Classes(context.session.dialect, state, stage.requirements, stage.two_levels)
    if len(stage.requirements) > 1:
        return _run_shared(context, classes)
    affected = _evaluate(context, classes)
    return perform(context, state, stage.requirements[0], affected)


def _evaluate(context: Context, classes: Classes) -> Affected:
    (requirement,) = classes.requirements
    affected, verdict = _affected(context, classes, requirement)
    context.verdicts[requirement.index] = verdict
    if context.show and not verdict.holds:
        context.samples[requirement.index] = _sample(context, classes, requirement)
    return affected


def _affected(context: Context, classes: Classes, requirement: Requirement) -> tuple[Affected, Verdict]:
    records = classes.state.records
    match requirement.assertion.quantifier:
        case Quantifier.SOME:
            satisfied = sql.count_where(classes.satisfied(requirement))
            found, selects_none = _aggregated(context, classes, satisfied)
            count = 0 if found else records
            return Affected(sql.TRUE.copy(), count), Verdict(found > 0, count, records, selects_none)
        case Quantifier.EACH:
            affected, selects_none = _affected_by_each(context, classes, requirement)
            return affected, Verdict(affected.count == 0, affected.count, records, selects_none)
        case _:
            assert_never(requirement.assertion.quantifier)


def _affected_by_each(context: Context, classes: Classes, requirement: Requirement) -> tuple[Affected, bool]:
    """The affected bag, and whether WHERE selects no record.

    PROCESS without GROUP BY affects all of R' or nothing (Definition 11).
    """
    if requirement.action is not None and classes.process.group_by:
        affected = violating_classes(context, classes, requirement)
        return affected, affected.count == 0 and _selects_none(context, classes)
    violating, size = sql.negated(classes.satisfied(requirement)), exp.column("n", table="k")
    count, selects_none = _aggregated(context, classes, _sum_where(size, violating))
    predicate = sql.FALSE.copy() if classes.process.group_by else classes.where
    return Affected(predicate, count), selects_none


def _aggregated(context: Context, classes: Classes, aggregate: Sql) -> tuple[int, bool]:
    """An aggregate over the classes, and whether WHERE selects no record: then there is no class."""
    query = sql.query([aggregate, exp.Count(this=exp.Star())], classes.grouped())
    ((value, number),) = context.session.fetch(query)
    return int(value), classes.process.where is not None and not number


def violating_classes(context: Context, classes: Classes, requirement: Requirement) -> Affected:
    """The affected bag, with the violating classes stored."""
    violating, size = sql.negated(classes.satisfied(requirement)), exp.column("n", table="k")
    table = context.session.store(sql.query([*classes.keys("k"), size], classes.grouped(), violating))
    total = sql.query([_sum(exp.column("n"))], sql.table(table))
    count = int(context.session.fetch(total)[0][0])
    distinct = {g: _distinct(table, f"g{j}") for j, g in enumerate(classes.process.group_by)}
    return Affected(sql.all_of(found_class(), classes.where), count, [classes.join(table)], distinct)


def found_class() -> Sql:
    """Whether a record found its class among stored ones, called `v`."""
    return exp.Not(this=exp.Is(this=exp.column("n", table="v"), expression=exp.null()))


def _distinct(table: str, key: str) -> exp.Select:
    """The values of a group column in stored classes, with their numbers of records."""
    columns = [sql.named(exp.column(key), "value"), exp.Sum(this=exp.column("n"))]
    return sql.query(columns, sql.table(table)).group_by(exp.column(key), copy=False)


def _selects_none(context: Context, classes: Classes) -> bool:
    """Asked only where no class violates the assertion. The scan ends at the first record selected."""
    if classes.process.where is None:
        return False
    query = sql.query([sql.integer(1)], classes.state.source(), classes.where)
    return not context.session.fetch(query.limit(1))


@dataclass(frozen=True)
class _Marks:
    """For each requirement, whether a class violates it and no earlier requirement has rejected the class."""

    flags: list[Sql]
    rejecting: list[int]


def _run_shared(context: Context, classes: Classes) -> State:
    """Each requirement sees the classes that the REJECTs before it left (see `share_aggregations`)."""
    marks = _marks(classes)
    if not marks.rejecting:
        sums = (_sum_where(exp.column("n", table="k"), flag) for flag in marks.flags)
        (counts,) = context.session.fetch(sql.query(sums, classes.grouped()))
        return _shared_verdicts(context, classes, counts)
    table = context.session.store(_marked(classes, marks))
    sums = (_sum_where(exp.column("n"), _is_one(f"v{j}")) for j in range(len(marks.flags)))
    (counts,) = context.session.fetch(sql.query(sums, sql.table(table)))
    after = _shared_verdicts(context, classes, counts)
    if after.records == classes.state.records:
        return after
    return replace(_without_rejected(classes, marks, table), records=after.records)


def _marks(classes: Classes) -> _Marks:
    rejected: list[Sql] = []
    marks = _Marks([], [])
    for j, requirement in enumerate(classes.requirements):
        violated = sql.negated(classes.satisfied(requirement))
        marks.flags.append(sql.all_of(violated.copy(), *(sql.negated(r.copy()) for r in rejected)))
        if _rejects(requirement.action):
            rejected.append(violated)
            marks.rejecting.append(j)
    return marks


def _marked(classes: Classes, marks: _Marks) -> exp.Select:
    """The classes that violate a requirement, with the flag of requirement j as the number vj."""
    numbers = (sql.named(_as_number(flag), f"v{j}") for j, flag in enumerate(marks.flags))
    columns = [*classes.keys("k"), exp.column("n", table="k"), *numbers]
    return sql.query(columns, classes.grouped(), sql.any_of(*marks.flags))


def _without_rejected(classes: Classes, marks: _Marks, table: str) -> State:
    drop = sql.any_of(*(_is_one(f"v{j}", "v") for j in marks.rejecting))
    gone = exp.Coalesce(this=exp.Paren(this=drop), expressions=[sql.FALSE.copy()])
    return classes.state.derive({}, joins=[classes.join(table)], where=exp.Not(this=gone))


def _shared_verdicts(context: Context, classes: Classes, counts: Sequence[Any]) -> State:
    """The state with the number of records that the REJECTs leave."""
    records = classes.state.records
    for requirement, count in zip(classes.requirements, map(int, counts), strict=True):
        context.verdicts[requirement.index] = Verdict(count == 0, count, records)
        if _rejects(requirement.action):
            records -= count
    return replace(classes.state, records=records)


def _rejects(action: Action | None) -> bool:
    match action:
        case None:
            return False
        case Reject():
            return True
        case Replace() | Random() | Draw() | Generalize() | Drop() | Sometimes():
            raise AssertionError("requirements share an aggregation only where no action writes")
        case _:
            assert_never(action)


def _sum(expression: Sql) -> Sql:
    return exp.Coalesce(this=exp.Sum(this=expression), expressions=[sql.integer(0)])


def _sum_where(expression: Sql, flag: Sql) -> Sql:
    return _sum(exp.Case(ifs=[exp.If(this=flag.copy(), true=expression.copy())], default=sql.integer(0)))


def _as_number(flag: Sql) -> Sql:
    return exp.Case(ifs=[exp.If(this=flag.copy(), true=sql.integer(1))], default=sql.integer(0))


def _is_one(column: str, table: str | None = None) -> Sql:
    return exp.EQ(this=exp.column(column, table=table), expression=sql.integer(1))


def _sample(context: Context, classes: Classes, requirement: Requirement) -> Sample:
    columns = [*classes.keys("k"), *classes.aggregates(requirement, "k")]
    query = sql.query(columns, classes.grouped(), sql.negated(classes.satisfied(requirement)))
    rows = context.session.fetch(query.limit(context.show))
    return Sample(tuple(column.name for column in requirement.assertion.schema), rows)
