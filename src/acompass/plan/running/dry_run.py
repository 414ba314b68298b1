"""A dry run: the SQL that an engine would receive if every EACH affected a record. No table is needed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from acompass.checked.program import Program, Requirement
from acompass.plan.from_checked import naive_stages
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialects.dialect import Dialect
from acompass.plan.lowering.dialects.duckdb import DUCKDB
from acompass.plan.lowering.dialects.postgres import POSTGRES
from acompass.plan.lowering.dialects.spark import SPARK
from acompass.plan.lowering.state import ROW_KEY, State
from acompass.plan.running.context import Context
from acompass.plan.running.execute import execute
from acompass.plan.running.trace import SeededTrace

DIALECTS = {dialect.name: dialect for dialect in (DUCKDB, POSTGRES, SPARK)}
#: the name of the table in the SQL
TABLE = "records"


@dataclass(frozen=True, slots=True)
class RequirementSql:
    """The statements of one requirement: they count the affected bag, then create the table after it."""

    requirement: Requirement
    statements: tuple[str, ...]


def dry_run(program: Program, dialect: str) -> tuple[RequirementSql, ...]:
    """The table after requirement i is called `records_i`, unless the requirement changes nothing."""
    session = _Recording(DIALECTS[dialect])
    context = Context(session, SeededTrace(""))
    columns = (sql.column(i) for i in range(len(program.schema)))
    select = exp.select(*columns, exp.column(ROW_KEY)).from_(TABLE)
    state = State(select, program.schema, has_row_key=True, records=1)
    written = []
    for requirement, stage in zip(program.requirements, naive_stages(program), strict=True):
        after = execute(context, state, [stage])
        if after is not state:
            name = session.create(after.select, f"{TABLE}_{requirement.index}")
            state = replace(after.stored_as(name), records=1)
        written.append(RequirementSql(requirement, session.take_statements()))
    return tuple(written)


class _Recording:
    """A session without an engine. It records statements and answers every query with ones, except that a
    grouped one has no groups."""

    def __init__(self, dialect: Dialect):
        self.dialect = dialect
        self._statements: list[str] = []
        self._created = 0

    def fetch(self, query: exp.Select) -> list[tuple[Any, ...]]:
        self._record("", query)
        # the values that GENERALIZE looks up are not known without a table
        return [] if query.args.get("group") else [tuple(1 for _ in query.expressions)]

    def store(self, query: exp.Select) -> str:
        return self.create(query, self._fresh())

    def create(self, query: exp.Select, name: str) -> str:
        self._record(f"CREATE TEMPORARY TABLE {name} AS\n", query)
        return name

    def upload(self, columns: Sequence[tuple[str, str]], rows: Iterable[tuple[Any, ...]]) -> str:
        """The statement names the columns only: rows are sent as data, never as text."""
        name = self._fresh()
        typed = ", ".join(f"{column} {type_}" for column, type_ in columns)
        # labels are the only rows that depend on the table
        comment = (
            "" if list(rows) else f"-- {name} gets the labels of the values above when the policy runs\n"
        )
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

    def _fresh(self) -> str:
        self._created += 1
        return f"kept{self._created}"

    def _record(self, opening: str, query: exp.Select) -> None:
        self._statements.append(opening + query.sql(self.dialect.name, pretty=True))
