"""What may come next in an unfinished policy. tests/assist has the cases that a user sees."""

import pytest

from acompass.syntax.expected import expected_after


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        ("", {"EACH", "SOME", "ALWAYS"}),
        (
            "EACH RESULT : a = 1 : RANDOM a low high ",
            {"SEMICOLON", "THEN", "WORD", "NUMBER", "PARAMETER", "FROM"},
        ),
        ("EACH RESULT : a = 1 : WITH ", {"PROBABILITY"}),
        ("ALWAYS : WITH PROBABILITY ", {"NUMBER"}),
        (
            "ALWAYS : WITH PROBABILITY 0.5 ",
            {"REJECT", "REPLACE", "RANDOM", "GENERALIZE"},
        ),
        ("ALWAYS : RANDOM a FROM (", {"NUMBER", "STRING", "PARAMETER"}),
        ("ALWAYS : RANDOM a FROM (3 ", {"OF", "COMMA", "RPAR"}),
        ("ALWAYS : RANDOM a FROM (3 OF ", {"NUMBER", "STRING", "PARAMETER"}),
        ("ALWAYS : RANDOM a FROM (3 OF 'x', y ", {"COMMA", "RPAR"}),
        ("ALWAYS : RANDOM a FROM ('x') ", {"THEN", "SEMICOLON"}),
        ("EACH RESULT : a >= ", {"NUMBER", "STRING", "PARAMETER"}),
        ("EACH RESULT : a NOT ", {"IN", "BETWEEN", "LIKE"}),
        ("EACH RESULT : GROUP ", set()),
        ("EACH PROCESS COUNT(*) AS n GROUP ", {"BY"}),
        ("ALWAYS : DROP a ", {"WORD", "COMMA", "THEN", "SEMICOLON"}),
    ],
)
def test_accepted(text: str, accepted: set[str]) -> None:
    assert expected_after(text).accepted == accepted


def test_the_words_of_a_name_that_goes_on() -> None:
    words = expected_after("ALWAYS : GENERALIZE Postal code ").words_before
    assert [word.text for word in words] == ["Postal", "code"]
    assert expected_after("EACH RESULT : a = ").words_before == ()
