"""The levels of a column: labels as GENERALIZE writes them, and the number of hierarchy rows with each label."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acompass.errors.diagnostics import CallError
from acompass.language.program.bands import Bands
from acompass.language.program.hierarchies import Hierarchy, hierarchy_text, parse_hierarchy
from acompass.language.text.tree import BandsOf, DatePart, DateUnit, LevelOf, Number, PrefixOf, String
from acompass.measure.answer import column_loss, total_loss
from acompass.measure.hierarchy import ByBands, ByDate, ByFile, ByPrefix, Spec, Values, parse_spec, rows
from acompass.measure.levels import ColumnLevels, choose, column_levels, cuts_of_equal_count, cuts_of_equal_width

EDUCATION = "9th;school;Any\n10th;school;Any\nBachelors;degree;Any\n"


def levels_for(texts: Sequence[str], spec: Spec | None = None) -> ColumnLevels:
    return column_levels(Values("x", tuple(texts)), spec)


def labels_at(found: ColumnLevels, level: int) -> dict[str, str]:
    return {text: found.labels[found.up[level - 1][place]] for place, text in enumerate(found.labels)}


def sizes(found: ColumnLevels) -> dict[str, int]:
    return dict(zip(found.labels, found.sizes, strict=True))


def constant(number: int) -> Number:
    return Number(Decimal(number))


def test_bands_are_levels_of_numbers() -> None:
    found = levels_for(["20", "23", "27", "41"], ByBands((Decimal(5), Decimal(20))))
    assert [each.tree for each in found.maps] == [BandsOf(constant(5)), BandsOf(constant(20)), None]
    assert found.labels[: found.values] == ("20", "23", "27", "41")
    assert labels_at(found, 1)["23"] == "20-24"
    assert labels_at(found, 2) == {
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
    assert set(labels_at(found, 3).values()) == {"*"}
    assert found.rows == 4
    assert sizes(found) | {"20-24": 2, "20-39": 3, "41": 1, "40-59": 1, "*": 4} == sizes(found)
    assert found.words == "numbers, bands of 5 and 20"


def test_prefixes_are_levels_of_codes() -> None:
    found = levels_for(["21201", "21202", "90210"], ByPrefix((4, 2)))
    assert [each.tree for each in found.maps] == [PrefixOf(constant(4)), PrefixOf(constant(2)), None]
    assert sizes(found)["2120*"] == 2
    assert found.words == "codes, prefixes of 4 and 2"


def test_units_are_levels_of_dates() -> None:
    found = levels_for(["2018-03-01", "2018-04-01", "2021-04-01"], ByDate())
    units = [DateUnit.MONTH, DateUnit.QUARTER, DateUnit.YEAR, DateUnit.DECADE]
    assert [each.tree for each in found.maps] == [*map(DatePart, units), None]
    assert labels_at(found, 3)["2018-Q1"] == "2018"
    assert sizes(found) | {"2018": 2, "2018-Q1": 1} == sizes(found)


def test_values_of_no_recognized_form_can_only_become_stars() -> None:
    found = levels_for(["a", "b"])
    assert (len(found.maps), found.labels, found.up, found.sizes) == (
        1,
        ("a", "b", "*"),
        ((2, 2, 2),),
        (1, 1, 2),
    )
    assert found.words == "2 values, only level `*`"


def test_a_file_gives_its_levels(tmp_path: Path) -> None:
    path = tmp_path / "education.csv"
    path.write_text(EDUCATION, encoding="utf-8")
    found = levels_for(["10th", "Bachelors"], ByFile(str(path)))
    level = LevelOf(constant(1), String(str(path)), String("*"))
    assert [each.tree for each in found.maps] == [
        level,
        LevelOf(constant(2), String(str(path)), String("*")),
    ]
    assert found.labels == ("10th", "Bachelors", "school", "degree", "Any")
    assert (found.sizes, found.rows) == ((1, 1, 2, 1, 3), 3)
    assert found.words == f"levels 1 and 2 of {path}"


def test_a_file_that_ends_in_stars_ends_in_replace(tmp_path: Path) -> None:
    path = tmp_path / "education.csv"
    path.write_text("9th;school;*;*\nBachelors;degree;*;*\n", encoding="utf-8")
    found = levels_for(["9th", "Bachelors"], ByFile(str(path)))
    assert len(found.maps) == 2
    assert found.maps[-1].tree is None


def test_a_file_whose_top_level_has_labels_gets_a_level_of_stars(tmp_path: Path) -> None:
    path = tmp_path / "education.csv"
    path.write_text("9th;school\nBachelors;degree\n", encoding="utf-8")
    found = levels_for(["9th"], ByFile(str(path)))
    assert [each.map.label("9th") for each in found.maps] == ["school", "*"]


def test_stars_of_the_table_are_the_coarsest_label(tmp_path: Path) -> None:
    path = tmp_path / "education.csv"
    path.write_text(EDUCATION, encoding="utf-8")
    found = levels_for(["*", "9th"], ByFile(str(path)))
    assert labels_at(found, 2) | {"9th": "Any", "*": "*"} == labels_at(found, 2)
    assert set(labels_at(found, 3).values()) == {"*"}
    assert levels_for(["*"]).maps == ()
    assert levels_for(["*", "a", "b"]).rows == 2
    assert sizes(levels_for(["*", "a", "b"]))["*"] == 2


def test_levels_that_change_nothing_are_left_out() -> None:
    found = levels_for(["10", "20"], ByBands((Decimal(5), Decimal(10), Decimal(100))))
    assert [each.tree for each in found.maps] == [BandsOf(constant(5)), BandsOf(constant(10)), None]
    found = levels_for(["10", "11", "27"], ByBands((Decimal(2), Decimal(2), Decimal(20))))
    assert [each.tree for each in found.maps] == [BandsOf(constant(2)), BandsOf(constant(20)), None]


def test_a_file_must_contain_the_values_of_the_table(tmp_path: Path) -> None:
    path = tmp_path / "education.csv"
    path.write_text(EDUCATION, encoding="utf-8")
    with pytest.raises(CallError, match=r"education\.csv` lacks 2 values of the 3 in column `x`"):
        levels_for(["9th", "nurse", "smith"], ByFile(str(path)))


def test_a_file_with_a_problem_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "education.csv"
    path.write_text("a;x;*\nb;x;y\n", encoding="utf-8")
    with pytest.raises(CallError, match=r"AC614.*a label has two parents \(lines 1 and 2\)"):
        levels_for(["a"], ByFile(str(path)))
    with pytest.raises(CallError, match="AC613"):
        levels_for(["a"], ByFile(str(tmp_path / "none.csv")))


def test_bands_of_words_are_rejected() -> None:
    with pytest.raises(CallError, match="expected numbers in column `x`, found 1 other value among 2"):
        levels_for(["a", "3"], ByBands((Decimal(5),)))


values = st.sets(st.integers(-50, 120).map(str) | st.just("*"), min_size=1, max_size=30) | st.sets(
    st.dates().map(str) | st.integers(10_000, 99_999).map(str) | st.text(min_size=1), min_size=1, max_size=30
)


@given(values)
def test_the_last_level_has_one_label_and_shares_only_grow(texts: set[str]) -> None:
    found = levels_for(sorted(texts))
    last = found.up[-1] if found.up else (0,)
    assert len(set(last)) == 1
    assert found.sizes[last[0]] == found.rows
    assert all(found.sizes[up] >= found.sizes[label] for level in found.up for label, up in enumerate(level))
    for number, level in enumerate(found.up):
        assert all(found.up[number][up] == up for up in level)
        assert all(higher[low] == up for higher in found.up[number:] for low, up in zip(level, higher, strict=True))


@given(st.sets(st.integers(-30, 100), min_size=2, max_size=20), st.sampled_from([2, 5, 10]))
def test_a_size_is_the_number_of_values_with_the_label(numbers: set[int], width: int) -> None:
    texts = [str(number) for number in sorted(numbers)]
    found = levels_for(texts, ByBands((Decimal(width),)))
    bands = Bands.of(Decimal(width), None, None, integer=True)
    for text, size in sizes(found).items():
        if text not in texts and text != "*":
            assert size == sum(bands.label(each) == text for each in texts)


def choice_words(texts: Sequence[str]) -> str:
    return choose(Values("x", tuple(texts))).words


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (list(map(str, range(17, 91))), "numbers, bands of 5, 10 and 20"),
        ([*map(str, range(17, 91)), "*"], "numbers, bands of 5, 10 and 20"),
        (list(map(str, range(1, 41))), "numbers, bands of 2, 10 and 20"),
        (list(map(str, range(10))), "numbers, bands of 2"),
        (list(map(str, range(1_000, 90_000, 1_000))), "numbers, bands of 5000, 10000 and 20000"),
        ([f"{n / 10}" for n in range(30)], "numbers, bands of 0.2, 1 and 2"),
        (["1e300", *map(str, range(20))], f"numbers, bands of 5{'0' * 298}, 1{'0' * 299} and 2{'0' * 299}"),
        (
            [f"1.{'0' * n}" for n in range(1, 12)],
            "11 values of no recognized form, only level `*`; add levels by hand",
        ),
        (list(map(str, range(9))), "9 values of no recognized form, only level `*`; add levels by hand"),
        (list(map(str, range(21201, 21290))), "codes of one length, prefixes of 4, 3 and 2"),
        ([f"{n:05}" for n in range(2139, 2160)], "codes of one length, prefixes of 4, 3 and 2"),
        ([f"A{n:02}" for n in range(20)], "codes of one length, prefixes of 2 and 1"),
        ([f"C50.{n:08}" for n in range(20)], "codes of one length, prefixes of 9, 6 and 3"),
        ([f"2018-03-{n:02}" for n in range(1, 32)], "dates, month, quarter, year and decade"),
        (["2018-03", "2018-04"], "dates, quarter, year and decade"),
        (["2010s", "2020s"], "2 values of no recognized form, only level `*`; add levels by hand"),
        (["2018-02-30", "2018-03-01"], "2 values of no recognized form, only level `*`; add levels by hand"),
        (["red", "tan"], "2 values of no recognized form, only level `*`; add levels by hand"),
        (["*"], "1 value of no recognized form, only level `*`; add levels by hand"),
    ],
)
def test_the_values_decide_the_levels(texts: list[str], words: str) -> None:
    assert choice_words(texts) == words


texts = (
    st.text(min_size=1)
    | st.integers().map(str)
    | st.integers(10_000, 99_999).map(str)
    | st.floats(allow_nan=False).map(repr)
    | st.dates().map(str)
    | st.sampled_from(["*", ";", '"', "a\rb", "\ufeff", "30-34", "212**"])
)


@given(st.sets(texts, min_size=1, max_size=30) | st.sets(st.integers().map(str), min_size=12, max_size=30))
def test_every_chosen_hierarchy_is_read_back_without_problems(found: set[str]) -> None:
    values = Values("x", tuple(sorted(text for text in found if "\x00" not in text)) or ("a",))
    choice = choose(values)
    written = rows(values, choice.maps, choice.kind)
    read = parse_hierarchy(hierarchy_text(written).encode("utf-8", "surrogatepass"))
    assert isinstance(read, Hierarchy), read
    assert read.rows == written
    assert {row[-1] for row in read.rows} == {"*"}


def test_values_lose_nothing_and_stars_everything() -> None:
    assert column_loss(Fraction(10, 4), 10, 4) == 0
    assert column_loss(10, 10, 4) == 1
    assert column_loss(0.2 * 10, 10, 5) == pytest.approx(0)


def test_the_mean_share_is_scaled() -> None:
    shares = 3 * Fraction(1, 4) + 2 * Fraction(2, 4) + 1
    assert column_loss(shares, 6, 4) == pytest.approx((2.75 / 6 - 0.25) / 0.75)


def test_a_single_value_or_no_record_loses_nothing() -> None:
    assert column_loss(5, 5, 1) == 0
    assert column_loss(0, 0, 7) == 0


def test_the_total_is_a_geometric_mean() -> None:
    assert total_loss([0.0, 0.0]) == 0
    assert total_loss([1.0, 1.0, 1.0]) == pytest.approx(1)
    assert total_loss([0.0, 1.0]) == pytest.approx(2**0.5 - 1)


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("bands:5,10, 20", ByBands((Decimal(5), Decimal(10), Decimal(20)))),
        ("bands:0.5", ByBands((Decimal("0.5"),))),
        ("prefix:4,2", ByPrefix((4, 2))),
        ("dates", ByDate()),
        ("./dates", ByFile("./dates")),
        ("age.csv", ByFile("age.csv")),
        ("C:\\hierarchies\\age.csv", ByFile("C:\\hierarchies\\age.csv")),
    ],
)
def test_a_spec_is_parsed(text: str, spec: Spec) -> None:
    assert parse_spec(text) == spec


@pytest.mark.parametrize("text", ["bands:", "bands:five", "bands:-5", "prefix:1.5", "prefix:"])
def test_a_spec_without_numbers_is_rejected(text: str) -> None:
    with pytest.raises(CallError, match=r"AC610\W+expected .* between commas, found `(bands|prefix):"):
        parse_spec(text)


@pytest.mark.parametrize("name", ["zip", "ZIP code", "Icd10", "occucode", "fips_cd"])
def test_numbers_that_are_codes_by_their_name_are_never_in_bands(name: str) -> None:
    """ZIP codes without leading zeros, occupation codes: the numbers between two codes mean nothing."""
    found = column_levels(Values(name, tuple(str(n) for n in range(900, 21_000, 700))))
    assert [each.tree for each in found.maps] == [None]


def test_short_codes_of_one_length_have_prefixes_if_the_name_says_that_they_are_codes() -> None:
    numbers = tuple(str(n) for n in range(100, 400, 10))
    assert column_levels(Values("occupation code", numbers)).words == "codes, prefixes of 2 and 1"
    assert column_levels(Values("score", numbers)).words.startswith("numbers, bands of")


@given(
    st.dictionaries(st.decimals(-1000, 1000, places=2), st.integers(1, 9), min_size=1, max_size=40),
    st.integers(2, 8),
)
def test_bands_of_equal_count_differ_by_at_most_two_halves_of_a_value(numbers: dict[Decimal, int], count: int) -> None:
    """A band can only be cut between two numbers: at each end, half of the most frequent number may be on the wrong
    side."""
    cuts = cuts_of_equal_count(numbers, count)
    assert list(cuts) == sorted(set(cuts))
    assert len(cuts) < count
    if not cuts:
        return
    bands = Bands.at(cuts, integer=False)
    held: dict[str, int] = {}
    for number, records in numbers.items():
        label = bands.label(f"{number:f}")
        assert label is not None
        held[label] = held.get(label, 0) + records
    assert len(held) == len(cuts) + 1, "no band is empty"
    if len(cuts) == count - 1:
        assert max(held.values()) <= sum(numbers.values()) / count + max(numbers.values())


def test_boundaries_are_round_and_between_the_numbers() -> None:
    ages = {Decimal(age): 1 for age in (18, 19, 37, 38, 61, 66)}
    assert cuts_of_equal_count(ages, 3) == (Decimal(30), Decimal(60))
    assert cuts_of_equal_count({Decimal("-3.25"): 1, Decimal("0.75"): 1}, 2) == (Decimal(0),)
    assert cuts_of_equal_count({Decimal(5): 9}, 4) == ()
    assert cuts_of_equal_width(Decimal("-1.2"), Decimal("3.4"), 4, integer=False) == tuple(
        map(Decimal, ("0", "1.1", "2.2"))
    )
    assert cuts_of_equal_width(Decimal(0), Decimal(2), 5, integer=True) == (Decimal(1), Decimal(2))
