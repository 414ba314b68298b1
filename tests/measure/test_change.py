"""The change of a column between two tables: what its labels still say, compared with its definition over records."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acompass
from acompass.measure.answer import ColumnChange, TableChange
from tests.length import at_length
from tests.measure.by_definition import csv_table

#: the values of a tree: pairs, then fours, then all
LEVELS: tuple[Callable[[int], str], ...] = (
    str,
    lambda n: f"{n // 2 * 2}-{n // 2 * 2 + 1}",
    lambda n: f"{n // 4 * 4}-{n // 4 * 4 + 3}",
    lambda n: "*",
)


def table_change(after: Sequence[str], before: Sequence[str], **options: object) -> TableChange:
    """The change of a column `x`, in a table with a second column of numbers."""
    tables = [csv_table("x,n", *((text, 1) for text in texts)) for texts in (after, before)]
    found = acompass.measure(tables[0], ["x"], against=tables[1], **options).comparison
    assert found is not None
    return found


def change(after: Sequence[str], before: Sequence[str], **options: object) -> ColumnChange:
    return table_change(after, before, **options).columns[0]


def covered(label: str, values: Sequence[int]) -> set[int]:
    if label == "*":
        return set(values)
    low, _, high = label.partition("-")
    return {n for n in values if int(low) <= n <= int(high or low)}


def lost_by_definition(labels: Sequence[str], values: Sequence[int]) -> float | None:
    """1 − Σ −log2 P(label) / Σ −log2 P(value), with a label for each record that is left."""
    count = Counter(values)
    bits = lambda found: math.log2(len(values) / sum(count[n] for n in found))  # noqa: E731
    original = math.fsum(bits({n}) for n in values)
    return None if not original else 1 - math.fsum(bits(covered(each, values)) for each in labels) / original


@st.composite
def releases(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """Values, and the level of each in a release; 4 for a dropped record."""
    values = draw(st.lists(st.integers(0, 7), min_size=1, max_size=25))
    return values, [draw(st.integers(0, 4)) for _ in values]


def labels_of(values: Sequence[int], levels: Sequence[int]) -> list[str]:
    return [LEVELS[level](n) for n, level in zip(values, levels, strict=True) if level < 4]


@settings(max_examples=at_length(20))
@given(releases())
@pytest.mark.slow
def test_any_release_loses_what_the_definition_says(release: tuple[list[int], list[int]]) -> None:
    values, levels = release
    labels = labels_of(values, levels)
    found = change(labels, list(map(str, values))).information_lost
    expected = lost_by_definition(labels, values)
    assert (found is None) == (expected is None)
    assert found is None or (0 <= found <= 1 and found == pytest.approx(expected, abs=1e-9))


@settings(max_examples=at_length(20))
@given(releases(), st.data())
@pytest.mark.slow
def test_who_generalizes_more_never_loses_less(release: tuple[list[int], list[int]], data: st.DataObject) -> None:
    """Also who suppresses or drops more, in one cell or in all."""
    values, levels = release
    more = [data.draw(st.integers(level, 4)) for level in levels]
    before = list(map(str, values))
    less, most = (change(labels_of(values, each), before).information_lost for each in (levels, more))
    assert (less is None) == (most is None)
    assert less is None or most is None or less <= most + 1e-12


@settings(max_examples=at_length(10))
@given(st.lists(st.sampled_from(["a", "b", "", "*", "12", "x y"]), min_size=1, max_size=12), st.data())
@pytest.mark.slow
def test_no_table_of_values_has_a_share_outside_the_bounds(before: list[str], data: st.DataObject) -> None:
    """Values that were moved, added or swapped are unknown, or lost as much as their bag says."""
    after = data.draw(st.lists(st.sampled_from(["a", "b", "", "*", "12", "10-19", "1*", "new"]), max_size=14))
    found = table_change(after, before)
    for each in (found.information_lost, found.columns[0].information_lost, found.columns[0].distance):
        assert each is None or 0 <= each <= 1


@pytest.mark.parametrize("before", [["a", "b", "b", "c"], ["a", "*", "b"], ["", "a", "b"], ["1", "2", "10"]])
def test_an_unchanged_table_loses_nothing_and_a_suppressed_one_everything(before: list[str]) -> None:
    assert change(before, before).information_lost == 0
    assert change(before, before).distance == 0
    suppressed = change(["*"] * len(before), before)
    assert (suppressed.information_lost, suppressed.values_after, suppressed.distance) == (1, 0, 0)
    assert change([], before).information_lost == 1


def test_suppressing_some_cells_is_a_loss_and_no_new_value() -> None:
    """The entropy of the column grows, from 1 bit to 1.5."""
    found = change(["a", "b", "*", "*"], ["a", "a", "b", "b"])
    assert (found.information_lost, found.values_after) == (0.5, 2)
    assert found.distance == 0


def test_labels_of_several_levels_stand_side_by_side() -> None:
    values = [str(n) for n in range(8)]
    found = change(["0-3", "0-3", "2", "3", "4", "5", "6-7", "6-7"], values)
    assert found.information_lost == pytest.approx((2 * 2 + 2 * 1) / (8 * 3))
    assert found.distance == pytest.approx(0.125)


def test_a_suppressed_group_moves_the_distribution() -> None:
    """Only the values that are left are moved: `*` is divided as before."""
    assert change(["m", "m", "*", "*"], ["m", "m", "f", "f"]).distance == 0.25
    assert change(["m", "m"], ["m", "m", "f", "f"]).distance == 0.5


@pytest.mark.parametrize(
    ("after", "before"),
    [
        (["unknown", "b"], ["a", "b"]),
        (["b", "b"], ["a", "b"]),
        (["a", "b", "b"], ["a", "b"]),
        (["1-5", "1-5"], ["1", "9"]),
        (["1-5", "1", "4-6"], ["1", "6", "9"]),
        (["9***", "1200"], ["1200", "1300"]),
    ],
)
def test_values_that_no_generalization_writes_have_no_share(after: list[str], before: list[str]) -> None:
    found = table_change(after, before)
    assert found.information_lost is None
    assert found.columns[0].to_json()["information_lost"] is None


def test_labels_that_overlap_find_their_records() -> None:
    assert change(["1-5", "4-6", "1"], ["1", "6", "4"]).information_lost is not None
    assert change(["1-5", "4-6", "5-9"], ["5", "5", "9"]).information_lost is not None
    assert change(["1-5", "4-6", "5-8"], ["5", "5", "9"]).information_lost is None


def test_nothing_can_be_lost_of_one_value() -> None:
    assert change(["*", "a"], ["a", "a"]).information_lost is None


def test_a_missing_value_is_suppressed_unless_it_was_missing() -> None:
    before = ["", "a", "b", "b"]
    assert change(["", "a", "b", "b"], before).information_lost == 0
    assert change(["", "", "b", "b"], before).information_lost == change(["", "*", "b", "b"], before).information_lost


def test_prefixes_dates_and_levels_are_read(tmp_path: Path) -> None:
    codes = ["21201", "21202", "21430", "30111"]
    assert change(["2120*", "2120*", "21***", "3****"], codes).information_lost == pytest.approx(
        1 - (2 * 1 + math.log2(4 / 3) + 2) / 8
    )
    days = ["2020-03-04", "2020-04-01", "2021-01-01", "1999-12-31"]
    assert change(["2020", "2020-Q2", "2020s", "1990s"], days).information_lost == pytest.approx(
        1 - (1 + 2 + math.log2(4 / 3) + 2) / 8
    )
    path = tmp_path / "pets.csv"
    path.write_text("cat;furry;*\nfish;wet;*\ndog;furry;*\n", encoding="utf-8")
    pets = ["cat", "dog", "fish", "cat"]
    assert change(["furry", "wet", "furry", "cat"], pets).information_lost is None
    found = change(["furry", "wet", "furry", "cat"], pets, hierarchies={"x": path})
    assert found.information_lost == pytest.approx(1 - (2 * math.log2(4 / 3) + 2 + 1) / (2 + 2 + 1 + 1))


@pytest.mark.parametrize(
    ("line", "is_known"),
    [
        ("ALWAYS : REPLACE x WITH '*';", True),
        ("ALWAYS : GENERALIZE x TO BANDS OF 2;", True),
        ("ALWAYS : GENERALIZE x TO NEAREST 4;", True),
        ("EACH RESULT : x = 3 : REPLACE x WITH '1-2';", True),
        ("EACH RESULT : x = 3 : REPLACE x WITH '3-4';", False),
        ("ALWAYS : REPLACE x WITH 3;", False),
        ("ALWAYS : RANDOM x 1 3;", False),
        ("ALWAYS : MICROAGGREGATE x BY 2;", False),
    ],
)
def test_the_policy_says_which_values_are_labels(line: str, is_known: bool, tmp_path: Path) -> None:
    table, released = tmp_path / "before.csv", tmp_path / "after.csv"
    table.write_text("x\n1\n2\n3\n3\n", encoding="utf-8")
    acompass.run(line, table, output=released, seed="a seed")
    measures = acompass.measure(released, ["x"], against=table, policy=line)
    assert measures.comparison is not None
    assert (measures.comparison.information_lost is not None) == is_known


def test_the_table_adds_the_bits_of_its_quasi_identifiers() -> None:
    before = csv_table("x,y", ("a", "c"), ("b", "d"), ("a", "e"), ("b", "f"))
    after = csv_table("x,y", ("*", "c"), ("*", "d"), ("*", "e"), ("*", "f"))
    found = acompass.measure(after, ["x", "y"], against=before).comparison
    assert found is not None
    assert (found.information_before, found.information_left) == (3, 2)
    assert found.information_lost == pytest.approx(1 / 3)
