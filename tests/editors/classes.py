"""The class of every character of a policy, by our own parser and by the scopes of the TextMate grammar."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from acompass.assist.document import Document
from acompass.language.text.tokens import SIGNS
from tests.repo.sources import ROOT
from tests.waiting import PATIENCE

#: terminals that are not keywords
_CLASSES = {
    "WORD": "name",
    "QUOTED": "name",
    "PARAMETER": "parameter",
    "NUMBER": "number",
    "STRING": "string",
    "OPERATOR": "sign",
    "UNEQUAL": "sign",
    **dict.fromkeys(SIGNS.values(), "sign"),
}
_SCOPES = {
    "comment.": "comment",
    "string.": "string",
    "keyword.operator.comparison.": "sign",
    "keyword.": "keyword",
    "support.function.": "keyword",
    "variable.language.": "sign",
    "variable.other.": "name",
    "variable.parameter.": "parameter",
    "constant.numeric.": "number",
    "punctuation.": "sign",
}


def parses(text: str) -> bool:
    return not Document(text).syntax_errors


def parser_classes(text: str) -> list[str]:
    """A class for each character; spaces between tokens have none."""
    document = Document(text)
    found = [""] * len(text)
    for token in (token for segment in document.classified_tokens for token in segment):
        _put(found, token.start, token.end, _CLASSES.get(token.type, "keyword"))
    for comment in document.comments:  # a comment may be inside GROUP BY
        _put(found, comment.span.start, comment.span.end, "comment")
    return _without_space(text, found)


def scope_classes(text: str, tokens: list[tuple[int, int, list[str]]]) -> list[str]:
    """A class for each character, from tokens with offsets in UTF-16."""
    offsets = _offsets(text)
    found = [""] * len(text)
    for start, end, scopes in tokens:
        _put(found, offsets[start], offsets[end], _scope_class(scopes))
    return _without_space(text, found)


def _scope_class(scopes: list[str]) -> str:
    """The outermost scope: an escape inside a string is part of it."""
    return next((name for prefix, name in _SCOPES.items() if scopes and scopes[0].startswith(prefix)), "")


def _offsets(text: str) -> dict[int, int]:
    units = [0]
    for character in text:
        units.append(units[-1] + (2 if character > "\uffff" else 1))
    return {unit: offset for offset, unit in enumerate(units)}


def _put(found: list[str], start: int, end: int, name: str) -> None:
    found[start:end] = [name] * (end - start)


def _without_space(text: str, found: list[str]) -> list[str]:
    return ["" if character.isspace() else name for character, name in zip(text, found, strict=True)]


def differences(text: str, expected: list[str], found: list[str]) -> Iterator[str]:
    """Each part of a text to which the parser and the grammar give different classes."""
    at = 0
    while at < len(text):
        if expected[at] == found[at]:
            at += 1
            continue
        end = next((i for i in range(at, len(text)) if expected[i] == found[i]), len(text))
        yield f"`{text[at:end]}` at {at} is a {expected[at]}, shown as a {found[at]}"
        at = end


EXTENSION = ROOT / "editors" / "vscode"
NPM = shutil.which("npm")


def copy_extension(folder: Path) -> Path:
    """Copy the extension with its packages: those of the clone if it has any, otherwise from the registry."""
    if NPM is None or shutil.which("node") is None:
        pytest.skip("needs Node and npm")
    copy = folder / EXTENSION.relative_to(ROOT)
    shutil.copytree(EXTENSION, copy, ignore=shutil.ignore_patterns("node_modules", "out"))
    shutil.copy(ROOT / "LICENSE", folder)
    if (EXTENSION / "node_modules").is_dir():
        (copy / "node_modules").symlink_to(EXTENSION / "node_modules")
    else:
        _install(copy)
    return copy


def _install(folder: Path) -> None:
    try:
        command = [str(NPM), "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=True)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        last = [line for line in str(error.stderr or error).splitlines() if line.strip()][:1]
        pytest.skip(f"the packages of editors/vscode cannot be installed: {last}")
