"""Editors color a policy as it is parsed, character by character."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from acompass.errors.diagnostics import Span
from acompass.language.text import tree
from acompass.language.text.formatter import format_tree
from tests.docs.pages import blocks, pages
from tests.editors.classes import differences, parser_classes, parses, scope_classes
from tests.length import at_length
from tests.repo.sources import ROOT
from tests.text.trees import PAPER, REQUIREMENTS, recorded_digests

EVERYWHERE = pages() + sorted(ROOT.glob("tests/language/**/*.md")) + sorted(ROOT.glob("docs/errors/*.md"))
#: what a grammar that never looks beyond a line cannot recognize, and control characters, which no file has
UNUSUAL = re.compile(
    r"""[\x00-\x09\x0b-\x1f\x7f-\xa0\u2028\u2029\ud800-\udfff]
    | '[^'\n]*\n[^']*' | "[^"\n]*\n[^"]*" | \bthen\n""",
    re.VERBOSE | re.IGNORECASE,
)


def _policies() -> dict[str, str]:
    found = {f"paper {number}": text for number, text in enumerate(PAPER, start=1)}
    found |= {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in ROOT.glob("examples/**/*.acp")}
    for page in EVERYWHERE:
        texts = [block.content for block in blocks(page.read_text("utf-8")) if block.language == "acompass"]
        found |= {f"{page.relative_to(ROOT)} {number}": text for number, text in enumerate(texts)}
    found |= {f"core {number}": text for number, text in enumerate(recorded_digests())}
    return {name: text for name, text in found.items() if parses(text)}


def _grammar_classes(extension: Path, texts: list[str]) -> list[list[str]]:
    """The class of each character of each text, according to the TextMate grammar."""
    command = ["node", str(extension / "test" / "scopes.mjs")]
    ran = subprocess.run(command, input=json.dumps(texts), capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return [scope_classes(text, tokens) for text, tokens in zip(texts, json.loads(ran.stdout), strict=True)]


def _disagreements(extension: Path, texts: list[str]) -> list[str]:
    return [
        f"{difference}\n{text}"
        for text, shown in zip(texts, _grammar_classes(extension, texts), strict=True)
        for difference in differences(text, parser_classes(text), shown)
    ]


def test_every_example_is_colored_as_it_is_parsed(extension: Path) -> None:
    texts = _policies()
    assert len(texts) > 300
    assert {"examples/electricity/policy.acp", "paper 1"} <= set(texts)
    assert _disagreements(extension, list(texts.values())) == []


@pytest.mark.slow
def test_random_requirements_are_colored_as_they_are_parsed(extension: Path) -> None:
    """Most names are words that are keywords elsewhere (X0)."""
    texts = _random_requirements()
    assert len(texts) > 100
    assert _disagreements(extension, texts) == []


def _random_requirements() -> list[str]:
    found: list[str] = []

    @settings(
        max_examples=at_length(400),
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        deadline=None,
    )
    @given(REQUIREMENTS)
    def collect(requirement: tree.Requirement) -> None:
        text = format_tree(tree.Program((requirement,), (), Span(0, 0)))
        if parses(text) and not UNUSUAL.search(text):
            found.append(text)

    collect()
    return found


@pytest.mark.parametrize(
    ("text", "keywords"),
    [
        ("-- EACH RESULT\nEACH RESULT : a = 1; /* ALWAYS : DROP b; */", "EACH RESULT"),
        ("EACH RESULT : a = 'EACH ; '' RESULT' : REJECT;", "EACH RESULT REJECT"),
        ('EACH RESULT : "REJECT ;" = 1 : REJECT;', "EACH RESULT REJECT"),
        ("EACH RESULT : then to <= drop : REPLACE level WITH always;", "EACH RESULT REPLACE WITH"),
        ("EACH PROCESS COUNT(*) AS count GROUP BY sum : count > 1;", "EACH PROCESS COUNT AS GROUP BY"),
        (
            "ALWAYS : WITH PROBABILITY 0.5 RANDOM of FROM (of, 3 OF of);",
            "ALWAYS WITH PROBABILITY RANDOM FROM OF",
        ),
        ("EACH RESULT : from = of : RANDOM from of probability;", "EACH RESULT RANDOM"),
        ("ALWAYS : REPLACE from WITH probability THEN REJECT;", "ALWAYS REPLACE WITH THEN REJECT"),
        (
            "ALWAYS : SHIFT then drop BY days drop WITHIN within DAYS THEN MICROAGGREGATE add BY mode;",
            "ALWAYS SHIFT BY WITHIN DAYS THEN MICROAGGREGATE BY",
        ),
        (
            "ALWAYS : ADD RANDOM to add TO add to THEN PSEUDONYM then THEN REJECT;",
            "ALWAYS ADD RANDOM TO THEN PSEUDONYM THEN REJECT",
        ),
        (
            "EACH PROCESS SHARE OF LARGEST largest (share) AS share, SUM(in) IN 'f' AS in : in > share : REJECT;",
            "EACH PROCESS SHARE OF LARGEST AS SUM IN AS REJECT",
        ),
        ("EACH RESULT : shift = add AND nearest = 3 : REPLACE share WITH days;", "EACH RESULT AND REPLACE WITH"),
        ("each result : education-num > 1 and not is-each = 2;", "each result and not"),
        ("EACH RESULT : a = 1 -- no semicolon\nEACH FILTER b = 2 : c = 3;", "EACH RESULT EACH FILTER"),
    ],
)
def test_words_are_colored_as_keywords_only_where_they_are_keywords(extension: Path, text: str, keywords: str) -> None:
    [shown] = _grammar_classes(extension, [text])
    kept = (character if name == "keyword" else " " for character, name in zip(text, shown, strict=True))
    assert "".join(kept).split() == keywords.split()


def test_the_grammar_file_is_up_to_date(extension: Path) -> None:
    code = "import('./grammar.mjs').then((module) => process.stdout.write(module.grammarText()))"
    ran = subprocess.run(["node", "-e", code], cwd=extension, capture_output=True, text=True, check=True)
    assert (extension / "syntaxes" / "acompass.tmLanguage.json").read_text("utf-8") == ran.stdout
