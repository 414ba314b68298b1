"""An assertion as one query over a relation of another program: it has no rows where the assertion holds.

A row says how many records violate it, or are in a class that does. It has no value of a record, unless
asked for. Where a value is missing or is not of its column's type, there is a row as well: without a verdict,
nothing is established.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import assert_never

from sqlglot import exp

from acompass.checked.effects import columns_read, process_of
from acompass.checked.program import Function, Process, Quantifier, Requirement
from acompass.checked.types import TEXT, Schema
from acompass.plan.lowering import sql
from acompass.plan.lowering.classes import Classes
from acompass.plan.lowering.dialects.dialect import Dialect
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import State
from acompass.plan.lowering.type_changes import converted_by_all
from acompass.plan.lowering.untyped import read_column
from acompass.plan.running.records import asked_of

#: the name of the columns that were read from the relation, in the query
RECORDS = "records"

_VIOLATED = "violated"
_NO_VERDICT = "no verdict: values are missing, or not of the type that the policy needs"


@dataclass(frozen=True, slots=True)
class Asserted:
    """A requirement, the types with which the columns of the relation are read, and the requirements before
    it: they change types on the way (D12) where `stored` differs from what the requirement sees."""

    requirement: Requirement
    stored: Schema
    earlier: tuple[Requirement, ...] = ()


@dataclass(frozen=True, slots=True)
class FailingRows:
    """`reading` is a SELECT without its FROM, to be called RECORDS; `query` reads that."""

    reading: str
    query: str


def failing_rows(asserted: Asserted, dialect: Dialect, *, shows_records: bool = False) -> FailingRows:
    """With `shows_records`, the rows have the violating records, or the columns of the classes."""
    read = sorted(columns_read(asserted.requirement))
    violating, extra = _violating(asserted, dialect, read, shows_records)
    unreadable = _unreadable_row(asserted.requirement.line, read, len(extra))
    rows = violating if unreadable is None else exp.union(violating, unreadable, distinct=False, copy=False)
    return FailingRows(_reading(dialect, asserted.stored, read), rows.sql(dialect.name, pretty=True))


def unreadable_values(schema: Schema, positions: Sequence[int], dialect: Dialect) -> FailingRows:
    """A row for each column with missing values (D11) or values that are not of its type."""
    rows = [_unreadable_column(schema, position) for position in positions]
    query = rows[0] if len(rows) == 1 else exp.union(*rows, distinct=False, copy=False)
    return FailingRows(_reading(dialect, schema, positions), query.sql(dialect.name, pretty=True))


def _reading(dialect: Dialect, schema: Schema, positions: Sequence[int]) -> str:
    columns = [sql.named(read_column(dialect, schema[i]), sql.name(i)) for i in positions]
    select = exp.Select(expressions=columns or [sql.named(sql.integer(1), "any_record")])
    return select.sql(dialect.name, pretty=True)


def _violating(
    asserted: Asserted, dialect: Dialect, read: Sequence[int], shows_records: bool
) -> tuple[exp.Select, list[Sql]]:
    """The rows of violations, and the columns that they have beside those of every row."""
    requirement, state = asserted.requirement, _state(asserted, dialect, read)
    process = process_of(requirement)
    match requirement.assertion.quantifier:
        case Quantifier.SOME:
            return _without_witness(dialect, requirement, state), []
        case Quantifier.EACH if process is not None:
            return _violating_classes(dialect, requirement, process, state, shows_records)
        case Quantifier.EACH:
            return _violating_records(requirement, state, read, shows_records)
        case _:
            assert_never(requirement.assertion.quantifier)


def _state(asserted: Asserted, dialect: Dialect, read: Sequence[int]) -> State:
    """The table as the requirement sees it."""
    before = asserted.requirement.before
    columns = [
        sql.named(
            sql.column(i, "t")
            if before[i].type == asserted.stored[i].type
            else converted_by_all(dialect, asserted.earlier, i, sql.column(i, "t")),
            sql.name(i),
        )
        for i in read
    ]
    select = sql.query(columns or [exp.Star()], sql.table(RECORDS, "t"))
    return State(select, before, has_row_key=False, records=1)


def _without_witness(dialect: Dialect, requirement: Requirement, state: State) -> exp.Select:
    """SOME affects the whole table (D17); on an empty one it fails, too (D16)."""
    if process_of(requirement) is None:
        witnesses = sql.query([sql.integer(1)], state.source(), asked_of(state, requirement).both.copy())
    else:
        classes = Classes(dialect, state, (requirement,))
        witnesses = sql.query([sql.integer(1)], classes.grouped(), classes.satisfied(requirement))
    everybody = sql.query([sql.named(_count(), "n")], sql.table(RECORDS, "t")).subquery("r", copy=False)
    columns = _row(requirement.line, _VIOLATED, exp.column("n", table="r"))
    return sql.query(columns, everybody, exp.Not(this=exp.Exists(this=witnesses)))


def _violating_classes(
    dialect: Dialect, requirement: Requirement, process: Process, state: State, shows_records: bool
) -> tuple[exp.Select, list[Sql]]:
    """A row for each class. A SUM, MIN or MAX may be the value of a record, counts are of none."""
    classes = Classes(dialect, state, (requirement,))
    values = classes.aggregates(requirement, "k")
    shown = [
        (aggregate.name, value)
        for aggregate, value in zip(process.aggregates, values, strict=True)
        if shows_records or aggregate.function is Function.COUNT_DISTINCT
    ]
    if shows_records:
        keys = zip(process.group_by, classes.keys("k"), strict=True)
        shown = [*((requirement.before[g].name, key) for g, key in keys), *shown]
    extra = _labelled(shown)
    columns = [*_row(requirement.line, _VIOLATED, exp.column("n", table="k")), *extra]
    return sql.query(columns, classes.grouped(), sql.negated(classes.satisfied(requirement))), extra


def _violating_records(
    requirement: Requirement, state: State, read: Sequence[int], shows_records: bool
) -> tuple[exp.Select, list[Sql]]:
    """One row that counts them, or all of them."""
    violated = asked_of(state, requirement).both.copy()
    if not shows_records:
        return _if_any(sql.query(_row(requirement.line, _VIOLATED, _count()), state.source(), violated)), []
    extra = _labelled((state.schema[i].name, state.value(i)) for i in read)
    columns = [*_row(requirement.line, _VIOLATED, sql.integer(1)), *extra]
    return sql.query(columns, state.source(), violated), extra


def _unreadable_row(line: int, read: Sequence[int], further: int) -> exp.Select | None:
    if not read:
        return None
    nulls = [exp.null() for _ in range(further)]
    unreadable = sql.any_of(*(_is_null(i) for i in read))
    columns = [*_row(line, _NO_VERDICT, _count()), *nulls]
    return _if_any(sql.query(columns, sql.table(RECORDS, "t"), unreadable))


def _unreadable_column(schema: Schema, position: int) -> exp.Select:
    column = schema[position]
    problem = "missing" if column.type == TEXT else f"missing, or not {column.type}"
    columns = [
        sql.named(exp.Literal.string(column.name), "column_name"),
        sql.named(exp.Literal.string(problem), "problem"),
        sql.named(_count(), "records"),
    ]
    return _if_any(sql.query(columns, sql.table(RECORDS, "t"), _is_null(position)))


def _row(line: int, problem: str, records: Sql) -> list[Sql]:
    return [
        sql.named(sql.integer(line), "line"),
        sql.named(exp.Literal.string(problem), "problem"),
        sql.named(records, "records"),
    ]


def _labelled(columns: Iterable[tuple[str, Sql]]) -> list[Sql]:
    """Columns under names of the policy, which differ from each other without regard to case."""
    taken = {"line", "problem", "records"}
    labelled: list[Sql] = []
    for name, value in columns:
        while name.casefold() in taken:
            name += "_"
        taken.add(name.casefold())
        labelled.append(exp.Alias(this=value.copy(), alias=exp.to_identifier(name, quoted=True)))
    return labelled


def _count() -> Sql:
    return exp.Count(this=exp.Star())


def _if_any(counting: exp.Select) -> exp.Select:
    """The one row of a query that counts, if it counts anything."""
    return counting.having(exp.GT(this=_count(), expression=sql.integer(0)), copy=False)


def _is_null(position: int) -> Sql:
    return exp.Is(this=sql.column(position, "t"), expression=exp.null())
