"""The levels of a column: labels as GENERALIZE gives them, and how many rows of a hierarchy carry each."""

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acompass.checked.maps.bands import Bands
from acompass.diagnostics import CallError
from acompass.propose.ladder import Ladder, ladder
from acompass.propose.specs import ByBands, ByDate, ByFile, ByPrefix, Spec
from acompass.propose.values import Values
from acompass.syntax.tree import BandsOf, DatePart, DateUnit, LevelOf, Number, PrefixOf, String

EDUCATION = "9th;school;Any\n10th;school;Any\nBachelors;degree;Any\n"


def ladder_of(texts: Sequence[str], spec: Spec | None = None) -> Ladder:
    return ladder(Values("x", tuple(texts)), spec)


def climbed(found: Ladder, level: int) -> dict[str, str]:
    return {text: found.labels[found.up[level - 1][place]] for place, text in enumerate(found.labels)}


def sizes(found: Ladder) -> dict[str, int]:
    return dict(zip(found.labels, found.sizes, strict=True))


def constant(number: int) -> Number:
    return Number(Decimal(number))


def test_bands() -> None:
    found = ladder_of(["20", "23", "27", "41"], ByBands((Decimal(5), Decimal(20))))
    assert [rung.tree for rung in found.rungs] == [BandsOf(constant(5)), BandsOf(constant(20)), None]
    assert found.labels[: found.values] == ("20", "23", "27", "41")
    assert climbed(found, 1)["23"] == "20-24"
    assert climbed(found, 2) == {
        "20": "20-39",
        "23": "20-39",
        "27": "20-39",
        "20-24": "20-39",
        "25-29": "20-39",
        "20-39": "20-39",
        "41": "40-59",
        "40-44": "40-59",
        "40-59": "40-59",
        "*": "*",
    }
    assert set(climbed(found, 3).values()) == {"*"}
    assert found.rows == 4
    assert sizes(found) | {"20-24": 2, "20-39": 3, "41": 1, "40-59": 1, "*": 4} == sizes(found)
    assert found.words == "numbers, bands of 5 and 20"


def test_prefixes() -> None:
    found = ladder_of(["21201", "21202", "90210"], ByPrefix((4, 2)))
    assert [rung.tree for rung in found.rungs] == [PrefixOf(constant(4)), PrefixOf(constant(2)), None]
    assert sizes(found)["2120*"] == 2
    assert found.words == "codes, prefixes of 4 and 2"


def test_dates() -> None:
    found = ladder_of(["2018-03-01", "2018-04-01", "2021-04-01"], ByDate())
    units = [DateUnit.MONTH, DateUnit.QUARTER, DateUnit.YEAR, DateUnit.DECADE]
    assert [rung.tree for rung in found.rungs] == [*map(DatePart, units), None]
    assert climbed(found, 3)["2018-Q1"] == "2018"
    assert sizes(found) | {"2018": 2, "2018-Q1": 1} == sizes(found)


def test_values_of_no_form_can_only_become_stars() -> None:
    found = ladder_of(["a", "b"])
    assert (len(found.rungs), found.labels, found.up, found.sizes) == (
        1,
        ("a", "b", "*"),
        ((2, 2, 2),),
        (1, 1, 2),
    )
    assert found.words == "2 values, no level but `*`"


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "education.csv"
    path.write_text(EDUCATION, encoding="utf-8")
    found = ladder_of(["10th", "Bachelors"], ByFile(str(path)))
    level = LevelOf(constant(1), String(str(path)), String("*"))
    assert [rung.tree for rung in found.rungs] == [
        level,
        LevelOf(constant(2), String(str(path)), String("*")),
    ]
    assert found.labels == ("10th", "Bachelors", "school", "degree", "Any")
    assert (found.sizes, found.rows) == ((1, 1, 2, 1, 3), 3)
    assert found.words == f"levels 1 and 2 of {path}"


def test_a_file_that_ends_in_stars_ends_in_replace(tmp_path: Path) -> None:
    path = tmp_path / "education.csv"
    path.write_text("9th;school;*;*\nBachelors;degree;*;*\n", encoding="utf-8")
    found = ladder_of(["9th", "Bachelors"], ByFile(str(path)))
    assert len(found.rungs) == 2
    assert found.rungs[-1].tree is None


