"""The grammar in the language reference matches the parser: its sentences parse, and it has every keyword."""

import random
import re

from acompass.syntax.parse import parse
from acompass.syntax.tokens import KEYWORDS
from tests.docs.ebnf import Speaker, productions, terminals
from tests.repo.sources import PACKAGE

SENTENCES = 2_000


def test_every_sentence_of_the_grammar_is_read() -> None:
    grammar = productions()
    for seed in range(SENTENCES):
        sentence = Speaker(grammar, random.Random(seed)).say("requirement")
        program, found = parse(sentence)
        assert not found, f"{found[0].message}\n{sentence}"
        assert len(program.requirements) == 1


def test_the_grammar_has_every_keyword_and_no_other() -> None:
    words = {word for terminal in terminals(productions()) for word in re.findall(r"[A-Z_]+", terminal)}
    assert words == set(KEYWORDS.values()) | {"SUM", "MIN", "MAX", "COUNT", "DISTINCT"}


def test_the_grammar_has_every_production_of_the_parser() -> None:
    lark = (PACKAGE / "syntax" / "grammar.lark").read_text(encoding="utf-8")
    parsed = set(re.findall(r"^\??([a-z_]+):", lark, re.MULTILINE))
    assert parsed - {"group_by"} <= set(productions())
