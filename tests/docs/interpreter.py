"""A Python block: with prompts, the output follows each statement; without prompts, it prints nothing."""

import traceback
from contextlib import redirect_stdout
from doctest import DocTestParser, Example
from io import StringIO
from typing import Any

from tests.docs.matching import ANYTHING, matches


class Interpreter:
    """Runs all blocks of a page in one namespace."""

    def __init__(self) -> None:
        self._names: dict[str, Any] = {"__name__": "__main__"}

    def played(self, content: str) -> str:
        if ">>> " not in content:
            printed = self._printed_by(content, "exec")
            assert printed == "", f"a block without prompts printed:\n{printed}"
            return content
        return "".join(
            piece if isinstance(piece, str) else self._stated(piece)
            for piece in DocTestParser().parse(content)
        )

    def _stated(self, example: Example) -> str:
        first, *more = example.source.splitlines()
        statement = "".join([f">>> {first}\n", *(f"... {line}".rstrip() + "\n" for line in more)])
        try:
            printed = self._printed_by(example.source, "single")
        except Exception as error:
            last = "".join(traceback.format_exception_only(error))
            printed = f"Traceback (most recent call last):\n  {ANYTHING}\n{last}"
        return statement + (example.want if matches(example.want, printed) else printed)

    def _printed_by(self, source: str, mode: str) -> str:
        out = StringIO()
        with redirect_stdout(out):
            exec(compile(source, "<page>", mode), self._names)
        return out.getvalue()
