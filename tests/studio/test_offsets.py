"""Places as Python counts them and as a page counts them."""

from hypothesis import given
from hypothesis import strategies as st

from acompass.diagnostics import Span
from acompass.studio.offsets import Offsets

TEXTS = st.text(st.sampled_from("aé≤😀𝒳\n"), max_size=12)


def utf16_length(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


@given(TEXTS, st.integers(0, 12))
def test_a_place_is_counted_in_code_units(text: str, offset: int) -> None:
    assert Offsets(text).to_page(offset) == utf16_length(text[:offset])


@given(TEXTS, st.integers(0, 12))
def test_a_place_comes_back(text: str, offset: int) -> None:
    offsets = Offsets(text)
    assert offsets.from_page(offsets.to_page(offset)) == min(offset, len(text))


@given(TEXTS, st.integers(-3, 40))
def test_any_number_is_a_place_in_the_text(text: str, unit: int) -> None:
    assert 0 <= Offsets(text).from_page(unit) <= len(text)


def test_the_middle_of_a_character_is_its_start() -> None:
    assert Offsets("a😀b").from_page(2) == 1
    assert Offsets("a😀b").span(Span(1, 2)) == {"from": 1, "to": 3}
