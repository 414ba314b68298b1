"""A core program has the same tree and the same canonical text as before the everyday language (X0)."""

import pytest

from acompass.syntax.parse import parse
from acompass.syntax.walk import is_core
from tests.syntax.core_programs import digests, recorded

PROGRAMS = recorded()


def test_there_are_many() -> None:
    assert len(PROGRAMS) > 200


@pytest.mark.parametrize("text", PROGRAMS, ids=range(len(PROGRAMS)))
def test_the_tree_and_the_canonical_text_are_as_before(text: str) -> None:
    assert digests(text) == PROGRAMS[text]
    assert all(is_core(requirement) for requirement in parse(text)[0].requirements)
