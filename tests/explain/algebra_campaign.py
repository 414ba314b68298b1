"""The algebra of random policies, run as SQL and compared with `semantics`, at any length:

    python -m tests.explain.algebra_campaign --cases 20000

The policies use every form of the language. The columns have the types in `TYPES`, columns that the policy does
not name may have missing values, and each value of the trace is h / 2⁵², as derived from a seed. Reference tables are
not joined: their totals are not part of the algebra."""

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import duckdb

from acompass.language.program import effects
from acompass.language.program.kernels import UnfitValueError
from acompass.language.program.label_maps import UnlabeledValueError
from acompass.language.program.program import Requirement
from acompass.language.program.types import Kind, remaining
from acompass.language.text.parser import parse_text
from acompass.semantics.core import run_program, trace_of_values
from acompass.testing.conformance.cases import Case, random_case
from tests.explain.algebra_in_sql.queries import DIGITS
from tests.explain.algebra_in_sql.run import TYPES, AlgebraRun, FinalState

ONE = 2**52


def random_cases(cases: int, seed: int) -> Iterator[Case]:
    """Random cases that run to their end."""
    for number in range(cases):
        rng = random.Random(f"{seed}:{number}")
        yield next(case for case in _attempts(rng) if _is_covered(case))


def _attempts(rng: random.Random) -> Iterator[Case]:
    while True:
        case = random_case(rng, tuple(TYPES))
        # a generated trace has finer values, often next to a cut; round to either side of the cut
        heights = [min(int(rho * ONE) + rng.randint(0, 1), ONE - 1) for rho in case.trace]
        yield replace(case, trace=[Fraction(h, ONE) for h in heights])


def _is_covered(case: Case) -> bool:
    program = case.program()
    kinds = {column.type.kind for requirement in program.requirements for column in requirement.after}
    try:
        run_program(program, case.records, trace_of_values(case.trace))
    except (UnlabeledValueError, UnfitValueError):
        return False
    return kinds <= {*TYPES, Kind.DROPPED} and all(map(_has_short_shares, program.requirements))


def _has_short_shares(requirement: Requirement) -> bool:
    """Whether SQL can decide how shares compare with the constants."""
    schema = requirement.assertion.schema
    compared = effects.comparisons(requirement.assertion.condition)
    values = (each.value for each in compared if schema[each.column].type.kind is Kind.SHARE)
    return all(value == round(value, DIGITS) for value in values if isinstance(value, Decimal))


def expected_state(case: Case) -> FinalState:
    """The result of `semantics`: the records without dropped columns, and the rest of the trace."""
    program = case.program()
    outcome = run_program(program, case.records, trace_of_values(case.trace))
    kept = remaining(program.final_schema)
    records = Counter(tuple(record[column] for column in kept) for record in outcome.records)
    rest = case.trace[outcome.trace_used :]
    return FinalState(records, [(i, int(rho * ONE)) for i, rho in enumerate(rest, start=1)])


def algebra_state(case: Case, connection: duckdb.DuckDBPyConnection) -> FinalState:
    """The result of the algebra."""
    algebra = AlgebraRun(connection)
    algebra.start(case.schema, case.records, [int(rho * ONE) for rho in case.trace])
    return algebra.run(parse_text(case.policy_text)[0], case.program(), case.params)


def differing_cases(cases: int, seed: int) -> list[Case]:
    with duckdb.connect(config={"threads": 1}) as connection:
        return [case for case in random_cases(cases, seed) if algebra_state(case, connection) != expected_state(case)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    started = time.monotonic()
    found = differing_cases(options.cases, options.seed)
    for case in found[:3]:
        print(case)
    seconds = time.monotonic() - started
    print(f"algebra: {options.cases:,} cases, {len(found):,} differ, {seconds:.0f} s")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
