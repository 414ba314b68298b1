"""Pages of the docs that run: tables and policies are written, commands run, Python executed."""

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
    """A command of a page: how it ended, what it printed, and what the page says it prints."""

    exit_code: int
    output: str
    errors: str
    promised: str


def run_blocks(text: str) -> Iterator[Ran]:
    """In the current folder, in order."""
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
                Path(name).write_text(content, encoding="utf-8")
