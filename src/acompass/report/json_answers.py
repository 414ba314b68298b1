"""Convert measures, estimates, suggestions, explanations, proofs and comparisons to objects for `--json`.

Scripts rely on their keys. A fraction becomes the nearest double."""

from fractions import Fraction
from typing import Any, assert_never

from acompass.author.answers import Estimate, Quantity, Suggestion, ValueEstimate
from acompass.explain.answer import ClassSeen, Explanation, Life, Step
from acompass.measure.answer import (
    Classes,
    Loss,
    Measures,
    Persons,
    QuasiIdentifier,
    Sampling,
    Sensitive,
    TableChange,
)
from acompass.prove.proof import Claim, Counterexample, Proof
from acompass.reason.compare.answer import Comparison, Difference, Impact, WrittenTable, is_implied
from acompass.reason.privacy.answer import (
    NEIGHBORS,
    NOT_COVERED,
    UNIT,
    ColumnPrivacy,
    LineStability,
    Privacy,
    PrivacyProof,
    Refusal,
    TablePrivacy,
    Witness,
)
from acompass.report.json import json_value, json_values
from acompass.report.proof_rows import stability_text


def measures_object(measures: Measures) -> dict[str, object]:
    sampling, comparison, loss = measures.sampling, measures.comparison, measures.loss
    return {
        "records": _persons(measures.records),
        "quasi_identifiers": list(measures.quasi_identifiers),
        "weight": measures.weight,
        "sampling_weight": sampling and sampling.weight,
        "k": _persons(measures.k),
        "classes": _classes(measures.classes),
        "risk": _risk(measures),
        "sampling": sampling and _sampling(sampling),
        "by_quasi_identifier": [_quasi_identifier(each) for each in measures.by_quasi_identifier],
        "sensitive": [_sensitive(column) for column in measures.sensitive],
        "comparison": comparison and _comparison(comparison),
        "loss": loss and _loss(loss),
    }


def _persons(number: Persons | None) -> int | float | None:
    """An integer, unless decimal weights make it a fraction."""
    return None if number is None else int(number) if number == int(number) else float(number)


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def _classes(classes: Classes) -> dict[str, object]:
    return {
        "number": classes.number,
        "largest": _persons(classes.largest),
        "average_size": _number(classes.average),
        "normalized_average_size": _number(classes.normalized_average),
        "discernibility": _persons(classes.discernibility),
        "uniques": _persons(classes.uniques),
        "records_below": {str(k): _persons(classes.records_below(k)) for k in classes.thresholds},
        "sizes": [{"size": _persons(size), "classes": number} for size, number in classes.sizes],
    }


def _risk(measures: Measures) -> dict[str, object]:
    journalist, sampling = measures.journalist, measures.sampling
    return {
        "prosecutor": {
            "maximum": _number(measures.classes.prosecutor_maximum),
            "average": _number(measures.classes.prosecutor_average),
        },
        "journalist": journalist and {"maximum": _number(journalist.maximum), "average": _number(journalist.average)},
        "individual": sampling and {"maximum": sampling.maximum, "average": sampling.average},
        "marketer": _number(measures.marketer),
    }


def _sampling(sampling: Sampling) -> dict[str, object]:
    return {
        "persons": _persons(sampling.persons),
        "expected_reidentifications": sampling.expected,
        "outstanding": sampling.outstanding,
        "records_above": {
            f"1/{each.k}": {"journalist": each.journalist, "individual": each.individual} for each in sampling.above
        },
        "understated_classes": sampling.understated,
    }


def _quasi_identifier(each: QuasiIdentifier) -> dict[str, object]:
    return {
        "column": each.column,
        "values": each.alone.number,
        "uniques": _persons(each.alone.uniques),
        "without": {
            "k": _persons(each.without.k),
            "uniques": _persons(each.without.uniques),
            "average_risk": _number(each.without.prosecutor_average),
        },
    }


