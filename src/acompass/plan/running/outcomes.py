"""The outcome that the trace gives each affected record: its value (X6), or whether it is drawn (X5)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from sqlglot import exp

from acompass.checked.program import Requirement
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import State
from acompass.plan.lowering.type_changes import conversions, retyped
from acompass.plan.running.affected import Affected
from acompass.plan.running.context import Context
from acompass.plan.running.ranks import ranked

#: the column with the number that decides
_NUMBER = "h"
#: a longer list of outcomes is halved, so that an engine finds one of them by few comparisons
_MOST_IN_A_ROW = 8


@dataclass(frozen=True)
class Decided:
    """`others` are the records that are not affected, None if there are none. `affected` is the affected bag,
    called `t`, with the types after the requirement and the number that decides; outcome j ends before
    `ends[j]`."""

    others: State | None
    affected: State
    ends: tuple[int, ...]

    def stored(self, context: Context) -> "Decided":
        """Nobody ranks the records again, and each hash is computed once."""
        return replace(self, affected=stored(context, self.affected))

    def is_below(self, outcome: int) -> Sql:
        """Whether a record has this outcome or one before it."""
        number = exp.column(_NUMBER, table="t")
        return exp.LT(this=number, expression=sql.integer(self.ends[outcome]))

    def one_of(self, values: Sequence[Sql], column: int) -> Sql:
        """The value of a record's outcome, as a value of the column.

        The last cut is 1, so the old value never stays. But constants alone would narrow the column's type.
        """
        last = len(values) - 1
        drawn = self._among(values, 0, len(values))
        return exp.Case(ifs=[exp.If(this=self.is_below(last), true=drawn)], default=sql.column(column, "t"))

    def _among(self, values: Sequence[Sql], first: int, end: int) -> Sql:
        if end - first == 1:
            return values[first]
        if end - first <= _MOST_IN_A_ROW:
            ifs = [exp.If(this=self.is_below(j), true=values[j]) for j in range(first, end - 1)]
            return exp.Case(ifs=ifs, default=values[end - 1])
        middle = (first + end) // 2
        lower, upper = self._among(values, first, middle), self._among(values, middle, end)
        return exp.Case(ifs=[exp.If(this=self.is_below(middle - 1), true=lower)], default=upper)

    def with_others(self, *parts: State) -> State:
        """All records: those that are not affected, and the parts of the affected bag."""
        states = [state for state in (self.others, *parts) if state is not None]
        if len(states) == 1:
            return replace(states[0], in_order=False)
        both = exp.union(*(state.select for state in states), distinct=False, copy=False)
        union = sql.everything(both.subquery("t", copy=False))
        records = sum(state.records for state in states)
        depth = max(state.depth for state in states)
        return replace(states[0], select=union, records=records, depth=depth, in_order=False, sizes={})


def decide(
    context: Context, state: State, requirement: Requirement, affected: Affected, cuts: Sequence[Fraction]
) -> Decided:
    """Consume one value of the trace for each affected record, in canonical order."""
    session = context.session
    new_types = conversions(session.dialect, (requirement,))
    typed = replace(state, schema=retyped(state.schema, (requirement,)))
    others = _others(typed, new_types, affected)
    bag = typed.derive(new_types, joins=affected.joins, where=None if others is None else affected.predicate)
    bag = replace(bag, records=affected.count)
    outcomes = context.trace.choose(session, context.trace_used, affected.count, cuts)
    context.trace_used += affected.count
    numbered = replace(bag, select=ranked(context, bag)).projection()
    numbered.select(exp.alias_(outcomes.number, _NUMBER), copy=False)
    numbered.append("joins", outcomes.join)
    return Decided(others, replace(bag, select=numbered), outcomes.ends)


def stored(context: Context, state: State) -> State:
    return state.stored_as(context.session.store(state.select))


def _others(typed: State, new_types: dict[int, Sql], affected: Affected) -> State | None:
    if affected.predicate == sql.TRUE:
        return None
    joins = [join.copy() for join in affected.joins]
    kept = {column: value.copy() for column, value in new_types.items()}
    others = typed.derive(kept, joins=joins, where=sql.negated(affected.predicate.copy()))
    return replace(others, records=typed.records - affected.count)
