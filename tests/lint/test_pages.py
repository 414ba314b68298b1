"""The page of every AC5xx code: the example gives the code, the fix gives no finding."""

import pytest

from acompass.diagnostics import AcompassError
from acompass.lint import lint_policy
from acompass.prove import prove_policy
from acompass.syntax.parse import parse
from tests.errors.pages import Page, pages

PAGES = [page for page in pages() if page.code.startswith("AC5")]


def codes_of(blocks: dict[str, str]) -> set[str]:
    text = blocks["acompass"]
    policy, problems = parse(text)
    assert not problems
    schema = dict(line.split(": ") for line in blocks["schema"].splitlines()) if "schema" in blocks else None
    types = dict(line.split(": ") for line in blocks["types"].splitlines()) if "types" in blocks else None
    claims = blocks["claim"].splitlines() if "claim" in blocks else None
    try:
        prove_policy(policy, text, claims, schema, types=types)
        return {finding.code for finding in lint_policy(policy, text, schema, types=types)}
    except AcompassError as error:
        return {finding.code for finding in error.diagnostics}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.code)
def test_example_gives_the_finding(page: Page) -> None:
    assert page.code in codes_of(page.example)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.code)
def test_fix_gives_no_finding_at_all(page: Page) -> None:
    assert page.fix != page.example
    assert codes_of(page.fix) == set()


def test_every_finding_has_a_page() -> None:
    assert {page.code for page in PAGES} >= {f"AC{number}" for number in range(501, 511)}