def _sensitive(column: Sensitive) -> dict[str, object]:
    return {
        "column": column.column,
        "values": column.values,
        "alpha": _number(column.alpha),
        "distinct_l": column.distinct_l,
        "entropy_l": column.entropy_l,
        "entropy_effective": column.entropy_effective,
        "recursive_c": _number(column.recursive_c),
        "t": _number(column.t),
        "t_equal": _number(column.t_equal),
        "t_ordered": _number(column.t_ordered),
        "basic_beta": _number(column.basic_beta),
        "enhanced_beta": _number(column.enhanced_beta),
        "enhanced_beta_bound": column.enhanced_beta_bound,
        "delta": column.delta,
        "delta_every_value": column.delta_every_value,
    }


def _comparison(comparison: TableChange) -> dict[str, object]:
    return {
        "records_before": _persons(comparison.records_before),
        "records_after": _persons(comparison.records_after),
        "discernibility": _persons(comparison.discernibility),
        "entropy_before": comparison.entropy_before,
        "entropy_after": comparison.entropy_after,
        "information_lost": comparison.information_lost,
        "columns": [
            {
                "column": change.column,
                "distance": _number(change.distance),
                "values_before": change.values_before,
                "values_after": change.values_after,
                "entropy_before": change.entropy_before,
                "entropy_after": change.entropy_after,
                "information_lost": change.information_lost,
            }
            for change in comparison.columns
        ],
        "only_before": list(comparison.only_before),
        "only_after": list(comparison.only_after),
    }


def _loss(loss: Loss) -> dict[str, object]:
    return {
        "total": loss.total,
        "per_column": {each.column: each.loss for each in loss.columns},
        "levels": {each.column: each.levels for each in loss.columns},
        "proposed": [each.column for each in loss.columns if each.proposed],
    }


def estimate_object(estimate: Estimate) -> dict[str, object]:
    return {
        "column": estimate.column,
        "line": estimate.line,
        "records": {"released": estimate.released, **_quantity(estimate.records)},
        "values": [_value(each, estimate.released) for each in estimate.values],
        "notes": list(estimate.notes),
    }


def _value(value: ValueEstimate, released: int) -> dict[str, object]:
    share = float(Fraction(value.released, released)) if released else None
    return {
        "value": json_value(value.value),
        "count": {"released": value.released, **_quantity(value.count)},
        "share": {"released": share, **_quantity(value.share)},
    }


def _quantity(quantity: Quantity | None) -> dict[str, float | None]:
    if quantity is None:
        return {"estimated": None, "standard_error": None}
    return {"estimated": float(quantity.estimate), "standard_error": quantity.standard_error}


def suggestion_object(suggestion: Suggestion) -> dict[str, Any]:
    fixed = {
        "k": suggestion.k,
        "l": suggestion.l,
        "records_in": suggestion.records_in,
        "records_out": suggestion.records_out,
        "loss": suggestion.loss,
        "per_column": dict(suggestion.per_column),
        "requirements": len(suggestion.steps),
        "seconds": suggestion.seconds,
    }
    if not suggestion.curve:
        return fixed
    curve = [{"lines": point.lines, "loss": point.loss, "dropped": point.dropped} for point in suggestion.curve]
    return {**fixed, "curve": curve}


def explanation_object(explanation: Explanation) -> dict[str, Any]:
    return {"records": [_life(life) for life in explanation.lives]}


def _life(life: Life) -> dict[str, Any]:
    return {
        "record": life.record,
        "given": _record(life.given),
        "left": _record(life.left),
        "dropped_by": life.dropped_by and life.dropped_by.line,
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
        "class": step.seen and _class_seen(step.seen),
        "change": change
        and {"column": change.column, "before": json_value(change.before), "after": json_value(change.after)},
        "nearest": list(step.nearest),
    }


def _class_seen(seen: ClassSeen) -> dict[str, Any]:
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


def proof_object(proof: Proof) -> dict[str, Any]:
    return {"types": dict(proof.types), "claims": [claim_object(claim) for claim in proof.claims]}


