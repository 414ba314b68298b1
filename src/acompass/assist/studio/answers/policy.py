"""Help for writing the policy, what a run of it does, what is proved about it, and how it changes a record.

A record is personal data, and is shown only if *Show values* is on."""

from collections.abc import Sequence
from typing import Any

from acompass.assist.analysis import SEED, Context, ProofState, Verdicts, diagnose, proofs, prove_claim, verdicts
from acompass.assist.completion import complete
from acompass.assist.document import Symbol, definition, format_edits, parameters, references, rename, symbols
from acompass.assist.hover import hover
from acompass.assist.studio.answers.opening import require_shown
from acompass.assist.studio.messages import Body, Offsets, diagnostics_json, edits_json, json_object
from acompass.assist.studio.question import Ask, about_project, about_text
from acompass.assist.studio.state import Project
from acompass.dataclasses import asdict
from acompass.errors.diagnostics import Span
from acompass.explain.answer import Change, ClassSeen, Life, Step
from acompass.language.program.types import Value
from acompass.language.text.tokens import spell_probability
from acompass.prove.proof import Claim, Counterexample
from acompass.report.answers.results import value_text
from acompass.result import RequirementOutcome


def find_diagnostics(ask: Ask) -> dict[str, Any]:
    queue = ask.project.queue
    roles = ask.project.roles
    context = Context(ask.params, queue.session.columns, roles=roles)
    found = ask.find("diagnose", lambda _: diagnose(ask.document, context, queue.whole), roles)
    return {"diagnostics": diagnostics_json(found, ask.offsets), "parameters": list(parameters(ask.document))}


def hover_at(ask: Ask) -> dict[str, Any]:
    found = hover(ask.document, ask.at, ask.context)
    if found is None:
        return {"hover": None}
    return {"hover": {**ask.offsets.span(found.span), "title": found.title, "lines": list(found.lines)}}


def complete_at(ask: Ask) -> dict[str, Any]:
    found = complete(ask.document, ask.at, ask.context)
    completions = (
        {**json_object(each, "label", "kind", "insert", "detail"), **ask.offsets.span(each.replace)} for each in found
    )
    return {"completions": list(completions)}


def rename_at(ask: Ask) -> dict[str, Any]:
    edits = rename(ask.document, ask.at, ask.body.text("name"))
    return {"diagnostics": [], "edits": edits_json(edits, ask.offsets)}


def references_at(ask: Ask) -> dict[str, Any]:
    offset = ask.at
    defined = definition(ask.document, offset)
    return {
        "definition": None if defined is None else ask.offsets.span(defined),
        "references": [ask.offsets.span(span) for span in references(ask.document, offset)],
    }


def format_text(ask: Ask) -> dict[str, Any]:
    return {"edits": edits_json(format_edits(ask.document), ask.offsets)}


def outline(ask: Ask) -> dict[str, Any]:
    return {"symbols": [_symbol(each, ask.offsets) for each in symbols(ask.document)]}


def _symbol(symbol: Symbol, offsets: Offsets) -> dict[str, Any]:
    return {
        **json_object(symbol, "name", "kind", "detail"),
        "children": [_symbol(each, offsets) for each in symbol.children],
        **offsets.span(symbol.span),
    }


def judge(ask: Ask) -> dict[str, Any]:
    return {"diagnostics": [], "verdicts": _json(find_verdicts(ask), ask.offsets)}


def find_verdicts(ask: Ask) -> Verdicts:
    return ask.find("verdicts", lambda session: verdicts(ask.document, ask.params, session, ask.project.start.key))


def _json(found: Verdicts, offsets: Offsets) -> dict[str, Any]:
    result, sample = found.result, found.sample
    return {
        "requirements": [requirement_json(*each, offsets) for each in found.by_index.values()],
        **json_object(result, "records_in", "records_out", "dropped", "ok", "broken", "checks_nothing"),
        "notes": [asdict(note) for note in result.notes],
        "unnamed": list(result.unnamed),
        "sample": None if sample is None else json_object(sample, "records", "of"),
    }


