"""Replace a policy file atomically (invariant 5)."""

import codecs
from pathlib import Path

from acompass.atomic import atomically
from acompass.diagnostics import CallError, Diagnostic


def rewrite(path: str, text: str) -> None:
    """Replace the file's text. A byte order mark is kept; it is not part of the text."""
    try:
        mark = codecs.BOM_UTF8 if Path(path).read_bytes().startswith(codecs.BOM_UTF8) else b""
        with atomically(path) as part:
            Path(part).write_bytes(mark + text.encode())
    except OSError as error:
        raise CallError([_not_written(path, error)]) from None


def _not_written(path: str, error: OSError) -> Diagnostic:
    reason = (error.strerror or "unknown reason").lower()
    return Diagnostic(
        code="AC491",
        message=f"cannot write policy `{path}`: {reason}",
        help="give `-` as the policy to read standard input and write standard output",
    )
