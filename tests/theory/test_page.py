"""docs/theory.md shows what the theory states, and every rule of docs/prove.md has a theorem there."""

import re

from tests.repo.sources import ROOT
from tests.theory.sources import files, stated

PAGE = (ROOT / "docs" / "theory.md").read_text(encoding="utf-8")
RULES = (ROOT / "docs" / "prove.md").read_text(encoding="utf-8")
PROVE = ROOT / "src" / "acompass" / "prove"

#: the sections of docs/prove.md with lemmas, laws and rules: from the possible records on
SECTIONS = range(2, 7)
_NAMED = re.compile(r"\((`[\w.]+`(?:, `[\w.]+`)*)")
_QUOTED = re.compile(r"`([\w.]+)`")


def _table() -> list[tuple[list[str], list[str]]]:
    """The functions and the theorems of each row of the table of rules."""
    section = PAGE.partition("## The prover's rules")[2]
    rows = [line.split("|")[2:4] for line in section.splitlines() if line.startswith("| ")]
    return [(_QUOTED.findall(functions), _QUOTED.findall(theorems)) for functions, theorems in rows[2:]]


def _functions_of_rules() -> set[str]:
    """What the page of the prover names in brackets after a rule."""
    parts = re.split(r"^## (\d)\. ", RULES, flags=re.MULTILINE)
    sections = dict(zip(map(int, parts[1::2]), parts[2::2], strict=True))
    named = (match for number in SECTIONS for match in _NAMED.findall(sections[number]))
    return {function for match in named for function in _QUOTED.findall(match)}


def test_every_rule_has_a_theorem() -> None:
    functions = {function for row, theorems in _table() for function in row if theorems}
    assert _functions_of_rules() <= functions


def test_every_theorem_of_the_table_is_stated() -> None:
    theorems = {theorem for _, row in _table() for theorem in row}
    assert len(theorems) > len(_functions_of_rules())
    assert theorems <= stated("Theorem", "Corollary")


def test_every_function_of_the_table_exists() -> None:
    sources = {path.stem: path.read_text(encoding="utf-8") for path in PROVE.glob("*.py")}
    code = "\n".join(sources.values())
    functions = {function for row, _ in _table() for function in row}
    missing = {each for each in functions - sources.keys() if not _is_defined(each, code)}
    assert missing == set()


def _is_defined(function: str, code: str) -> bool:
    """A function, a class, or a method or an attribute with the name of its class before it."""
    *owners, name = function.split(".")
    return all(f"class {owner}" in code for owner in owners) and bool(
        re.search(rf"\b(def|class) {name}\b|self\.{name} =", code)
    )


def test_the_statements_on_the_page_are_those_of_the_theory() -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for path in files())
    shown = re.findall(r"^```coq\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
    assert [statement for statement in shown if statement not in code] == []
    assert len(shown) >= 11