def requirement_json(outcome: RequirementOutcome, span: Span, offsets: Offsets) -> dict[str, Any]:
    return {
        **json_object(outcome, "index", "line"),
        **offsets.span(span),
        **json_object(outcome, "text", "action"),
        "probability": None if outcome.probability is None else spell_probability(outcome.probability),
        **json_object(outcome, "holds", "affected", "records", "after"),
        "accepted": outcome.is_accepted,
    }


def prove_policy(ask: Ask) -> dict[str, Any]:
    schema = ask.schema
    found = ask.find("proofs", lambda _: proofs(ask.document, ask.params, schema))
    return {"diagnostics": [], "proofs": [_proof(each, ask.offsets) for each in found]}


def _proof(state: ProofState, offsets: Offsets) -> dict[str, Any]:
    claim = state.claim
    place = {"index": state.index, "line": claim.line, **offsets.span(state.span)}
    return {**place, "claim": claim.text, **_verdict(claim)}


def prove_typed(ask: Ask) -> dict[str, Any]:
    schema, typed = ask.schema, ask.body.text("claim")
    claim = ask.project.ask(ask.body, lambda _: prove_claim(ask.document, ask.params, schema, typed))
    return {"diagnostics": [], "claim": {"text": claim.text, **_verdict(claim)}}


def _verdict(claim: Claim) -> dict[str, Any]:
    return {
        "verdict": str(claim.verdict),
        "reason": claim.reason,
        "counterexample": _counterexample(claim.counterexample),
    }


def _counterexample(found: Counterexample | None) -> dict[str, Any] | None:
    """The records of a counterexample are invented by the proof, and not read from a table."""
    if found is None:
        return None
    return {
        "columns": [{"name": column.name, "type": str(column.type)} for column in found.schema],
        "before": _rows(found.records),
        "after": _rows(found.left),
        "after_columns": [column.name for column in found.left_schema],
        "trace": list(found.trace),
    }


def _rows(records: tuple[tuple[Value, ...], ...]) -> list[list[str]]:
    return [[value_text(value) for value in record] for record in records]


def explain_record(project: Project, body: Body) -> dict[str, Any]:
    require_shown(project)
    ask = Ask.parse(project, body)
    policy, params = ask.policy, ask.used_params
    record = body.number("record") if body.has("record") else None
    where = body.text("where") if body.has("where") else None
    found = project.ask_whole(
        body,
        lambda session: session.explain(
            policy, record=record, where=where, params=params, seed=SEED, key=project.start.key
        ),
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
        **json_object(step, "index", "line", "text", "action", "holds", "affected", "dropped"),
        "class": None if step.seen is None else _class(step.seen),
        "change": _change(step.changes) if step.changes else None,
        "nearest": list(step.nearest),
    }


def _class(seen: ClassSeen) -> dict[str, Any]:
    return {"key": _record(seen.key), "records": seen.records, "values": _record(seen.values)}


def _change(changes: Sequence[Change]) -> dict[str, Any]:
    """The columns of a SHIFT together."""
    return {
        "column": ", ".join(change.column for change in changes),
        "before": ", ".join(value_text(change.before) for change in changes),
        "after": ", ".join(value_text(change.after) for change in changes),
    }


def _record(record: dict[str, Any] | None) -> dict[str, str] | None:
    return None if record is None else {name: value_text(value) for name, value in record.items()}


QUESTIONS = {
    "diagnose": about_text(find_diagnostics, parameters=[]),
    "hover": about_text(hover_at, hover=None),
    "complete": about_text(complete_at, completions=[]),
    "rename": about_text(rename_at, edits=[]),
    "references": about_text(references_at, definition=None, references=[]),
    "format": about_text(format_text, edits=[]),
    "symbols": about_text(outline, symbols=[]),
    "verdicts": about_text(judge, verdicts=None),
    "proofs": about_text(prove_policy, proofs=None),
    "claim": about_text(prove_typed, claim=None),
    "record": about_project(explain_record, lives=None),
}
