"""A comparison as the object that `compare --json` prints."""

from typing import Any

from acompass.compare.answer import Comparison, Difference, Impact, Written, is_implied
from acompass.report.json.proof import claim_object
from acompass.report.json.values import json_value


def comparison_object(comparison: Comparison, impact: bool = False) -> dict[str, Any]:
    found = {"impact": _impact(comparison.impact)} if impact else {}
    return {
        "equivalent": comparison.equivalent,
        "reason": comparison.reason,
        "types": dict(comparison.types),
        "implies": {
            "new_by_old": is_implied(comparison.new_by_old),
            "old_by_new": is_implied(comparison.old_by_new),
        },
        "guarantees": {
            "new_by_old": [claim_object(claim) for claim in comparison.new_by_old],
            "old_by_new": [claim_object(claim) for claim in comparison.old_by_new],
        },
        "difference": None if comparison.difference is None else _difference(comparison.difference),
        **found,
    }


def _difference(difference: Difference) -> dict[str, Any]:
    return {
        "columns": difference.columns,
        "records": [[json_value(value) for value in record] for record in difference.records],
        "trace": list(difference.trace),
        "old": _written(difference.old),
        "new": _written(difference.new),
    }


def _written(written: Written | None) -> dict[str, Any] | None:
    """None where nothing is written."""
    if written is None:
        return None
    records = [[json_value(value) for value in record] for record in written.records]
    return {"columns": written.columns, "records": records}


def _impact(impact: Impact) -> dict[str, Any]:
    released = impact.released
    return {
        "lost": [claim_object(claim) for claim in impact.lost],
        "released": None
        if released is None
        else [{"column": each.column, "what": each.words, "certain": each.certain} for each in released],
        "reason": impact.reason,
    }
