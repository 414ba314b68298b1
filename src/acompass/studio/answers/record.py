"""The life of a record: personal data, and so only after `show records` is switched on."""

from typing import Any

from acompass.assist.requirements import SEED
from acompass.explanation import Change, ClassSeen, Life, Step
from acompass.report.words import shown
from acompass.studio.answers.files import require_shown
from acompass.studio.asking import Ask
from acompass.studio.body import Body
from acompass.studio.studio import Studio


def explain_record(studio: Studio, body: Body) -> dict[str, Any]:
    require_shown(studio)
    ask = Ask.of(studio, body)
    policy, params = ask.policy, ask.used
    record = body.number("record") if body.has("record") else None
    where = body.text("where") if body.has("where") else None
    found = studio.ask_whole(
        body,
        lambda session: session.explain(policy, record=record, where=where, params=params, seed=SEED),
    )
    return {"diagnostics": [], "lives": [_life(life) for life in found.lives]}


def _life(life: Life) -> dict[str, Any]:
    dropped = life.dropped_by
    return {
        "record": life.record,
        "given": _record(life.given),
        "left": _record(life.left),
        "dropped_by": None if dropped is None else dropped.index,
        "steps": [_step(step) for step in life.steps],
    }


def _step(step: Step) -> dict[str, Any]:
    return {
        "index": step.index,
        "line": step.line,
        "text": step.text,
        "action": step.action,
        "holds": step.holds,
        "affected": step.affected,
        "dropped": step.dropped,
        "class": None if step.seen is None else _class(step.seen),
        "change": None if step.change is None else _change(step.change),
        "nearest": list(step.nearest),
    }


def _class(seen: ClassSeen) -> dict[str, Any]:
    return {"key": _record(seen.key), "records": seen.records, "values": _record(seen.values)}


def _change(change: Change) -> dict[str, Any]:
    return {"column": change.column, "before": shown(change.before), "after": shown(change.after)}


def _record(record: dict[str, Any] | None) -> dict[str, str] | None:
    return None if record is None else {name: shown(value) for name, value in record.items()}
