"""Hierarchy files (X2): how they are read, and the problems that are found."""

from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acompass.language.program.hierarchies import Hierarchy, Problem, parse_hierarchy, read_hierarchy
from tests.repo.sources import ROOT

ADULT = ROOT / "examples" / "adult" / "hierarchies"


def parse_rows(text: str) -> tuple[tuple[str, ...], ...]:
    hierarchy = parse_hierarchy(text.encode())
    assert isinstance(hierarchy, Hierarchy), hierarchy
    return hierarchy.rows


def parse_problems(text: str) -> list[tuple[str, tuple[int, ...]]]:
    found = parse_hierarchy(text.encode())
    assert isinstance(found, tuple)
    return [(problem.message, problem.lines) for problem in found]


@pytest.mark.parametrize("path", sorted(ADULT.glob("*.csv")), ids=lambda path: path.name)
def test_the_hierarchies_of_adult_have_no_problem(path: Path) -> None:
    hierarchy = read_hierarchy(path)
    assert isinstance(hierarchy, Hierarchy)
    assert hierarchy.digest == sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_delimiter_is_found(delimiter: str, end: str) -> None:
    lines = [delimiter.join(row) for row in (("a b", "x", "*"), ("c", "y", "*"))]
    assert parse_rows(end.join(lines) + end) == (("a b", "x", "*"), ("c", "y", "*"))


def test_commas_in_labels_are_not_the_delimiter() -> None:
    assert parse_rows("0.1;[0,5);[0,10);*\n7;[5,10);[0,10);*\n")[0] == ("0.1", "[0,5)", "[0,10)", "*")


def test_semicolons_in_values_are_not_the_delimiter() -> None:
    assert parse_rows("a;b,x,*\nc;d,x,*\n")[0] == ("a;b", "x", "*")


def test_quotes_a_byte_order_mark_and_empty_lines_are_read() -> None:
    assert parse_rows('\ufeff"a;""b""";x\n\n"two\nlines";y\n') == (('a;"b"', "x"), ("two\nlines", "y"))


def test_equal_rows_in_other_bytes_are_an_equal_hierarchy() -> None:
    one, other = parse_hierarchy(b"a;*\n"), parse_hierarchy(b"a,*\r\n")
    assert one == other
    assert isinstance(one, Hierarchy)
    assert isinstance(other, Hierarchy)
    assert one.digest != other.digest


def test_rows_with_a_label_are_counted() -> None:
    hierarchy = Hierarchy((("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*")), digest="")
    assert [hierarchy.rows_with(*each) for each in [("a", 0), ("x", 1), ("y", 1), ("*", 2), ("x", 2)]] == [
        1,
        2,
        1,
        3,
        0,
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", [("the hierarchy has no rows", ())]),
        ("\n\n", [("the hierarchy has no rows", ())]),
        ("a\nb\n", [("the hierarchy has no levels: its rows have one cell each", ())]),
        ("a;x;*\nb;*\nc;x;*\n", [("the row has 2 cells where most have 3", (2,))]),
        ("a;x;*\nb\nc;x;*\n", [("the row has 1 cell where most have 3", (2,))]),
        ("a;;*\nb;x;*\n;;*\n", [("level 1 is empty", (1,)), ("the value and level 1 are empty", (3,))]),
        ("a;x;*\nb;x;*\na;x;*\n", [("duplicate value `a`", (1, 3))]),
        ("a;x;y\nb;x;z\nc;x;z\n", [("`x` of level 1 has two parents, `y` and `z`", (1, 2))]),
        ("a;*;x\n", [("`*` must be the last label, but `x` follows at level 2", (1,))]),
        (
            "a;x;*\nb;a;*\n",
            [("`a` is at level 1, but as a value it becomes `x` there", (2, 1))],
        ),
        (
            "a;b;x;*\nc;x;y;*\n",
            [("`x` is at level 2, but as a label of level 1 it becomes `y` there", (1, 2))],
        ),
        ('a;x\n"b;y\n', [("a quoted cell is not closed, or text follows its closing quote", (2,))]),
        ('a;x\n"b"c;y\n', [("a quoted cell is not closed, or text follows its closing quote", (2,))]),
    ],
)
def test_a_file_has_these_problems(text: str, found: list[tuple[str, tuple[int, ...]]]) -> None:
    assert parse_problems(text) == found


def test_all_problems_are_found_at_once() -> None:
    lines = [lines for _, lines in parse_problems("a;x;y\nb;x;z\nb;;y\nc;y\n")]
    assert lines == [(1, 2), (3,), (2, 3), (4,)]


def test_a_file_that_is_not_in_utf_8_is_rejected() -> None:
    assert parse_hierarchy("a;x\nä;y\n".encode("latin-1")) == (Problem("the hierarchy is not in UTF-8", (2,)),)


def test_a_missing_file_raises(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_hierarchy(tmp_path / "none.csv")


@given(st.binary())
def test_any_bytes_are_a_hierarchy_or_have_problems(data: bytes) -> None:
    found = parse_hierarchy(data)
    assert isinstance(found, Hierarchy) or len(found) > 0
