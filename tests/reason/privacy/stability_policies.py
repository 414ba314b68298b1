"""Random requirements of every shape; compares their stability with the truth about small tables.

python -m tests.reason.privacy.stability_policies 2000"""

import argparse
import random
from collections import Counter

from acompass.language.program.effects import with_key
from acompass.language.program.types import INTEGER, TEXT, make_schema
from acompass.prove.refute.replay import EXAMPLE_KEY
from acompass.reason.privacy.stability import stability
from tests.generators.strategies import parse_and_check
from tests.reason.privacy.couplings import spread

SCHEMA = make_schema({"a": INTEGER, "b": TEXT})
DOMAIN = [(0, "x"), (0, "yy"), (1, "x")]

ABOUT_RECORDS = ("a = 0", "b = 'x'", "a >= 1 OR b = 'yy'")
ACTIONS = (
    "REJECT",
    "REJECT",
    "REPLACE a WITH 0",
    "REPLACE b WITH 'z'",
    "RANDOM a 0 1",
    "RANDOM b FROM ('x', 2 OF 'z')",
    "GENERALIZE b TO PREFIX OF 1",
    "PSEUDONYM b",
    "GENERALIZE a TO NEAREST 3",
    "MICROAGGREGATE a BY 2",
)
#: an aggregate, and conditions on it
AGGREGATES = {
    "COUNT(*) AS n": (
        "n >= 2",
        "n <= 2",
        "n = 2",
        "n > 1 AND n < 4",
        "n = 1 OR n = 3",
        "NOT n = 3",
        "n >= 1",
    ),
    "COUNT DISTINCT(b) AS l": ("l >= 2", "l = 1", "l >= 1"),
    "SUM(a) AS s": ("s >= 1", "s < 1"),
    "MIN(a) AS m": ("m >= 1", "m >= 0"),
    "MAX(b) AS m": ("m = 'x'",),
    "SHARE OF MODE (b) AS p": ("p <= 0.5", "p < 1"),
    "SHARE OF LARGEST 1 (a) AS q": ("q <= 0.5", "q < 1"),
}


def random_policy(rng: random.Random) -> str:
    return "\n".join(_requirement(rng) for _ in range(rng.choice((1, 1, 1, 2))))


def _requirement(rng: random.Random) -> str:
    if rng.random() < 0.15:
        return f"{rng.choice(('EACH', 'EACH', 'SOME'))} RESULT : {rng.choice(ABOUT_RECORDS)}{_action(rng)};"
    aggregates = ["COUNT(*) AS n", *rng.sample(sorted(AGGREGATES), rng.choice((0, 0, 1)))]
    used = list(dict.fromkeys(aggregates if rng.random() < 0.8 else aggregates[-1:]))
    columns = rng.choice(("a", "a", "b", "a, b", ""))
    group = f" GROUP BY {columns}" if columns else ""
    where = f" WHERE {rng.choice(ABOUT_RECORDS)}" if rng.random() < 0.2 else ""
    quantifier = "EACH" if rng.random() < 0.9 else "SOME"
    condition = _condition(rng, used, columns)
    return f"{quantifier} PROCESS {', '.join(used)}{where}{group} : {condition}{_action(rng)};"


def _condition(rng: random.Random, aggregates: list[str], columns: str) -> str:
    parts = [rng.choice(AGGREGATES[aggregate]) for aggregate in aggregates]
    if "a" in columns and rng.random() < 0.3:
        parts.append(rng.choice(("a = 0", "a >= 1")))
    return rng.choice((" AND ", " OR ")).join(f"({part})" for part in parts)


def _action(rng: random.Random) -> str:
    if rng.random() < 0.05:
        return ""
    chance = "WITH PROBABILITY 0.5 " if rng.random() < 0.25 else ""
    return f" : {chance}{rng.choice(ACTIONS)}"


def judge(text: str, largest: int = 4) -> str:
    """The stability compared with the truth: `infinite`, `attained`, `not attained` or `TOO SMALL`."""
    program = with_key(parse_and_check(text, SCHEMA), EXAMPLE_KEY)
    claimed = stability(program).policy
    if claimed is None:
        return "infinite"
    truth = spread(program, DOMAIN, largest)
    return "attained" if truth == claimed else "not attained" if truth < claimed else "TOO SMALL"


def campaign(policies: int) -> Counter[str]:
    found: Counter[str] = Counter()
    for seed in range(policies):
        text = random_policy(random.Random(seed))
        verdict = judge(text)
        assert verdict != "TOO SMALL", text
        found[verdict] += 1
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("policies", type=int, help="number of policies, with seeds from 0")
    print(campaign(parser.parse_args().policies))
