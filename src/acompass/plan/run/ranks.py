"""Rank records in canonical order (Definition 5, D18), and draw an outcome from the trace for each rank.

An outcome is a value (X6), or whether the record is drawn (X5)."""

from collections.abc import Sequence
from fractions import Fraction

from sqlglot import exp

from acompass.dataclasses import dataclass, replace
from acompass.language.program.types import INTEGER, Kind
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialect import conversions, schema_after
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import State
from acompass.plan.run.context import Affected, Context, Target

#: the most leading columns to group by, which make the groups fine enough
LONGEST_PREFIX = 16


def canonical_order(context: Context, state: State) -> list[Sql]:
    """The sort keys of the state, named `t`: column by column, missing values first, NULL before NaN."""
    return _ascending_all(_flat(_keys(context, state)))


def _ascending_all(keys: list[Sql]) -> list[Sql]:
    return [_ascending(key) for key in keys]


def _ascending(key: Sql) -> Sql:
    return exp.Ordered(this=key, desc=False, nulls_first=True)


def _keys(context: Context, state: State, first: int | None = None) -> list[list[Sql]]:
    """The keys of each column that was not dropped, after those of the column `first`."""
    keys = [_column_keys(context, state, position) for position in state.kept_columns]
    # the spelling of a number counts only in its place in canonical order
    return keys if first is None else [_column_keys(context, state, first)[:1], *keys]


def _column_keys(context: Context, state: State, position: int) -> list[Sql]:
    column = sql.column(position, "t")
    if position in context.integers:
        return [sql.cast(column, "BIGINT")]
    if state.schema[position].type.kind is Kind.FLOAT:
        null_first = sql.when(sql.is_null(column.copy()), sql.integer(0), sql.integer(1))
        return [context.session.dialect.float_order(column), null_first, _sign_of_zero(column)]
    if state.schema[position].type.is_spelled_decimal:
        return [state.value(position), column]
    return [column]


def _sign_of_zero(value: Sql) -> Sql:
    """0 for -0.0, which sorts before 0.0. Only columns that the policy never names contain it."""
    is_zero = exp.EQ(this=value.copy(), expression=sql.integer(0))
    is_negative = exp.Like(this=sql.cast(value.copy(), "TEXT"), expression=exp.Literal.string("-%"))
    is_negative_zero = exp.and_(is_zero, is_negative)
    return sql.when(is_negative_zero, sql.integer(0), sql.integer(1))


def rank_records(context: Context, state: State, first: int | None = None) -> exp.Select:
    """The state with a column `i`, the position of each record, counted from 1: in canonical order, or in the order of
    the numbers of the column `first`, where equal ones are in canonical order."""
    most_groups = context.session.dialect.most_rank_groups
    if most_groups is not None:
        return _rank_by_groups(context, state, most_groups, first)
    order = exp.Order(expressions=_ascending_all(_flat(_keys(context, state, first))))
    place = exp.Window(this=exp.RowNumber(), order=order)
    return state.projection().select(exp.alias_(place, "i"), copy=False)


def _rank_by_groups(context: Context, state: State, most_groups: int, first: int | None) -> exp.Select:
    """The position within a group of consecutive records, plus the number of records in the groups before it.

    Each worker sorts some of the groups; one worker sorts the groups themselves, which are few.
    """
    stored = state.read_from(context.session.store(state.select))
    group = _finest_grouping(context, stored, most_groups, first)
    window = exp.Window(
        this=exp.RowNumber(),
        partition_by=_copies(group),
        order=exp.Order(expressions=_ascending_all(_flat(_keys(context, stored, first)))),
    )
    place = exp.Add(this=exp.column("before", table="g"), expression=window)
    numbered = stored.projection().select(exp.alias_(place, "i"), copy=False)
    pairs = zip(group, _group_columns(group, "g"), strict=True)
    on = exp.and_(*(exp.NullSafeEQ(this=exp.paren(key.copy()), expression=column) for key, column in pairs))
    numbered.append("joins", exp.Join(this=_records_before(stored, group).subquery("g"), on=on))
    return numbered


def _records_before(state: State, group: list[Sql]) -> exp.Select:
    """The keys b0, b1, … of each group, and the number of records in the groups before it."""
    sizes = exp.select(*(exp.alias_(key.copy(), f"b{j}") for j, key in enumerate(group)))
    sizes = sizes.select(exp.alias_(exp.Count(this=exp.Star()), "n")).from_(state.source())
    sizes = sizes.group_by(*_copies(group))
    columns = _group_columns(group, "z")
    n = exp.column("n", table="z")
    running = exp.Window(
        this=exp.Sum(this=n),
        order=exp.Order(expressions=[_ascending(column) for column in columns]),
        spec=exp.WindowSpec(kind="ROWS", start="UNBOUNDED", start_side="PRECEDING", end="CURRENT ROW"),
    )
    before = exp.alias_(exp.Sub(this=running, expression=n.copy()), "before")
    return exp.select(*_copies(columns), before).from_(sizes.subquery("z"))


def _group_columns(group: list[Sql], table: str) -> list[Sql]:
    return [exp.column(f"b{j}", table=table) for j in range(len(group))]


