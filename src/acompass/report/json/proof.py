"""A proof as the object that `prove --json` prints."""

from typing import Any

from acompass.prove.proof import Claim, Counterexample, Proof
from acompass.report.json.values import json_value


def proof_object(proof: Proof) -> dict[str, Any]:
    return {"types": dict(proof.types), "claims": [claim_object(claim) for claim in proof.claims]}


def claim_object(claim: Claim) -> dict[str, Any]:
    return {
        "text": claim.text,
        "line": claim.line,
        "verdict": str(claim.verdict),
        "reason": claim.reason,
        "counterexample": None if claim.counterexample is None else _counterexample(claim.counterexample),
        **_certified(claim),
    }


def _certified(claim: Claim) -> dict[str, Any]:
    """Only where a certificate was asked for."""
    if claim.is_certified is None:
        return {}
    return {"certified": claim.is_certified, "uncertified": claim.uncertified or None}


def _counterexample(counterexample: Counterexample) -> dict[str, Any]:
    return {
        "columns": counterexample.columns,
        "records": [[json_value(value) for value in record] for record in counterexample.records],
        "trace": list(counterexample.trace),
    }
