"""Diagnostics are rendered as text and as data."""

import json

from hypothesis import given
from hypothesis import strategies as st

from acompass.errors.diagnostics import Diagnostic, Label, Severity, Span
from acompass.errors.display import display_width, printable_text
from acompass.errors.rendering import render_json, render_text
from acompass.language.text.parser import parse_text


def test_the_place_of_an_error_is_underlined() -> None:
    source = "EACH RESULT\n : Age == 80;\n"
    assert render_text(parse_text(source)[1], source, "policy.acp") == (
        "error[AC031]: unknown comparison operator `==`\n"
        " --> policy.acp:2:8\n"
        "  |\n"
        "2 |  : Age == 80;\n"
        "  |        ^^\n"
        "  = help: write `Age = 80`\n"
        "  = see: acompass explain AC031"
    )


def test_tabs_and_wide_characters_keep_the_marks_in_place() -> None:
    source = "EACH RESULT\n\t: 東京 == 80;"
    lines = render_text(parse_text(source)[1], source).splitlines()
    assert lines[3] == "2 |     : 東京 == 80;"
    assert lines[4] == "  |           " + " " + "^^"


def test_both_places_are_shown_in_the_order_of_the_text() -> None:
    source = "one\ntwo\nthree\nfour five\n"
    labels = (Label(Span(14, 18), "text here"), Label(Span(0, 3), "a number there"), Label(Span(19, 23)))
    diagnostic = Diagnostic("AC118", "they disagree", labels, "mend\none", Severity.WARNING)
    assert render_text([diagnostic], source, "p.acp") == (
        "warning[AC118]: they disagree\n"
        " --> p.acp:4:1\n"
        "  |\n"
        "1 | one\n"
        "  | --- a number there\n"
        "...\n"
        "4 | four five\n"
        "  | ^^^^ text here\n"
        "  |      ----\n"
        "  = help: mend\n"
        "          one\n"
        "  = see: acompass explain AC118"
    )


def test_a_place_that_spans_lines_says_where_it_ends() -> None:
    assert "  | ^^^^^ … to line 3\n" in render_text(
        [Diagnostic("AC101", "long", (Label(Span(0, 14)),))], "EACH \nRESULT\n : a"
    )


def test_without_a_source_there_is_no_excerpt() -> None:
    diagnostic = Diagnostic("AC201", "no such table `x`", help="look")
    text = "error[AC201]: no such table `x`\n  = help: look\n  = see: acompass explain AC201"
    assert render_text([diagnostic]) == text


def test_a_long_line_is_shown_in_part() -> None:
    source = "x" * 10_000 + "!" + "y" * 10_000
    lines = render_text([Diagnostic("AC001", "m", (Label(Span(10_000, 10_001)),))], source).splitlines()
    assert max(map(len, lines)) < 300
    assert lines[4].index("^") == lines[3].index("!")


def test_colors_add_nothing_but_colors() -> None:
    import re

    source = "EACH RESULT : Age == 1;"
    colored = render_text(parse_text(source)[1], source, "p", color=True)
    assert "\x1b[1;31m" in colored
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == render_text(parse_text(source)[1], source, "p")


def test_lines_and_columns_of_data_count_from_one() -> None:
    source = "EACH RESULT\r\n : Age == 1;"
    (data,) = render_json(parse_text(source)[1], source, "p.acp")
    assert (data["code"], data["severity"], data["file"]) == ("AC031", "error", "p.acp")
    assert data["labels"] == [{"line": 2, "column": 8, "end_line": 2, "end_column": 10, "text": ""}]
    json.dumps(data)


@given(st.text(), st.text(), st.lists(st.tuples(st.integers(-5, 50), st.integers(-5, 50)), max_size=3))
def test_rendered_text_never_moves_the_cursor(source: str, words: str, places: list[tuple[int, int]]) -> None:
    labels = tuple(Label(Span(start, end), words) for start, end in places)
    diagnostic = Diagnostic("AC001", words, labels, words)
    text = render_text([diagnostic], source, words)
    assert all(character == "\n" or printable_text(character) == character for character in text)
    text.encode("utf-8")
    render_json([diagnostic], source, words)


def test_width_is_counted_as_in_a_terminal() -> None:
    assert [display_width(text) for text in ("abc", "東京", "e\u0301", "")] == [3, 4, 1, 0]
