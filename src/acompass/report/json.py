"""Convert results and errors to the objects that `--json` prints; scripts rely on their keys.

`run` and `check` import this module, so it does not import other kinds of answers: see `json_answers.py`."""

import datetime
import json
import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from acompass.errors.diagnostics import AcompassError, Diagnostic
from acompass.result import RequirementOutcome, Result


def to_json(value: Any) -> str:
    """Write ASCII only, so that no terminal or pipe can garble it."""
    return json.dumps(value, indent=2)


def result_object(result: Result) -> dict[str, Any]:
    return {
        "records_in": result.records_in,
        "records_out": result.records_out,
        "dropped": result.dropped,
        "ok": result.ok,
        "requirements": [_requirement(outcome) for outcome in result.requirements],
        "trace_used": result.trace_used,
        "unnamed": list(result.unnamed),
        "notes": [{"line": note.line, "text": note.text} for note in result.notes],
    }


def _requirement(outcome: RequirementOutcome) -> dict[str, Any]:
    fixed = {
        "index": outcome.index,
        "line": outcome.line,
        "text": outcome.text,
        "holds": outcome.holds,
        "affected": outcome.affected,
        "action": outcome.action,
    }
    if outcome.sample is None:
        return fixed
    rows = [json_values(row) for row in outcome.sample.rows]
    return {**fixed, "sample": {"columns": list(outcome.sample.columns), "rows": rows}}


def error_object(error: AcompassError, most: int) -> dict[str, Any]:
    return diagnostics_object(error.diagnostics, error.source, error.name, most)


def diagnostics_object(
    diagnostics: Sequence[Diagnostic], source: str | None, name: str | None, most: int
) -> dict[str, Any]:
    """The first `most` diagnostics; `more` is the number of others, if there are any."""
    from acompass.errors.rendering import render_json

    shown = {"diagnostics": render_json(diagnostics[:most], source, name)}
    more = len(diagnostics) - most
    return {**shown, "more": more} if more > 0 else shown


def json_values(values: Iterable[Any]) -> list[Any]:
    return [json_value(value) for value in values]


def json_value(value: Any) -> int | float | str | bool | None:
    """Convert values that JSON cannot represent exactly, such as decimals and dates, to strings."""
    match value:
        case None | bool() | int() | str():
            return value
        case float() if math.isfinite(value):
            return value
        case Decimal():
            return f"{value:f}"
        case datetime.date():
            return value.isoformat()
        case _:
            return str(value)
