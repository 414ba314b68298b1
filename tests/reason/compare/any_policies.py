"""The law of sound comparison: policies of `conform` that `compare` finds equivalent give the same outputs for
random tables, and every difference replays.

python -m tests.reason.compare.any_policies --pairs 500"""

import argparse
import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction

from acompass.errors.diagnostics import PolicyError
from acompass.language.text import tree
from acompass.policy import parse
from acompass.reason.compare.counterexamples import are_different, replay_program
from acompass.reason.compare.equivalence import equivalence
from acompass.reason.compare.pairs import Pair, typed_pairs
from acompass.testing.conformance.cases import Case, random_case

#: number of tables for each pair
TABLES = 10


def random_pair(rng: random.Random) -> tuple[Case, Pair]:
    """A policy, and the same policy with a line moved, repeated or removed."""
    while True:
        case = random_case(rng)
        one = parse(case.policy_text)
        lines = tuple(_change(rng, list(one.tree.requirements)))
        other = replace(one, tree=replace(one.tree, requirements=lines))
        types = {column.name: column.type for column in case.schema}
        try:
            _, (pair,) = typed_pairs(one, other, types, case.params, None)
        except PolicyError:  # a line may need the one before it
            continue
        return case, pair


def _change(rng: random.Random, lines: list[tree.Requirement]) -> list[tree.Requirement]:
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(4):
        case 0 | 1:
            lines[at], lines[other] = lines[other], lines[at]
        case 2:
            lines.insert(at, lines[other])
        case _ if len(lines) > 1:
            del lines[at]
    return lines


def judge(rng: random.Random) -> str:
    """The verdict on a random pair; a wrong one fails."""
    case, pair = random_pair(rng)
    found = equivalence(pair)
    if found.difference is not None:
        trace = [Fraction(rho) for rho in found.difference.trace]
        one, other = (replay_program(program, found.difference.records, trace).written for program in pair.programs)
        assert (one, other) == (found.difference.old, found.difference.new)
        assert are_different(one, other)
    if found.is_equivalent and case.records:
        for _ in range(TABLES):
            _require_same(rng, case, pair)
    return str(found.is_equivalent)


def _require_same(rng: random.Random, case: Case, pair: Pair) -> None:
    columns = list(zip(*case.records, strict=True))
    size = rng.randint(0, 2 * len(case.records))
    records = [tuple(rng.choice(column) for column in columns) for _ in range(size)]
    one, other = (replay_program(program, records, case.trace * 2).written for program in pair.programs)
    assert not are_different(one, other), f"{case.policy_text}\n{pair.new}\n{records}"


def campaign(pairs: int, seed: int) -> Counter[str]:
    rng = random.Random(seed)
    return Counter(judge(rng) for _ in range(pairs))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    print(dict(campaign(arguments.pairs, arguments.seed)))


if __name__ == "__main__":
    main()
