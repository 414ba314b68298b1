"""Random policies that sample before a k, or almost do; compares each claim with the truth about small tables.

python -m tests.reason.privacy.sampling_policies 2000"""

import argparse
import random
from collections import Counter
from fractions import Fraction

from acompass.language.program.effects import with_key
from acompass.language.program.program import Program
from acompass.language.program.types import INTEGER, TEXT, make_schema
from acompass.prove.refute.replay import EXAMPLE_KEY
from acompass.reason.privacy.answer import Direction, Refusal, TablePrivacy
from acompass.reason.privacy.sampling import table_privacy
from tests.generators.strategies import parse_and_check
from tests.reason.privacy.neighbors import hockey_stick, largest_delta, law_of_output

SCHEMA = make_schema({"a": INTEGER, "b": TEXT})
DOMAIN = [(0, "x"), (0, "y"), (1, "x"), (1, "y")]
#: the most records of the tables that are enumerated
LARGEST = 3
#: the most copies of a witness that are replayed
MOST_COPIES = 6

CONDITIONS = ("a = 0", "a >= 1", "b = 'x'", "b >= 'y' OR a = 1", "a = 1 AND b = 'x'")
CHANCES = ("0.25", "0.5", "0.75")
ACTIONS = (
    "REJECT",
    "REPLACE a WITH 0",
    "REPLACE b WITH 'x'",
    "REPLACE b WITH '*'",
    "RANDOM a 0 1",
    "RANDOM b FROM ('x', 3 OF 'y')",
    "GENERALIZE b TO PREFIX OF 1",
    "PSEUDONYM b",
    "GENERALIZE a TO NEAREST 3",
    "ADD RANDOM 0 1 TO a",
    "MICROAGGREGATE a BY 2",
)
BOUNDS = ("n >= 2", "n >= 2", "n > 1", "n >= 3", "n = 2", "n <= 2")
BOUNDS_BY_A = (*BOUNDS, "n >= 2 OR a = 0", "n >= 2 AND a >= 1")


def random_policy(rng: random.Random) -> str:
    """Lines about records, a sample, a k, and more lines; sometimes shuffled, or with an extra line."""
    lines = [_by_record(rng) for _ in range(rng.choice((0, 0, 1)))]
    lines += [_sample(rng) for _ in range(rng.choice((1, 1, 2)))]
    lines += [_by_record(rng) for _ in range(rng.choice((0, 1)))]
    lines += [_rejecting(rng)]
    lines += [rng.choice((_by_record, _about_classes, _check))(rng) for _ in range(rng.choice((0, 0, 1)))]
    if rng.random() < 0.2:
        rng.shuffle(lines)
    if rng.random() < 0.1:
        lines.insert(rng.randrange(len(lines)), rng.choice((_check, _about_classes, _about_some))(rng))
    return "\n".join(lines)


def _sample(rng: random.Random) -> str:
    scope = "ALWAYS" if rng.random() < 0.8 else f"EACH RESULT : {rng.choice(CONDITIONS)}"
    return f"{scope} : WITH PROBABILITY {rng.choice(CHANCES)} REJECT;"


def _by_record(rng: random.Random) -> str:
    scope = rng.choice(("ALWAYS", f"EACH RESULT : {rng.choice(CONDITIONS)}"))
    return f"{scope} : {_action(rng)};"


def _action(rng: random.Random) -> str:
    chance = f"WITH PROBABILITY {rng.choice(CHANCES)} " if rng.random() < 0.3 else ""
    return chance + rng.choice(ACTIONS)


def _rejecting(rng: random.Random) -> str:
    columns = rng.choice(("a, b", "a, b", "a, b", "a", "b"))
    bound = rng.choice(BOUNDS_BY_A if "a" in columns else BOUNDS)
    return f"EACH PROCESS COUNT(*) AS n GROUP BY {columns} : {bound} : REJECT;"


def _about_classes(rng: random.Random) -> str:
    where = f" WHERE {rng.choice(CONDITIONS)}" if rng.random() < 0.3 else ""
    columns = rng.choice(("a", "a, b"))
    classes = f"EACH PROCESS COUNT(*) AS n{where} GROUP BY {columns}"
    return f"{classes} : {rng.choice(BOUNDS_BY_A)} : {_action(rng)};"


def _check(rng: random.Random) -> str:
    return f"{rng.choice(('EACH', 'SOME'))} RESULT : {rng.choice(CONDITIONS)};"


def _about_some(rng: random.Random) -> str:
    return f"SOME RESULT : {rng.choice(CONDITIONS)} : {_action(rng)};"


def judge(rng: random.Random) -> str:
    """The claim about a random policy, compared with the truth: `refused`, `exact`, `at most` or `FALSE`."""
    program = with_key(parse_and_check(random_policy(rng), SCHEMA), EXAMPLE_KEY)
    answer = table_privacy(program, Fraction(rng.choice(("0", "0.5", "1"))))
    if isinstance(answer, Refusal):
        return "refused"
    truth = largest_delta(program, DOMAIN, LARGEST, answer.ratio, rng.choice((None, 52)))
    is_replayed = answer.is_exact and answer.class_size <= MOST_COPIES
    if truth > answer.delta or (is_replayed and not is_attained(program, answer)):
        return "FALSE"
    return "exact" if answer.is_exact else "at most"


def is_attained(program: Program, answer: TablePrivacy) -> bool:
    """Whether copies of the witness need exactly δ."""
    assert answer.witness is not None
    sizes = (answer.class_size, answer.class_size - 1)
    one, other = (law_of_output(program, [answer.witness] * size) for size in sizes)
    pair = (one, other) if answer.direction is Direction.WITH else (other, one)
    return hockey_stick(*pair, answer.ratio) == answer.delta


def campaign(policies: int) -> Counter[str]:
    found: Counter[str] = Counter()
    for seed in range(policies):
        verdict = judge(random.Random(seed))
        assert verdict != "FALSE", random_policy(random.Random(seed))
        found[verdict] += 1
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("policies", type=int, help="number of policies, with seeds from 0")
    print(campaign(parser.parse_args().policies))
