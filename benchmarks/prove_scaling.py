"""Does the time to prove and lint grow almost linearly with the policy, from 100 to 1,000 requirements?

A fifth of the requirements, spread over the policy, are about classes. The others generalize three columns,
top-code a fourth and randomize outliers in a fifth. Every assertion is proved, and the policy is linted.
"""

import sys
import time
from collections import Counter
from collections.abc import Callable

from acompass.lint import lint_policy
from acompass.prove import prove_policy
from acompass.syntax import tree
from acompass.syntax.parse import parse

SMALL, LARGE = 100, 1_000
#: proportional growth, with a margin for the noise of a busy machine
NEAR_LINEAR = 2 * LARGE / SMALL


def policy_text(requirements: int) -> str:
    return "\n".join(_requirement(at) for at in range(requirements))


def _requirement(at: int) -> str:
    column, low = ("Age", "Income", "Zip")[at % 3], 10 * at
    match at % 10:
        case 0:
            return f"EACH PROCESS COUNT(*) AS c GROUP BY Age, Zip : c >= {2 + at % 3} : REJECT;"
        case 5:
            return (
                f"EACH PROCESS COUNT DISTINCT Disease AS d GROUP BY Age, Income : d >= {1 + at % 2} : REJECT;"
            )
        case 7:
            return f"EACH RESULT : Stay <= {5 * at} : REPLACE Stay WITH {5 * at};"
        case 8:
            return f"EACH RESULT : Use >= {at} : RANDOM Use {at} {at + 50};"
        case _:
            return (
                f"EACH FILTER {column} >= {low} AND {column} < {low + 10} : {column} = {low + 5}"
                f" : REPLACE {column} WITH {low + 5};"
            )


def seconds(work: Callable[[tree.Program, str], object], requirements: int) -> float:
    """Processor time, best of three."""
    text = policy_text(requirements)
    policy, _ = parse(text)
    times = []
    for _ in range(3):
        start = time.process_time()
        work(policy, text)
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    sys.stdout.write(f"| question | {SMALL} | {LARGE:,} | ratio |\n| --- | --- | --- | --- |\n")
    is_slow = False
    for name, work in (("prove every assertion", prove_policy), ("lint", lint_policy)):
        small, large = seconds(work, SMALL), seconds(work, LARGE)
        sys.stdout.write(f"| {name} | {small:.3f} s | {large:.3f} s | {large / small:.1f} |\n")
        is_slow |= large / small > NEAR_LINEAR
    text = policy_text(LARGE)
    verdicts = Counter(str(claim.verdict) for claim in prove_policy(parse(text)[0], text).claims)
    sys.stdout.write(f"\nverdicts at {LARGE:,}: {dict(verdicts)}\n")
    sys.exit(1 if is_slow else 0)


if __name__ == "__main__":
    main()
