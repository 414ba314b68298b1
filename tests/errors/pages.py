"""The pages of docs/errors as data: their sections, and the blocks of their examples and fixes."""

import re
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from acompass import api
from acompass.cli.app import app
from acompass.errors.diagnostics import AcompassError, Diagnostic, Span, apply_edits
from acompass.language.program.checker import check
from acompass.language.program.constants import parse_settings
from acompass.language.program.types import Kind, Schema, Type, make_schema
from acompass.language.text.parser import parse_text
from acompass.language.text.tokens import Token, tokenize
from acompass.prove.promises import BROKEN
from tests.repo.sources import ROOT

FOLDER = ROOT / "docs" / "errors"
SECTIONS = ("What", "Why", "Example", "Fix")

_SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Page:
    """`sections` are by title; `example` and `fix` are fenced blocks by language."""

    code: str
    heading: str
    sections: dict[str, str]

    @property
    def example(self) -> dict[str, str]:
        return _blocks(self.sections["Example"])

    @property
    def fix(self) -> dict[str, str]:
        """The blocks of the example, updated by those of the fix."""
        return self.example | _blocks(self.sections["Fix"])

    @property
    def shows_output(self) -> bool:
        return any(not line.startswith("$ ") for line in self.example.get("console", "").splitlines())


def _blocks(section: str) -> dict[str, str]:
    return dict(_FENCE.findall(section))


def read_page(path: Path) -> Page:
    heading, *parts = _SECTION.split(path.read_text(encoding="utf-8"))
    return Page(path.stem, heading.strip(), dict(zip(parts[::2], parts[1::2], strict=True)))


def pages() -> list[Page]:
    return [read_page(path) for path in sorted(FOLDER.glob("AC*.md"))]


#: the paper's Table 1
ELECTRICITY = ROOT / "examples" / "electricity" / "table.csv"


_NAMED_FENCE = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Ran:
    """The outcome of a command on a page, and the output that the page promises."""

    exit_code: int
    output: str
    errors: str
    promised: str

    @property
    def codes(self) -> list[str]:
        """The codes of the errors, in order."""
        return re.findall(r"\[(AC\d{3})\]", self.errors)


def run_blocks(text: str) -> Iterator[Ran]:
    """Run the blocks in order, in the current folder."""
    for language, name, content in _NAMED_FENCE.findall(text):
        match language:
            case "python":
                exec(compile(content, name or "page", "exec"), {})
            case "console":
                command, _, promised = content.partition("\n")
                if not command.startswith("$ acompass "):
                    subprocess.run(shlex.split(command.removeprefix("$ ")), check=True)
                    continue
                arguments = shlex.split(command.removeprefix("$ acompass "))
                result = CliRunner().invoke(app, arguments, catch_exceptions=False)
                yield Ran(result.exit_code, result.stdout, result.stderr, promised)
            case _:
                Path(name).parent.mkdir(parents=True, exist_ok=True)
                Path(name).write_text(content, encoding="utf-8")


def require_error(page: Page) -> None:
    """Run the example in the current folder: the page's error is reported, and nothing is printed."""
    (ran,) = run_blocks(page.sections["Example"])
    assert (ran.exit_code, ran.output, ran.codes) == (2, "", [page.code])


def run_fix(page: Page) -> Ran:
    """Run the fix in the current folder; it must succeed."""
    (ran,) = run_blocks(page.sections["Fix"])
    assert ran.exit_code == 0, ran.errors
    return ran


def find_codes(blocks: dict[str, str], folder: Path) -> set[str]:
    return {diagnostic.code for diagnostic in find_diagnostics(blocks, folder)}


