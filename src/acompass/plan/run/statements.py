"""Write the SQL of a policy for programs that run it themselves, such as dbt: a dry run, and queries for failing rows.

A dry run lists the statements that an engine would receive if every EACH affected a record. The query for an assertion
returns no rows if the assertion holds. Otherwise its rows say how many records violate the assertion, or are in a class
that does; they contain no record values, unless requested. If a value is missing or not of its column's type, the
query also returns a row, because the assertion then has no verdict. Neither a dry run nor a query needs a table."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, assert_never

from sqlglot import exp

from acompass.dataclasses import dataclass, replace
from acompass.language.program.aggregates import counts_distinct
from acompass.language.program.effects import columns_read, process_of, with_key
from acompass.language.program.keys import Key
from acompass.language.program.program import Process, Program, Requirement
from acompass.language.program.references import Reference
from acompass.language.program.types import MOST_DIGITS, TEXT, Column, Kind, Schema, Type
from acompass.language.text.tree import Quantifier
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialect import Dialect, convert_through
from acompass.plan.lowering.duckdb import DUCKDB
from acompass.plan.lowering.postgres import POSTGRES
from acompass.plan.lowering.spark import SPARK
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import ROW_KEY, State
from acompass.plan.planner import naive_stages
from acompass.plan.run.classes import Classes
from acompass.plan.run.context import TOTAL, Context, SeededTrace, total_columns
from acompass.plan.run.execution import execute
from acompass.plan.run.records import record_question

DIALECTS = {dialect.name: dialect for dialect in (DUCKDB, POSTGRES, SPARK)}
#: the name of the table in the SQL
TABLE = "records"


@dataclass(frozen=True, slots=True)
class RequirementSql:
    """The statements of one requirement: they count the affected bag, then create the table after it."""

    requirement: Requirement
    statements: tuple[str, ...]


def dry_run(program: Program, dialect: str) -> tuple[RequirementSql, ...]:
    """The table after requirement i is named `records_i`, unless the requirement changes nothing."""
    program = with_key(program, Key(b""))  # no statement contains a key, so any will do
    session = _RecordingSession(DIALECTS[dialect])
    context = Context(session, SeededTrace(""))
    columns = (sql.column(i) for i in range(len(program.schema)))
    select = exp.select(*columns, exp.column(ROW_KEY)).from_(TABLE)
    state = State(select, program.schema, has_row_key=True, records=1)
    written = []
    for requirement, stage in zip(program.requirements, naive_stages(program), strict=True):
        after = execute(context, state, [stage])
        if after is not state:
            name = session.create(after.select, f"{TABLE}_{requirement.index}")
            state = replace(after.read_from(name), records=1)
        written.append(RequirementSql(requirement, session.take_statements()))
    return tuple(written)


class _RecordingSession:
    """A session without an engine: it records statements, and returns no groups, or one row of ones."""

    def __init__(self, dialect: Dialect):
        self.dialect = dialect
        self._statements: list[str] = []
        self._created = 0

    def fetch(self, query: exp.Select) -> list[tuple[Any, ...]]:
        self._record("", query)
        # without a table, the values that GENERALIZE looks up are unknown, and no value is known to be unfit
        is_empty = query.args.get("group") or query.args.get("having")
        return [] if is_empty else [tuple(1 for _ in query.expressions)]

    def store(self, query: exp.Select) -> str:
        return self.create(query, self._new_name())

    def create(self, query: exp.Select, name: str) -> str:
        self._record(f"CREATE TEMPORARY TABLE {name} AS\n", query)
        return name

    def upload(self, columns: Sequence[tuple[str, str]], rows: Iterable[tuple[Any, ...]]) -> str:
        """Record the table's columns only: rows are sent as data, never as text."""
        name = self._new_name()
        types = (sql.data_type(type_).sql(self.dialect.name) for _, type_ in columns)
        typed = ", ".join(f"{column} {type_}" for (column, _), type_ in zip(columns, types, strict=True))
        # only the rows of labels depend on the table
        content = None if list(rows) else "the labels of the values above"
        if any(type_ == "BLOB" for _, type_ in columns):
            content = "two values that HMAC derives from the key"
        elif columns[-1][0] == TOTAL:
            content = "a row for each class of the reference table"
        comment = "" if content is None else f"-- {name} gets {content} when the policy runs\n"
        self._statements.append(f"{comment}CREATE TEMPORARY TABLE {name} ({typed})")
        return name

    def drop(self, name: str) -> None:
        self._statements.append(f"DROP TABLE {name}")

    def take_statements(self) -> tuple[str, ...]:
        """The statements recorded since the last call."""
        statements, self._statements = tuple(self._statements), []
        return statements

    def clear(self) -> None:
        self._created = 0

    def _new_name(self) -> str:
        self._created += 1
        return f"kept{self._created}"

    def _record(self, opening: str, query: exp.Select) -> None:
        self._statements.append(opening + query.sql(self.dialect.name, pretty=True))


