"""A cascade: stages that run on the distinct combinations of values of a few columns, not on the records."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from sqlglot import exp

from acompass.checked.effects import columns_written, type_changes
from acompass.checked.program import Requirement
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import WEIGHT, Counted, State
from acompass.plan.lowering.type_changes import converted_by_all, retyped
from acompass.plan.running.actions import converted
from acompass.plan.running.context import Context
from acompass.plan.running.repeats import are_repeats, in_repeats, run_repeats
from acompass.plan.stages import CascadeStage, Stage

#: the depth at which the combinations are stored: they are few
DEEPEST = 2
#: so few combinations that a statement costs more than looking at all of them
_FEW = 50_000


class Execute(Protocol):
    """Runs stages on a state, and stores it at a depth of nested SELECTs."""

    def __call__(
        self, context: Context, state: State, stages: Sequence[Stage], *, deepest: int | None
    ) -> State: ...


def judge_cascade(context: Context, state: State, stage: CascadeStage, execute: Execute) -> State:
    """The verdicts of a cascade, and a state of which only the number of records is meant to be read.

    The outcome is not applied to the records, so that it pays to count combinations even where they are
    nearly as many, and their first values are not needed.
    """
    table, counted = _stored(context, state, Counted(stage.columns, frozenset()))
    few = _number(context, table) <= _FEW
    after = (
        execute(context, counted, stage.stages, deepest=DEEPEST)
        if few
        else _repeated(context, counted, stage, execute)
    )
    return replace(state, schema=retyped(state.schema, stage.requirements), records=after.records)


def run_cascade(context: Context, state: State, stage: CascadeStage, execute: Execute) -> State:
    counted = None if context.show else _counted(context, state, stage)
    if counted is None:
        return execute(context, state, stage.stages, deepest=context.session.dialect.deepest_cascade)
    after = _repeated(context, counted, stage, execute)
    if not any(_takes_effect(context, requirement) for requirement in stage.requirements):
        for requirement in stage.requirements:
            state = converted(context, state, requirement)
        return state
    return _Outcome(context, state, stage, counted, after).applied()


def _repeated(context: Context, counted: State, stage: CascadeStage, execute: Execute) -> State:
    """The combinations after the stages, of which those that ask the same again look only at what changed."""
    after = counted
    for run in in_repeats(stage.stages):
        if are_repeats(run):
            after = run_repeats(context, after, run)
        else:
            after = execute(context, after, run, deepest=DEEPEST)
    return after


def _takes_effect(context: Context, requirement: Requirement) -> bool:
    return requirement.action is not None and context.verdicts[requirement.index].affected > 0


def _counted(context: Context, state: State, stage: CascadeStage) -> State | None:
    """The stored combinations; None where there are too many of them."""
    if _probably_too_many(context, state, stage):
        return None
    table, counted = _stored(context, state, Counted(stage.columns, _changing(stage)))
    if _are_too_many(_number(context, table), state, stage):
        context.session.drop(table)
        return None
    return counted


def _number(context: Context, table: str) -> int:
    """The number of combinations."""
    ((combinations,),) = context.session.fetch(sql.query([exp.Count(this=exp.Star())], sql.table(table)))
    return int(combinations)


def _stored(context: Context, state: State, layout: Counted) -> tuple[str, State]:
    """A table of the combinations, with their numbers of records, and the state that reads it."""
    table = context.session.store(state.combinations(layout))
    counted = replace(state.stored_as(table), has_row_key=False, in_order=False, counted=layout)
    return table, counted


def _probably_too_many(context: Context, state: State, stage: CascadeStage) -> bool:
    estimate = context.session.dialect.approximate_distinct
    if estimate is None:
        return False
    values = [sql.column(i, "t") for i in stage.columns]
    ((found,),) = context.session.fetch(sql.query([estimate(values)], state.source()))
    return _are_too_many(found, state, stage)


def _are_too_many(combinations: int, state: State, stage: CascadeStage) -> bool:
    return combinations * stage.fewest_records > state.records


def _changing(stage: CascadeStage) -> frozenset[int]:
    retyped_columns = frozenset(column for r in stage.requirements for column in type_changes(r))
    return columns_written(stage.requirements) | retyped_columns


@dataclass(frozen=True)
class _Outcome:
    """The combinations before and after the stages. Records are joined only with those that changed."""

    context: Context
    state: State
    stage: CascadeStage
    before: State
    after: State

    def applied(self) -> State:
        drops = self.after.records < self.state.records
        table = self.context.session.store(self._with_dropped() if drops else self._changed())
        same = (
            exp.EQ(this=sql.column(i, "t"), expression=exp.column(f, table="o")) for i, f in self._first()
        )
        join = exp.Join(this=sql.table(table, "o"), on=sql.all_of(*same), side="LEFT")
        schema = retyped(self.state.schema, self.stage.requirements)
        final = replace(self.state, schema=schema, records=self.after.records)
        new: dict[int, Sql] = {
            i: exp.Coalesce(this=exp.column(f"n{i}", table="o"), expressions=[self._kept(i, sql.name(i))])
            for i in self._changing()
        }
        return final.derive(new, joins=[join], where=_is_null("dropped", "o") if drops else None)

    def _layout(self) -> Counted:
        assert self.before.counted is not None
        return self.before.counted

    def _first(self) -> list[tuple[int, str]]:
        return list(self._layout().first.items())

    def _changing(self) -> list[int]:
        return sorted(self._layout().changing)

    def _kept(self, column: int, name: str) -> Sql:
        """The value of a column whose value only changes its type."""
        dialect, stored = self.context.session.dialect, exp.column(name, table="t")
        return converted_by_all(dialect, self.stage.requirements, column, stored)

    def _changed(self) -> exp.Select:
        """The combinations that have a new value, with the new values."""
        first = dict(self._first())
        firsts = (exp.column(name, table="t") for name in first.values())
        news = (sql.named(sql.column(i, "t"), f"n{i}") for i in self._changing())
        differ = (
            exp.NEQ(this=sql.column(i, "t"), expression=self._kept(i, first[i])) for i in self._changing()
        )
        return sql.query([*firsts, *news], self.after.source(), sql.any_of(*differ))

    def _with_dropped(self) -> exp.Select:
        """The changed combinations, and those that are left no more."""
        names = [name for _, name in self._first()]
        same = (exp.EQ(this=exp.column(n, table="t"), expression=exp.column(n, table="a")) for n in names)
        firsts = (exp.column(name, table="t") for name in names)
        # a NULL of a type could widen the type of the column, and so of the output
        nulls = (exp.null() for _ in self._changing())
        gone = sql.query([*firsts, *nulls, sql.integer(1)], self.before.source(), _is_null(WEIGHT, "a"))
        gone.append(
            "joins", exp.Join(this=self.after.select.subquery("a"), on=sql.all_of(*same), side="LEFT")
        )
        changed = self._changed()
        changed.append("expressions", sql.named(sql.cast(exp.null(), "INT"), "dropped"))
        return sql.everything(exp.union(changed, gone, distinct=False).subquery("t"))


def _is_null(column: str, table: str) -> Sql:
    return exp.Is(this=exp.column(column, table=table), expression=exp.null())
