"""Runs a policy's algebra in DuckDB, equation by equation."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from duckdb import DuckDBPyConnection

from acompass.explain.algebra import Equation, Expression, FromSyntax, Symbol, numbered_table
from acompass.language.program.constants import Parameters
from acompass.language.program.effects import column_written, map_of, type_changes
from acompass.language.program.program import Program, Requirement
from acompass.language.program.types import Kind, Schema, remaining
from acompass.language.text import tree
from acompass.language.text.walk import steps
from acompass.semantics.core import Record
from tests.explain.algebra_in_sql.fields import Field, Fields, to_field
from tests.explain.algebra_in_sql.queries import WORDS, Queries, keywords_in
from tests.explain.algebra_in_sql.scalars import GRAPH

TYPES = {Kind.INTEGER: "BIGINT", Kind.TEXT: "VARCHAR", Kind.BOOLEAN: "BOOLEAN", Kind.DATE: "DATE"}
_TRACE = {to_field(Symbol("i")): "HUGEINT", to_field(Symbol("h")): "HUGEINT"}


@dataclass(frozen=True, slots=True)
class FinalState:
    """The records without dropped columns, and the rest of the trace as (i, h)."""

    records: Counter[Record]
    trace: list[tuple[int, int]]


class AlgebraRun:
    def __init__(self, connection: DuckDBPyConnection):
        self._connection = connection
        self._tables: dict[str, Fields] = {}

    def start(self, schema: Schema, records: Sequence[Record], trace: Sequence[int]) -> None:
        """`trace` has the h of each value h / 2⁵²."""
        self._upload("R₀", {Field(column.name): TYPES[column.type.kind] for column in schema}, records)
        self._upload("T₀", _TRACE, list(enumerate(trace, start=1)))

    def run(self, policy: tree.Program, program: Program, params: Mapping[str, Any]) -> FinalState:
        arrow = FromSyntax(Parameters(params))
        pairs = zip(steps(policy), program.requirements, strict=True)
        for index, (written, requirement) in enumerate(pairs, start=1):
            affected, *others = arrow.equations(index, written)
            self._solve(affected, requirement.before)
            self._convert(requirement, (numbered_table("R", index - 1).name, affected.table.name))
            self._store_labels(requirement, affected.table.name)
            for equation in others:
                self._solve(equation, requirement.after)
        left = numbered_table("R", len(program.requirements)).name
        return FinalState(Counter(self._fetch(left)), sorted(self._fetch(arrow.trace.name)))

    def _solve(self, equation: Equation, schema: Schema) -> None:
        """Store the table. If it has two expressions, they must agree."""
        self._store(equation.table.name, equation.expression, schema)
        if equation.again is not None:
            self._store("again", equation.again, schema)
            assert Counter(self._fetch("again")) == Counter(self._fetch(equation.table.name))

    def _store(self, name: str, expression: Expression, schema: Schema) -> None:
        types = {schema[p].name: TYPES[schema[p].type.kind] for p in remaining(schema)}
        query = Queries(self._tables, types).query(expression)
        assert keywords_in(query.text) <= WORDS
        self._connection.execute(f'CREATE OR REPLACE TEMP TABLE "{name}" AS {query.text}')
        self._tables[name] = query.fields

    def _convert(self, requirement: Requirement, tables: Sequence[str]) -> None:
        """Convert types between an assertion and its action, as `semantics` does (D12)."""
        for position, (_, after) in type_changes(requirement).items():
            if after.kind is not Kind.DROPPED:
                column = Field(requirement.after[position].name).sql
                for name in tables:
                    changed = f"ALTER COLUMN {column} TYPE {TYPES[after.kind]}"
                    self._connection.execute(f'ALTER TABLE "{name}" {changed}')

    def _store_labels(self, requirement: Requirement, affected: str) -> None:
        """Store a map as a table of the values that occur, with their labels."""
        position, map_ = column_written(requirement.action), map_of(requirement.action)
        if position is None or map_ is None:
            return
        column = Field(requirement.after[position].name).sql
        found = self._connection.execute(f'SELECT DISTINCT {column} FROM "{affected}"').fetchall()
        labels = [(value, map_.label(value)) for (value,) in found]
        self._upload(GRAPH, {Field("value", False): "VARCHAR", Field("label", False): "VARCHAR"}, labels)

    def _upload(self, name: str, types: Mapping[Field, str], rows: Sequence[Sequence[Any]]) -> None:
        columns = ", ".join(f"{field.sql} {type_}" for field, type_ in types.items())
        self._connection.execute(f'CREATE OR REPLACE TEMP TABLE "{name}" ({columns})')
        if rows:
            holes = ", ".join(f"({', '.join('?' * len(types))})" for _ in rows)
            values = [value for row in rows for value in row]
            self._connection.execute(f'INSERT INTO "{name}" VALUES {holes}', values)
        self._tables[name] = tuple(types)

    def _fetch(self, name: str) -> list[Any]:
        return self._connection.execute(f'SELECT * FROM "{name}"').fetchall()
