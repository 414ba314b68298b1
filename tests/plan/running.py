"""Run a policy on a few records in DuckDB, with chosen rewrites."""

from collections.abc import Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import duckdb

from acompass.checked.program import Program
from acompass.checked.types import Schema
from acompass.conformance.compare import Observed, observe_session
from acompass.conformance.generate import Case
from acompass.engines.duckdb.session import DuckDBSession
from acompass.plan.from_checked import Rewrite, plan
from acompass.plan.stages import Stage


@contextmanager
def duckdb_session():
    with duckdb.connect() as con:
        yield DuckDBSession(con)


def case_of(policy: str, schema: Schema, records: Sequence[tuple[Any, ...]]) -> Case:
    trace = [Fraction(i % 7, 7) for i in range(len(records) * 20)]
    return Case(policy, schema, list(records), trace, {})


def observed(case: Case, rewrites: Sequence[Rewrite]) -> Observed:
    with duckdb_session() as session:
        return observe_session(session, rewrites)(case, case.program())


def stages(program: Program, rewrites: Sequence[Rewrite]) -> tuple[Stage, ...]:
    return plan(program, rewrites)
