"""Compare a program's output with a page. A line `…` matches any number of lines."""

import re

ANYTHING = "…"


def matches(shown: str, printed: str) -> bool:
    pattern = "".join(map(_pattern, _lines(shown)))
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in _lines(printed))) is not None


def _pattern(line: str) -> str:
    return r"(?:.*\n)*?" if line.strip() == ANYTHING else re.escape(line) + r"\n"


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]
