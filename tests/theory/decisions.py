"""Compare `prove` with the extracted decision procedure for claims about records.

`python -m tests.theory.decisions --cases 20000`. With `--first 5000`, it begins with case 5,000, so that parts of a
campaign can run in parallel."""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator

from tests.theory.deciding import Decided, decide, random_policies

#: number of cases per process of the oracle
_SHARE = 250


def main() -> int:
    options = _options()
    started, verdicts, differing = time.monotonic(), Counter[str](), 0
    for found in _shares(options.first, options.cases, options.seed):
        verdicts.update(f"{each.prove} and {each.theory}" for each in found)
        different = [each for each in found if not each.agrees]
        differing += len(different)
        print(*map(_describe, different), sep="\n", end="", flush=True)
        print(_summary(verdicts, differing, time.monotonic() - started), file=sys.stderr)
    print(_summary(verdicts, differing, time.monotonic() - started))
    return 1 if differing else 0


def _shares(first: int, cases: int, seed: int) -> Iterator[list[Decided]]:
    for start in range(first, first + cases, _SHARE):
        numbers = range(start, min(start + _SHARE, first + cases))
        yield decide(random_policies(f"{seed} decisions {number}" for number in numbers))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def _describe(each: Decided) -> str:
    return f"prove {each.prove}, theory {each.theory}\n{each.policy}\n"


def _summary(verdicts: Counter[str], differing: int, seconds: float) -> str:
    """The number of each pair of verdicts, and the share of cases that the theory does not decide."""
    kinds = ", ".join(f"{count:,} {pair}" for pair, count in sorted(verdicts.items()))
    open_ = sum(n for pair, n in verdicts.items() if not pair.endswith(("and proved", "and refuted")))
    share = f"{open_ / max(1, verdicts.total()):.2%} not decided by the theory"
    return f"{verdicts.total():,} cases, {differing:,} differences, {share} ({kinds}), {seconds:.0f} s"


if __name__ == "__main__":
    sys.exit(main())
