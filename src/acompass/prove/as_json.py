"""A proof as the object that `prove --json` prints."""

from decimal import Decimal
from typing import Any

from acompass.checked.types import Value
from acompass.prove.proof import Claim, Counterexample, Proof


def proof_as_json(proof: Proof) -> dict[str, Any]:
    return {"claims": [_claim(claim) for claim in proof.claims]}


def _claim(claim: Claim) -> dict[str, Any]:
    return {
        "text": claim.text,
        "line": claim.line,
        "verdict": str(claim.verdict),
        "reason": claim.reason,
        "counterexample": None if claim.counterexample is None else _counterexample(claim.counterexample),
    }


def _counterexample(counterexample: Counterexample) -> dict[str, Any]:
    return {
        "columns": counterexample.columns,
        "records": [[_value(value) for value in record] for record in counterexample.records],
        "trace": list(counterexample.trace),
    }


def _value(value: Value) -> int | float | str | bool:
    """Decimals and dates are texts in JSON, as nothing else keeps them exactly."""
    if isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else repr(value)
    return f"{value:f}" if isinstance(value, Decimal) else value.isoformat()
