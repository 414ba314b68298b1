"""A suggestion as the object that `suggest` prints with `--json`."""

from typing import Any

from acompass.suggestion import CurvePoint, Suggestion


def suggestion_object(suggestion: Suggestion) -> dict[str, Any]:
    fixed = {
        "k": suggestion.k,
        "l": suggestion.l,
        "records_in": suggestion.records_in,
        "records_out": suggestion.records_out,
        "loss": suggestion.loss,
        "per_column": dict(suggestion.per_column),
        "requirements": len(suggestion.steps),
        "seconds": suggestion.seconds,
    }
    return fixed if not suggestion.curve else {**fixed, "curve": list(map(_point, suggestion.curve))}


def _point(point: CurvePoint) -> dict[str, Any]:
    return {"lines": point.lines, "loss": point.loss, "dropped": point.dropped}
