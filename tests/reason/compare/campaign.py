"""The law of exact comparison: for record-level policies, `compare` agrees with a run on every kind of record. With
draws, and with words whose values are not compared, it may be undecided.

python -m tests.reason.compare.campaign --pairs 2000"""

import argparse
import random
import sys
from collections import Counter
from fractions import Fraction

from acompass.language.program.effects import with_key
from acompass.policy import parse
from acompass.prove.refute.replay import EXAMPLE_KEY
from acompass.reason.compare.answer import Difference
from acompass.reason.compare.counterexamples import are_different, replay_program
from acompass.reason.compare.equivalence import equivalence
from acompass.reason.compare.pairs import typed_pairs
from tests.reason.compare.record_policies import TYPES, Writer, records, release, traces


def verdict(old: str, new: str) -> tuple[bool | None, Difference | None]:
    """The verdict, and the difference, which must replay."""
    _, (pair,) = typed_pairs(parse(old), parse(new), TYPES, {}, None)
    found = equivalence(pair)
    if found.difference is not None:
        trace = [Fraction(rho) for rho in found.difference.trace]
        one, other = (replay_program(program, found.difference.records, trace) for program in pair.programs)
        assert are_different(one.written, other.written)
        assert (one.written, other.written) == (found.difference.old, found.difference.new)
    return found.is_equivalent, found.difference


def brute_force(old: str, new: str, draws: int, rng: random.Random) -> bool:
    """Whether the policies agree on every single record and on some small tables."""
    _, (pair,) = typed_pairs(parse(old), parse(new), TYPES, {}, None)
    tables = [[record] for record in records()]
    tables += [rng.sample(records(), rng.randint(0, 4)) for _ in range(40)]
    one, other = (with_key(program, EXAMPLE_KEY) for program in pair.programs)
    return all(
        release(one, table, trace) == release(other, table, trace) for table in tables for trace in traces(draws)
    )


def judge_pair(rng: random.Random, kind: str) -> str:
    """The verdict on a random pair; a wrong one fails."""
    old, new = Writer(rng, kind == "chance", kind == "words").pair()
    found, _ = verdict(old, new)
    # two draws would take long, and one is enough to show most differences
    is_same = brute_force(old, new, 1 if kind != "certain" else 0, rng)
    if found is None:
        assert kind != "certain", f"undecided\n{old}\n{new}"
    else:
        assert found == is_same or (kind != "certain" and not found), f"{found} is wrong\n{old}\n{new}"
    return f"{kind} {found}"


def campaign(pairs: int, seed: int) -> Counter[str]:
    rng = random.Random(seed)
    return Counter(judge_pair(rng, ("certain", "words", "certain", "chance")[at % 4]) for at in range(pairs))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    print(dict(campaign(arguments.pairs, arguments.seed)), file=sys.stdout)


if __name__ == "__main__":
    main()
