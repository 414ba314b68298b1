"""Two values of each kind are enough: E over them is E over all values of a small range."""

import random

import pytest

from acompass.checked.from_syntax import check
from acompass.checked.program import Program
from acompass.checked.types import INTEGER, Column
from acompass.privacy.answer import ColumnVerdict
from acompass.privacy.column_privacy import column_privacy
from acompass.privacy.weights import BITS
from acompass.syntax.parse import parse
from tests.privacy.enumeration import Truth

#: constants are from 0 to LAST, the values tried go a little further
LAST = 13
VALUES = range(-3, LAST + 4)
ASKED = frozenset((0,))


def _policy(rng: random.Random) -> str:
    lower, upper = sorted(rng.sample(range(LAST + 1), 2))
    limit = f"EACH RESULT : a BETWEEN {lower} AND {upper} : RANDOM a {lower} {upper};"
    noise = f"ALWAYS : WITH PROBABILITY 0.3 RANDOM a {lower} {upper};"
    others = [_line(rng) for _ in range(rng.randint(0, 3))]
    lines = [*([limit] if rng.random() < 0.7 else []), *others, *([noise] if rng.random() < 0.7 else [])]
    return " ".join(lines or [noise])


def _line(rng: random.Random) -> str:
    compared = f"EACH RESULT : a {rng.choice(('<', '<=', '=', '>=', '>'))} {rng.randint(0, LAST)}"
    lower, upper = sorted((rng.randint(0, LAST), rng.randint(0, LAST)))
    action = rng.choice(
        (
            "REJECT",
            f"REPLACE a WITH {lower}",
            f"RANDOM a {lower} {upper}",
            f"RANDOM a FROM (2 OF {lower}, {upper + 20})",
        )
    )
    often = "" if rng.random() < 0.4 else "WITH PROBABILITY 0.6 "
    return f"{rng.choice((compared, 'ALWAYS'))} : {often}{action};"


def _program(text: str) -> Program:
    program, problems = check(parse(text)[0], text, (Column("a", INTEGER),), {})
    assert program is not None, problems
    return program


@pytest.mark.parametrize("seed", range(60))
def test_the_ratio_over_representatives_is_that_over_all_values(seed: int) -> None:
    text = _policy(random.Random(seed))
    program = _program(text)
    (answer,) = column_privacy(program, [ASKED])
    assert answer.verdict in (ColumnVerdict.EXACT, ColumnVerdict.NONE), text
    assert Truth(program, [VALUES]).largest(ASKED, most=1) == answer.ratio, text
    if answer.ratio is not None:
        assert Truth(program, [VALUES], BITS).largest(ASKED, most=1) == answer.seed_ratio, text