def find_diagnostics(blocks: dict[str, str], folder: Path) -> tuple[Diagnostic, ...]:
    """The policy's syntax errors or, without any, its errors for the table or the schema."""
    policy = blocks["acompass"]
    program, diagnostics = parse_text(policy)
    if diagnostics:
        return diagnostics
    try:
        options = _options(blocks.get("options", ""))
        if "schema" in blocks:
            _, diagnostics = check(program, policy, _schema(blocks["schema"]), options.get("params"))
            return diagnostics
        table = folder / "table.csv"
        table.write_text(blocks["csv"] if "csv" in blocks else ELECTRICITY.read_text(), encoding="utf-8")
        (folder / "hierarchy.csv").write_text(blocks.get("hierarchy", ""), encoding="utf-8")
        (folder / "reference.csv").write_text(blocks.get("reference", ""), encoding="utf-8")
        perform = api.run if options.pop("run", False) else api.check
        with chdir(folder):
            result = perform(policy, str(table), **options)
        if result.broken:
            return (Diagnostic(BROKEN, result.objection or ""),)
    except AcompassError as error:
        return error.diagnostics
    return ()


def _schema(text: str) -> Schema:
    """Lines `column: kind`."""
    pairs = (line.split(": ") for line in text.splitlines())
    return make_schema({name: Type(Kind(kind)) for name, kind in pairs})


def _options(text: str) -> dict[str, Any]:
    """Lines `set: k=3`, `trace: 0.5 0.25`, `run`, and `name: value` for every other keyword."""
    options: dict[str, Any] = {}
    settings: list[str] = []
    reading: dict[str, tuple[str, ...]] = {}
    for line in text.splitlines():
        key, _, value = (part.strip() for part in line.partition(":"))
        match key:
            case "run":
                options["run"] = True
            case "set":
                settings.append(value)
            case "trace":
                options["trace"] = value.split()
            case "missing" | "na" | "dates" | "partition":
                reading[key] = (*reading.get(key, ()), value)
            case _:
                options[key] = value
    return options | reading | {"params": parse_settings(settings)}


#: `write `X``, `write one of `X` `Y``, `did you mean `X`?`
_OFFERED = re.compile(r"(?:\bwrite|\bdid you mean)(?: one of)? ((?:`[^`]+`(?:,? or |, | )?)+)")
_REPLACEMENT = re.compile(r"`([^`]+)`")


def replacements(diagnostic: Diagnostic) -> list[str]:
    """The texts that the help suggests. One with an ellipsis is a pattern, not a text."""
    offered = " ".join(_OFFERED.findall(diagnostic.help or ""))
    return [text for text in _REPLACEMENT.findall(offered) if "…" not in text]


def paste(text: str, diagnostic: Diagnostic, replacement: str) -> Iterator[str]:
    """The policy with the replacement at every position where a reader might paste it.

    A fix with the same text says where. Otherwise, the replacement takes the place of tokens at the error, and
    of neighboring tokens that it repeats, so that no part of the policy is lost.
    """
    yield from (apply_edits(text, fix.edits) for fix in diagnostic.fixes if f"`{replacement}`" in fix.title)
    place = diagnostic.labels[0].span
    if text[place.start : place.end].startswith(("--", "//", "#")):
        yield text[: place.start] + replacement + text[place.end :]
        return
    tokens = tokenize(text)[0]
    written = [token.text.lower() for token in tokenize(replacement)[0]]
    for first in range(len(tokens)):
        for last in range(first, len(tokens)):
            span = Span(tokens[first].start, tokens[last].end)
            if _touches(span, place) and _repeats(written, tokens[first : last + 1], place):
                yield f"{text[: span.start]}{replacement}{text[span.end :]}"


def _touches(span: Span, place: Span) -> bool:
    return span.start <= place.end + 1 and place.start <= span.end + 1


def _repeats(written: list[str], replaced: list[Token], place: Span) -> bool:
    """Whether the replaced tokens outside the error's place are among the written ones, in this order."""
    kept = [token.text.lower() for token in replaced if not _is_within(token, place)]
    rest = iter(written)
    return all(text in rest for text in kept)


def _is_within(token: Token, place: Span) -> bool:
    return token.start < place.end and place.start < token.end
