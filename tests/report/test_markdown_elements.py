"""No text breaks out of its place in Markdown: rendered, it is the same text again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acompass.report.markdown.elements import (
    Markdown,
    bullets,
    code,
    document,
    heading,
    lines,
    marked,
    prose,
    table,
)
from acompass.report.words import on_one_line
from tests.report.rendered import rendered

#: letters that Markdown gives a meaning, alone and next to each other
HOSTILE = st.text(st.sampled_from("`|\\<>[]()*_~#&!-+=:/.$@'\"{}1w \n\r\t\x00\x07\u202eä"), max_size=12)
WORDS = HOSTILE | st.sampled_from(
    [
        "<img src=x onerror=alert(1)>",
        "</table><script>alert(1)</script>",
        "[click](https://example.org)",
        "![](https://example.org/x.png)",
        "https://example.org www.example.org",
        "a | b",
        "a \\| b",
        "ends with \\",
        "``` fenced",
        "`one` ``two`` `",
        "- item\n# heading\n> quote\n1. first\n---\n===\n***",
        "&lt;b&gt; &#124;",
    ]
)


def _without_pairs(text: str) -> str:
    """What a reader sees of prose: pairs of backticks around something are shown as code."""
    return text.replace("`", "")


@given(WORDS)
def test_code_shows_exactly_its_text(text: str) -> None:
    found = rendered(document(["before", code(text), "after"]))
    assert found.surprises == []
    assert found.paragraphs == ["before", *filter(None, [on_one_line(text)]), "after"]
    if on_one_line(text):
        assert [child.type for child in found.tokens[4].children or ()] == ["code_inline"]


@given(WORDS)
def test_prose_shows_its_text_and_nothing_else(text: str) -> None:
    for block in (prose(text), heading(2, text), bullets([text]), marked(True, text)):
        found = rendered(document([block]))
        assert found.surprises == []
        seen = "".join([*found.headings, *found.paragraphs]).removeprefix("✅")
        assert _spaceless(_without_pairs(seen)) == _spaceless(_without_pairs(on_one_line(text)))


def _spaceless(text: str) -> str:
    """Without the character that keeps GitHub from linking an address."""
    return "".join(text.replace("\u2060", "").split())


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=3))
def test_a_table_keeps_each_text_in_its_cell(names: list[tuple[str, str]]) -> None:
    rows = [(code(name), prose(words), lines([words, name]), "end") for name, words in names]
    found = rendered(document([table([("a", "b", "c", "d"), *rows])]))
    assert found.surprises == []
    seen = found.table("a", "b", "c", "d")
    assert [row[0] for row in seen] == [on_one_line(name) for name, _ in names]
    assert [row[3] for row in seen] == ["end"] * len(names)
    for row, (_, words) in zip(seen, names, strict=True):
        assert _spaceless(_without_pairs(row[1])) == _spaceless(_without_pairs(on_one_line(words)))


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("unknown column `Post code`", "unknown column `Post code`"),
        ("`a``b`", "`a``b`"),
        ("a lone ` and <b>", r"a lone \` and \<b\>"),
        ("see http://example.org", r"see http\://example.org"),
        ("ada@example.org, @ada", "ada@\u2060example.org, @\u2060ada"),
        ("`@ada`", "`@ada`"),
        ("1. first", r"1\. first"),
        ("0.375", "0.375"),
        ("- no list", r"\- no list"),
    ],
)
def test_prose_is_escaped_no_more_than_necessary(text: str, markdown: str) -> None:
    assert prose(text) == markdown


def test_markdown_is_not_escaped_again() -> None:
    assert prose(Markdown("**bold** `a`")) == "**bold** `a`"


def test_code_with_backticks_has_longer_marks() -> None:
    assert code("a `` b") == "```a `` b```"
    assert code("`a`") == "`` `a` ``"
    assert code("  ") == ""
