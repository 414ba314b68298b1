"""Proofs of the policy's own assertions, and of a claim that the user types."""

from typing import Any

from acompass.assist.requirements import ProofState, proofs, prove_claim
from acompass.checked.types import Schema, Value
from acompass.prove import Counterexample
from acompass.report.words import shown
from acompass.studio.asking import Ask
from acompass.studio.body import Body
from acompass.studio.offsets import Offsets
from acompass.studio.studio import Studio


def prove_policy(studio: Studio, body: Body) -> dict[str, Any]:
    ask = Ask.of(studio, body)
    schema = ask.schema
    found = studio.remembered(
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
    ask = Ask.of(studio, body)
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
    """Its records are made up by the proof: no table is read for them."""
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
    return [[shown(value) for value in record] for record in records]


def _names(schema: Schema) -> list[str]:
    return [column.name for column in schema]
