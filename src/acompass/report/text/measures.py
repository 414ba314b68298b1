"""Measures as text, in aligned columns. Only renderers round."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from acompass.measures import Classes, Comparison, Loss, Measures, Persons, Sensitive
from acompass.report.sizes import classes_within, size_label, size_ranges
from acompass.report.text.columns import numbers_aligned
from acompass.report.words import on_one_line, persons, rounded


def measures_text(measures: Measures) -> str:
    sections = [_heading(measures), _aligned(_class_rows(measures.classes))]
    sections += [_aligned(_size_rows(measures.classes)), _aligned(_risk_rows(measures))]
    if measures.sensitive:
        sections.append(_aligned(_sensitive_rows(measures.sensitive)))
    if measures.comparison is not None:
        sections += [_change_heading(measures.comparison), _aligned(_change_rows(measures.comparison))]
        sections += [_unshared(measures.comparison)]
    if measures.loss is not None:
        sections += [f"loss {measures.loss.total:.4f}\n", _losses(measures.loss)]
    return "\n".join(section for section in sections if section)


def _heading(measures: Measures) -> str:
    by = ", ".join(map(on_one_line, measures.quasi_identifiers))
    weighted = "" if measures.weight is None else f", weighted by {on_one_line(measures.weight)}"
    number = measures.classes.number
    of = f"{number:,} equivalence class{'' if number == 1 else 'es'}"
    return f"{_records(measures.records)} in {of} by {by}{weighted}\n"


def _records(number: Persons) -> str:
    return f"{persons(number)} record{'' if number == 1 else 's'}"


def _class_rows(classes: Classes) -> Iterator[tuple[str, ...]]:
    yield "k-anonymity", "every k" if classes.k is None else f"k = {persons(classes.k)}"
    yield "unique records", persons(classes.uniques)
    for k in classes.thresholds:
        yield f"records in classes below {k:,}", persons(classes.records_below(k))
    yield "average class size", rounded(classes.average)
    yield "average class size over k", rounded(classes.normalized_average)
    yield "largest class", rounded(classes.largest)
    yield "discernibility", rounded(classes.discernibility)


def _size_rows(classes: Classes) -> Iterator[tuple[str, ...]]:
    yield "class size", "classes", "records"
    for low, high in size_ranges(classes.largest or 0):
        number, records = classes_within(classes, low, high)
        if number:
            yield size_label(low, high), f"{number:,}", persons(records)


def _risk_rows(measures: Measures) -> Iterator[tuple[str, ...]]:
    yield "risk", "maximum", "average"
    classes, journalist = measures.classes, measures.journalist
    yield "prosecutor", rounded(classes.prosecutor_maximum), rounded(classes.prosecutor_average)
    if journalist is not None:
        yield "journalist", rounded(journalist.maximum), rounded(journalist.average)
    yield "marketer", "", rounded(measures.marketer)


def _sensitive_rows(columns: Sequence[Sensitive]) -> Iterator[tuple[str, ...]]:
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


def _change_heading(comparison: Comparison) -> str:
    return (
        f"against {_records(comparison.records_before)} before: "
        f"information lost {_share(comparison.information_lost)}, "
        f"discernibility {rounded(comparison.discernibility)}\n"
    )


def _change_rows(comparison: Comparison) -> Iterator[tuple[str, ...]]:
    yield "column", "changed", "values before", "after", "information lost"
    for each in comparison.columns:
        before, after = f"{each.values_before:,}", f"{each.values_after:,}"
        yield on_one_line(each.column), _share(each.distance), before, after, _share(each.information_lost)


def _unshared(comparison: Comparison) -> str:
    rows = [("columns only before", comparison.only_before), ("columns only after", comparison.only_after)]
    return "".join(f"{title}: {', '.join(map(on_one_line, names))}\n" for title, names in rows if names)


def _losses(loss: Loss) -> str:
    """The words about levels are aligned to the left."""
    rows = [("column", "loss"), *((on_one_line(each.column), f"{each.loss:.4f}") for each in loss.columns)]
    levels = ["levels", *(f"{each.levels}{' (proposed)' * each.proposed}" for each in loss.columns)]
    lines = zip(numbers_aligned(rows), map(on_one_line, levels), strict=True)
    return "".join(f"{numbers}  {words}\n" for numbers, words in lines)


def _share(value: Fraction | float | None) -> str:
    if value is None:
        return "none"
    # adding 0 turns -0.0 into 0.0: entropies are doubles, so nothing lost can be a tiny gain
    return f"{round(float(value), 3) + 0:.1%}"


def _aligned(rows: Iterator[tuple[str, ...]]) -> str:
    return "".join(f"{line}\n" for line in numbers_aligned(list(rows)))