def test_a_file_whose_top_level_has_labels_gets_a_level_of_stars(tmp_path: Path) -> None:
    path = tmp_path / "education.csv"
    path.write_text("9th;school\nBachelors;degree\n", encoding="utf-8")
    found = ladder_of(["9th"], ByFile(str(path)))
    assert [rung.map.label("9th") for rung in found.rungs] == ["school", "*"]


def test_stars_of_the_table_are_the_coarsest_label(tmp_path: Path) -> None:
    path = tmp_path / "education.csv"
    path.write_text(EDUCATION, encoding="utf-8")
    found = ladder_of(["*", "9th"], ByFile(str(path)))
    assert climbed(found, 2) | {"9th": "Any", "*": "*"} == climbed(found, 2)
    assert set(climbed(found, 3).values()) == {"*"}
    assert ladder_of(["*"]).rungs == ()
    assert ladder_of(["*", "a", "b"]).rows == 2
    assert sizes(ladder_of(["*", "a", "b"]))["*"] == 2


def test_levels_that_change_nothing_are_left_out() -> None:
    found = ladder_of(["10", "20"], ByBands((Decimal(5), Decimal(10), Decimal(100))))
    assert [rung.tree for rung in found.rungs] == [BandsOf(constant(5)), BandsOf(constant(10)), None]
    found = ladder_of(["10", "11", "27"], ByBands((Decimal(2), Decimal(2), Decimal(20))))
    assert [rung.tree for rung in found.rungs] == [BandsOf(constant(2)), BandsOf(constant(20)), None]


def test_a_file_without_values_of_the_table(tmp_path: Path) -> None:
    path = tmp_path / "education.csv"
    path.write_text(EDUCATION, encoding="utf-8")
    with pytest.raises(CallError, match=r"education\.csv` lacks 2 values of the 3 in column `x`"):
        ladder_of(["9th", "nurse", "smith"], ByFile(str(path)))


def test_a_file_with_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "education.csv"
    path.write_text("a;x;*\nb;x;y\n", encoding="utf-8")
    with pytest.raises(CallError, match=r"AC614.*a label has two parents \(lines 1 and 2\)"):
        ladder_of(["a"], ByFile(str(path)))
    with pytest.raises(CallError, match="AC613"):
        ladder_of(["a"], ByFile(str(tmp_path / "none.csv")))


def test_bands_of_words() -> None:
    with pytest.raises(CallError, match="expected numbers in column `x`, found 1 other value among 2"):
        ladder_of(["a", "3"], ByBands((Decimal(5),)))


values = st.sets(st.integers(-50, 120).map(str) | st.just("*"), min_size=1, max_size=30) | st.sets(
    st.dates().map(str) | st.integers(10_000, 99_999).map(str) | st.text(min_size=1), min_size=1, max_size=30
)


@given(values)
def test_every_ladder_climbs_to_one_label_and_shares_only_grow(texts: set[str]) -> None:
    found = ladder_of(sorted(texts))
    last = found.up[-1] if found.up else (0,)
    assert len(set(last)) == 1
    assert found.sizes[last[0]] == found.rows
    assert all(found.sizes[up] >= found.sizes[label] for level in found.up for label, up in enumerate(level))
    for number, level in enumerate(found.up):
        assert all(found.up[number][up] == up for up in level)
        assert all(
            higher[low] == up for higher in found.up[number:] for low, up in zip(level, higher, strict=True)
        )


@given(st.sets(st.integers(-30, 100), min_size=2, max_size=20), st.sampled_from([2, 5, 10]))
def test_a_size_is_the_number_of_values_with_the_label(numbers: set[int], width: int) -> None:
    texts = [str(number) for number in sorted(numbers)]
    found = ladder_of(texts, ByBands((Decimal(width),)))
    bands = Bands.of(Decimal(width), None, None, integer=True)
    for text, size in sizes(found).items():
        if text not in texts and text != "*":
            assert size == sum(bands.label(each) == text for each in texts)
