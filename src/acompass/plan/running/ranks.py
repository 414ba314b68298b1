"""Canonical order (Definition 5, D18) and ranks in it."""

from sqlglot import exp

from acompass.checked.types import INTEGER, Kind
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import State
from acompass.plan.running.context import Context

#: the number of leading columns to group by; these tell records apart, or make groups that are fine enough
LONGEST_PREFIX = 16


def canonical_order(context: Context, state: State) -> list[Sql]:
    """The sort keys of the state, called `t`: column by column, missing values first, NULL before NaN."""
    return [_ascending(key) for key in _flat(_keys(context, state))]


def _ascending(key: Sql) -> Sql:
    return exp.Ordered(this=key, desc=False, nulls_first=True)


def _keys(context: Context, state: State) -> list[list[Sql]]:
    """The keys of each column that was not dropped."""
    return [_column_keys(context, state, position) for position in state.kept]


def _column_keys(context: Context, state: State, position: int) -> list[Sql]:
    column = sql.column(position, "t")
    if position in context.integers:
        return [sql.cast(column, "BIGINT")]
    if state.schema[position].type.kind is Kind.FLOAT:
        is_null = exp.Is(this=column.copy(), expression=exp.null())
        null_first = exp.Case(ifs=[exp.If(this=is_null, true=sql.integer(0))], default=sql.integer(1))
        return [context.session.dialect.float_order(column), null_first, _sign_of_zero(column)]
    if state.schema[position].type.is_spelled_decimal:
        return [state.value(position), column]
    return [column]


def _sign_of_zero(value: Sql) -> Sql:
    """0 for -0.0, which is before 0.0. Only columns that the policy never names have it."""
    is_zero = exp.EQ(this=value.copy(), expression=sql.integer(0))
    is_negative = exp.Like(this=sql.cast(value.copy(), "TEXT"), expression=exp.Literal.string("-%"))
    is_negative_zero = exp.and_(is_zero, is_negative)
    return exp.Case(ifs=[exp.If(this=is_negative_zero, true=sql.integer(0))], default=sql.integer(1))


def ranked(context: Context, state: State) -> exp.Select:
    """The state with a column `i`, the position of each record in canonical order, from 1."""
    most_groups = context.session.dialect.most_rank_groups
    if most_groups is not None:
        return _ranked_by_groups(context, state, most_groups)
    order = exp.Order(expressions=canonical_order(context, state))
    place = exp.Window(this=exp.RowNumber(), order=order)
    return state.projection().select(exp.alias_(place, "i"), copy=False)


def _ranked_by_groups(context: Context, state: State, most_groups: int) -> exp.Select:
    """The position within a group of neighbours in canonical order, plus the records in the groups before it.

    Each worker sorts some of the groups, and one worker sorts the groups themselves, which are few.
    """
    stored = state.stored_as(context.session.store(state.select))
    group = _finest_grouping(context, stored, most_groups)
    window = exp.Window(
        this=exp.RowNumber(),
        partition_by=_copies(group),
        order=exp.Order(expressions=canonical_order(context, stored)),
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


def _finest_grouping(context: Context, state: State, most_groups: int) -> list[Sql]:
    """The keys of the finest grouping of neighbours with few enough groups: the first columns, and a coarse
    form of the next one."""
    keys = _keys(context, state)
    if state.records <= most_groups:
        return _flat(keys)
    prefixes = [_flat(keys[: length + 1]) for length in range(min(len(keys), LONGEST_PREFIX))]
    columns = _few_enough(context, state, prefixes, most_groups)
    if columns == len(prefixes):
        return prefixes[-1]
    position = state.kept[columns]
    type_ = INTEGER if position in context.integers else state.schema[position].type
    steps = context.session.dialect.coarser(keys[columns][0], type_)
    refined = [[*_flat(keys[:columns]), step] for step in steps]
    fine = _few_enough(context, state, refined, most_groups)
    if fine:
        return refined[fine - 1]
    return _flat(keys[:columns]) or (refined or prefixes)[0]


def _few_enough(context: Context, state: State, groupings: list[list[Sql]], most_groups: int) -> int:
    """The number of groupings that have few enough groups; each grouping is finer than the one before."""
    if not groupings:
        return 0
    counts = (sql.call("approx_count_distinct", exp.Struct(expressions=_copies(g))) for g in groupings)
    (found,) = context.session.fetch(exp.select(*counts).from_(state.source()))
    return sum(count <= most_groups for count in found)


def _copies(expressions: list[Sql]) -> list[Sql]:
    return [expression.copy() for expression in expressions]


def _flat(keys: list[list[Sql]]) -> list[Sql]:
    return [key for of_column in keys for key in of_column]
