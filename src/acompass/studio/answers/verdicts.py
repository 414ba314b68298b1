"""What a run of the policy does, requirement by requirement."""

from typing import Any

from acompass.assist.requirements import RequirementState, Verdicts, verdicts
from acompass.studio.asking import Ask
from acompass.studio.body import Body
from acompass.studio.offsets import Offsets
from acompass.studio.studio import Studio
from acompass.syntax.spelling import spell_probability


def judge(studio: Studio, body: Body) -> dict[str, Any]:
    ask = Ask.of(studio, body)
    return {"diagnostics": [], "verdicts": _json(judged(ask), ask.offsets)}


def judged(ask: Ask) -> Verdicts:
    document, params = ask.document, ask.params
    return ask.studio.remembered(
        ("verdicts", ask.key),
        lambda: ask.studio.ask(ask.body, lambda session: verdicts(document, params, session)),
    )


def _json(found: Verdicts, offsets: Offsets) -> dict[str, Any]:
    sample = found.sample
    return {
        "requirements": [requirement_json(each, offsets) for each in found.requirements],
        "records_in": found.records_in,
        "records_out": found.records_out,
        "dropped": found.dropped,
        "ok": found.ok,
        "notes": [{"line": note.line, "text": note.text} for note in found.notes],
        "unnamed": list(found.unnamed),
        "sample": None if sample is None else {"records": sample.records, "of": sample.of},
    }


def requirement_json(state: RequirementState, offsets: Offsets) -> dict[str, Any]:
    return {
        "index": state.index,
        "line": state.line,
        **offsets.span(state.span),
        "text": state.text,
        "action": state.action,
        "probability": None if state.probability is None else spell_probability(state.probability),
        "holds": state.holds,
        "affected": state.affected,
        "records": state.records,
    }
