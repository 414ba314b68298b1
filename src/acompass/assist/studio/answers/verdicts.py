"""What a run of the policy does, what is proved about it, and how it changes a record.

A record is personal data, and is shown only if `show records` is on."""

from typing import Any

from acompass.assist.analysis import SEED, ProofState, RequirementState, Verdicts, proofs, prove_claim, verdicts
from acompass.assist.studio.answers.files import require_shown
from acompass.assist.studio.messages import Body, Offsets
from acompass.assist.studio.question import Ask
from acompass.assist.studio.state import Studio
from acompass.explain.answer import Change, ClassSeen, Life, Step
from acompass.language.program.types import Schema, Value
from acompass.language.text.tokens import spell_probability
from acompass.prove.proof import Counterexample
from acompass.report.answers.results import value_text


def judge(studio: Studio, body: Body) -> dict[str, Any]:
    ask = Ask.parse(studio, body)
    return {"diagnostics": [], "verdicts": _json(find_verdicts(ask), ask.offsets)}


def find_verdicts(ask: Ask) -> Verdicts:
    document, params = ask.document, ask.params
    return ask.studio.recall(
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


def prove_policy(studio: Studio, body: Body) -> dict[str, Any]:
    ask = Ask.parse(studio, body)
    schema = ask.schema
    found = studio.recall(
        ("proofs", ask.key), lambda: studio.ask(body, lambda _: proofs(ask.document, ask.params, schema))
    )
    return {"diagnostics": [], "proofs": [_proof(each, ask.offsets) for each in found]}


def _proof(state: ProofState, offsets: Offsets) -> dict[str, Any]:
    return {
        "index": state.index,
        "line": state.line,
        **offsets.span(state.span),
        "claim": state.claim,
        "verdict": str(state.verdict),
        "reason": state.reason,
        "counterexample": _counterexample(state.counterexample),
    }


def prove_typed(studio: Studio, body: Body) -> dict[str, Any]:
    ask = Ask.parse(studio, body)
    schema, typed = ask.schema, body.text("claim")
    claim = studio.ask(body, lambda _: prove_claim(ask.document, ask.params, schema, typed))
    return {
        "diagnostics": [],
        "claim": {
            "text": claim.text,
            "verdict": str(claim.verdict),
            "reason": claim.reason,
            "counterexample": _counterexample(claim.counterexample),
        },
    }


def _counterexample(found: Counterexample | None) -> dict[str, Any] | None:
    """The records of a counterexample are invented by the proof, and not read from a table."""
    if found is None:
        return None
    return {
        "columns": [{"name": column.name, "type": str(column.type)} for column in found.schema],
        "before": _rows(found.records),
        "after": _rows(found.left),
        "after_columns": _names(found.left_schema),
        "trace": list(found.trace),
    }


def _rows(records: tuple[tuple[Value, ...], ...]) -> list[list[str]]:
    return [[value_text(value) for value in record] for record in records]


def _names(schema: Schema) -> list[str]:
    return [column.name for column in schema]


def explain_record(studio: Studio, body: Body) -> dict[str, Any]:
    require_shown(studio)
    ask = Ask.parse(studio, body)
    policy, params = ask.policy, ask.used_params
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
    return {"column": change.column, "before": value_text(change.before), "after": value_text(change.after)}


def _record(record: dict[str, Any] | None) -> dict[str, str] | None:
    return None if record is None else {name: value_text(value) for name, value in record.items()}
