"""Files stay short, contain no paths of a particular machine, and refer to files, commands and targets that exist."""

import ast
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from re import _constants, _parser
from typing import Any

import pytest
from click import Context, Group

import acompass
from acompass.cli.app import COMMANDS, app
from acompass.errors.catalog import CODES
from acompass.version import __version__
from tests.repo.interface import interface_lines
from tests.repo.sources import PACKAGE, ROOT, kept_files, modules, relative_name, syntax

LONGEST = 600
#: spelled in two parts, so that this file passes its own test
MACHINE = re.compile("|".join(first + second for first, second in [("/wo", "rk/"), ("/ro", "ot/"), ("/ho", "me/")]))


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")


def test_no_file_of_code_is_long() -> None:
    code = [path for path in kept_files() if path.suffix in {".py", ".lark"}]
    lengths = {relative_name(path): _text(path).count("\n") for path in code}
    assert {name: length for name, length in lengths.items() if length > LONGEST} == {}


def test_no_file_contains_a_path_of_a_machine() -> None:
    assert [relative_name(path) for path in kept_files() if MACHINE.search(_text(path))] == []


def test_the_changelog_has_the_version() -> None:
    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_ci_runs_every_target_and_stops_at_a_failure() -> None:
    script = ROOT / ".ci" / "run"
    text = script.read_text(encoding="utf-8")
    assert script.stat().st_mode & 0o111
    assert "set -euo pipefail" in text
    assert text.endswith("\nmake test\nmake test-engines\nexec make test-product\n")


PAGES = ROOT / "docs" / "errors"
CODE = re.compile(r"\bAC\d{3}\b")


def test_every_code_has_a_page_and_every_page_a_code() -> None:
    assert {page.stem for page in PAGES.glob("AC*.md")} == set(CODES)


def test_every_page_is_titled_as_its_code() -> None:
    titles = {page.stem: page.read_text(encoding="utf-8").partition("\n")[0] for page in PAGES.glob("AC*.md")}
    assert titles == {code: f"# {code}: {title}" for code, title in CODES.items()}


def test_every_code_is_reported_somewhere_and_no_other_is() -> None:
    register = PACKAGE / "errors" / "catalog.py"
    sources = [path.read_text(encoding="utf-8") for path in modules() if path != register]
    reported = {code for source in sources for code in CODE.findall(source)}
    assert reported == set(CODES)


PAGE = (ROOT / "docs/how-to/python-api.md").read_text(encoding="utf-8")
#: modules that the page imports from
MODULES = ("errors", "language")
#: `acompass.name` anywhere on the page, and `name(…)` in the table of calls
ON_THE_PAGE = sorted(
    {name for name in re.findall(r"\bacompass\.([A-Za-z_]\w*)", PAGE) if name not in MODULES}
    | {name for row in re.findall(r"^\| (`.*?) \|", PAGE, re.M) for name in re.findall(r"`([a-z]\w*)\(", row)}
)


def _is_what_it_says(name: str) -> bool:
    value = getattr(acompass, name)
    if name.startswith("__"):
        return isinstance(value, str)
    if name == "rules":
        return inspect.ismodule(value)
    return inspect.isclass(value) if name[0].isupper() else inspect.isfunction(value)


@pytest.mark.parametrize("name", acompass.__all__)
def test_a_name_of_the_package_exists(name: str) -> None:
    assert _is_what_it_says(name)
    assert name in dir(acompass)


@pytest.mark.parametrize("name", ON_THE_PAGE)
def test_a_name_of_the_page_exists(name: str) -> None:
    assert name in acompass.__all__
    assert _is_what_it_says(name)


def test_every_function_is_on_the_page() -> None:
    functions = {name for name in acompass.__all__ if inspect.isfunction(getattr(acompass, name))}
    assert functions <= set(ON_THE_PAGE)


def test_no_submodule_hides_the_function_of_its_name() -> None:
    names = [name for name in acompass.__all__ if (PACKAGE / name / "__init__.py").exists()]
    assert "prove" in names
    imports = "; ".join(f"import acompass.{name}" for name in names)
    code = f"{imports}; assert all(callable(getattr(acompass, name)) for name in {names})"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_public_interface_is_as_recorded() -> None:
    """If a difference is intended, record it and describe it in CHANGELOG.md."""
    recorded = (ROOT / "tests" / "repo" / "interface.txt").read_text(encoding="utf-8")
    assert list(interface_lines()) == recorded.splitlines()


LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"\bacompass ([a-z][a-z-]*)((?: [^\n`|>]*)?)")
SHELL = re.compile(r"^```(?:console|sh|shell|bash)\n(.*?)^```", re.MULTILINE | re.DOTALL)
MADE = re.compile(r"\bmake ([a-z-]+)")
OPTION = re.compile(r"(?<!\S)--[a-z-]+")


def _pages() -> list[Path]:
    return [path for path in kept_files() if path.suffix == ".md"]


def test_links_lead_somewhere() -> None:
    broken = [
        f"{relative_name(page)}: {link}"
        for page in _pages()
        for link in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8")))
        if not link.startswith(("http://", "https://", "#", "mailto:"))
        and not (page.parent / link.partition("#")[0]).exists()
    ]
    assert broken == []


def _options(command: str) -> set[str]:
    found = app.get_command(Context(app), command)
    below = found.commands.values() if isinstance(found, Group) else ()
    parameters = [parameter for each in (found, *below) for parameter in each.params]
    return {option for parameter in parameters for option in parameter.opts} | {"--help"}


def test_shell_blocks_use_commands_and_options_that_exist() -> None:
    wrong = []
    for page in _pages():
        for block in SHELL.findall(page.read_text(encoding="utf-8")):
            for command, rest in COMMAND.findall(block.replace("\\\n", " ")):
                if command not in COMMANDS or not set(OPTION.findall(rest)) <= _options(command):
                    wrong.append(f"{relative_name(page)}: acompass {command}{rest}")
    assert wrong == []


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"])
def test_targets_of_make_exist(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    targets = {target for block in re.findall(r"`+[^`]*`+", text) for target in MADE.findall(block)}
    assert targets, f"{page} does not mention make"
    rules = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert targets <= rules


def _can_backtrack(parsed: Any) -> bool:
    """Whether a parsed pattern has alternatives, lookarounds, or quantifiers that are neither exact nor possessive."""
    if isinstance(parsed, _parser.SubPattern):
        return any(_is_choice(*part) or _can_backtrack(part[1]) for part in parsed)
    return isinstance(parsed, tuple | list) and any(map(_can_backtrack, parsed))


def _is_choice(operator: Any, argument: Any) -> bool:
    if operator in (_constants.MAX_REPEAT, _constants.MIN_REPEAT):
        return argument[0] != argument[1]
    return operator in (_constants.ASSERT, _constants.ASSERT_NOT, _constants.BRANCH)


def _possessive_parts(parsed: Any) -> Iterator[Any]:
    if isinstance(parsed, _parser.SubPattern):
        for operator, argument in parsed:
            if operator is _constants.POSSESSIVE_REPEAT:
                yield argument[2]
            yield from _possessive_parts(argument)
    elif isinstance(parsed, tuple | list):
        for each in parsed:
            yield from _possessive_parts(each)


def _patterns() -> Iterator[tuple[str, str | bytes]]:
    """The constant patterns of the package, and the files they are in. In a verbose one, spaces are removed."""
    for path in modules():
        for node in ast.walk(syntax(path)):
            match node:
                case ast.Call(ast.Attribute(ast.Name("re")), [ast.Constant(str() | bytes() as pattern), *rest]):
                    is_verbose = any("VERBOSE" in ast.dump(each) for each in rest)
                    yield relative_name(path), re.sub(r"\s+", "", pattern) if is_verbose else pattern


def test_patterns_match_the_same_on_every_python() -> None:
    """Python before 3.11.5, such as that of Debian 12, matches possessive groups wrongly if they can backtrack."""
    parts = [(place, part) for place, text in _patterns() for part in _possessive_parts(_parser.parse(text))]
    assert len(parts) > 25, "the patterns were not found"
    assert [place for place, part in parts if _can_backtrack(part)] == []
    assert any(map(_can_backtrack, _possessive_parts(_parser.parse(r"(?:[^*]++|\*(?!/))*+"))))
