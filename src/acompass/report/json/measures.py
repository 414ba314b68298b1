"""Measures as the object that `measure --json` prints: each fraction becomes the nearest double."""

from fractions import Fraction

from acompass.measures import (
    Classes,
    Comparison,
    Journalist,
    Loss,
    Measures,
    Persons,
    QuasiIdentifier,
    Sampling,
    Sensitive,
)


def measures_object(measures: Measures) -> dict[str, object]:
    comparison, journalist, loss = measures.comparison, measures.journalist, measures.loss
    return {
        "records": _persons(measures.records),
        "quasi_identifiers": list(measures.quasi_identifiers),
        "weight": measures.weight,
        "sampling_weight": measures.sampling and measures.sampling.weight,
        "k": _persons(measures.k),
        "classes": _classes(measures.classes),
        "risk": _risk(measures, journalist),
        "sampling": measures.sampling and _sampling(measures.sampling),
        "by_quasi_identifier": [_quasi_identifier(each) for each in measures.by_quasi_identifier],
        "sensitive": [_sensitive(column) for column in measures.sensitive],
        "comparison": None if comparison is None else _comparison(comparison),
        "loss": None if loss is None else _loss(loss),
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


def _risk(measures: Measures, journalist: Journalist | None) -> dict[str, object]:
    return {
        "prosecutor": {
            "maximum": _number(measures.classes.prosecutor_maximum),
            "average": _number(measures.classes.prosecutor_average),
        },
        "journalist": journalist
        and {"maximum": _number(journalist.maximum), "average": _number(journalist.average)},
        "individual": measures.sampling
        and {"maximum": measures.sampling.maximum, "average": measures.sampling.average},
        "marketer": _number(measures.marketer),
    }


def _sampling(sampling: Sampling) -> dict[str, object]:
    return {
        "persons": _persons(sampling.persons),
        "expected_reidentifications": sampling.expected,
        "outstanding": sampling.outstanding,
        "records_above": {
            f"1/{each.k}": {"journalist": each.journalist, "individual": each.individual}
            for each in sampling.above
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


def _comparison(comparison: Comparison) -> dict[str, object]:
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
