"""Laws of the formatter: it keeps the meaning and all comments, and formatting twice changes nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acompass.errors.diagnostics import PolicyError
from acompass.language.text import tree
from acompass.language.text.formatter import format_condition, format_program, format_requirement
from acompass.language.text.parser import parse_text
from acompass.language.text.tokens import tokenize
from tests.text.trees import CONDITIONS, PAPER, REQUIREMENTS, join_tokens


def _read(text: str) -> tree.Program:
    program, diagnostics = parse_text(text)
    assert diagnostics == ()
    return program


def _scales(text: str) -> list[str]:
    return [token.text.lstrip("+") for token in tokenize(text)[0] if token.type == "NUMBER"]


@st.composite
def _policies(draw: st.DrawFn) -> str:
    requirements = draw(st.lists(REQUIREMENTS, max_size=3))
    tokens = [token.text for each in requirements for token in tokenize(format_requirement(each))[0]]
    return draw(join_tokens(tokens))


@given(REQUIREMENTS)
def test_a_formatted_requirement_parses_back(requirement: tree.Requirement) -> None:
    assert _read(format_requirement(requirement)).requirements == (requirement,)


@given(CONDITIONS)
def test_a_formatted_condition_parses_back(condition: tree.Condition) -> None:
    program = _read(f"EACH RESULT : {format_condition(condition)};")
    assert program.requirements[0].assertion.condition == condition


@given(_policies())
@pytest.mark.slow
def test_formatting_keeps_the_tree(text: str) -> None:
    formatted = format_program(text)
    assert _read(formatted).requirements == _read(text).requirements
    assert _scales(formatted) == _scales(text)


@given(_policies())
@pytest.mark.slow
def test_formatting_twice_is_formatting_once(text: str) -> None:
    once = format_program(text)
    assert format_program(once) == once


@given(_policies())
def test_no_comment_is_lost(text: str) -> None:
    def comments(source: str) -> list[str]:
        return [comment.text for comment in _read(source).comments]

    assert comments(format_program(text)) == comments(text)


def test_a_program_has_this_canonical_text() -> None:
    text = (
        "-- who may be in\n\n"
        "-- top coding\n"
        "each filter (age > 80 and Age < 90) or not \"Zip\" = '1' -- old\n"
        " : Age ≤ 80.50 /* years */ and\n"
        "  -- never\n"
        "  \"Record ID\" = 'it''s'\n"
        " : replace  Postal   code with k -- before\n"
        "; -- behind\n"
        '/* a */ /* b */ each process count distinct AEC as "Diversity AEC" where x=+1 group_by Age, -- c\n'
        ' "Postal (Code)" : Diversity AEC >= l;some record:not not a=k /*q*/;\n'
        "each result:a=1:random a 1 9;\n\n\n"
        "-- end"
    )
    assert (
        format_program(text)
        == """\
-- who may be in

-- top coding
EACH FILTER (age > 80 AND Age < 90) OR NOT (Zip = '1') -- old
   : Age <= 80.50 /* years */ AND
     -- never
     "Record ID" = 'it''s'
   : REPLACE Postal code WITH k -- before
     ; -- behind

/* a */ /* b */
EACH PROCESS COUNT DISTINCT(AEC) AS Diversity AEC WHERE x = 1 GROUP BY Age, -- c
     "Postal (Code)"
   : Diversity AEC >= l;

SOME RESULT
   : NOT NOT (a = k); /*q*/

EACH RESULT
   : a = 1
   : RANDOM a 1 9;

-- end
"""
    )


def test_the_paper_is_canonical_up_to_signs_and_blanks() -> None:
    formatted = format_program("\n".join(PAPER))
    assert formatted.count("\n\nEACH") == len(PAPER) - 1
    assert formatted.startswith("EACH RESULT\n   : Age <= 80\n   : REPLACE Age WITH 80;\n")


@pytest.mark.parametrize("text", ["", " \n", "\ufeff"])
def test_an_empty_policy_stays_empty(text: str) -> None:
    assert format_program(text) == ""


def test_a_policy_with_an_error_is_not_formatted() -> None:
    with pytest.raises(PolicyError) as error:
        format_program("EACH RESULT : a = 1; EACH RESULT : a ≠ 1;", "p.acp")
    assert [diagnostic.code for diagnostic in error.value.diagnostics] == ["AC030"]
    assert "p.acp:1:38" in str(error.value)
