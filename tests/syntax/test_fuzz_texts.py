"""A short run of `make fuzz`."""

import pytest

from acompass.syntax.parse import parse
from tests.syntax.fuzz_texts import failures, texts


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_no_text_raises(seed: int) -> None:
    assert failures(seed, 5_000) == []


def test_texts_are_neither_all_right_nor_all_wrong() -> None:
    wrong = sum(bool(parse(text)[1]) for text in texts(0, 1_000))
    assert 100 < wrong < 900
