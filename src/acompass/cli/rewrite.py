"""A policy's file, replaced whole or not at all (invariant 5)."""

import os
import shutil
import tempfile
from pathlib import Path

from acompass.diagnostics import CallError, Diagnostic


def rewrite(path: Path, text: str) -> None:
    place = path.resolve()  # a link stays a link
    try:
        _replace(place, text)
    except OSError as error:
        raise CallError([_not_written(path, error)]) from None


def _replace(place: Path, text: str) -> None:
    handle, temporary = tempfile.mkstemp(prefix=f".{place.name}.", dir=place.parent)
    try:
        with open(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        shutil.copymode(place, temporary)
        os.replace(temporary, place)
    except BaseException:
        os.unlink(temporary)
        raise


def _not_written(path: Path, error: OSError) -> Diagnostic:
    reason = (error.strerror or "unknown reason").lower()
    return Diagnostic(
        code="AC491",
        message=f"cannot write policy `{path}`: {reason}",
        help="`acompass fmt -` formats standard input to standard output",
    )
