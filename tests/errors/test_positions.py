"""Positions as editors count them: lines and UTF-16 code units, both from 0."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acompass.diagnostics.source import Source

EMOJI = "a\U0001f642b\r\ne\u0301\U0001f468\u200d\U0001f469x\rlast"


@pytest.mark.parametrize(
    ("character", "position"),
    [
        ("a", (0, 0)),
        ("\U0001f642", (0, 1)),
        ("b", (0, 3)),
        ("e", (1, 0)),
        ("\u0301", (1, 1)),
        ("x", (1, 7)),
        ("l", (2, 0)),
    ],
)
def test_an_emoji_is_two_units_and_a_combining_character_one(
    character: str, position: tuple[int, int]
) -> None:
    source, offset = Source(EMOJI), EMOJI.index(character)
    assert source.utf16_position(offset) == position
    assert source.utf16_offset(*position) == offset


def test_a_position_inside_a_character_or_beyond_the_line_is_clamped() -> None:
    source = Source("a\U0001f642b\nnext")
    assert source.utf16_offset(0, 2) == 1
    assert source.utf16_offset(0, 99) == 3
    assert source.utf16_offset(9, 0) == len(source.text)


@given(st.text("ab\u0301\U0001f642\U00010000\ud7ff\r\n", max_size=30))
def test_an_offset_comes_back(text: str) -> None:
    source = Source(text)
    for offset in range(len(text) + 1):
        line, column = source.utf16_position(offset)
        before = text[:offset]
        is_within_line_end = before.endswith("\r") and text[offset : offset + 1] == "\n"
        assert source.utf16_offset(line, column) == offset - is_within_line_end
        assert column == len(before[source.utf16_offset(line, 0) :].encode("utf-16-le")) // 2
