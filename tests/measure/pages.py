"""Runs the blocks of documentation pages: writes their files, runs their commands, executes their Python."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

from acompass.cli.app import app

DOCS = Path(__file__).parents[2] / "docs"
FENCE = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Ran:
    """The outcome of a command on a page, and the output that the page promises."""

    exit_code: int
    output: str
    errors: str
    promised: str


def run_blocks(text: str) -> Iterator[Ran]:
    """Run the blocks in order, in the current folder."""
    for language, name, content in FENCE.findall(text):
        match language:
            case "python":
                exec(compile(content, name or "page", "exec"), {})
            case "console":
                command, _, promised = content.partition("\n")
                arguments = shlex.split(command.removeprefix("$ acompass "))
                result = CliRunner().invoke(app, arguments, catch_exceptions=False)
                yield Ran(result.exit_code, result.stdout, result.stderr, promised)
            case _:
                Path(name).parent.mkdir(parents=True, exist_ok=True)
                Path(name).write_text(content, encoding="utf-8")
