"""The outline of a policy; definitions, references and renames of its names."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given

from acompass.assist.document import (
    Document,
    Occurrences,
    as_names,
    definition,
    parameter_occurrences,
    references,
    rename,
    symbols,
)
from acompass.errors.diagnostics import CallError, Span, apply_edits
from acompass.language.program.checker import check
from acompass.language.program.effects import with_key
from acompass.language.program.keys import Key
from acompass.language.text.tokens import spell_name
from acompass.testing.conformance.cases import Case, random_case
from tests.assist.people import POLICY
from tests.generators.strategies import cases
from tests.repo.sources import ROOT

TWO = """\
EACH PROCESS COUNT(*) AS n GROUP BY Age : n >= k : REJECT;
EACH PROCESS COUNT(*) AS n WHERE n <= 'n' GROUP BY Zip : N >= k OR n = 3 : REPLACE n WITH k; -- n k
"""


def texts(text: str, spans: tuple[Span, ...]) -> list[str]:
    return [text[span.start : span.end] for span in spans]


def test_the_outline_has_requirements_names_and_parameters() -> None:
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


def test_the_outline_skips_requirements_that_do_not_parse() -> None:
    assert [each.detail for each in symbols(Document("EACH RESULT;\n" + TWO))] == [
        "REJECT",
        "REPLACE n WITH k",
    ]


def test_an_as_name_is_visible_only_after_its_own_process() -> None:
    """It is not visible in WHERE, in the action, in another requirement, in a string or in a comment."""
    document, second = Document(TWO), TWO.index("\n") + 1
    at = TWO.index("AS n", second) + 3
    found = references(document, at)
    assert texts(TWO, found) == ["n", "N", "n"]
    assert found[0].start == at
    assert [span.start for span in found[1:]] == [TWO.index("N >="), TWO.index("n = 3")]
    assert definition(document, TWO.index("n = 3")) == Span(at, at + 1)
    assert definition(document, TWO.index("WHERE n") + 6) is None
    assert definition(document, TWO.index("REPLACE n") + 8) is None


def test_a_parameter_is_visible_everywhere() -> None:
    document = Document(TWO)
    found = references(document, TWO.index("WITH k") + 5)
    assert texts(TWO, found) == ["k"] * 3
    assert definition(document, found[2].start) == found[0]


@pytest.mark.parametrize("word", ["EACH", "Age", "'n'", "-- n"])
def test_other_words_have_no_definition(word: str) -> None:
    at = TWO.index(word) + 1
    assert definition(Document(TWO), at) is None
    assert references(Document(TWO), at) == ()


EXAMPLES = ROOT / "examples"
POLICIES = [*sorted(EXAMPLES.rglob("*.acp"))]
FRESH = ("fresh", "Two words", 'odd "name"', "in", "then to")


def names_in(document: Document) -> Iterator[Occurrences]:
    for requirement in document.program.requirements:
        yield from as_names(requirement)
    yield from parameter_occurrences(document.program)


def rename_to(document: Document, found: Occurrences, new: str) -> Document:
    return Document(apply_edits(document.text, rename(document, found.spans[-1].start, new)), document.path)


def is_spelled_alike(document: Document, found: Occurrences) -> bool:
    plain = found.name if found.kind == "parameter" else spell_name(found.name)
    return all(document.text[span.start : span.end] == plain for span in found.spans)


def rename_there_and_back(document: Document) -> Iterator[tuple[Occurrences, str, Document]]:
    """Rename each name, check that renaming it back restores the policy, and yield it, its new name and the result."""
    for found in names_in(document):
        new = "fresh" if found.kind == "parameter" else FRESH[found.spans[0].start % len(FRESH)]
        after = rename_to(document, found, new)
        assert after.policy is not None, after.text
        (again,) = [each for each in names_in(after) if each.spans[0].start == found.spans[0].start]
        assert again.name == new
        back = rename_to(after, again, found.name)
        assert back.program.requirements == document.program.requirements
        if is_spelled_alike(document, found):
            assert back.text == document.text
        yield found, new, after


@pytest.mark.parametrize("path", POLICIES, ids=lambda path: str(path.relative_to(EXAMPLES)))
def test_every_name_of_the_examples_can_be_renamed(path: Path) -> None:
    document = Document(path.read_text(encoding="utf-8"), str(path))
    for _, _, after in rename_there_and_back(document):
        assert after.comments == document.comments


@given(cases())
@pytest.mark.slow
def test_renaming_preserves_the_meaning_of_random_policies(case: Case) -> None:
    document = Document(case.policy_text)
    for found, new, after in rename_there_and_back(document):
        assert after.policy is not None
        params = {
            new if name == found.name and found.kind == "parameter" else name: value
            for name, value in case.params.items()
        }
        program, problems = check(after.policy.tree, after.text, case.schema, params)
        assert program is not None, (after.text, problems)
        keyed = with_key(program, Key(case.key.encode()))
        assert [_meaning(each) for each in keyed.requirements] == [
            _meaning(each) for each in case.program().requirements
        ]


def _meaning(requirement: object) -> str:
    """The requirement without names, texts and spans: columns are positions."""
    from acompass.language.program.program import Requirement

    assert isinstance(requirement, Requirement)
    assertion = requirement.assertion
    return repr((assertion.quantifier, assertion.condition, requirement.action, requirement.after))


def test_random_policies_have_names_to_rename() -> None:
    found = [
        each.kind for seed in range(60) for each in names_in(Document(random_case(random.Random(seed)).policy_text))
    ]
    assert found.count("name") > 20
    assert found.count("parameter") > 5


def test_comments_and_strings_are_not_renamed() -> None:
    text = "EACH PROCESS COUNT(*) AS n /* n */ WHERE a = 'n' GROUP BY b : n >= n; -- n"
    document = Document(text)
    after = apply_edits(text, rename(document, text.index("n >="), "size"))
    assert after == "EACH PROCESS COUNT(*) AS size /* n */ WHERE a = 'n' GROUP BY b : size >= n; -- n"
    after = apply_edits(text, rename(document, text.index("n; --"), "size"))
    assert after == "EACH PROCESS COUNT(*) AS n /* n */ WHERE a = 'n' GROUP BY b : n >= size; -- n"


def test_a_comment_inside_a_name_is_kept() -> None:
    text = "EACH PROCESS COUNT(*) AS Class /* why */ Size GROUP BY b : Class Size >= 3;"
    after = apply_edits(text, rename(Document(text), text.index("Size >="), "n"))
    assert "/* why */" in after
    assert [each.name for each in symbols(Document(after))[0].children] == ["n"]


@pytest.mark.parametrize(
    ("at", "new", "message"),
    [
        ("Age, Postal", "Years", "only AS names and parameters"),
        ("n >= k", "L", "already a name here"),
        ("n >= k", "postal code", "already a name here"),
        ("n >= k", "", "cannot replace the name"),
        ("k AND", "two words", "is not a word"),
        ("k AND", "each", "is not a word"),
    ],
)
def test_impossible_renames_are_rejected(at: str, new: str, message: str) -> None:
    with pytest.raises(CallError) as raised:
        rename(Document(POLICY), POLICY.index(at), new)
    assert message in raised.value.diagnostics[0].message
    assert raised.value.diagnostics[0].help


def test_the_name_of_another_parameter_is_rejected() -> None:
    text = "EACH RESULT : a >= k AND b <= l;"
    with pytest.raises(CallError, match="already a name here"):
        rename(Document(text), text.index("k AND"), "l")


def test_despite_a_mistake_an_as_name_can_be_renamed_but_not_a_parameter() -> None:
    text = POLICY + "EACH RESULT Age <= k;"
    assert rename(Document(text), text.index("n >= k"), "size")
    with pytest.raises(CallError, match="correct the mistakes first"):
        rename(Document(text), text.index("k AND"), "kk")


def test_the_same_name_needs_no_edit() -> None:
    assert rename(Document(POLICY), POLICY.index("n >= k"), "n") == ()
