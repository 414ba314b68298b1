"""Every error whose help names an option has a control next to it on the page, or a reason why it has none."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from acompass.assist.studio.messages import _CONTROLS, page_spelling
from acompass.assist.studio.settings import READING
from acompass.errors.catalog import CODES
from acompass.options import flags_by_name
from tests.repo.sources import PACKAGE, ROOT

REMEDY = (ROOT / "studio" / "src" / "parts" / "remedy.tsx").read_text(encoding="utf-8")
CODE = re.compile(r"AC\d{3}")

#: options that solve errors of a table or a policy that is open in the studio
OPTIONS = {*READING, "params", "key_file", "population", "qi"}
#: folders and files whose errors the studio can show
SHOWN = ("tables", "engines", "language", "measure", "plan", "roles.py", "policy.py", "session.py", "run.py")
#: functions that write help for an error that another one reports; words have a button of their own at any error
HELPERS = {
    "_help_on_others": "AC210",
    "words_help": "AC212",
    "help": "AC237",
    "_unfit_values": "AC238",
}


def remedies() -> set[str]:
    table = REMEDY[REMEDY.index("export const REMEDIES") : REMEDY.index("const NONE")]
    return set(re.findall(r"^  (AC\d{3}): \{ (?:words|reason): \"", table, re.MULTILINE))


def functions_naming_options() -> Iterator[tuple[Path, ast.FunctionDef]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.relative_to(PACKAGE).parts[0] in SHOWN:
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for node in ast.walk(tree):
                if isinstance(node, ast.FunctionDef) and options_named(node) & OPTIONS:
                    yield path, node


def options_named(function: ast.FunctionDef) -> set[str]:
    found = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "missing_help":
                found.add("missing")
            if node.func.id == "option_text" and isinstance(node.args[0], ast.Constant):
                found.add(str(node.args[0].value))
    return found


def codes_in(function: ast.FunctionDef) -> set[str]:
    texts = (node.value for node in ast.walk(function) if isinstance(node, ast.Constant))
    return {text for text in texts if isinstance(text, str) and CODE.fullmatch(text)}


def test_every_error_that_names_an_option_has_a_control_or_a_reason() -> None:
    needed, helpers = set(), set()
    for _, function in functions_naming_options():
        needed |= codes_in(function) or {HELPERS[function.name]}
        helpers |= {function.name} & HELPERS.keys()
    assert helpers == HELPERS.keys()
    assert len(needed) > 15, "the functions were not found"
    assert needed - remedies() == set()
    assert remedies() <= CODES.keys()


def test_the_page_has_words_for_each_option_that_its_controls_set() -> None:
    assert set(READING) <= _CONTROLS.keys()
    assert _CONTROLS.keys() - {"qi", "k"} <= flags_by_name().keys()


def test_no_control_is_named_like_a_flag() -> None:
    for name in _CONTROLS:
        for value in ((), (True,), ("a",), ({"A": ...},), (["a", "b"],)):
            assert "--" not in page_spelling(name, *value)
    assert page_spelling("missing", "drop") == "Missing values: drop"
    assert page_spelling("dates", {"Born": "%d.%m.%Y"}) == "Date format: Born = %d.%m.%Y"
