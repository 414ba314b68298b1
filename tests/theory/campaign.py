"""The comparison with the extracted interpreter at any length.

`python -m tests.theory.campaign --cases 20000`
"""

import argparse
import sys
import time

from tests.theory.oracle import Difference, differences, random_cases

#: cases that one process of the oracle answers
_SHARE = 500


def main() -> int:
    options = _options()
    started, done, differing = time.monotonic(), 0, 0
    for start in range(0, options.cases, _SHARE):
        seeds = (f"theory {number}" for number in range(start, min(start + _SHARE, options.cases)))
        cases = random_cases(f"{options.seed} {seed}" for seed in seeds)
        found = differences(cases)
        done, differing = done + len(cases), differing + len(found)
        for each in found[:3]:
            print(_shown(each), flush=True)
        print(_summary(done, differing, time.monotonic() - started), file=sys.stderr)
    print(_summary(done, differing, time.monotonic() - started))
    return 1 if differing else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def _shown(found: Difference) -> str:
    case = found.case
    types = ", ".join(f"{column.name} {column.type}" for column in case.schema)
    parts = (case.policy_text, types, case.records, f"semantics {found.semantics}", f"theory {found.theory}")
    return "\n".join(map(str, parts)) + "\n"


def _summary(cases: int, differing: int, seconds: float) -> str:
    return f"theory: {cases:,} cases, {differing:,} differences, {seconds:.0f} s"


if __name__ == "__main__":
    sys.exit(main())
