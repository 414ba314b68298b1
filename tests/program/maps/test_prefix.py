"""PREFIX (X2)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acompass.language.program.label_maps import Dates, Prefix, prefix_problem
from acompass.language.text.tree import DateUnit


@pytest.mark.parametrize(
    ("length", "text", "label"),
    [
        (3, "21201", "212**"),
        (3, "212**", "212**"),
        (2, "212**", "21***"),
        (3, "212", "212"),
        (3, "", ""),
        (3, "*", "*"),
        (1, "Äe", "Ä*"),
        (1, "👩‍🔬", "👩**"),
    ],
)
def test_a_text_has_this_label(length: int, text: str, label: str) -> None:
    assert Prefix(length).label(text) == label


@given(st.text(), st.integers(1, 9), st.integers(1, 9))
def test_shorter_prefixes_follow_longer_ones(text: str, one: int, other: int) -> None:
    later, earlier = Prefix(min(one, other)), Prefix(max(one, other))
    assert later.follows(earlier)
    assert later.label(earlier.label(text)) == later.label(text)
    assert earlier.follows(later) is (one == other)


@given(st.text(), st.integers(1, 9))
def test_generalizing_a_label_again_changes_nothing(text: str, length: int) -> None:
    label = Prefix(length).label(text)
    assert Prefix(length).label(label) == label
    assert len(label) == len(text)


def test_a_prefix_follows_no_other_kind() -> None:
    assert not Prefix(4).follows(Dates(DateUnit.YEAR))
    assert Prefix(4).labels() is None


def test_the_length_of_a_prefix_is_checked() -> None:
    assert prefix_problem(1) is None
    assert prefix_problem(0) == "the length of a prefix must be at least 1, found 0"
