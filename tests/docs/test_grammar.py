"""The grammars in the language reference match the parser: sentences parse, and no keyword is missing."""

import random
import re
from collections.abc import Iterator

import pytest

from acompass.language.mistakes.habits import beyond_paper
from acompass.language.text.parser import parse_text
from acompass.language.text.tokens import KEYWORDS
from acompass.language.text.tree import Program
from tests.docs.ebnf import Node, SentenceGenerator, core_productions, productions, terminals
from tests.length import at_length
from tests.repo.sources import PACKAGE
from tests.text import grammar_table

SENTENCES = at_length(400)
LARK = (PACKAGE / "language" / "text" / "grammar.lark").read_text(encoding="utf-8")
#: reserved words (D2), and words that are reserved after PROCESS
RESERVED = {*KEYWORDS.values(), "SUM", "MIN", "MAX", "COUNT", "DISTINCT"}


@pytest.mark.campaign
def test_every_sentence_of_the_paper_is_parsed() -> None:
    for program in _programs(core_productions()):
        assert not beyond_paper(program)


@pytest.mark.campaign
def test_every_sentence_of_the_whole_language_is_parsed() -> None:
    beyond = [program for program in _programs(productions()) if beyond_paper(program)]
    assert len(beyond) > SENTENCES // 4


def _programs(grammar: dict[str, Node]) -> Iterator[Program]:
    for seed in range(SENTENCES):
        sentence = SentenceGenerator(grammar, random.Random(seed)).generate("requirement")
        program, found = parse_text(sentence)
        assert not found, f"{found[0].message}\n{sentence}"
        assert len(program.requirements) == 1
        yield program


def test_the_papers_grammar_has_every_reserved_word_and_no_other() -> None:
    assert _words(core_productions()) == RESERVED


def test_the_grammar_has_every_contextual_keyword_and_no_other() -> None:
    strings = set(re.findall(r'"([A-Z]+)"', LARK))
    assert _words(productions()) - RESERVED == strings - RESERVED


def _words(grammar: dict[str, Node]) -> set[str]:
    return {word for terminal in terminals(grammar) for word in re.findall(r"[A-Z_]+", terminal)}


def test_the_automaton_of_the_parser_is_that_of_the_grammar() -> None:
    """`python -m tests.text.grammar_table` writes it."""
    assert grammar_table.TABLE.read_text(encoding="utf-8") == grammar_table.table_text()


def test_the_grammar_has_every_production_of_the_parser() -> None:
    parsed = set(re.findall(r"^\??([a-z_]+):", LARK, re.MULTILINE))
    assert parsed - {"group_by"} <= set(productions())
