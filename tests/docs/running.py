"""Run everything on a page, in an empty folder with the examples, and return the page with actual output."""

import json
from pathlib import Path

import yaml

from acompass.syntax.parse import parse
from tests.docs.console import played
from tests.docs.interpreter import Interpreter
from tests.docs.pages import Block, rewritten
from tests.docs.shell import Shell
from tests.repo.sources import ROOT

#: blocks in these languages would not be run, so commands must not be in them
UNCHECKED = ("sh", "shell", "bash", "py", "pycon")


def performed(text: str, folder: Path, addresses: dict[str, str]) -> str:
    """`addresses` maps the server addresses on the page to the real ones."""
    (folder / "examples").symlink_to(ROOT / "examples")
    return rewritten(text, _Reader(folder, addresses).content_of)


class _Reader:
    """Runs the blocks of a page in order."""

    def __init__(self, folder: Path, addresses: dict[str, str]) -> None:
        self._folder, self._addresses = folder, addresses
        self._shell, self._interpreter = Shell(folder), Interpreter()

    def content_of(self, block: Block) -> str:
        match block:
            case Block(excuse=str(excuse)):
                _require_replacement(excuse)
            case Block(language="console"):
                return played(block.content, self._command)
            case Block(language="python", name=""):
                return self._on_the_page(self._interpreter.played(self._for_real(block.content)))
            case Block(name=name) if name:
                _require_form(block)
                self._write(name, self._for_real(block.content))
            case _:
                assert block.language not in UNCHECKED, f"commands go in `console`:\n{block.content}"
                _require_form(block)
        return block.content

    def _command(self, command: str) -> str:
        return self._on_the_page(self._shell.run(self._for_real(command)))

    def _write(self, name: str, content: str) -> None:
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")

    def _for_real(self, content: str) -> str:
        for name, address in self._addresses.items():
            content = content.replace(name, address)
        return content

    def _on_the_page(self, content: str) -> str:
        for name, address in self._addresses.items():
            content = content.replace(address, name)
        return content


def _require_form(block: Block) -> None:
    """A block that is not run must parse. A policy file may be wrong, if a command shows the error."""
    match block:
        case Block(language="acompass", name=""):
            _, found = parse(block.content)
            assert not found, f"not a policy: {found[0].message}\n{block.content}"
        case Block(language="yaml"):
            yaml.safe_load(block.content)
        case Block(language="json"):
            json.loads(block.content)


def _require_replacement(excuse: str) -> None:
    """The last part of an excuse names the file that tests the block instead."""
    why, _, instead = excuse.rpartition("; ")
    assert why, f"an excuse says why, then what tests it instead: {excuse}"
    assert (ROOT / instead).is_file(), f"no such file: {instead}"
