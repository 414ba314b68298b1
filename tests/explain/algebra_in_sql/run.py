"""Runs a policy's algebra in DuckDB, equation by equation."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from duckdb import DuckDBPyConnection

from acompass.explain.algebra import Equation, Expression, FromSyntax, Symbol, numbered_table
from acompass.language.program.constants import Parameters
from acompass.language.program.effects import is_certain, type_changes, write_of
from acompass.language.program.kernels import Kernel, Shift
from acompass.language.program.keys import key_text_of
from acompass.language.program.program import Program, Requirement
from acompass.language.program.types import Kind, Schema, Type, remaining, to_text
from acompass.language.text import tree
from acompass.language.text.walk import steps
from acompass.semantics import core as semantics
from acompass.semantics.core import Record
from tests.explain.algebra_in_sql.fields import Field, Fields, to_field
from tests.explain.algebra_in_sql.queries import WORDS, Queries, keywords_in
from tests.explain.algebra_in_sql.scalars import GRAPH, MEANS

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
            self._store_results(requirement, affected.table.name)
            for equation in others:
                if equation.table == numbered_table("R", index):
                    self._store_means(requirement, index)
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

    def _store_results(self, requirement: Requirement, affected: str) -> None:
        """Store a function as a table of the values that occur, with its results."""
        write = write_of(requirement.action)
        if write is None or not write.kernel.reads_value or write.kernel.draws or write.kernel.reads_others:
            return
        position = write.columns[0] if write.kernel.by is None else write.kernel.by
        column = requirement.after[position]
        found = self._connection.execute(f'SELECT DISTINCT {Field(column.name).sql} FROM "{affected}"').fetchall()
        results = [(value, _result(write.kernel, value, column.type)) for (value,) in found]
        type_ = TYPES[column.type.kind]
        result = "INTEGER" if write.kernel.by is not None else type_
        self._upload(GRAPH, {Field("value", False): type_, Field("result", False): result}, results)

    def _store_means(self, requirement: Requirement, index: int) -> None:
        """Store the affected records with the means that `semantics` writes: no expression defines them."""
        write = write_of(requirement.action)
        if write is None or not write.kernel.reads_others:
            return
        affected = numbered_table("V" if is_certain(requirement.action) else "W", index).name
        kept = remaining(requirement.after)
        schema, records = [requirement.after[each] for each in kept], self._fetch(affected)
        columns = tuple(kept.index(each) for each in write.columns)
        everyone = frozenset(range(len(records)))
        means, _ = semantics.write(columns, write.kernel, schema, records, semantics.trace_of_values(()), everyone)
        self._upload(MEANS, {Field(column.name): TYPES[column.type.kind] for column in schema}, means)

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


def _result(kernel: Kernel, value: Any, type_: Type) -> Any:
    if isinstance(kernel, Shift):
        assert kernel.key is not None
        return kernel.key.days(key_text_of(to_text(value, type_), type_), kernel.days)
    # a record that chance spares may have a value that cannot be written
    return next((result for result, _ in kernel.outcomes(value, type_)), None)
