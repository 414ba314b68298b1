"""A result as the object that `run`, `check` and `plan` print with `--json`."""

from typing import Any

from acompass.report.json.values import json_value
from acompass.result import RequirementOutcome, Result, Sample


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
    return fixed if outcome.sample is None else {**fixed, "sample": _sample(outcome.sample)}


def _sample(sample: Sample) -> dict[str, Any]:
    rows = [[json_value(value) for value in row] for row in sample.rows]
    return {"columns": list(sample.columns), "rows": rows}
