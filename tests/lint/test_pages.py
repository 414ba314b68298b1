"""The page of every AC5xx code: the example gives the code, the fix gives no finding."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import acompass
from acompass.diagnostics import AcompassError
from acompass.lint import lint_policy
from acompass.prove import prove_policy
from acompass.syntax.parse import parse
from tests.errors.pages import Page, pages

#: AC516 and AC556 are run by tests/cli, AC553 to AC555 by tests/privacy
PAGES = [
    page for page in pages() if page.code.startswith("AC5") and page.code < "AC553" and page.code != "AC516"
]


def codes_of(blocks: dict[str, str]) -> set[str]:
    text = blocks["acompass"]
    policy, problems = parse(text)
    assert not problems
    schema = dict(line.split(": ") for line in blocks["schema"].splitlines()) if "schema" in blocks else None
    types = dict(line.split(": ") for line in blocks["types"].splitlines()) if "types" in blocks else None
    claims = blocks["claim"].splitlines() if "claim" in blocks else None
    if "csv" in blocks:
        return codes_for_table(blocks)
    try:
        prove_policy(policy, text, claims, schema, types=types)
        return {finding.code for finding in lint_policy(policy, text, schema, types=types)}
    except AcompassError as error:
        return {finding.code for finding in error.diagnostics}


def codes_for_table(blocks: dict[str, str]) -> set[str]:
    """The codes of a policy that is linted with a table, and has a hierarchy beside it."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "table.csv").write_text(blocks["csv"], encoding="utf-8")
        (folder / "jobs.csv").write_text(blocks["hierarchy"], encoding="utf-8")
        (folder / "policy.acp").write_text(blocks["acompass"], encoding="utf-8")
        policy = acompass.load(folder / "policy.acp")
        return {finding.code for finding in acompass.lint(policy, table=folder / "table.csv")}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.code)
def test_example_gives_the_finding(page: Page) -> None:
    assert page.code in codes_of(page.example)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.code)
def test_fix_gives_no_finding_at_all(page: Page) -> None:
    assert page.fix != page.example
    assert codes_of(page.fix) == set()


def test_every_finding_has_a_page() -> None:
    assert {page.code for page in PAGES} >= {f"AC{number}" for number in range(501, 516)}