_VIOLATED = "violated"
_NO_VERDICT = "no verdict: values are missing, or not of the type that the policy needs"
UNDECIDED = "no verdict: SQL cannot decide a share exactly, because it is so close to a number, or its sums so large"


@dataclass(frozen=True, slots=True)
class AssertedRequirement:
    requirement: Requirement
    stored: Schema  # the types with which the columns of the relation are read
    earlier: tuple[Requirement, ...] = ()  # the requirements before it, which may change types (D12, retyping)


@dataclass(frozen=True, slots=True)
class FailingRows:
    reading: str  # a SELECT without its FROM, which the caller has to name `records`
    query: str  # reads `records`


def failing_rows(asserted: AssertedRequirement, dialect: Dialect, *, shows_records: bool = False) -> FailingRows:
    """With `shows_records`, the rows contain the violating records, or the group columns of violating classes."""
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
    columns = [sql.with_alias(read_column(dialect, schema[i]), sql.name(i)) for i in positions]
    select = exp.Select(expressions=columns or [sql.with_alias(sql.integer(1), "any_record")])
    return select.sql(dialect.name, pretty=True)


def _violating(
    asserted: AssertedRequirement, dialect: Dialect, read: Sequence[int], shows_records: bool
) -> tuple[exp.Select, list[Sql]]:
    """The rows of violations, and the columns that only these rows have."""
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


def _state(asserted: AssertedRequirement, dialect: Dialect, read: Sequence[int]) -> State:
    """The table as the requirement sees it."""
    before = asserted.requirement.before
    columns = [
        sql.with_alias(
            sql.column(i, "t")
            if before[i].type == asserted.stored[i].type
            else convert_through(dialect, asserted.earlier, i, sql.column(i, "t")),
            sql.name(i),
        )
        for i in read
    ]
    select = sql.query(columns or [exp.Star()], sql.table(TABLE, "t"))
    return State(select, before, has_row_key=False, records=1)


def _without_witness(dialect: Dialect, requirement: Requirement, state: State) -> exp.Select:
    """A row if SOME is violated, which affects the whole table (D17); it also fails on an empty table (D16)."""
    if process_of(requirement) is None:
        witnesses = sql.query([sql.integer(1)], state.source(), record_question(state, requirement).condition.copy())
        problem: Sql = exp.Literal.string(_VIOLATED)
    else:
        classes = Classes(dialect, state, (requirement,), totals=partial(_written_totals, dialect))
        witnesses = sql.query([sql.integer(1)], classes.subquery(), classes.satisfies(requirement))
        undecided = sql.query([sql.integer(1)], classes.subquery(), _is_unknown(classes.satisfies(requirement)))
        problem = _problem(classes, exp.Exists(this=undecided))
    every_record = sql.query([sql.with_alias(_count(), "n")], sql.table(TABLE, "t")).subquery("r", copy=False)
    columns = _row(requirement.line, problem, exp.column("n", table="r"))
    return sql.query(columns, every_record, exp.Not(this=exp.Exists(this=witnesses)))


