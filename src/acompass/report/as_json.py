"""A result as the JSON object of `--json`; its keys are fixed, scripts rely on them."""

import json
from typing import Any

from acompass.diagnostics import AcompassError
from acompass.result import RequirementOutcome, Result, Sample


def to_object(result: Result) -> dict[str, Any]:
    return {
        "records_in": result.records_in,
        "records_out": result.records_out,
        "ok": result.ok,
        "requirements": [_requirement(outcome) for outcome in result.requirements],
        "trace_used": result.trace_used,
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
    return fixed if outcome.sample is None else {**fixed, "sample": _sample(outcome.sample)}


def _sample(sample: Sample) -> dict[str, Any]:
    """Violating classes or records; what JSON has no value for is written as text."""
    plain = int | float | str | None
    rows = [[value if isinstance(value, plain) else str(value) for value in row] for row in sample.rows]
    return {"columns": list(sample.columns), "rows": rows}


def to_json(value: Any) -> str:
    """Readable and ASCII only, so that no terminal or pipe can spoil it."""
    return json.dumps(value, indent=2)


def error_to_object(error: AcompassError) -> dict[str, Any]:
    """What stands in a result's place where there is none."""
    from acompass.diagnostics.render import render_json

    return {"diagnostics": render_json(error.diagnostics, error.source, error.name)}
