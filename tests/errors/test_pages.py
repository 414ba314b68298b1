"""Every page of docs/errors is complete: its example gives the error, and its fix does not."""

import doctest
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import acompass
from acompass.errors.diagnostics import Source
from acompass.language.text.parser import parse_text
from tests.errors.pages import SECTIONS, Page, find_codes, find_diagnostics, pages, paste, replacements
from tests.folding import folded
from tests.text.mistakes import MISTAKES
from tests.text.probability_mistakes import Mistake

PAGES = pages()
#: run by tests/reason, tests/measure, tests/author, tests/assist/studio, tests/cli/test_roles.py and test_keys.py
ELSEWHERE = ("AC413", "AC414", "AC417", "AC5", "AC6", "AC8")
RUNNABLE = [page for page in PAGES if "acompass" in page.example and not page.code.startswith(ELSEWHERE)]
#: pages that depend on the state of the machine; they only show the message
SHOWN = [page for page in PAGES if page not in RUNNABLE and page.shows_output]


@folded("page", PAGES, ids=lambda page: page.code)
def test_every_page_has_its_sections(page: Page) -> None:
    assert tuple(page.sections) == SECTIONS
    assert all(text.strip() for text in page.sections.values())


def test_every_page_has_an_example_that_some_test_runs() -> None:
    rest = [page.code for page in PAGES if page not in RUNNABLE and page not in SHOWN]
    assert all(code.startswith(ELSEWHERE) for code in rest)


@pytest.mark.parametrize("page", RUNNABLE, ids=lambda page: page.code)
def test_the_example_gives_the_error(page: Page, tmp_path: Path) -> None:
    assert page.code in find_codes(page.example, tmp_path)


@pytest.mark.parametrize("page", RUNNABLE, ids=lambda page: page.code)
def test_the_fix_does_not_give_the_error(page: Page, tmp_path: Path) -> None:
    assert page.fix != page.example
    assert page.code not in find_codes(page.fix, tmp_path)


@pytest.mark.parametrize("page", [page for page in RUNNABLE if page.code < "AC1"], ids=lambda page: page.code)
def test_the_fix_of_a_policy_has_no_syntax_error(page: Page, tmp_path: Path) -> None:
    assert not {code for code in find_codes(page.fix, tmp_path) if code < "AC1"}


@folded("page", SHOWN, ids=lambda page: page.code)
def test_an_example_that_is_only_shown_names_the_error(page: Page) -> None:
    assert f"[{page.code}]" in page.sections["Example"]


PASTING_PAGES = [page for page in pages() if page.code < "AC2" and "acompass" in page.example]


@folded("mistake", MISTAKES, ids=lambda each: each.text)
def test_a_pasted_help_leaves_no_mistake(mistake: Mistake) -> None:
    (diagnostic,) = parse_text(mistake.text)[1]
    for replacement in replacements(diagnostic):
        texts = list(paste(mistake.text, diagnostic, replacement))
        assert any(not parse_text(text)[1] for text in texts), (replacement, texts)


@pytest.mark.parametrize("page", PASTING_PAGES, ids=lambda page: page.code)
def test_a_pasted_help_removes_the_error_of_a_page(page: Page, tmp_path: Path) -> None:
    text = page.example["acompass"]
    for diagnostic in find_diagnostics(page.example, tmp_path):
        is_shown = diagnostic.code == page.code and diagnostic.labels
        for replacement in replacements(diagnostic) if is_shown else ():
            texts = list(paste(text, diagnostic, replacement))
            left = [find_codes(page.example | {"acompass": each}, tmp_path) for each in texts]
            assert any(not {c for c in codes if c == page.code or c < "AC1"} for codes in left), (
                replacement,
                texts,
            )


#: pages whose example and fix are calls on these names
CALLED = [page for page in PAGES if page.code in ("AC216", "AC249", "AC250", "AC412")]


def _call(section: str) -> None:
    """Run the statements of a section, in which only the last may fail."""
    names = {"acompass": acompass, "policy": acompass.parse("EACH RESULT : Age <= 80 : REPLACE Age WITH 80;")}
    names["people"] = [{"Age": 54}, {"Age": 82}]
    blocks = _blocks_of_calls(section)
    for number, example in enumerate(blocks, start=1):
        try:
            exec(example.source, names)
        except acompass.AcompassError:
            assert number == len(blocks), example.source
            raise


def _blocks_of_calls(section: str) -> list[doctest.Example]:
    return doctest.DocTestParser().get_examples(section.replace("```", ""))


@pytest.mark.parametrize("page", CALLED, ids=lambda page: page.code)
def test_the_calls_of_a_page_give_the_error_and_those_of_the_fix_do_not(page: Page) -> None:
    with pytest.raises(acompass.AcompassError) as raised:
        _call(page.sections["Example"])
    assert str(raised.value).splitlines()[0] == _blocks_of_calls(page.sections["Example"])[-1].want.strip()
    assert page.code in str(raised.value)
    _call(page.sections["Fix"])


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
def test_an_emoji_is_two_units_and_a_combining_character_is_one(character: str, position: tuple[int, int]) -> None:
    source, offset = Source(EMOJI), EMOJI.index(character)
    assert source.utf16_position(offset) == position
    assert source.utf16_offset(*position) == offset


def test_a_position_inside_a_character_or_beyond_the_line_is_clamped() -> None:
    source = Source("a\U0001f642b\nnext")
    assert source.utf16_offset(0, 2) == 1
    assert source.utf16_offset(0, 99) == 3
    assert source.utf16_offset(9, 0) == len(source.text)


@given(st.text("ab\u0301\U0001f642\U00010000\ud7ff\r\n", max_size=30))
def test_an_offset_converts_to_a_position_and_back(text: str) -> None:
    source = Source(text)
    for offset in range(len(text) + 1):
        line, column = source.utf16_position(offset)
        before = text[:offset]
        is_within_line_end = before.endswith("\r") and text[offset : offset + 1] == "\n"
        assert source.utf16_offset(line, column) == offset - is_within_line_end
        assert column == len(before[source.utf16_offset(line, 0) :].encode("utf-16-le")) // 2
