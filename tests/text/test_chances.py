"""WITH PROBABILITY and RANDOM … FROM as text: trees, canonical text, limits and fixes (docs/language.md, X5-X7)."""

from decimal import Decimal

import pytest

from acompass.errors.diagnostics import fix_safely
from acompass.language.mistakes.habits import beyond_paper
from acompass.language.text import tree, walk
from acompass.language.text.formatter import format_program
from acompass.language.text.parser import parse_text

D = tree.Name("d")


def _step(text: str) -> tree.Action | None:
    program, diagnostics = parse_text(f"ALWAYS : {text};")
    assert diagnostics == ()
    return program.requirements[0].action


def _codes(text: str) -> list[str]:
    return [diagnostic.code for diagnostic in parse_text(text)[1]]


def _number(text: str) -> tree.Number:
    return tree.Number(Decimal(text))


A, B, K = tree.String("a"), tree.String("b"), tree.Parameter("k")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("WITH PROBABILITY 0.25 REJECT", tree.Sometimes(_number("0.25"), tree.Reject())),
        ("with probability 0.250 reject", tree.Sometimes(_number("0.250"), tree.Reject())),
        ("RANDOM d FROM ('a')", tree.Draw(D, (tree.WeightedValue(A),))),
        ("random d from (5 of 'a', k)", tree.Draw(D, (tree.WeightedValue(A, _number("5")), tree.WeightedValue(K)))),
        (
            "RANDOM d FROM (2 OF 7, -1.50)",
            tree.Draw(D, (tree.WeightedValue(_number("7"), _number("2")), tree.WeightedValue(_number("-1.50")))),
        ),
        (
            "WITH PROBABILITY 0.5 RANDOM d 1 k",
            tree.Sometimes(_number("0.5"), tree.Random(D, _number("1"), K)),
        ),
        (
            "REJECT THEN WITH PROBABILITY 0.5 RANDOM d FROM ('a', 'b')",
            tree.Then(
                (
                    tree.Reject(),
                    tree.Sometimes(_number("0.5"), tree.Draw(D, (tree.WeightedValue(A), tree.WeightedValue(B)))),
                )
            ),
        ),
    ],
)
def test_a_text_has_this_tree(text: str, expected: tree.Action) -> None:
    assert _step(text) == expected


def test_each_node_has_the_place_of_its_text() -> None:
    text = "ALWAYS : WITH  PROBABILITY 0.5 RANDOM d FROM ( 5 OF 'a' , k ) THEN REJECT;"
    action = parse_text(text)[0].requirements[0].action
    assert isinstance(action, tree.Then)
    step = action.steps[0]
    assert isinstance(step, tree.Sometimes)
    assert isinstance(step.action, tree.Draw)
    spans = [step.span, step.action.span, *(each.span for each in step.action.values)]
    assert [text[span.start : span.end] for span in spans] == [
        "WITH  PROBABILITY 0.5 RANDOM d FROM ( 5 OF 'a' , k )",
        "RANDOM d FROM ( 5 OF 'a' , k )",
        "5 OF 'a'",
        "k",
    ]


