"""The grammar of the language reference as data, and random sentences from it."""

import random
import re
from typing import TypeAlias

from tests.repo.sources import ROOT

PAGE = ROOT / "docs" / "language.md"

#: a terminal, a production's name, or a combination: `seq`, `alt`, `opt`, `many`
Node: TypeAlias = str | tuple[str, list["Node"]]

#: productions that the page describes in prose
CHARACTERS = {
    "letter": "aZéßЖ字",
    "digit": "0123456789",
    "character": "a ;:*-é𝒳",
}
#: productions made of characters; all others are made of words separated by blanks
LEXICAL = (
    *("number", "integer", "string", "quoted", "word", "digits", "beginning"),
    *("probability", "weight", "positive"),
)

_TOKEN = re.compile(r"\s*(\"[^\"]+\"|'[^']+'|\w+|[|;={}()\[\]])")
_CLOSING = {"(": ")", "[": "]", "{": "}"}


def productions() -> dict[str, Node]:
    """The whole language: the second grammar on the page replaces productions of the first."""
    core, beyond = _grammars()
    return core | beyond


def core_productions() -> dict[str, Node]:
    """The paper's language."""
    return _grammars()[0]


def _grammars() -> tuple[dict[str, Node], dict[str, Node]]:
    text = PAGE.read_text(encoding="utf-8")
    core, beyond = re.findall(r"^```ebnf\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return _read(core), _read(beyond)


def _read(block: str) -> dict[str, Node]:
    tokens = _TOKEN.findall(block)
    grammar: dict[str, Node] = {}
    while tokens:
        name, equals = tokens.pop(0), tokens.pop(0)
        assert equals == "=", f"no `=` after {name}"
        grammar[name] = _alternatives(tokens)
        assert tokens.pop(0) == ";", f"{name} has no end"
    return grammar


def _alternatives(tokens: list[str]) -> Node:
    found = [_sequence(tokens)]
    while tokens[0] == "|":
        tokens.pop(0)
        found.append(_sequence(tokens))
    return ("alt", found)


def _sequence(tokens: list[str]) -> Node:
    found: list[Node] = []
    while tokens[0] not in ("|", ";", ")", "]", "}"):
        token = tokens.pop(0)
        if token in _CLOSING:
            inner = _alternatives(tokens)
            assert tokens.pop(0) == _CLOSING[token]
            found.append(({"(": "seq", "[": "opt", "{": "many"}[token], [inner]))
        else:
            found.append(token)
    return ("seq", found)


def terminals(grammar: dict[str, Node]) -> set[str]:
    def find(node: Node) -> set[str]:
        if isinstance(node, str):
            return {node[1:-1]} if node[0] in "\"'" else set()
        return set().union(*map(find, node[1]))

    return set().union(*(find(node) for name, node in grammar.items() if name not in LEXICAL))


class SentenceGenerator:
    """Generates random sentences, and chooses the shortest alternatives once `budget` is used up."""

    def __init__(self, grammar: dict[str, Node], rng: random.Random, budget: int = 60, between: str = " ") -> None:
        self._grammar, self._random, self._budget, self._between = grammar, rng, budget, between

    def generate(self, node: Node) -> str:
        self._budget -= 1
        if isinstance(node, str):
            return self._symbol(node)
        kind, parts = node
        match kind:
            case "alt":
                return self.generate(parts[-1] if self._budget < 0 else self._random.choice(parts))
            case "opt":
                return "" if self._budget < 0 or self._random.random() < 0.5 else self._all(parts)
            case "many":
                return self._all(parts * (0 if self._budget < 0 else self._random.randint(0, 2)))
            case _:
                return self._all(parts)

    def _symbol(self, symbol: str) -> str:
        if symbol[0] in "\"'":
            return symbol[1:-1]
        if symbol in CHARACTERS:
            return self._random.choice(CHARACTERS[symbol])
        if symbol in LEXICAL:
            return self._spell(symbol)
        return self.generate(self._grammar[symbol])

    def _spell(self, symbol: str) -> str:
        """Generate again if a word contains `--`, which the page excludes below the grammar."""
        word = SentenceGenerator(self._grammar, self._random, budget=12, between="").generate(self._grammar[symbol])
        return self._spell(symbol) if symbol == "word" and "--" in word else word

    def _all(self, parts: list[Node]) -> str:
        return self._between.join(filter(None, map(self.generate, parts)))
