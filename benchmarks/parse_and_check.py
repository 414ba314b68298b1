"""Do 10,000 requirements take at most 11 times as long to parse and check as 1,000?

Print a row of a Markdown table, and exit with 1 if they take longer.
"""

import gc
import sys
import time

from acompass.language.program.checker import check
from acompass.language.program.types import INTEGER, TEXT, Schema, make_schema
from acompass.language.text.parser import parse_text

ROUNDS = 8
MOST = 11.0
SCHEMA: Schema = make_schema({"Record ID": INTEGER, "Age": INTEGER, "Postal Code": TEXT, "AEC": INTEGER})


def policy_text(requirements: int) -> str:
    """Alternate between the paper's kinds of requirements, each with different constants."""
    kinds = (
        "EACH RESULT: Age <= {0}: REPLACE Age WITH {0};",
        "EACH FILTER Postal code > '{0}' AND Postal code < '{1}': Postal code = '{0}*'\n"
        "  : REPLACE Postal code WITH '{0}*';",
        "EACH RESULT: NOT (AEC < {0}): RANDOM AEC {0} {1};",
        "EACH PROCESS COUNT(*) AS Class Size GROUP BY Age, Postal Code: Class Size >= k: REJECT;",
    )
    numbers = (100 + number % 800 for number in range(requirements))  # three digits, so all take equally long
    return "\n".join(kinds[number % len(kinds)].format(number, number + 99) for number in numbers)


def seconds(text: str) -> float:
    gc.collect()
    started = time.process_time()
    policy, unreadable = parse_text(text)
    program, wrong = check(policy, text, SCHEMA, {"k": 3})
    elapsed = time.process_time() - started
    assert program is not None, (unreadable, wrong)
    return elapsed


def main() -> int:
    few, many = policy_text(1_000), policy_text(10_000)
    seconds(few)  # the grammar is built once, on first use
    rounds = [(seconds(few), seconds(many)) for _ in range(ROUNDS)]
    best_few, best_many = (min(times) for times in zip(*rounds, strict=True))
    ratio = best_many / best_few
    each = best_many / 10_000 * 1e6
    question = "parse and check 10,000 requirements / 1,000"
    print(f"| {question} | {ratio:.2f} | ≤ {MOST:.0f} | {each:.0f} µs per requirement |")
    return 0 if ratio <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