def _finest_grouping(context: Context, state: State, most_groups: int, first: int | None) -> list[Sql]:
    """The keys of the finest grouping with few enough groups: the first columns, and a coarse form of the next one."""
    keys = _keys(context, state, first)
    if state.records <= most_groups:
        return _flat(keys)
    prefixes = [_flat(keys[: length + 1]) for length in range(min(len(keys), LONGEST_PREFIX))]
    columns = _count_coarse(context, state, prefixes, most_groups)
    if columns == len(prefixes):
        return prefixes[-1]
    position = (*(() if first is None else (first,)), *state.kept_columns)[columns]
    type_ = INTEGER if position in context.integers else state.schema[position].type
    steps = context.session.dialect.coarser(keys[columns][0], type_)
    refined = [[*_flat(keys[:columns]), step] for step in steps]
    fine = _count_coarse(context, state, refined, most_groups)
    if fine:
        return refined[fine - 1]
    return _flat(keys[:columns]) or (refined or prefixes)[0]


def _count_coarse(context: Context, state: State, groupings: list[list[Sql]], most_groups: int) -> int:
    """The number of groupings with at most `most_groups` groups; each grouping is finer than the one before."""
    if not groupings:
        return 0
    counts = (sql.call("approx_count_distinct", exp.Struct(expressions=_copies(g))) for g in groupings)
    (found,) = context.session.fetch(exp.select(*counts).from_(state.source()))
    return sum(count <= most_groups for count in found)


def _copies(expressions: list[Sql]) -> list[Sql]:
    return [expression.copy() for expression in expressions]


def _flat(keys: list[list[Sql]]) -> list[Sql]:
    return [key for column_keys in keys for key in column_keys]


#: the column with the number that decides the outcome
_NUMBER = "h"
#: longer lists of outcomes are searched in halves, to save comparisons
_MOST_IN_A_ROW = 8


@dataclass(frozen=True)
class DecidedOutcomes:
    """The affected bag with the number that decides each record's outcome, and the other records."""

    others: State | None  # the records that are not affected; None if all are
    affected: State  # the affected bag, named `t`, with the types after the requirement
    ends: tuple[int, ...]  # the number before which each outcome ends

    def store(self, context: Context) -> "DecidedOutcomes":
        """Store the affected bag, so that it is ranked, and each hash computed, only once."""
        return replace(self, affected=store_state(context, self.affected))

    def is_below(self, outcome: int) -> Sql:
        """Whether a record has this outcome or an earlier one."""
        number = exp.column(_NUMBER, table="t")
        return exp.LT(this=number, expression=sql.integer(self.ends[outcome]))

    def drawn_value(self, values: Sequence[Sql], column: int) -> Sql:
        """The value of a record's outcome.

        The last cut is 1, so the default never applies. But constants alone would narrow the column's type.
        """
        last = len(values) - 1
        drawn = self._among(values, 0, len(values))
        return sql.when(self.is_below(last), drawn, sql.column(column, "t"))

    def _among(self, values: Sequence[Sql], first: int, end: int) -> Sql:
        if end - first == 1:
            return values[first]
        if end - first <= _MOST_IN_A_ROW:
            ifs = [exp.If(this=self.is_below(j), true=values[j]) for j in range(first, end - 1)]
            return exp.Case(ifs=ifs, default=values[end - 1])
        middle = (first + end) // 2
        lower, upper = self._among(values, first, middle), self._among(values, middle, end)
        return sql.when(self.is_below(middle - 1), lower, upper)


def decide_outcomes(target: Target, cuts: Sequence[Fraction]) -> DecidedOutcomes:
    """Consume a trace value for each affected record, in canonical order."""
    context = target.context
    others, bag = rank_affected(target)
    outcomes = context.trace.choose(context.session, context.trace_used, bag.records, cuts)
    context.trace_used += bag.records
    numbered = bag.projection()
    numbered.select(exp.alias_(outcomes.number, _NUMBER), copy=False)
    numbered.append("joins", outcomes.join)
    return DecidedOutcomes(others, replace(bag, select=numbered), outcomes.ends)


def rank_affected(target: Target, first: int | None = None) -> tuple[State | None, State]:
    """The records that are not affected, None if all are, and the affected bag with ranks in a column `i`; both with
    the types after the requirement."""
    context, affected = target.context, target.affected
    new_types = conversions(target.dialect, (target.requirement,))
    typed = replace(target.state, schema=schema_after(target.state.schema, (target.requirement,)))
    others = _others(typed, new_types, affected)
    bag = typed.derive(new_types, joins=affected.joins, where=None if others is None else affected.predicate)
    bag = replace(bag, records=affected.count)
    return others, replace(bag, select=rank_records(context, bag, first))


def unite(*parts: State | None) -> State:
    """The records of several states, of which some may be None."""
    states = [state for state in parts if state is not None]
    if len(states) == 1:
        return replace(states[0], in_order=False)
    both = exp.union(*(state.select for state in states), distinct=False, copy=False)
    union = sql.select_all(both.subquery("t", copy=False))
    records = sum(state.records for state in states)
    depth = max(state.depth for state in states)
    return replace(states[0], select=union, records=records, depth=depth, in_order=False, sizes={})


def store_state(context: Context, state: State) -> State:
    return state.read_from(context.session.store(state.select))


def _others(typed: State, new_types: dict[int, Sql], affected: Affected) -> State | None:
    if affected.predicate == sql.TRUE:
        return None
    joins = [join.copy() for join in affected.joins]
    kept = {column: value.copy() for column, value in new_types.items()}
    others = typed.derive(kept, joins=joins, where=sql.negate(affected.predicate.copy()))
    return replace(others, records=typed.records - affected.count)
