"""An explanation as the object that `explain --json` prints."""

from typing import Any

from acompass.explanation import ClassSeen, Explanation, Life, Step
from acompass.report.json.values import json_value


def explanation_object(explanation: Explanation) -> dict[str, Any]:
    return {"records": [_life(life) for life in explanation.lives]}


def _life(life: Life) -> dict[str, Any]:
    dropped_by = life.dropped_by
    return {
        "record": life.record,
        "given": _record(life.given),
        "left": _record(life.left),
        "dropped_by": None if dropped_by is None else dropped_by.line,
        "requirements": [_step(step) for step in life.steps],
    }


def _step(step: Step) -> dict[str, Any]:
    change = step.change
    return {
        "index": step.index,
        "line": step.line,
        "text": step.text,
        "action": step.action,
        "holds": step.holds,
        "affected": step.affected,
        "drawn": step.drawn,
        "dropped": step.dropped,
        "class": None if step.seen is None else _class(step.seen),
        "change": change
        and {"column": change.column, "before": json_value(change.before), "after": json_value(change.after)},
        "nearest": list(step.nearest),
    }


def _class(seen: ClassSeen) -> dict[str, Any]:
    (name, value), *rest = seen.values.items()
    others = dict(rest)
    return {
        "key": _record(seen.key),
        "records": seen.records,
        "aggregate": name,
        "value": json_value(value),
        **({"others": _record(others)} if others else {}),
    }


def _record(record: dict[str, Any] | None) -> dict[str, Any] | None:
    return None if record is None else {name: json_value(value) for name, value in record.items()}