def _problem(classes: Classes, is_undecided: Sql) -> Sql:
    """What is wrong with classes that are not known to satisfy their requirement."""
    violated = exp.Literal.string(_VIOLATED)
    if not classes.open_shares:
        return violated
    return sql.when(is_undecided, exp.Literal.string(UNDECIDED), violated)


def _violating_classes(
    dialect: Dialect, requirement: Requirement, process: Process, state: State, shows_records: bool
) -> tuple[exp.Select, list[Sql]]:
    """A row for each class. Without `shows_records`, it contains counts only: SUM, MIN or MAX may equal a value."""
    classes = Classes(dialect, state, (requirement,), totals=partial(_written_totals, dialect))
    values = classes.aggregates(requirement, "k")
    shown = [
        (aggregate.name, value)
        for aggregate, value in zip(process.aggregates, values, strict=True)
        if shows_records or counts_distinct(aggregate.function)
    ]
    if shows_records:
        keys = zip(process.group_by, classes.keys("k"), strict=True)
        shown = [*((requirement.before[g].name, key) for g, key in keys), *shown]
    extra = _label_columns(shown)
    satisfied = classes.satisfies(requirement)
    problem = _problem(classes, _is_unknown(satisfied))
    wrong = sql.negate(satisfied)
    if classes.open_shares:
        wrong = sql.any_of(wrong, _is_unknown(satisfied))
    columns = [*_row(requirement.line, problem, exp.column("n", table="k")), *extra]
    return sql.query(columns, classes.subquery(), wrong), extra


def _is_unknown(satisfied: Sql) -> Sql:
    return sql.is_null(exp.Paren(this=satisfied.copy()))


def _written_totals(dialect: Dialect, reference: Reference, alias: str) -> Sql:
    """The totals of a reference table as a part of the query, because a query has no temporary tables."""
    columns = total_columns(reference)
    empty = [[exp.null() for _ in columns]]  # a missing key agrees with no class
    rows = [[dialect.constant(value) for value in (*group, total)] for group, total in reference.totals.items()]
    names = [f"v{place}" for place in range(len(columns))]
    values = exp.values([exp.Tuple(expressions=row) for row in rows or empty], alias="v", columns=names)
    typed = (
        sql.with_alias(sql.cast(exp.column(own, table="v"), type_), name)
        for own, (name, type_) in zip(names, columns, strict=True)
    )
    return sql.query(typed, values).subquery(alias, copy=False)


def _violating_records(
    requirement: Requirement, state: State, read: Sequence[int], shows_records: bool
) -> tuple[exp.Select, list[Sql]]:
    """One row with their number or, with `shows_records`, all of them."""
    violated = record_question(state, requirement).condition.copy()
    if not shows_records:
        problem = exp.Literal.string(_VIOLATED)
        return _if_any(sql.query(_row(requirement.line, problem, _count()), state.source(), violated)), []
    extra = _label_columns((state.schema[i].name, state.value(i)) for i in read)
    columns = [*_row(requirement.line, exp.Literal.string(_VIOLATED), sql.integer(1)), *extra]
    return sql.query(columns, state.source(), violated), extra


def _unreadable_row(line: int, read: Sequence[int], extra: int) -> exp.Select | None:
    if not read:
        return None
    nulls = [exp.null() for _ in range(extra)]
    unreadable = sql.any_of(*(_is_null(i) for i in read))
    columns = [*_row(line, exp.Literal.string(_NO_VERDICT), _count()), *nulls]
    return _if_any(sql.query(columns, sql.table(TABLE, "t"), unreadable))


def _unreadable_column(schema: Schema, position: int) -> exp.Select:
    column = schema[position]
    problem = "missing" if column.type == TEXT else f"missing, or not {column.type}"
    columns = [
        sql.with_alias(exp.Literal.string(column.name), "column_name"),
        sql.with_alias(exp.Literal.string(problem), "problem"),
        sql.with_alias(_count(), "records"),
    ]
    return _if_any(sql.query(columns, sql.table(TABLE, "t"), _is_null(position)))


