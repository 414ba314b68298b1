"""Each mistake has its code, its place and its help, and its message follows the style of the project."""

import re

import pytest

from acompass.diagnostics.codes import CODES
from acompass.syntax.parse import parse
from tests.syntax.mistakes import MISTAKES, Mistake


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.text)
def test_mistake(mistake: Mistake) -> None:
    program, (diagnostic,) = parse(mistake.text)
    start, end = diagnostic.labels[0].span.start, diagnostic.labels[0].span.end
    assert Mistake(mistake.text, diagnostic.code, mistake.text[start:end], diagnostic.help or "") == mistake
    assert bool(program.requirements) == (diagnostic.code == "AC010")


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.text)
def test_messages_are_in_the_house_style(mistake: Mistake) -> None:
    _, (diagnostic,) = parse(mistake.text)
    prose = re.sub(r"`[^`]*`", "", diagnostic.message)
    assert not re.search(r"\b(you|your|token|Token|None|lark)\b", prose)
    assert not diagnostic.message.endswith(".")
    assert prose.replace("SQL", "").replace("COMPASS", "").replace("A-", "").islower()


def test_every_code_of_a_policy_text_is_among_them() -> None:
    about_other_languages = {"AC060", "AC061"}
    expected = {code for code in CODES if code < "AC1"} - about_other_languages
    assert {mistake.code for mistake in MISTAKES} == expected


def test_all_mistakes_in_one_policy_are_all_reported() -> None:
    """Except for open quotes, which the next quote below would close."""
    open_quotes = ("AC002", "AC003")
    whole = [each for each in MISTAKES if each.text.endswith(";") and each.code not in open_quotes]
    _, diagnostics = parse("\n".join(mistake.text for mistake in whole))
    assert [diagnostic.code for diagnostic in diagnostics] == [mistake.code for mistake in whole]