def claim_object(claim: Claim) -> dict[str, Any]:
    return {
        "text": claim.text,
        "line": claim.line,
        "verdict": str(claim.verdict),
        "reason": claim.reason,
        "counterexample": claim.counterexample and _counterexample(claim.counterexample),
        **_certificate(claim),
    }


def _certificate(claim: Claim) -> dict[str, Any]:
    """Whether the claim is certified, if a certificate was requested."""
    if claim.is_certified is None:
        return {}
    return {"certified": claim.is_certified, "uncertified": claim.uncertified or None}


def _counterexample(counterexample: Counterexample) -> dict[str, Any]:
    return {
        "columns": counterexample.columns,
        "records": [json_values(record) for record in counterexample.records],
        "trace": list(counterexample.trace),
    }


def privacy_proof_object(proof: PrivacyProof) -> dict[str, Any]:
    privacy = {} if proof.privacy is None else {"privacy": _privacy(proof.privacy)}
    return {**proof_object(proof), **privacy}


def _privacy(privacy: Privacy) -> dict[str, Any]:
    return {
        "unit": UNIT,
        "neighbours": NEIGHBORS,
        "not_covered": list(NOT_COVERED),
        "columns": [_column(found) for found in privacy.columns],
        **_table_privacy_or_refusal(privacy.table),
        "stability": stability_text(privacy.stability.policy),
        "stability_by_line": [_line_stability(line) for line in privacy.stability.requirements],
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
        "witness": found.witness and _witness(found.witness),
    }


def _fraction(number: Fraction | None) -> str | None:
    """`10/1`; integers have a denominator too."""
    return None if number is None else f"{number.numerator}/{number.denominator}"


def _witness(witness: Witness) -> dict[str, Any]:
    return {
        "columns": {column.name: str(column.type) for column in witness.schema},
        "records": [json_values(record) for record in witness.records],
        "neighbour": [json_values(record) for record in witness.neighbour],
        "output_columns": {column.name: str(column.type) for column in witness.left_schema},
        "output": None if witness.left is None else [json_values(record) for record in witness.left],
        "probabilities": [_fraction(probability) for probability in witness.probabilities],
        "traces": [None if trace is None else list(trace) for trace in witness.traces],
        "weights": str(witness.weights),
    }


def _table_privacy_or_refusal(found: TablePrivacy | Refusal) -> dict[str, Any]:
    match found:
        case Refusal(line, reason):
            return {"table": None, "table_refusal": {"line": line, "reason": reason}}
        case TablePrivacy():
            return {"table": _table_privacy(found), "table_refusal": None}
        case _:
            assert_never(found)


def _table_privacy(found: TablePrivacy) -> dict[str, Any]:
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
        "witness": None if found.witness is None else json_values(found.witness),
    }


def _line_stability(line: LineStability) -> dict[str, Any]:
    return {
        "index": line.index,
        "line": line.line,
        "stability": stability_text(line.records),
        "reason": line.reason,
    }


def comparison_object(comparison: Comparison, impact: bool = False) -> dict[str, Any]:
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
        "difference": comparison.difference and _difference(comparison.difference),
        **({"impact": _impact(comparison.impact)} if impact else {}),
    }


def _difference(difference: Difference) -> dict[str, Any]:
    return {
        "columns": difference.columns,
        "records": [json_values(record) for record in difference.records],
        "trace": list(difference.trace),
        "old": _written_table(difference.old),
        "new": _written_table(difference.new),
    }


def _written_table(written: WrittenTable | None) -> dict[str, Any] | None:
    """None if nothing is written."""
    if written is None:
        return None
    return {"columns": written.columns, "records": [json_values(record) for record in written.records]}


def _impact(impact: Impact) -> dict[str, Any]:
    released = None
    if impact.released is not None:
        released = [{"column": each.column, "what": each.words, "certain": each.certain} for each in impact.released]
    return {"lost": [claim_object(claim) for claim in impact.lost], "released": released, "reason": impact.reason}
