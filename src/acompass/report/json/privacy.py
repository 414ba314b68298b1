"""A proof as the object that `prove --json` prints, with the privacy that it was asked for."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, assert_never

from acompass.privacy.answer import (
    NEIGHBOURS,
    NOT_COVERED,
    UNIT,
    ColumnPrivacy,
    Privacy,
    PrivacyProof,
    Witness,
)
from acompass.privacy.table_answer import LineStability, Refusal, TablePrivacy
from acompass.report.json.proof import proof_object
from acompass.report.json.values import json_value
from acompass.report.rows.privacy import stability_text


def privacy_proof_object(proof: PrivacyProof) -> dict[str, Any]:
    found = {} if proof.privacy is None else {"privacy": _privacy(proof.privacy)}
    return {**proof_object(proof), **found}


def _privacy(privacy: Privacy) -> dict[str, Any]:
    return {
        "unit": UNIT,
        "neighbours": NEIGHBOURS,
        "not_covered": list(NOT_COVERED),
        "columns": [_column(found) for found in privacy.columns],
        **_table(privacy.table),
        "stability": stability_text(privacy.stability.policy),
        "stability_by_line": [_stability(line) for line in privacy.stability.requirements],
    }


def _column(found: ColumnPrivacy) -> dict[str, Any]:
    return {
        "columns": list(found.columns),
        "verdict": str(found.verdict),
        "ratio": _fraction(found.ratio),
        "seed_ratio": _fraction(found.seed_ratio),
        "epsilon": None if found.epsilon is None else float(found.epsilon),
        "line": found.line,
        "reason": found.reason,
        "witness": None if found.witness is None else _witness(found.witness),
    }


def _fraction(number: Fraction | None) -> str | None:
    """`10/1`: the same form for all."""
    return None if number is None else f"{number.numerator}/{number.denominator}"


def _witness(witness: Witness) -> dict[str, Any]:
    return {
        "columns": {column.name: str(column.type) for column in witness.schema},
        "records": [_values(record) for record in witness.records],
        "neighbour": [_values(record) for record in witness.neighbour],
        "output_columns": {column.name: str(column.type) for column in witness.left_schema},
        "output": None if witness.left is None else [_values(record) for record in witness.left],
        "probabilities": [_fraction(probability) for probability in witness.probabilities],
        "traces": [None if trace is None else list(trace) for trace in witness.traces],
        "weights": str(witness.weights),
    }


def _values(record: Sequence[Any]) -> list[Any]:
    return [json_value(value) for value in record]


def _table(found: TablePrivacy | Refusal) -> dict[str, Any]:
    match found:
        case Refusal(line, reason):
            return {"table": None, "table_refusal": {"line": line, "reason": reason}}
        case TablePrivacy():
            return {"table": _claimed(found), "table_refusal": None}
        case _:
            assert_never(found)


def _claimed(found: TablePrivacy) -> dict[str, Any]:
    return {
        "epsilon": float(found.epsilon),
        "delta": float(found.delta_shown),
        "exact": found.is_exact,
        "ratio": _fraction(found.ratio),
        "k": found.k,
        "beta": _fraction(found.beta),
        "sampled": list(found.sampled),
        "rejects": found.rejects,
        "class_size": found.class_size,
        "direction": str(found.direction),
        "witness": None if found.witness is None else _values(found.witness),
    }


def _stability(line: LineStability) -> dict[str, Any]:
    return {
        "index": line.index,
        "line": line.line,
        "stability": stability_text(line.records),
        "reason": line.reason,
    }
