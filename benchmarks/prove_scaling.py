"""Does the time to prove and lint grow almost linearly from 100 to 1,000 requirements? Does it stay below a limit
for policies whose lines relate many columns to each other?

A fifth of the requirements, spread over the policy, are about classes. The others generalize three columns,
top-code a fourth and randomize outliers in a fifth. Every assertion is proved, and the policy is linted.

There are two policies that relate columns. One has 100 lines, each of which writes one of eight columns depending
on the value of another, for every pair of columns, with a k-anonymity line after every twenty. The other has a
condition on 20 pairs of columns, in a table where the first columns of all pairs precede the second ones.
"""

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TypeAlias

from acompass.language.text import tree
from acompass.language.text.parser import parse_text
from acompass.prove.search.verdicts import prove_policy
from acompass.reason.lint.linter import lint_policy

SMALL, LARGE = 100, 1_000
#: seconds for a policy that relates columns
LIMIT = 10.0
#: proportional growth, with a margin for the noise of a busy machine
NEAR_LINEAR = 2 * LARGE / SMALL

Work: TypeAlias = Callable[[tree.Program, str], object]
WORKS: tuple[tuple[str, Work], ...] = (("prove every assertion", prove_policy), ("lint", lint_policy))


def policy_text(requirements: int) -> str:
    return "\n".join(_requirement(at) for at in range(requirements))


def _requirement(at: int) -> str:
    column, low = ("Age", "Income", "Zip")[at % 3], 10 * at
    match at % 10:
        case 0:
            return f"EACH PROCESS COUNT(*) AS c GROUP BY Age, Zip : c >= {2 + at % 3} : REJECT;"
        case 5:
            return f"EACH PROCESS COUNT DISTINCT Disease AS d GROUP BY Age, Income : d >= {1 + at % 2} : REJECT;"
        case 7:
            return f"EACH RESULT : Stay <= {5 * at} : REPLACE Stay WITH {5 * at};"
        case 8:
            return f"EACH RESULT : Use >= {at} : RANDOM Use {at} {at + 50};"
        case _:
            return (
                f"EACH FILTER {column} >= {low} AND {column} < {low + 10} : {column} = {low + 5}"
                f" : REPLACE {column} WITH {low + 5};"
            )


COLUMNS = ("Age", "Zip", "Sex", "Job", "Income", "Stay", "Ward", "Disease")


def cross_column_text(rules: int) -> str:
    return "\n".join(line for at in range(rules) for line in _cross_column_lines(at))


def _cross_column_lines(at: int) -> Iterator[str]:
    turn = at // len(COLUMNS)
    read = COLUMNS[at % len(COLUMNS)]
    written = COLUMNS[(at + 1 + turn % (len(COLUMNS) - 1)) % len(COLUMNS)]
    low, value = 10 * turn, 5 + 10 * (7 * at % 13)
    yield (
        f"EACH FILTER {read} >= {low} AND {read} < {low + 10} : {written} = {value} : REPLACE {written} WITH {value};"
    )
    if at % 20 == 19:
        yield "EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip, Sex : n >= 5 : REJECT;"


def pairs_text(pairs: int) -> str:
    """The first line lists the columns in the table's order."""
    columns = [f"{letter}{at}" for letter in "AB" for at in range(1, pairs + 1)]
    both = " OR ".join(f"(A{at} = 1 AND B{at} = 1)" for at in range(1, pairs + 1))
    return "\n".join(
        (
            f"EACH RESULT : {' AND '.join(f'{column} >= 0' for column in columns)} : REJECT;",
            f"EACH RESULT : {both} : REJECT;",
            f"EACH PROCESS COUNT(*) AS n WHERE {both} GROUP BY A1, B2 : n >= 3 : REJECT;",
        )
    )


RELATED = {
    "100 lines over 8 columns": cross_column_text(100),
    "an OR of 20 pairs of columns": pairs_text(20),
}


def seconds(work: Work, text: str, repeats: int = 3) -> float:
    """CPU time, best of several runs."""
    policy, _ = parse_text(text)
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work(policy, text)
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    sys.stdout.write(f"| question | {SMALL} | {LARGE:,} | ratio |\n| --- | --- | --- | --- |\n")
    is_slow = False
    for name, work in WORKS:
        small, large = seconds(work, policy_text(SMALL)), seconds(work, policy_text(LARGE))
        sys.stdout.write(f"| {name} | {small:.3f} s | {large:.3f} s | {large / small:.1f} |\n")
        is_slow |= large / small > NEAR_LINEAR
    sys.stdout.write(f"\nverdicts at {LARGE:,}: {verdicts(policy_text(LARGE))}\n")
    is_slow |= related_columns_are_slow()
    sys.exit(1 if is_slow else 0)


def related_columns_are_slow() -> bool:
    sys.stdout.write("\n| policy | question | time | limit |\n| --- | --- | --- | --- |\n")
    is_slow = False
    for policy, text in RELATED.items():
        for name, work in WORKS:
            needed = seconds(work, text, repeats=1)
            sys.stdout.write(f"| {policy} | {name} | {needed:.1f} s | {LIMIT:.0f} s |\n")
            is_slow |= needed > LIMIT
    return is_slow


def verdicts(text: str) -> dict[str, int]:
    return dict(Counter(str(claim.verdict) for claim in prove_policy(parse_text(text)[0], text).claims))


if __name__ == "__main__":
    main()
