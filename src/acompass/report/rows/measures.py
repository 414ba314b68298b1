"""Measures as rows of words. Only renderers round."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

from acompass.measures import Classes, Comparison, Loss, Measures, Persons, Sensitive
from acompass.report.sizes import classes_within, size_label, size_ranges
from acompass.report.words import on_one_line, persons, rounded

Row: TypeAlias = tuple[str, ...]


def heading(measures: Measures) -> str:
    by = ", ".join(map(on_one_line, measures.quasi_identifiers))
    weighted = "" if measures.weight is None else f", weighted by {on_one_line(measures.weight)}"
    number = measures.classes.number
    of = f"{number:,} equivalence class{'' if number == 1 else 'es'}"
    return f"{_records(measures.records)} in {of} by {by}{weighted}"


def _records(number: Persons) -> str:
    return f"{persons(number)} record{'' if number == 1 else 's'}"


def class_rows(classes: Classes) -> Iterator[Row]:
    """These have no header."""
    yield "k-anonymity", "every k" if classes.k is None else f"k = {persons(classes.k)}"
    yield "unique records", persons(classes.uniques)
    for k in classes.thresholds:
        yield f"records in classes below {k:,}", persons(classes.records_below(k))
    yield "average class size", rounded(classes.average)
    yield "average class size over k", rounded(classes.normalized_average)
    yield "largest class", rounded(classes.largest)
    yield "discernibility", rounded(classes.discernibility)


def size_rows(classes: Classes) -> Iterator[Row]:
    yield "class size", "classes", "records"
    for low, high in size_ranges(classes.largest or 0):
        number, records = classes_within(classes, low, high)
        if number:
            yield size_label(low, high), f"{number:,}", persons(records)


def risk_rows(measures: Measures) -> Iterator[Row]:
    yield "risk", "maximum", "average"
    classes, journalist = measures.classes, measures.journalist
    yield "prosecutor", rounded(classes.prosecutor_maximum), rounded(classes.prosecutor_average)
    if journalist is not None:
        yield "journalist", rounded(journalist.maximum), rounded(journalist.average)
    if measures.sampling is not None:
        yield "individual", rounded(measures.sampling.maximum), rounded(measures.sampling.average)
    yield "marketer", "", rounded(measures.marketer)


def sensitive_rows(columns: Sequence[Sensitive]) -> Iterator[Row]:
    yield "sensitive", *(on_one_line(each.column) for each in columns)
    yield "values", *(f"{each.values:,}" for each in columns)
    yield "α of (α,k)-anonymity", *(rounded(each.alpha) for each in columns)
    yield "distinct l-diversity", *(f"{each.distinct_l:,}" for each in columns)
    yield "entropy l-diversity", *(f"{each.entropy_l:,}" for each in columns)
    yield "exp of the least entropy", *(rounded(each.entropy_effective) for each in columns)
    yield "c of (c,l)-diversity, above", *(rounded(each.recursive_c) for each in columns)
    yield "t-closeness, equal distance", *(rounded(each.t_equal) for each in columns)
    yield "t-closeness, ordered distance", *(rounded(each.t_ordered) for each in columns)
    yield "basic β-likeness", *(rounded(each.basic_beta) for each in columns)
    yield "enhanced β-likeness", *(rounded(each.enhanced_beta) for each in columns)
    yield "δ-disclosure", *(rounded(each.delta) for each in columns)
    yield "δ-disclosure, every value", *(rounded(each.delta_every_value) for each in columns)


def change_heading(comparison: Comparison) -> str:
    return (
        f"against {_records(comparison.records_before)} before: "
        f"information lost {_share(comparison.information_lost)}, "
        f"discernibility {rounded(comparison.discernibility)}"
    )


def change_rows(comparison: Comparison) -> Iterator[Row]:
    yield "column", "changed", "values before", "after", "information lost"
    for each in comparison.columns:
        before, after = f"{each.values_before:,}", f"{each.values_after:,}"
        yield on_one_line(each.column), _share(each.distance), before, after, _share(each.information_lost)


def unshared(comparison: Comparison) -> Iterator[str]:
    rows = [("columns only before", comparison.only_before), ("columns only after", comparison.only_after)]
    yield from (f"{title}: {', '.join(map(on_one_line, names))}" for title, names in rows if names)


def loss_rows(loss: Loss) -> Iterator[Row]:
    yield "column", "loss", "levels"
    for each in loss.columns:
        levels = f"{each.levels}{' (proposed)' * each.proposed}"
        yield on_one_line(each.column), f"{each.loss:.4f}", on_one_line(levels)


def _share(value: Fraction | float | None) -> str:
    if value is None:
        return "none"
    # adding 0 turns -0.0 into 0.0: entropies are doubles, so nothing lost can be a tiny gain
    return f"{round(float(value), 3) + 0:.1%}"
