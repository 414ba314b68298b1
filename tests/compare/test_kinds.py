"""Kinds of texts: every text has one; comparisons and prefixes treat it as the texts that stand for it."""

import random
from itertools import product

import pytest

from acompass.checked.maps.prefix import Prefix
from acompass.compare.prefix_kinds import prefix_kinds
from acompass.privacy.undecided import Undecided

_TEXTS = ["".join(letters) for size in range(6) for letters in product("!*ab", repeat=size)]


def _seen(text: str, constants: list[str], lengths: list[int]) -> list[tuple[bool, bool]]:
    """How the text and its prefixes compare with the constants."""
    forms = [text, *(Prefix(length).label(text) for length in lengths)]
    return [(form < constant, form == constant) for form in forms for constant in constants]


@pytest.mark.parametrize("seed", range(12))
def test_every_text_is_of_a_kind(seed: int) -> None:
    rng = random.Random(seed)
    constants = rng.sample(_TEXTS[:400], rng.randint(0, 4))
    lengths = rng.sample(range(1, 5), rng.randint(1, 2))
    kinds = prefix_kinds(constants, lengths)
    known = set()
    for alike in kinds:
        first, *others = (tuple(_seen(str(text), constants, lengths)) for text in alike)
        assert all(other == first for other in others), alike
        known.add(first)
    assert {tuple(_seen(text, constants, lengths)) for text in _TEXTS} <= known


def test_two_prefixes_differ_on_some_text_of_a_kind_or_on_none() -> None:
    for alike in prefix_kinds(["ab", "b*"], [1, 3]):
        labels = [(Prefix(1).label(str(text)), Prefix(3).label(str(text))) for text in alike]
        is_long = len(str(alike[0])) > 1
        assert any(one != other for one, other in labels) <= is_long


def test_too_many_texts_are_refused() -> None:
    with pytest.raises(Undecided):
        prefix_kinds([f"{number:040}" for number in range(1_000)], [3])
