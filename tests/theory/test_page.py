"""docs/theory.md shows the statements of the theory, and every rule of docs/prove.md has a theorem there."""

import ast
import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.repo.sources import ROOT
from tests.theory import assumptions
from tests.theory.building import make, needs
from tests.theory.sources import THEORY, code, files, statements

PAGE = (ROOT / "docs" / "theory.md").read_text(encoding="utf-8")
RULES = (ROOT / "docs" / "prove.md").read_text(encoding="utf-8")
PROVE = ROOT / "src" / "acompass" / "prove"

#: the sections of docs/prove.md with lemmas, laws and rules; the one after them is about counterexamples
SECTIONS = range(1, 8)
#: the sections that are lists of rules, each of which begins with its name
LISTS = range(3, 8)
_IN_PARENTHESES = re.compile(r"\((`[\w.]+`(?:, `[\w.]+`)*)")
_QUOTED = re.compile(r"`([A-Za-z_][\w.]*)`")
_RULE = re.compile(r"^- \*+([^*]+)\*+(.*(?:\n(?=  ).*)*)", re.MULTILINE)


def _table(page: str) -> list[tuple[list[str], list[str]]]:
    """The functions and the theorems of each row of the tables of rules."""
    tables = page.partition("## The prover's rules")[2].partition("\n## ")[0]
    rows = [line.split("|")[2:4] for line in tables.splitlines() if line.startswith("| ")]
    return [(_QUOTED.findall(functions), _QUOTED.findall(theorems)) for functions, theorems in rows]


def _sections(rules: str) -> dict[int, str]:
    parts = re.split(r"^## (\d)\. ", rules, flags=re.MULTILINE)
    return dict(zip(map(int, parts[1::2]), parts[2::2], strict=True))


@cache
def _definitions() -> frozenset[str]:
    """The modules, functions, classes and methods of the prover, without those that write certificates."""
    paths = (path for path in PROVE.rglob("*.py") if path.parent.name != "certify")
    modules = {path.stem: ast.parse(path.read_text(encoding="utf-8")) for path in paths}
    return frozenset(modules).union(*(_names(module, "") for module in modules.values()))


def _names(tree: ast.AST, owner: str) -> Iterator[str]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            yield from {node.name, f"{owner}{node.name}"}
        if isinstance(node, ast.ClassDef):
            yield from _names(node, f"{node.name}.")
        elif isinstance(node, ast.FunctionDef) and owner:
            yield from (f"{owner}{name}" for name in _attributes(node))


def _attributes(function: ast.FunctionDef) -> Iterator[str]:
    """The attributes that a method sets."""
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


def _functions_of_rules(rules: str) -> set[str]:
    """The names on the prover's page: in parentheses after a rule, or anything that the prover defines."""
    texts = [_sections(rules)[number] for number in SECTIONS]
    in_parentheses = {
        name for text in texts for match in _IN_PARENTHESES.findall(text) for name in _QUOTED.findall(match)
    }
    return in_parentheses | {name for text in texts for name in _QUOTED.findall(text) if name in _definitions()}


def _without_theorem(rules: str) -> set[str]:
    proved = {function for row, theorems in _table(PAGE) for function in row if theorems}
    return _functions_of_rules(rules) - proved


def _without_function(rules: str) -> list[str]:
    """The rules of the lists that name no function in parentheses."""
    found = (rule for number in LISTS for rule in _RULE.findall(_sections(rules)[number]))
    return [name for name, text in found if not _IN_PARENTHESES.search(text)]


def test_every_rule_has_a_theorem() -> None:
    assert _without_theorem(RULES) == set()
    assert len(_functions_of_rules(RULES)) > 40


def test_every_rule_names_its_function() -> None:
    assert _without_function(RULES) == []


def test_a_rule_without_a_theorem_is_noticed() -> None:
    """A rule that names a function without a theorem, text that mentions one, and a rule that names none."""
    before = "\n## 7. Labels"
    assert _without_theorem(RULES.replace(before, f"\n- **The new rule** (`_new_rule`).\n{before}")) == {"_new_rule"}
    assert _without_theorem(RULES.replace(before, f"\nSee also `reads_both`, `shrink_witness`.\n{before}")) == {
        "shrink_witness"
    }
    assert _without_function(RULES.replace(before, f"\n- **The new rule**. It holds.\n{before}")) == ["The new rule"]


def test_every_section_links_its_theorems() -> None:
    anchors = {number: f"theory.md#section-{number}-" for number in SECTIONS}
    assert [n for n, text in _sections(RULES).items() if n in anchors and anchors[n] not in text] == []


def test_every_theorem_of_the_table_is_stated() -> None:
    theorems = {theorem for _, row in _table(PAGE) for theorem in row}
    assert len(theorems) > len(_functions_of_rules(RULES))
    assert theorems <= statements("Theorem", "Corollary")


def test_every_function_of_the_table_exists() -> None:
    assert {function for row, _ in _table(PAGE) for function in row} - _definitions() == set()