def test_canonical_text_keeps_comments_and_spellings() -> None:
    text = (
        "always:with /*1*/ probability 0.50 -- half\n"
        "random date of birth from(5 of/*2*/'a',-- first\n"
        "'b' , 2 of k /*3*/) then with probability 0.1 reject;"
    )
    assert (
        format_program(text)
        == """\
ALWAYS : WITH PROBABILITY /*1*/ 0.50 -- half
     RANDOM date of birth FROM (5 OF /*2*/ 'a', -- first
     'b', 2 OF k) /*3*/
     THEN WITH PROBABILITY 0.1 REJECT;
"""
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ALWAYS : WITH PROBABILITY 25% REJECT;", "ALWAYS : WITH PROBABILITY 0.25 REJECT;"),
        ("ALWAYS : WITH PROBABILITY 3 / 8 REJECT;", "ALWAYS : WITH PROBABILITY 0.375 REJECT;"),
        ("ALWAYS : WITH 0.5 REJECT", "ALWAYS : WITH PROBABILITY 0.5 REJECT;"),
        ("ALWAYS : REJECT WITH PROBABILITY 0.5;", "ALWAYS : WITH PROBABILITY 0.5 REJECT ;"),
        ("ALWAYS WITH PROBABILITY 0.5: REJECT;", "ALWAYS : WITH PROBABILITY 0.5 REJECT;"),
        ("ALWAYS : RANDOM d 'a', 'b';", "ALWAYS : RANDOM d FROM ('a', 'b');"),
        ("ALWAYS : RANDOM d FROM 'a': 5, 'b': 3;", "ALWAYS : RANDOM d FROM 'a': 5, 'b': 3;"),
        ("ALWAYS : RANDOM d FROM ('a': 5, 'b': 3,);", "ALWAYS : RANDOM d FROM (5 OF 'a', 3 OF 'b');"),
        ("ALWAYS : RANDOM d FROM (0.2 OF 'a', 0.80 OF 'b');", "ALWAYS : RANDOM d FROM (1 OF 'a', 4 OF 'b');"),
        (
            "ALWAYS : RANDOM d FROM (37.5% OF 'a', 62.5% OF 'b';",
            "ALWAYS : RANDOM d FROM (75 OF 'a', 125 OF 'b');",
        ),
        # each of these can be read in two ways
        ("ALWAYS : WITH PROBABILITY 25 REJECT;", "ALWAYS : WITH PROBABILITY 25 REJECT;"),
        ("ALWAYS : WITH PROBABILITY 1 REJECT;", "ALWAYS : WITH PROBABILITY 1 REJECT;"),
        ("ALWAYS : RANDOM d (1, 5);", "ALWAYS : RANDOM d (1, 5);"),
        ("ALWAYS : RANDOM d IN ('a', 'b');", "ALWAYS : RANDOM d IN ('a', 'b');"),
        ("ALWAYS : RANDOM d FROM (0.5 OF 'a', 'b');", "ALWAYS : RANDOM d FROM (0.5 OF 'a', 'b');"),
    ],
)
def test_safe_fixes_give_this_text(text: str, expected: str) -> None:
    assert fix_safely(text, lambda each: parse_text(each)[1]).text == expected


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        # 2^-32 is 0.00000000023283064365386962890625
        ("ALWAYS : WITH PROBABILITY 0.00000000023283064365386962890625 REJECT;", []),
        ("ALWAYS : WITH PROBABILITY 0.00000000023283064365386962890624 REJECT;", ["AC054"]),
        ("ALWAYS : WITH PROBABILITY 0.99999999976716935634613037109375 REJECT;", []),
        ("ALWAYS : WITH PROBABILITY 0.99999999976716935634613037109376 REJECT;", ["AC054"]),
        ("ALWAYS : RANDOM d FROM ('a', 4294967295 OF 'b');", []),
        ("ALWAYS : RANDOM d FROM ('a', 4294967296 OF 'b');", ["AC054"]),
        ("ALWAYS : RANDOM d FROM (2 OF 'a', 8589934590 OF 'b');", []),
        ("ALWAYS : RANDOM d FROM (1000000 OF 'a', 4294967295000000 OF 'b');", []),
        ("ALWAYS : WITH PROBABILITY 0.000001 RANDOM d FROM ('a', 4000000000 OF 'b');", []),
    ],
)
def test_an_outcome_has_a_smallest_probability(text: str, codes: list[str]) -> None:
    assert _codes(text) == codes


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (f"ALWAYS : WITH PROBABILITY 0.{'1' * 1_001} REJECT;", "AC051"),
        (f"ALWAYS : RANDOM d FROM ({'9' * 5_000} OF 'a', 'b');", "AC052"),
        (f"ALWAYS : RANDOM d FROM (-{'9' * 5_000} OF 'a', 'b');", "AC052"),
        (f"ALWAYS : RANDOM d FROM (1.{'9' * 5_000} OF 'a', 'b');", "AC052"),
        (f"ALWAYS : WITH PROBABILITY {'9' * 5_000}% REJECT;", "AC051"),
        (f"ALWAYS : WITH PROBABILITY 1/{'9' * 5_000} REJECT;", "AC051"),
        (f"ALWAYS : WITH PROBABILITY {'9' * 5_000} WITH PROBABILITY 0.5 REJECT;", "AC053"),
        (f"ALWAYS : SAMPLE 0.{'9' * 5_000};", "AC024"),
    ],
)
def test_long_numbers_are_an_error_not_a_crash(text: str, code: str) -> None:
    assert _codes(text) == [code]


def test_a_long_weight_is_exact() -> None:
    assert _codes(f"ALWAYS : RANDOM d FROM ({10**40} OF 'a', {10**40 - 1} OF 'b');") == []


def test_paper_rejects_each_form_at_its_place() -> None:
    text = "EACH RESULT : a = 1 : WITH PROBABILITY 0.5 RANDOM a FROM (1, 2);"
    refused = beyond_paper(parse_text(text)[0])
    places = [diagnostic.labels[0].span for diagnostic in refused]
    assert [text[place.start : place.end] for place in places] == [
        "WITH PROBABILITY 0.5",
        "RANDOM a FROM (1, 2)",
    ]


def test_questions_about_the_action_see_through_the_probability() -> None:
    step = _step("WITH PROBABILITY 0.5 RANDOM d FROM ('a')")
    assert not isinstance(step, tree.Then)
    assert walk.written_names(step) == walk.drawn_names(step) == (D,)
    assert walk.overwritten_names(tree.Sometimes(_number("0.5"), tree.Replace(D, A))) == ()
