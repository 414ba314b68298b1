"""The outline of a policy, and the places of its names."""

import pytest

from acompass.assist.document import Document
from acompass.assist.names import definition, references, symbols
from acompass.diagnostics import Span
from tests.assist.people import POLICY

TWO = """\
EACH PROCESS COUNT(*) AS n GROUP BY Age : n >= k : REJECT;
EACH PROCESS COUNT(*) AS n WHERE n <= 'n' GROUP BY Zip : N >= k OR n = 3 : REPLACE n WITH k; -- n k
"""


def texts(text: str, spans: tuple[Span, ...]) -> list[str]:
    return [text[span.start : span.end] for span in spans]


def test_symbols() -> None:
    first, second = symbols(Document(POLICY))
    assert (first.name, first.kind, first.detail) == ("ALWAYS", "requirement", "DROP Name")
    assert second.name.startswith("EACH PROCESS COUNT(*) AS n")
    assert second.detail == "GENERALIZE Age TO BANDS OF 10 THEN REJECT"
    assert [(each.name, each.kind) for each in second.children] == [
        ("n", "name"),
        ("l", "name"),
        ("k", "parameter"),
    ]
    assert second.children[0].detail == "COUNT(*)"
    assert second.children[1].detail == "COUNT DISTINCT(Illness)"


def test_symbols_of_a_text_that_does_not_parse() -> None:
    assert [each.detail for each in symbols(Document("EACH RESULT;\n" + TWO))] == [
        "REJECT",
        "REPLACE n WITH k",
    ]


def test_an_as_name_is_seen_only_after_its_own_process() -> None:
    """Not in WHERE, not by the action, not in another requirement, not in a text or a comment."""
    document, second = Document(TWO), TWO.index("\n") + 1
    at = TWO.index("AS n", second) + 3
    found = references(document, at)
    assert texts(TWO, found) == ["n", "N", "n"]
    assert found[0].start == at
    assert [span.start for span in found[1:]] == [TWO.index("N >="), TWO.index("n = 3")]
    assert definition(document, TWO.index("n = 3")) == Span(at, at + 1)
    assert definition(document, TWO.index("WHERE n") + 6) is None
    assert definition(document, TWO.index("REPLACE n") + 8) is None


def test_a_parameter_is_seen_everywhere() -> None:
    document = Document(TWO)
    found = references(document, TWO.index("WITH k") + 5)
    assert texts(TWO, found) == ["k"] * 3
    assert definition(document, found[2].start) == found[0]


@pytest.mark.parametrize("word", ["EACH", "Age", "'n'", "-- n"])
def test_other_words_have_no_definition(word: str) -> None:
    at = TWO.index(word) + 1
    assert definition(Document(TWO), at) is None
    assert references(Document(TWO), at) == ()