def _row(line: int, problem: Sql, records: Sql) -> list[Sql]:
    return [
        sql.with_alias(sql.integer(line), "line"),
        sql.with_alias(problem, "problem"),
        sql.with_alias(records, "records"),
    ]


def _label_columns(columns: Iterable[tuple[str, Sql]]) -> list[Sql]:
    """Columns named as in the policy; a `_` is added to names that would be equal except for case."""
    taken = {"line", "problem", "records"}
    labeled: list[Sql] = []
    for name, value in columns:
        while name.casefold() in taken:
            name += "_"
        taken.add(name.casefold())
        labeled.append(exp.Alias(this=value.copy(), alias=exp.to_identifier(name, quoted=True)))
    return labeled


def _count() -> Sql:
    return exp.Count(this=exp.Star())


def _if_any(counting: exp.Select) -> exp.Select:
    """The single row of a counting query, if the count is positive."""
    return counting.having(exp.GT(this=_count(), expression=sql.integer(0)), copy=False)


def _is_null(position: int) -> Sql:
    return sql.is_null(sql.column(position, "t"))


_FLOAT = r"-?(inf|Infinity|[0-9]*[.]?[0-9]+([eE][-+]?[0-9]+)?)"
_DATE = r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
_TIME = r"([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,6})?"
_TIMESTAMP = f"{_DATE}([ T]{_TIME})?"


def read_column(dialect: Dialect, column: Column) -> Sql:
    """A column of a relation whose stored types are unknown, read as the type of the policy.

    A value that is missing or not of that type becomes NULL: an engine's own error would quote it.
    """
    stored = exp.column(exp.to_identifier(column.name, quoted=True))
    text = dialect.plain_text(stored)
    match column.type.kind:
        case Kind.TEXT:
            return text
        case Kind.INTEGER:
            return sql.when(dialect.is_integer_text(text.copy()), sql.cast(text, "BIGINT"))
        case Kind.DECIMAL:
            number = sql.cast(text, sql.decimal_type(column.type.scale))
            return sql.when(_matches(dialect, text, _decimal(column.type)), number)
        case Kind.FLOAT:
            number = sql.when(_matches(dialect, text, _FLOAT), sql.try_cast(stored, "DOUBLE"))
            return dialect.float_order(number)
        case Kind.BOOLEAN:
            return exp.Case(ifs=[_when(text, "true", sql.TRUE), _when(text, "false", sql.FALSE)])
        case Kind.DATE:
            return sql.when(_matches(dialect, text, _DATE), sql.try_cast(text, "DATE"))
        case Kind.TIMESTAMP:
            return sql.when(_matches(dialect, text, _TIMESTAMP), sql.try_cast(text, "TIMESTAMP"))
        case Kind.SHARE | Kind.OPAQUE | Kind.DROPPED:
            raise AssertionError(f"no requirement reads a column that is {column.type}")
        case _:
            assert_never(column.type.kind)


def _decimal(type_: Type) -> str:
    """A pattern for the numbers that fit the type exactly; DuckDB writes some without a zero before the point."""
    before = MOST_DIGITS - type_.scale
    whole = f"(0|[1-9][0-9]{{0,{before - 1}}})" if before else "0"
    fraction = f"[.][0-9]{{1,{type_.scale}}}0*" if type_.scale else "[.]0+"
    return f"-?({whole}({fraction})?|{fraction})"


def _matches(dialect: Dialect, text: Sql, pattern: str) -> Sql:
    whole = exp.Literal.string(f"^({pattern}){dialect.end_of_text}")
    return exp.RegexpLike(this=text.copy(), expression=whole)


def _when(text: Sql, spelled: str, value: Sql) -> exp.If:
    return exp.If(this=exp.EQ(this=text.copy(), expression=exp.Literal.string(spelled)), true=value.copy())
