"""Random cases with draws: steps performed with a probability, and values from an urn (X5, X6).

Each value of the trace is h / 2⁵², as a seed gives it, and often the first above a cut or the last below it.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import assert_never

from acompass.checked.from_syntax import check
from acompass.checked.maps.map import Unlabelled
from acompass.checked.program import Action, Draw, Drop, Generalize, Random, Reject, Replace, Sometimes
from acompass.checked.types import Kind
from acompass.conformance.generate import Case, random_case
from acompass.conformance.values import KINDS
from acompass.semantics import run_program, trace_of_values
from acompass.syntax import tree
from acompass.syntax.format import format_tree
from acompass.syntax.parse import parse
from acompass.syntax.walk import step_of, steps

ONE = 2**52
_PROBABILITIES = ("0.5", "0.25", "0.75", "0.1", "0.632", "0.3333333333333333333", "0.999")
_WEIGHTS = (None, 1, 2, 3, 10)
_NUMBERS = tuple(tree.Number(Decimal(text)) for text in ("0", "1", "-7", "80", "2", "10"))
_TEXTS = tuple(map(tree.String, ("", "a", "A", "*", "é", "it's", "10", "true", "2000-02-29")))


def drawing_case(rng: random.Random, kinds: Sequence[Kind] = KINDS) -> Case:
    """A random case, some of whose actions have become draws."""
    while True:
        case = random_case(rng, kinds)
        requirements = list(steps(parse(case.policy_text)[0]))
        for position, requirement in enumerate(requirements):
            changed = replace(requirement, action=_drawing(rng, step_of(requirement)))
            attempt = [*requirements[:position], changed, *requirements[position + 1 :]]
            if _checks(_with_requirements(case, attempt), kinds):
                requirements = attempt
        case = _with_requirements(case, requirements)
        case = replace(case, trace=_random_trace(rng, case))
        if not _stops(case):
            return case


def _with_requirements(case: Case, requirements: Sequence[tree.Requirement]) -> Case:
    return replace(case, policy_text=format_tree(tree.Program(tuple(requirements))))


def _drawing(rng: random.Random, action: tree.Step | None) -> tree.Step | None:
    """Often the action itself, or the same with a probability, or a draw where it writes a value."""
    match action:
        case None | tree.Drop() | tree.Sometimes():
            return action
        case tree.Reject() | tree.Generalize() | tree.Draw():
            return _perhaps_sometimes(rng, action)
        case tree.Replace(name) | tree.Random(name):
            drawn = tree.Draw(name, _random_balls(rng))
            return _perhaps_sometimes(rng, rng.choice((action, drawn)))
        case _:
            assert_never(action)


def _perhaps_sometimes(rng: random.Random, action: tree.Plain) -> tree.Step:
    if rng.random() < 0.4:
        return action
    return tree.Sometimes(tree.Number(Decimal(rng.choice(_PROBABILITIES))), action)


def _random_balls(rng: random.Random) -> tuple[tree.Ball, ...]:
    constants = rng.choice((_NUMBERS, _TEXTS))
    weights = [rng.choice(_WEIGHTS) for _ in range(rng.randint(1, 4))]
    chosen = rng.sample(constants, len(weights))
    return tuple(
        tree.Ball(constant, None if weight is None else tree.Number(Decimal(weight)))
        for constant, weight in zip(chosen, weights, strict=True)
    )


def _checks(case: Case, kinds: Sequence[Kind]) -> bool:
    """Whether the policy is well typed, and its columns stay of the kinds."""
    program, _ = check(parse(case.policy_text)[0], case.policy_text, case.schema, case.params)
    known = {*kinds, Kind.DROPPED}
    return program is not None and all(
        column.type.kind in known for requirement in program.requirements for column in requirement.after
    )


def _stops(case: Case) -> bool:
    try:
        run_program(case.program(), case.records, trace_of_values(case.trace))
    except Unlabelled:
        return True
    return False


def _random_trace(rng: random.Random, case: Case) -> list[Fraction]:
    """Long enough for a coin and a draw for each record and requirement."""
    requirements = case.program().requirements
    cuts = [cut for requirement in requirements for cut in _cuts(requirement.action)]
    near = [ceil(cut * ONE) - below for cut in cuts for below in (0, 1)]
    pool = [0, ONE - 1, *(h for h in near if h < ONE)]
    return [
        Fraction(rng.choice((rng.choice(pool), rng.randrange(ONE))), ONE)
        for _ in range(2 * len(case.records) * len(requirements) + rng.randint(0, 3))
    ]


def _cuts(action: Action | None) -> Iterator[Fraction]:
    """The cuts of a draw; a few of those of RANDOM, which may have very many."""
    match action:
        case Random(lower=lower, upper=upper):
            yield from (Fraction(j, upper - lower + 1) for j in range(1, min(upper - lower, 3) + 1))
        case Draw():
            yield from action.cuts
        case Sometimes(probability, inner):
            yield probability
            yield from _cuts(inner)
        case None | Reject() | Replace() | Generalize() | Drop():
            pass
        case _:
            assert_never(action)
