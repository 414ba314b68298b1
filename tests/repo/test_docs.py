"""Links in the documentation lead somewhere, and the commands and options that it names exist."""

import re
from pathlib import Path

import pytest
from click import Context

from acompass.cli.app import COMMANDS, app
from tests.repo.sources import ROOT, kept_files, shown

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"\bacompass ([a-z][a-z-]*)((?: [^\n`|>]*)?)")
SHELL = re.compile(r"^```(?:console|sh|shell|bash)\n(.*?)^```", re.MULTILINE | re.DOTALL)
MADE = re.compile(r"\bmake ([a-z]+)")
OPTION = re.compile(r"(?<!\S)--[a-z-]+")


def _pages() -> list[Path]:
    return [path for path in kept_files() if path.suffix == ".md"]


def test_links_lead_somewhere() -> None:
    broken = [
        f"{shown(page)}: {link}"
        for page in _pages()
        for link in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8")))
        if not link.startswith(("http://", "https://", "#", "mailto:"))
        and not (page.parent / link.partition("#")[0]).exists()
    ]
    assert broken == []


def _options_of(command: str) -> set[str]:
    parameters = app.get_command(Context(app), command).params
    return {option for parameter in parameters for option in parameter.opts} | {"--help"}


def test_shell_blocks_use_commands_and_options_that_exist() -> None:
    wrong = []
    for page in _pages():
        for block in SHELL.findall(page.read_text(encoding="utf-8")):
            for command, rest in COMMAND.findall(block.replace("\\\n", " ")):
                if command not in COMMANDS or not set(OPTION.findall(rest)) <= _options_of(command):
                    wrong.append(f"{shown(page)}: acompass {command}{rest}")
    assert wrong == []


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"])
def test_targets_of_make_exist(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    targets = {target for block in re.findall(r"`+[^`]*`+", text) for target in MADE.findall(block)}
    assert targets, f"{page} does not mention make"
    rules = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert targets <= rules
