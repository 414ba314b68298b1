"""Compare verdicts on random policies with the enumeration of all small tables.

python -m tests.reason.privacy.campaign --policies 2000

A policy depends on the seed and its number alone, so `--first 1000 --policies 1000` continues after 1,000."""

import argparse
import random
import time
from collections import Counter

from tests.reason.privacy.judged import require_true
from tests.reason.privacy.policies import Policy, mutants, random_policy

ASKED = (frozenset((0,)), frozenset((1,)), frozenset((0, 1)))


def campaign(policies: int, seed: int, *, first: int = 0, progress: bool = False) -> Counter[str]:
    """The number of times that each verdict was given; a false one fails."""
    counts: Counter[str] = Counter()
    for number in range(first, first + policies):
        rng = random.Random(f"{seed}:{number}")
        policy = random_policy(rng)
        counts["policies"] += 1
        changed = mutants(rng, policy) if number % 4 == 0 else []
        for other in (policy, *changed[:1]):
            counts["mutants"] += other is not policy
            _ask(other, rng, counts, thorough=number % 16 == 0)
        if progress and number % 50 == 49:
            print(f"{time.strftime('%H:%M:%S')} {number + 1:,} policies: {dict(counts)}", flush=True)
    return counts


def _ask(policy: Policy, rng: random.Random, counts: Counter[str], *, thorough: bool) -> None:
    program = policy.program()
    assert program is not None
    try:
        answer = require_true(program, rng.choice(ASKED), thorough=thorough)
    except AssertionError as error:
        raise AssertionError(f"{policy.text}\n{error}") from error
    counts[answer.verdict] += 1
    counts["finite and above 1"] += answer.ratio is not None and answer.ratio > 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--policies", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first policy")
    arguments = parser.parse_args()
    found = campaign(arguments.policies, arguments.seed, first=arguments.first, progress=True)
    print(", ".join(f"{count:,} {what}" for what, count in found.items()))
