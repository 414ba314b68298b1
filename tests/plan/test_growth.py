"""Requirements that read what earlier ones wrote: no statement grows with their number."""

from itertools import pairwise

import pytest
from sqlglot import exp

from acompass.plan.lowering import sql
from acompass.plan.lowering.dialects.duckdb import DUCKDB
from acompass.plan.lowering.dialects.postgres import POSTGRES
from acompass.plan.lowering.dialects.spark import SPARK
from acompass.plan.lowering.state import State
from acompass.plan.rewrites import REWRITES
from acompass.plan.running.context import Context
from acompass.plan.running.execute import LARGEST, execute
from acompass.plan.running.trace import SeededTrace
from benchmarks.policies import tangled
from tests.plan.fixtures import TANGLED_SCHEMA as SCHEMA
from tests.plan.running import case_of, stages

#: the nodes of one such requirement that reads plain columns, with some room
ONE_REQUIREMENT = 250


class Answering:
    """A session without an engine: every EACH affects a record. It measures statements and lists tables."""

    def __init__(self, dialect):
        self.dialect = dialect
        self.sizes, self.stored, self.kept = [], 0, []

    def fetch(self, query):
        self.sizes.append(written_out(query))
        return [tuple(1 for _ in query.expressions)]

    def store(self, query):
        self.sizes.append(written_out(query))
        self.stored += 1
        self.kept.append(f"kept{self.stored}")
        return self.kept[-1]

    def drop(self, name):
        self.kept.remove(name)


def written_out(query):
    """The nodes of the query's largest expression once every nested SELECT is replaced with its content."""
    where = query.args.get("where")
    inner = _columns(query.find(exp.Subquery))
    parts = [*query.expressions, *([where.this] if where else [])]
    return max(_size(part, inner) for part in parts)


def _columns(nested):
    """The size of each column of a nested SELECT; a stored table has only plain columns."""
    if nested is None:
        return {}
    select = nested.this
    inner = _columns(select.find(exp.Subquery))
    if select.is_star:
        return inner
    return {part.alias_or_name: _size(part, inner) for part in select.expressions}


def _size(expression, inner):
    nodes = expression.walk(prune=lambda node: isinstance(node, exp.Column))
    return sum(inner.get(node.name, 1) if isinstance(node, exp.Column) else 1 for node in nodes)


def run(count, dialect, rewrites):
    program = case_of(tangled(count), SCHEMA, []).program()
    columns = [sql.column(i) for i in range(len(SCHEMA))]
    state = State(sql.query(columns, sql.table("records")), SCHEMA, has_row_key=False, records=1)
    session = Answering(dialect)
    execute(Context(session, SeededTrace("")), state, stages(program, rewrites))
    return session


@pytest.mark.parametrize("rewrites", [REWRITES, ()], ids=["rewritten", "naive"])
@pytest.mark.parametrize("dialect", [DUCKDB, POSTGRES, SPARK], ids=lambda dialect: dialect.name)
def test_no_statement_outgrows_the_bound(dialect, rewrites):
    session = run(40, dialect, rewrites)
    assert max(session.sizes) <= LARGEST + ONE_REQUIREMENT


def test_statements_grow_linearly():
    counts = [len(run(count, DUCKDB, REWRITES).sizes) for count in (20, 40, 80)]
    assert all(larger <= 2.2 * smaller for smaller, larger in pairwise(counts))
    assert counts[0] <= 2 * 20


def test_only_the_last_stored_state_is_kept():
    session = run(40, DUCKDB, REWRITES)
    assert session.stored > 2
    assert len(session.kept) == 1
