"""Turn measures, estimates, suggestions and explanations into rows of text, for every format with tables.

The first row is the header. Numbers are rounded here and not earlier."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from acompass.author.answers import CurvePoint, Estimate, Quantity, Suggestion, ValueEstimate
from acompass.errors.display import count_text, on_one_line
from acompass.explain.answer import ClassSeen, Life, Step
from acompass.measure.answer import Classes, Loss, Measures, Persons, QuasiIdentifier, Sampling, Sensitive, TableChange
from acompass.report.words import classes_within, persons, round_measure, size_label, size_ranges, value_text

Row: TypeAlias = tuple[str, ...]


def measures_heading(measures: Measures) -> str:
    by = ", ".join(map(on_one_line, measures.quasi_identifiers))
    weighted = "" if measures.weight is None else f", weighted by {on_one_line(measures.weight)}"
    number = measures.classes.number
    classes = f"{number:,} equivalence class{'' if number == 1 else 'es'}"
    return f"{_record_count(measures.records)} in {classes} by {by}{weighted}"


def _record_count(number: Persons) -> str:
    return f"{persons(number)} record{'' if number == 1 else 's'}"


def class_rows(classes: Classes) -> Iterator[Row]:
    """Rows without a header."""
    yield "k-anonymity", "every k" if classes.k is None else f"k = {persons(classes.k)}"
    yield "unique records", persons(classes.uniques)
    for k in classes.thresholds:
        yield f"records in classes below {k:,}", persons(classes.records_below(k))
    yield "average class size", round_measure(classes.average)
    yield "average class size over k", round_measure(classes.normalized_average)
    yield "largest class", round_measure(classes.largest)
    yield "discernibility", round_measure(classes.discernibility)


def size_rows(classes: Classes) -> Iterator[Row]:
    yield "class size", "classes", "records"
    for low, high in size_ranges(classes.largest or 0):
        number, records = classes_within(classes, low, high)
        if number:
            yield size_label(low, high), f"{number:,}", persons(records)


def risk_rows(measures: Measures) -> Iterator[Row]:
    yield "risk", "maximum", "average"
    classes, journalist = measures.classes, measures.journalist
    yield "prosecutor", round_measure(classes.prosecutor_maximum), round_measure(classes.prosecutor_average)
    if journalist is not None:
        yield "journalist", round_measure(journalist.maximum), round_measure(journalist.average)
    if measures.sampling is not None:
        yield "individual", round_measure(measures.sampling.maximum), round_measure(measures.sampling.average)
    yield "marketer", "", round_measure(measures.marketer)


def sensitive_rows(columns: Sequence[Sensitive]) -> Iterator[Row]:
    yield "sensitive", *(on_one_line(each.column) for each in columns)
    yield "values", *(f"{each.values:,}" for each in columns)
    yield "α of (α,k)-anonymity", *(round_measure(each.alpha) for each in columns)
    yield "distinct l-diversity", *(f"{each.distinct_l:,}" for each in columns)
    yield "entropy l-diversity", *(f"{each.entropy_l:,}" for each in columns)
    yield "exp of the least entropy", *(round_measure(each.entropy_effective) for each in columns)
    yield "c of (c,l)-diversity, above", *(round_measure(each.recursive_c) for each in columns)
    yield "t-closeness, equal distance", *(round_measure(each.t_equal) for each in columns)
    yield "t-closeness, ordered distance", *(round_measure(each.t_ordered) for each in columns)
    yield "basic β-likeness", *(round_measure(each.basic_beta) for each in columns)
    yield "enhanced β-likeness", *(round_measure(each.enhanced_beta) for each in columns)
    yield "δ-disclosure", *(round_measure(each.delta) for each in columns)
    yield "δ-disclosure, every value", *(round_measure(each.delta_every_value) for each in columns)


def change_heading(comparison: TableChange) -> str:
    return (
        f"against {_record_count(comparison.records_before)} before: "
        f"information lost {_share_text(comparison.information_lost)}, "
        f"discernibility {round_measure(comparison.discernibility)}"
    )


def change_rows(comparison: TableChange) -> Iterator[Row]:
    yield "column", "changed", "values before", "after", "information lost"
    for each in comparison.columns:
        before, after = f"{each.values_before:,}", f"{each.values_after:,}"
        yield on_one_line(each.column), _share_text(each.distance), before, after, _share_text(each.information_lost)


def unshared_columns(comparison: TableChange) -> Iterator[str]:
    rows = [("columns only before", comparison.only_before), ("columns only after", comparison.only_after)]
    yield from (f"{title}: {', '.join(map(on_one_line, names))}" for title, names in rows if names)


def loss_rows(loss: Loss) -> Iterator[Row]:
    yield "column", "loss", "levels"
    for each in loss.columns:
        levels = f"{each.levels}{' (proposed)' * each.proposed}"
        yield on_one_line(each.column), f"{each.loss:.4f}", on_one_line(levels)


def _share_text(value: Fraction | float | None) -> str:
    if value is None:
        return "none"
    # adding 0 turns -0.0 into 0.0: entropies are floats, so a loss of zero can be a tiny gain
    return f"{round(float(value), 3) + 0:.1%}"


def sampling_heading(sampling: Sampling) -> str:
    heading = f"a sample of {persons(sampling.persons)} persons, by {on_one_line(sampling.weight)}"
    if not sampling.understated:
        return heading
    classes = "1 class has" if sampling.understated == 1 else f"{sampling.understated:,} classes have"
    return f"{heading}; {classes} less weight than records"


def sampling_rows(sampling: Sampling) -> Iterator[Row]:
    yield "records with risk", "journalist", "individual"
    for each in sampling.above:
        yield f"above 1/{each.k:,}", f"{each.journalist:,}", f"{each.individual:,}"
    yield "higher than the main part", "", f"{sampling.outstanding:,}"
    yield "expected re-identifications", "", round_measure(sampling.expected)


def quasi_identifier_rows(columns: Sequence[QuasiIdentifier]) -> Iterator[Row]:
    """The last three figures describe the table without the column. Risk is the average prosecutor risk."""
    yield "quasi-identifier", "values", "unique by it", "k without it", "unique without it", "risk without it"
    for each in columns:
        yield (
            on_one_line(each.column),
            f"{each.alone.number:,}",
            persons(each.alone.uniques),
            round_measure(each.without.k),
            persons(each.without.uniques),
            round_measure(each.without.prosecutor_average),
        )


def estimate_heading(estimate: Estimate) -> str:
    column = on_one_line(estimate.column)
    before = "" if estimate.line is None else f" before line {estimate.line}"
    records = f"{_round_count(estimate.records.estimate)} records"
    if estimate.records.variance:
        records += f" ± {_standard_error(estimate.records, 1)}"
    return f"{column}{before}: {records}, estimated from {count_text(estimate.released, 'released record')}"


def estimate_rows(estimate: Estimate) -> Iterator[Row]:
    yield "value", "released", "share", "estimated", "± s.e.", "share", "± s.e."
    for each in estimate.values:
        share = Fraction(each.released, estimate.released) if estimate.released else None
        yield (
            _estimated_value(each),
            f"{each.released:,}",
            _percent_text(share),
            _round_count(each.count.estimate),
            _standard_error(each.count, 1),
            _percent_text(None if each.share is None else each.share.estimate),
            "none" if each.share is None else _standard_error(each.share, 100),
        )


def _estimated_value(value: ValueEstimate) -> str:
    if value.value is None:
        return "(any other)"
    return on_one_line(value.value) if isinstance(value.value, str) else value_text(value.value)


def _round_count(number: Fraction) -> str:
    return f"{round(float(number), 1) + 0:,.1f}"


def _percent_text(share: Fraction | None) -> str:
    return "none" if share is None else f"{round(float(share) * 100, 2) + 0:.2f}%"


def _standard_error(quantity: Quantity, unit: int) -> str:
    error = quantity.standard_error
    if error is None:
        return "none"
    return f"{error * unit:,.1f}" if unit == 1 else f"{error * unit:.2f}%"


def columns_rows(suggestion: Suggestion) -> Iterator[Row]:
    yield "column", "loss", "levels"
    for name, levels in suggestion.levels.items():
        origin = "proposed from the values: " if levels.proposed else ""
        yield on_one_line(name), _loss_text(suggestion.per_column[name]), on_one_line(origin + levels.words)


def steps_rows(suggestion: Suggestion) -> Iterator[Row]:
    yield "records", "loss", "step"
    for step in suggestion.steps:
        where = "" if step.where is None else f"WHERE {step.where} : "
        text = ("ALWAYS : " if step.is_always else where) + step.text
        yield f"{step.affected:,}", f"+{_loss_text(step.loss)}", on_one_line(text)


def curve_rows(points: tuple[CurvePoint, ...]) -> Iterator[Row]:
    yield "lines", "loss", "dropped"
    for point in points:
        yield f"{point.lines:,}", _loss_text(point.loss), f"{point.dropped:,}"


def suggestion_summary(suggestion: Suggestion) -> Iterator[str]:
    incomplete = f", {suggestion.incomplete:,} dropped as incomplete" if suggestion.incomplete else ""
    yield (
        f"{count_text(suggestion.records_in, 'record')} in{incomplete}, {suggestion.dropped:,} rejected, "
        f"{suggestion.records_out:,} out, loss {_loss_text(suggestion.loss)}"
    )
    goal = f"k = {suggestion.k:,}"
    if suggestion.l is not None:
        goal += f" and l = {suggestion.l:,}"
    yield f"{goal}: on this table and, as `acompass prove` shows, on every other table"
    if suggestion.t is not None:
        yield f"t = {suggestion.t:.4f}: measured on this table, not proved for other tables"


def _loss_text(loss: float) -> str:
    return f"{loss:.4f}"


def life_end(life: Life) -> str:
    dropped_by = life.dropped_by
    if dropped_by is not None:
        return f"dropped by line {dropped_by.line}"
    assert life.left is not None
    return "unchanged" if life.left == life.given else f"released as: {record_words(life.left)}"


def class_words(seen: ClassSeen) -> str:
    subject = f"its class ({record_words(seen.key)})" if seen.key else "the table"
    values = ", ".join(f"{name} is {value_text(value)}" for name, value in seen.values.items())
    return f"{subject} has {count_text(seen.records, 'record')}, {values}"


def step_outcome(step: Step) -> str:
    if step.drawn is False:
        return "not drawn, so unchanged"
    if step.dropped:
        return "dropped"
    if step.action == "DROP":
        return "columns dropped"
    if step.change is None:
        return "only checked, so unchanged"
    change = step.change
    return f"{change.column} was {value_text(change.before)} and became {value_text(change.after)}"


def record_words(record: dict[str, Any]) -> str:
    return ", ".join(f"{on_one_line(name)} {value_text(value)}" for name, value in record.items())
