"""The places of keys in the text of a TOML file, for errors. `tomllib` tells only those of syntax errors."""

import re
import tomllib
from collections.abc import Iterator
from typing import Any, TypeAlias

from acompass.diagnostics.diagnostic import Span
from acompass.diagnostics.source import Source

Keys: TypeAlias = tuple[str, ...]

_AT = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def place_of(text: str, keys: Keys) -> Span | None:
    """The last of the keys where it first stands, or the statement around it."""
    section: Keys = ()
    for start, statement, said in _statements(text):
        if statement.lstrip().startswith("["):
            section = _only_keys(said)
            found = section[: len(keys)] == keys
        else:
            found = keys[: len(section)] == section and _holds(said, keys[len(section) :])
        if found:
            return _key_in(statement, keys[-1], start)
    return None


def place_of_error(text: str, error: tomllib.TOMLDecodeError) -> tuple[str, Span]:
    """What is wrong with the syntax, and where."""
    message = str(error)
    at = _AT.search(message)
    if at is None or at[1] is None:
        return _AT.sub("", message).lower(), Span(len(text), len(text))
    offset = Source(text).utf16_offset(int(at[1]) - 1, 0) + int(at[2]) - 1
    return message[: at.start()].lower(), Span(offset, offset + len(text[offset : offset + 1].strip()))


def _statements(text: str) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Each header and each assignment: the fewest lines that are TOML by themselves, and what they say."""
    start, end = 0, 0
    for line in text.splitlines(keepends=True):
        end += len(line)
        try:
            said = tomllib.loads(text[start:end])
        except tomllib.TOMLDecodeError:
            continue
        yield start, text[start:end], said
        start = end


def _only_keys(said: Any) -> Keys:
    """The keys of a header, from `{"policy": {"release.acp": {}}}`."""
    if not isinstance(said, dict) or not said:
        return ()
    ((key, inner),) = said.items()
    return key, *_only_keys(inner)


def _holds(said: Any, keys: Keys) -> bool:
    for key in keys:
        if not isinstance(said, dict) or key not in said:
            return False
        said = said[key]
    return bool(keys)


def _key_in(statement: str, key: str, start: int) -> Span:
    spelled = re.search(rf"""(?<![\w-])(["']?){re.escape(key)}\1(?=\s*[=.\]])""", statement)
    if spelled:
        return Span(start + spelled.start(), start + spelled.end())
    before = len(statement) - len(statement.lstrip())
    return Span(start + before, start + len(statement.rstrip()))
