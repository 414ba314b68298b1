"""Run everything on a page, in an empty folder with the examples, and return the page with actual output."""

import atexit
import json
import os
import pty
import re
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from doctest import DocTestParser, Example
from functools import cache
from io import StringIO
from pathlib import Path
from threading import Thread
from typing import Any

import yaml

from acompass.language.text.parser import parse_text
from tests.docs.pages import Block, rewrite
from tests.programs import write_acompass, write_program
from tests.repo.sources import ROOT

#: blocks in these languages would not be run, so commands must not be in them
UNCHECKED = ("sh", "shell", "bash", "py", "pycon")


def run_page(text: str, folder: Path, addresses: dict[str, str], programs: Path | None = None) -> str:
    """Run all blocks of a page; `addresses` maps the server addresses on the page to the real ones.

    `programs` is the folder with `acompass` and `python`, by default those of the Python that runs the tests."""
    (folder / "examples").symlink_to(ROOT / "examples")
    return rewrite(text, _Runner(Shell(folder, programs or _programs()), addresses).run_block)


class _Runner:
    """Runs the blocks of a page in order."""

    def __init__(self, shell: "Shell", addresses: dict[str, str]) -> None:
        self._shell, self._addresses = shell, addresses
        self._interpreter = Interpreter()

    def run_block(self, block: Block) -> str:
        match block:
            case Block(excuse=str(excuse)):
                _require_replacement(excuse)
            case Block(language="console"):
                return run_console(block.content, self._command)
            case Block(language="python", name=""):
                return self._on_the_page(self._interpreter.run_statements(self._for_real(block.content)))
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
        path = self._shell.folder / name
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
    """A block that is not run must parse. A policy file may be wrong, because a command may show its error."""
    match block:
        case Block(language="acompass", name=""):
            _, found = parse_text(block.content)
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


COLUMNS = "96"


@cache
def _programs() -> Path:
    """A folder with `acompass`, `python` and `pre-commit`."""
    folder = tempfile.TemporaryDirectory(prefix="acompass-programs-")
    atexit.register(folder.cleanup)
    write_acompass(Path(folder.name))
    write_program(Path(folder.name, "pre-commit"), sys.executable, "-m", "pre_commit")
    return Path(folder.name)


@dataclass
class Shell:
    """Runs commands in one folder; `status` is the exit code of the last one."""

    folder: Path
    programs: Path
    status: int = 0

    def run(self, command: str) -> str:
        """Return a command's output, then its standard error, which is a pipe so that no progress bar is drawn."""
        ours, its = pty.openpty()
        path = os.pathsep.join((str(self.programs), os.environ["PATH"]))
        environment = {**os.environ, "PATH": path, "COLUMNS": COLUMNS, "NO_COLOR": "1"}
        printed = bytearray()
        reader = Thread(target=_read, args=(ours, printed))
        reader.start()
        try:
            ran = subprocess.run(
                ["bash", "-c", f"(exit {self.status}); {command}"],
                cwd=self.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=its,
                stderr=subprocess.PIPE,
            )
        finally:
            os.close(its)
            reader.join()
            os.close(ours)
        self.status = ran.returncode
        return (bytes(printed) + ran.stderr).decode().replace("\r\n", "\n")


def _read(terminal: int, printed: bytearray) -> None:
    try:
        while chunk := os.read(terminal, 65536):
            printed += chunk
    except OSError:
        """Linux raises this when the other end is closed."""


PROMPT = "$ "


def run_console(content: str, run: Callable[[str], str]) -> str:
    """The block with the actual output of its commands; output that matches stays as written."""
    return "".join(
        command + (shown if matches(shown, printed) else _with_newline(printed))
        for command, shown in _sessions(content)
        for printed in [run(command.removeprefix(PROMPT))]
    )


def _sessions(content: str) -> Iterator[tuple[str, str]]:
    """Each command with its output; a command continues after a line that ends in a backslash."""
    lines = content.splitlines(keepends=True)
    assert lines, "a console block without a command"
    while lines:
        command = lines.pop(0)
        assert command.startswith(PROMPT), f"not a command: {command}"
        while command.endswith("\\\n"):
            command += lines.pop(0)
        shown = ""
        while lines and not lines[0].startswith(PROMPT):
            shown += lines.pop(0)
        yield command, shown


def _with_newline(text: str) -> str:
    return text if text.endswith("\n") or not text else text + "\n"


class Interpreter:
    """Runs all blocks of a page in one namespace."""

    def __init__(self) -> None:
        self._names: dict[str, Any] = {"__name__": "__main__"}

    def run_statements(self, content: str) -> str:
        if ">>> " not in content:
            printed = self._execute(content, "exec")
            assert printed == "", f"a block without prompts printed:\n{printed}"
            return content
        return "".join(
            piece if isinstance(piece, str) else self._run_example(piece) for piece in DocTestParser().parse(content)
        )

    def _run_example(self, example: Example) -> str:
        first, *more = example.source.splitlines()
        statement = "".join([f">>> {first}\n", *(f"... {line}".rstrip() + "\n" for line in more)])
        try:
            printed = self._execute(example.source, "single")
        except Exception as error:
            last = "".join(traceback.format_exception_only(error))
            printed = f"Traceback (most recent call last):\n  {ANYTHING}\n{last}"
        return statement + (example.want if matches(example.want, printed) else printed)

    def _execute(self, source: str, mode: str) -> str:
        out = StringIO()
        with redirect_stdout(out):
            exec(compile(source, "<page>", mode), self._names)
        return out.getvalue()


ANYTHING = "…"


def matches(shown: str, printed: str) -> bool:
    pattern = "".join(map(_pattern, _lines(shown)))
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in _lines(printed))) is not None


def _pattern(line: str) -> str:
    return r"(?:.*\n)*?" if line.strip() == ANYTHING else re.escape(line) + r"\n"


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]
