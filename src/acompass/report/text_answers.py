"""Render proofs, comparisons, measures, estimates, suggestions and explanations as plain text."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from acompass.author.answers import Estimate, Suggestion
from acompass.errors.display import BOLD, PLAIN, Style
from acompass.explain.answer import Explanation, Life, Step
from acompass.language.program.types import Schema, Value
from acompass.language.text.tokens import policy_line
from acompass.measure.answer import Loss, Measures
from acompass.prove.proof import Claim, Counterexample, Proof
from acompass.reason.compare.answer import Comparison, Difference
from acompass.reason.privacy.answer import NOT_COVERED, ColumnPrivacy, Privacy, PrivacyProof, Witness
from acompass.report import rows
from acompass.report.proof_rows import (
    NOTHING_WRITTEN,
    certificate_lines,
    column_heading,
    column_reasons,
    comparison_reasons,
    comparison_verdict,
    difference_tables,
    guarantee_headings,
    impact_heading,
    impact_lines,
    inferred_type_lines,
    stability_heading,
    stability_line,
    table_lines,
    table_rows,
    trace_lines,
    unit_lines,
    witness_tables,
)
from acompass.report.text import align_left, align_numbers


def proof_text(proof: Proof) -> str:
    return "\n\n".join([*(claim_text(claim) for claim in proof.claims), *inferred_type_lines(proof)])


def claim_text(claim: Claim) -> str:
    place = "" if claim.line is None else f"line {claim.line}: "
    lines = [f"{claim.verdict}  {place}{policy_line(claim.text)}"]
    lines += _indent([*claim.reason.splitlines(), *certificate_lines(claim)])
    if claim.counterexample is not None:
        lines += _indent(_counterexample(claim.counterexample))
    return "\n".join(lines)


def _counterexample(counterexample: Counterexample) -> Iterator[str]:
    yield "before"
    yield from _indent(_table(counterexample.schema, counterexample.records))
    if counterexample.trace:
        yield f"trace {', '.join(counterexample.trace)}"
    yield "after"
    yield from _indent(_table(counterexample.left_schema, counterexample.left))
    instead = counterexample.instead
    if instead is not None:
        yield instead.title
        yield from _indent([NOTHING_WRITTEN] if instead.records is None else _table(instead.schema, instead.records))


def _table(schema: Schema, records: Sequence[Sequence[Value]]) -> list[str]:
    return align_left(table_rows(schema, records)) if records else ["(no records)"]


def privacy_proof_text(proof: PrivacyProof) -> str:
    privacy = "" if proof.privacy is None else _privacy(proof.privacy)
    return "\n\n".join(part for part in (proof_text(proof), privacy) if part)


def _privacy(privacy: Privacy) -> str:
    table, *details = table_lines(privacy.table)
    lines = [stability_line(line) for line in privacy.stability.requirements]
    paragraphs = [
        ["privacy by column", *_indent(unit_lines())],
        *([column_heading(found), *_indent(_column_privacy(found))] for found in privacy.columns),
        [f"privacy of the table, adding or removing one record: {table}", *_indent(details)],
        [stability_heading(privacy.stability), *_indent(lines)],
        ["not covered", *_indent(NOT_COVERED)],
    ]
    return "\n\n".join("\n".join(lines) for lines in paragraphs)


def _column_privacy(found: ColumnPrivacy) -> Iterator[str]:
    yield from column_reasons(found)
    if found.witness is not None:
        yield from _witness(found.witness)


def _witness(witness: Witness) -> Iterator[str]:
    for title, schema, records in witness_tables(witness):
        yield title
        yield from _indent(_table(schema, records) if schema else ())
    yield from trace_lines(witness)


def _indent(lines: Iterable[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)


def comparison_text(comparison: Comparison, impact: bool = False) -> str:
    """With `impact`, also show which guarantees are lost and what only the new policy can release."""
    found = _impact(comparison) if impact else _impact_hint(comparison)
    paragraphs = [_comparison_verdict(comparison), *_guarantees(comparison), *found, *inferred_type_lines(comparison)]
    return "\n\n".join(paragraphs)


def _comparison_verdict(comparison: Comparison) -> str:
    tables = () if comparison.difference is None else _difference(comparison.difference)
    return "\n".join([comparison_verdict(comparison), *_indent((*comparison_reasons(comparison), *tables))])


def _difference(difference: Difference) -> Iterator[str]:
    for heading, schema, records in difference_tables(difference):
        yield heading
        yield from _indent([NOTHING_WRITTEN] if schema is None else _table(schema, records))
        if heading == "before" and difference.trace:
            yield f"trace {', '.join(difference.trace)}"


def _guarantees(comparison: Comparison) -> Iterator[str]:
    sides = (comparison.old_by_new, comparison.new_by_old)
    for heading, claims in zip(guarantee_headings(comparison), sides, strict=True):
        texts = [claim_text(replace(claim, counterexample=None)) for claim in claims]
        yield "\n".join([heading, *_indent(line for text in texts for line in text.splitlines())])


def _impact_hint(comparison: Comparison) -> Iterator[str]:
    if comparison.impact.released != ():
        yield f"{impact_heading(comparison.impact)}; --impact shows what"


def _impact(comparison: Comparison) -> Iterator[str]:
    impact = comparison.impact
    yield "\n".join([impact_heading(impact), *_indent(impact_lines(impact))])
    for claim in impact.lost:
        yield "\n".join(["no longer guaranteed", *_indent(claim_text(claim).splitlines())])


def measures_text(measures: Measures) -> str:
    sections = [f"{rows.measures_heading(measures)}\n", _number_table(rows.class_rows(measures.classes))]
    sections += [_number_table(rows.size_rows(measures.classes)), _number_table(rows.risk_rows(measures))]
    if measures.sampling is not None:
        sections += [
            f"{rows.sampling_heading(measures.sampling)}\n",
            _number_table(rows.sampling_rows(measures.sampling)),
        ]
    if len(measures.by_quasi_identifier) > 1:
        sections.append(_number_table(rows.quasi_identifier_rows(measures.by_quasi_identifier)))
    if measures.sensitive:
        sections.append(_number_table(rows.sensitive_rows(measures.sensitive)))
    if measures.comparison is not None:
        sections += [f"{rows.change_heading(measures.comparison)}\n"]
        sections += [_number_table(rows.change_rows(measures.comparison))]
        sections += ["".join(f"{line}\n" for line in rows.unshared_columns(measures.comparison))]
    if measures.loss is not None:
        sections += [f"loss {measures.loss.total:.4f}\n", _loss_table(measures.loss)]
    return "\n".join(section for section in sections if section)


def _loss_table(loss: Loss) -> str:
    """Align the descriptions of levels to the left."""
    *numbers, levels = zip(*rows.loss_rows(loss), strict=True)
    lines = zip(align_numbers(list(zip(*numbers, strict=True))), levels, strict=True)
    return "".join(f"{number}  {words}\n" for number, words in lines)


def _number_table(lines: Iterator[rows.Row]) -> str:
    return "".join(f"{line}\n" for line in align_numbers(list(lines)))


def estimate_text(estimate: Estimate) -> str:
    lines = [rows.estimate_heading(estimate), "", *align_numbers(list(rows.estimate_rows(estimate)))]
    notes = [f"note: {note}" for note in estimate.notes]
    return "\n".join([*lines, *([""] if notes else []), *notes])


def suggestion_text(suggestion: Suggestion, style: Style = PLAIN) -> str:
    steps = _align_counts(rows.steps_rows(suggestion))
    tables = [align_left(list(rows.columns_rows(suggestion))), align_left(steps)]
    if suggestion.curve:
        tables.append(align_numbers(list(rows.curve_rows(suggestion.curve))))
    tinted = [[style.paint(heading, BOLD), *lines] for heading, *lines in tables]
    sections = [*tinted, list(rows.suggestion_summary(suggestion))]
    return "\n".join("".join(f"{line}\n" for line in lines) for lines in sections)


def _align_counts(steps: Iterable[rows.Row]) -> list[rows.Row]:
    header, *body = steps
    width = max(len(count) for count, *_ in body)
    return [header, *((f"{count:>{width}}", *others) for count, *others in body)]


def explanation_text(explanation: Explanation) -> str:
    """Requirements that affected the record or grouped it into a class have a paragraph; the others share a line."""
    if not explanation.lives:
        return "no record satisfies the condition\n"
    return "\n".join("".join(f"{line}\n" for line in _life(life)) for life in explanation.lives)


def _life(life: Life) -> Iterator[str]:
    if life.given is None:
        yield f"record {life.record:,} is incomplete and was dropped before the first requirement"
        return
    yield f"record {life.record:,}: {rows.record_words(life.given)}"
    for step in life.steps:
        if step.affected or step.seen is not None:
            yield ""
            yield from _step(step)
    others = [str(step.line) for step in life.steps if not step.affected and step.seen is None]
    yield ""
    if others:
        yield f"not affected by {'line' if len(others) == 1 else 'lines'} {', '.join(others)}"
    yield rows.life_end(life)


def _step(step: Step) -> Iterator[str]:
    yield f"line {step.line}: {policy_line(step.text)}"
    if step.seen is not None:
        yield f"  {rows.class_words(step.seen)}"
    if not step.affected:
        yield "  not affected"
        return
    yield f"  affected: {rows.step_outcome(step)}"
    if step.nearest:
        yield f"  not affected with {', or '.join(step.nearest)}"
