"""Does proving and linting grow near-linearly with the policy? 1,000 requirements against 100.

A fifth of the requirements are about classes, all along the policy; the rest generalize three columns,
top-code a fourth and draw outliers of a fifth. All of it is proved or not, and linted.
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
#: what growing in proportion allows, with room for the noise of a busy machine
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
    """The best of three, in time of the processor."""
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
