"""Diagnostics as the object that `--json` prints: findings, or errors in place of a result."""

from collections.abc import Sequence
from typing import Any

from acompass.diagnostics import AcompassError, Diagnostic


def error_object(error: AcompassError, most: int) -> dict[str, Any]:
    return diagnostics_object(error.diagnostics, error.source, error.name, most)


def diagnostics_object(
    diagnostics: Sequence[Diagnostic], source: str | None, name: str | None, most: int
) -> dict[str, Any]:
    """The first `most` diagnostics. `more` is the number of the others, if there are any."""
    from acompass.diagnostics.render import render_json

    shown = {"diagnostics": render_json(diagnostics[:most], source, name)}
    more = len(diagnostics) - most
    return {**shown, "more": more} if more > 0 else shown