def test_every_file_is_listed() -> None:
    listed = PAGE.partition("## Files")[2].partition("\n## ")[0]
    assert [path.name for path in files() if f"`{path.name}`" not in listed] == []


def test_the_statements_on_the_page_are_those_of_the_theory() -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for path in files())
    shown = re.findall(r"^```coq\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
    assert [statement for statement in shown if statement not in code] == []
    assert len(shown) >= 11


LONGEST = 400
#: words that make a statement true without a proof; no source uses them for anything else
UNPROVED = re.compile(r"\b(Admitted|admit|Axioms?|Parameters?|Conjecture|Abort)\b")


def test_nothing_is_assumed() -> None:
    assert {path.name: UNPROVED.findall(code(path)) for path in files() if UNPROVED.search(code(path))} == {}


def test_every_file_is_compiled() -> None:
    project = (THEORY / "_CoqProject").read_text(encoding="utf-8").split()
    assert {*project, "checker/Assumptions.v"} >= {str(path.relative_to(THEORY)) for path in files()}


def test_no_file_is_long() -> None:
    assert [path.name for path in files() if path.read_text(encoding="utf-8").count("\n") > LONGEST] == []


def test_the_assumptions_of_every_theorem_are_printed() -> None:
    assert assumptions.PATH.read_text(encoding="utf-8") == assumptions.text()


@pytest.mark.slow
@needs("make", "coqc")
def test_every_theorem_is_closed() -> None:
    answers = re.findall(r"^Closed under the global context$|^Axioms:.*$", make("assumptions"), re.MULTILINE)
    assert answers == ["Closed under the global context"] * len(assumptions.modules())


# `.ci/run` runs every target, compiles the theory if it can, and installs Coq and Chromium if it may.
#
# These tests only record its commands.


INSTALLED = "apt-get install -y -qq --no-install-recommends coq ocaml-findlib ocaml-nox"
UPDATED = "apt-get update -qq"
CHROMIUM = "apt-get install -y -qq --no-install-recommends chromium"
TARGETS = ["make test", "make test-engines", "make test-product"]
LEFT_OUT = [
    "the theory is not compiled: Coq and OCaml are missing",
    "the tests of pages are left out: Chromium is missing",
]
_TOOLS = ("coqc", "ocamlfind", "chromium")


class Machine:
    """A folder of commands that record how they were called."""

    def __init__(self, folder: Path, user: int, has_tools: bool, installs: bool):
        self._commands, self._log = folder / "commands", folder / "log"
        self._commands.mkdir()
        for each in ("bash", "dirname", "timeout"):
            found = shutil.which(each)
            assert found is not None
            (self._commands / each).symlink_to(found)
        self._add("make", f'echo "make $*" >> "{self._log}"')
        self._add("id", f"echo {user}")
        self._add("apt-get", f'echo "apt-get $*" >> "{self._log}"\n{self._installing() if installs else "exit 100"}')
        for tool in _TOOLS if has_tools else ():
            self._add(tool, "exit 0")

    def run(self) -> tuple[list[str], list[str]]:
        """The commands that were called, and the lines on standard error."""
        command = [str(ROOT / ".ci" / "run")]
        finished = subprocess.run(command, capture_output=True, text=True, env={"PATH": str(self._commands)})
        assert finished.returncode == 0, finished.stderr
        return self._log.read_text(encoding="utf-8").splitlines(), finished.stderr.splitlines()

    def _installing(self) -> str:
        """A script for `apt-get` that adds the tools of the packages it installs."""
        copies = (
            f'case "$*" in *{package}*) /bin/cp "{self._commands}/id" "{self._commands}/{tool}";; esac'
            for tool, package in zip(_TOOLS, ("coq", "ocaml-findlib", "chromium"), strict=True)
        )
        return "\n".join(['[ "$1" = install ] || exit 0', *copies])

    def _add(self, name: str, script: str) -> None:
        path = self._commands / name
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)


def test_the_theory_is_compiled_where_coq_is_present(tmp_path: Path) -> None:
    machine = Machine(tmp_path, user=0, has_tools=True, installs=False)
    assert machine.run() == (["make theory", *TARGETS], [])


def test_root_installs_what_is_missing(tmp_path: Path) -> None:
    machine = Machine(tmp_path, user=0, has_tools=False, installs=True)
    assert machine.run() == ([INSTALLED, CHROMIUM, "make theory", *TARGETS], [])


@pytest.mark.parametrize(
    ("user", "tried", "said"),
    [
        (
            0,
            [INSTALLED, UPDATED, CHROMIUM, UPDATED],
            ["the theory's tools cannot be installed here", "Chromium cannot be installed here", *LEFT_OUT],
        ),
        (1000, [], LEFT_OUT),
    ],
)
def test_the_tests_run_without_the_tools(user: int, tried: list[str], said: list[str], tmp_path: Path) -> None:
    machine = Machine(tmp_path, user, has_tools=False, installs=False)
    assert machine.run() == ([*tried, *TARGETS], said)
