"""Compare `semantics` with the extracted interpreter: `python -m tests.theory.campaign --cases 20000 --workers 2`.

A case depends only on its number and the seed, so a campaign can be split: `--first 8000 --cases 12000` continues
after `--cases 8000`."""

import argparse
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor

from tests.theory.building import make
from tests.theory.oracle import Difference, differences, random_cases

#: number of cases per process of the oracle
_SHARE = 250


def main() -> int:
    options = _options()
    started, done, differing = time.monotonic(), 0, 0
    make("oracle")
    with ProcessPoolExecutor(options.workers) as pool:
        shares = _shares(options.seed, options.first, options.first + options.cases)
        for seeds, found in zip(shares, pool.map(_share, shares), strict=True):
            done, differing = done + len(seeds), differing + len(found)
            print("".join(found[:3]), end="", flush=True)
            print(_summary(done, differing, time.monotonic() - started), file=sys.stderr, flush=True)
    print(_summary(done, differing, time.monotonic() - started))
    return 1 if differing else 0


def _shares(seed: int, first: int, end: int) -> list[list[str]]:
    """The seeds of the cases."""
    seeds = [f"{seed} theory {number}" for number in range(first, end)]
    return [seeds[start : start + _SHARE] for start in range(0, len(seeds), _SHARE)]


def _share(seeds: Sequence[str]) -> list[str]:
    return [_describe(found) for found in differences(random_cases(seeds))]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1, help="number of processes")
    return parser.parse_args()


def _describe(found: Difference) -> str:
    case = found.case
    types = ", ".join(f"{column.name} {column.type}" for column in case.schema)
    parts = (case.policy_text, types, case.records, f"semantics {found.semantics}", f"theory {found.theory}")
    return "\n".join(map(str, parts)) + "\n"


def _summary(cases: int, differing: int, seconds: float) -> str:
    return f"theory: {cases:,} cases, {differing:,} differences, {seconds:.0f} s"


if __name__ == "__main__":
    sys.exit(main())
