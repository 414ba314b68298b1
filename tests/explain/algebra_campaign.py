"""The algebra of random policies, run as SQL and compared with `semantics`, at any length:

python -m tests.explain.algebra_campaign --cases 20000
"""

import argparse
import random
import sys
import time
from collections import Counter

import duckdb

from acompass.checked.types import Kind, remaining
from acompass.conformance.generate import Case
from acompass.semantics import run_program, trace_of_values
from acompass.syntax.parse import parse
from tests.explain.algebra_in_sql.run import TYPES, AlgebraRun, Left
from tests.generators.drawing import ONE, drawing_case

KINDS: tuple[Kind, ...] = tuple(TYPES)


def meant(case: Case) -> Left:
    """What `semantics` leaves: the records without dropped columns, and the rest of the trace."""
    program = case.program()
    outcome = run_program(program, case.records, trace_of_values(case.trace))
    kept = remaining(program.final_schema)
    records = Counter(tuple(record[column] for column in kept) for record in outcome.records)
    rest = case.trace[outcome.trace_used :]
    return Left(records, [(i, int(rho * ONE)) for i, rho in enumerate(rest, start=1)])


def solved(case: Case, connection: duckdb.DuckDBPyConnection) -> Left:
    """What the algebra leaves."""
    algebra = AlgebraRun(connection)
    algebra.start(case.schema, case.records, [int(rho * ONE) for rho in case.trace])
    return algebra.run(parse(case.policy_text)[0], case.program(), case.params)


def differing(cases: int, seed: int) -> list[Case]:
    found = []
    with duckdb.connect() as connection:
        for number in range(cases):
            case = drawing_case(random.Random(f"{seed}:{number}"), KINDS)
            if solved(case, connection) != meant(case):
                found.append(case)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    started = time.monotonic()
    found = differing(options.cases, options.seed)
    for case in found[:3]:
        print(case)
    seconds = time.monotonic() - started
    print(f"algebra: {options.cases:,} cases, {len(found):,} differ, {seconds:.0f} s")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
