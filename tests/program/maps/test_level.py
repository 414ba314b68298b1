"""LEVEL (X2)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acompass.language.program.hierarchies import Hierarchy, hierarchy_problems
from acompass.language.program.label_maps import Level, Prefix, level_problem

EDUCATION = Hierarchy(
    (
        ("Bachelors", "Undergraduate", "Higher", "*"),
        ("Masters", "Graduate", "Higher", "*"),
        ("11th", "School", "School", "*"),
        ("Preschool", "Preschool", "School", "*"),
    ),
    digest="",
)


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("Bachelors", ["Undergraduate", "Higher", "*"]),
        ("Undergraduate", ["Undergraduate", "Higher", "*"]),
        ("Higher", ["Higher", "Higher", "*"]),
        ("11th", ["School", "School", "*"]),
        ("School", ["School", "School", "*"]),
        ("Preschool", ["Preschool", "School", "*"]),
        ("*", ["*", "*", "*"]),
        ("Doctorate", [None, None, None]),
        ("bachelors", [None, None, None]),
        ("", [None, None, None]),
    ],
)
def test_a_text_has_these_labels(text: str, labels: list[str | None]) -> None:
    assert [Level(EDUCATION, level).label(text) for level in (1, 2, 3)] == labels


def test_else_is_for_texts_in_no_column() -> None:
    level = Level(EDUCATION, 2, "other")
    assert [level.label(text) for text in ("Doctorate", "other", "*", "Masters")] == [
        "other",
        "other",
        "*",
        "Higher",
    ]
    assert level.labels() == ("*", "Higher", "School", "other")


def test_labels_of_higher_levels_are_listed() -> None:
    assert set(Level(EDUCATION, 1).labels()) == {
        "Undergraduate",
        "Graduate",
        "School",
        "Preschool",
        "Higher",
        "*",
    }


def test_a_level_follows_lower_levels_of_the_same_hierarchy() -> None:
    same = Hierarchy(EDUCATION.rows, digest="of other bytes")
    assert Level(EDUCATION, 2).follows(Level(same, 1))
    assert Level(EDUCATION, 2).follows(Level(same, 2))
    assert not Level(EDUCATION, 1).follows(Level(same, 2))


def test_a_level_follows_everything_else() -> None:
    other = Hierarchy((("a", "*"),), digest="")
    assert Level(EDUCATION, 1).follows(Level(other, 1))
    assert Level(EDUCATION, 1).follows(Prefix(2))


def test_the_level_and_the_label_after_else_are_checked() -> None:
    assert level_problem(EDUCATION, 3, None) is None
    assert level_problem(EDUCATION, 2, "School") is None
    assert level_problem(EDUCATION, 2, "*") is None
    assert level_problem(EDUCATION, 4, None) == "the hierarchy has levels 1 to 3, not 4"
    assert level_problem(EDUCATION, 0, None) == "the hierarchy has levels 1 to 3, not 0"
    assert level_problem(EDUCATION, 2, "Masters") == (
        "the label `Masters` after ELSE becomes `Higher` at level 2 of the hierarchy"
    )


@st.composite
def hierarchies(draw: st.DrawFn) -> Hierarchy:
    """Hierarchies without problems whose rows have few labels, so that labels occur at several levels."""
    width = draw(st.integers(2, 4))
    row = st.tuples(*[st.sampled_from("abcde*")] * width)
    rows = tuple(draw(st.lists(row, min_size=1, max_size=5)))
    kept = [rows[0]]
    for more in rows[1:]:  # keep what fits, so that few cases are thrown away
        if not hierarchy_problems([*enumerate([*kept, more], 1)]):
            kept.append(more)
    return Hierarchy(tuple(kept), digest="")


@given(hierarchies().filter(lambda found: not hierarchy_problems([*enumerate(found.rows, 1)])), st.data())
def test_a_hierarchy_without_problems_generalizes_in_any_steps(hierarchy: Hierarchy, data: st.DataObject) -> None:
    levels = st.integers(1, hierarchy.levels)
    earlier, later = sorted(data.draw(st.tuples(levels, levels)))
    text = data.draw(st.sampled_from("abcdef*"))
    first, last = Level(hierarchy, earlier, data.draw(st.none() | st.just("f"))), Level(hierarchy, later, "f")
    label = first.label(text)
    if label is not None:
        assert first.label(label) == label
        assert label in first.labels()
        assert last.label(label) == last.label(text)
    for row in hierarchy.rows:
        assert last.label(row[0]) == row[later]
