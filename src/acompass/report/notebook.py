"""Render any answer as the HTML that a notebook displays.

It sets no colors, so that it suits light and dark notebooks. Only an explanation shows records of a table, those
that were requested; the tables in proofs and comparisons are invented."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from acompass.author.answers import Estimate, Suggestion
from acompass.errors.display import DisplayedAnswer, count_text, on_one_line
from acompass.explain.answer import Explanation, Life, Step
from acompass.language.program.types import Schema, Value
from acompass.language.text.tokens import policy_line
from acompass.measure.answer import Measures
from acompass.prove.proof import Claim, Proof
from acompass.reason.compare.answer import Comparison, Difference
from acompass.reason.privacy.answer import NOT_COVERED, ColumnPrivacy, Privacy, PrivacyProof
from acompass.report import rows
from acompass.report.html import Html, join_html, tag
from acompass.report.proof_rows import (
    NOTHING_WRITTEN,
    column_heading,
    column_reasons,
    comparison_reasons,
    comparison_verdict,
    difference_tables,
    guarantee_headings,
    impact_heading,
    impact_lines,
    inferred_type_lines,
    stability_line,
    stability_text,
    table_lines,
    table_rows,
    trace_lines,
    unit_lines,
    witness_tables,
)
from acompass.report.words import (
    TO_REPAIR,
    UNNAMED,
    affected_count,
    note_text,
    records_in_and_out,
    repair_word,
    value_text,
    verdict,
)
from acompass.result import Plan, Result

# notebooks align cells to the right and may make captions pale
_CELL = "text-align:left;vertical-align:top;padding:.2em 1.5em .2em 0"
_TABLE = "min-width:min(40em,100%);margin:.5em 0"
_CAPTION = "caption-side:top;text-align:left;color:inherit;font-weight:600"
_CODE = "white-space:pre-wrap;color:inherit;background:none"


def answer_html(answer: DisplayedAnswer) -> str:
    return str(tag("div", *_answer_parts(answer)))


def _answer_parts(answer: DisplayedAnswer) -> Iterable[Html]:
    match answer:
        case Result():
            return _result_parts(answer, records_in_and_out(answer), repair_word(answer))
        case Plan():
            return _plan_parts(answer)
        case PrivacyProof():
            return [*_proof_parts(answer), *_privacy_parts(answer.privacy)]
        case Proof():
            return _proof_parts(answer)
        case Comparison():
            return _comparison_parts(answer)
        case Measures():
            return _measures_parts(answer)
        case Explanation():
            return _explanation_parts(answer)
        case Suggestion():
            return _suggestion_parts(answer)
        case Estimate():
            return _estimate_parts(answer)
        case _:
            raise TypeError(f"no display for {type(answer).__name__}")


def _result_parts(result: Result, caption: str, repaired: str) -> tuple[Html, ...]:
    return table(caption, _requirement_rows(result, repaired)), paragraphs(_remarks(result))


def _requirement_rows(result: Result, repaired: str) -> Iterator[tuple[str, ...]]:
    yield "line", "requirement", "verdict", "affected", "action"
    for each in result.requirements:
        yield str(each.line), code(each.text), verdict(each, repaired), affected_count(each), each.action or ""


def _remarks(result: Result) -> Iterator[str]:
    yield from (f"Note: {note_text(note)}" for note in result.notes)
    if result.unnamed:
        yield f"{UNNAMED.capitalize()}: {', '.join(result.unnamed)}"


def _plan_parts(plan: Plan) -> Iterator[Html]:
    caption = f"{records_in_and_out(plan.result, 'would be left')}; nothing was written"
    yield from _result_parts(plan.result, caption, TO_REPAIR)
    yield tag("details", tag("summary", "Stages"), lines(plan.stages))


def _measures_parts(measures: Measures) -> Iterator[Html]:
    yield table(rows.measures_heading(measures), [("measure", "value"), *rows.class_rows(measures.classes)])
    yield table("Classes and their records, by class size", rows.size_rows(measures.classes))
    yield table("Risk", rows.risk_rows(measures))
    if measures.sampling is not None:
        yield table(rows.sampling_heading(measures.sampling).capitalize(), rows.sampling_rows(measures.sampling))
    if len(measures.by_quasi_identifier) > 1:
        yield table("Risk by quasi-identifier", rows.quasi_identifier_rows(measures.by_quasi_identifier))
    if measures.sensitive:
        yield table("Sensitive columns", rows.sensitive_rows(measures.sensitive))
    if measures.comparison is not None:
        yield table(rows.change_heading(measures.comparison).capitalize(), rows.change_rows(measures.comparison))
        yield paragraphs(rows.unshared_columns(measures.comparison))
    if measures.loss is not None:
        yield table(f"Loss {measures.loss.total:.4f}", rows.loss_rows(measures.loss))


def _estimate_parts(estimate: Estimate) -> Iterator[Html]:
    yield table(rows.estimate_heading(estimate), rows.estimate_rows(estimate))
    yield paragraphs(f"Note: {note}" for note in estimate.notes)


def _suggestion_parts(suggestion: Suggestion) -> Iterator[Html]:
    yield tag("pre", code(suggestion.text), style="background:none;color:inherit")
    yield table("Levels of each column", rows.columns_rows(suggestion))
    yield table("Steps", rows.steps_rows(suggestion))
    if suggestion.curve:
        yield table("Least loss by number of lines", rows.curve_rows(suggestion.curve))
    yield paragraphs(rows.suggestion_summary(suggestion))


def _explanation_parts(explanation: Explanation) -> Iterator[Html]:
    if not explanation.lives:
        yield tag("p", "no record satisfies the condition")
    for life in explanation.lives:
        yield from _life(life)


def _life(life: Life) -> Iterator[Html]:
    """The record before and after, and the effect of each requirement on it."""
    record = f"Record {life.record:,}"
    if life.given is None:
        yield tag("p", f"{record} is incomplete and was dropped before the first requirement")
        return
    yield table(f"{record}: {_life_end(life)}", _value_rows(life.given, life.left))
    yield table(f"What happened to record {life.record:,}", _step_rows(life))


def _life_end(life: Life) -> str:
    return "changed" if life.left is not None and life.left != life.given else rows.life_end(life)


def _value_rows(given: Mapping[str, Any], left: Mapping[str, Any] | None) -> Iterator[tuple[str, ...]]:
    yield "column", "before", "after"
    for name, value in given.items():
        after = value_text(left[name]) if left is not None and name in left else "dropped"
        yield on_one_line(name), value_text(value), after


def _step_rows(life: Life) -> Iterator[tuple[str, ...]]:
    yield "line", "requirement", "effect"
    for step in life.steps:
        yield str(step.line), code(step.text), lines(_step_effect(step))


def _step_effect(step: Step) -> Iterator[str]:
    if step.seen is not None:
        yield rows.class_words(step.seen)
    yield f"affected: {rows.step_outcome(step)}" if step.affected else "not affected"
    if step.nearest:
        yield f"not affected with {', or '.join(step.nearest)}"


def _proof_parts(proof: Proof) -> Iterator[Html]:
    """The claims, and the table before and after the policy for each refuted claim."""
    verdict_ = "all proved" if proof.ok else "not all proved"
    yield table(f"{count_text(len(proof.claims), 'claim')}, {verdict_}", _claim_rows(proof.claims))
    for claim in proof.claims:
        yield from _counterexample(claim)
    yield paragraphs(inferred_type_lines(proof))


def _claim_rows(claims: Sequence[Claim]) -> Iterator[tuple[str, ...]]:
    yield "line", "assertion", "verdict", "why"
    for claim in claims:
        place = "claim" if claim.line is None else str(claim.line)
        yield place, code(claim.text), claim.verdict, lines(claim.reason.splitlines())


def _counterexample(claim: Claim) -> Iterator[Html]:
    found = claim.counterexample
    if found is None:
        return
    yield _records_table(f"Refuted: {policy_line(claim.text)}. Before", found.schema, found.records)
    if found.trace:
        yield tag("p", f"trace {', '.join(found.trace)}")
    yield _records_table("After", found.left_schema, found.left)
    other = found.instead
    if other is not None:
        yield _records_table(other.title.capitalize(), other.schema, other.records or ())


def _records_table(caption: str, schema: Schema, records: Sequence[Sequence[Value]]) -> Html:
    header, *body = table_rows(schema, records)
    numbered = [("record", *header), *((f"{place}", *row) for place, row in enumerate(body, 1))]
    return table(caption if records else f"{caption}: no records", numbered)


def _privacy_parts(privacy: Privacy | None) -> Iterator[Html]:
    if privacy is None:
        return
    yield table("Privacy by column", _privacy_rows(privacy))
    yield paragraphs(unit_lines())
    for found in privacy.columns:
        yield from _witness(found)
    yield paragraphs(["Privacy of the table, adding or removing one record", *table_lines(privacy.table)])
    yield paragraphs([f"Stability {stability_text(privacy.stability.policy)}"])
    yield lines(stability_line(line) for line in privacy.stability.requirements)
    yield paragraphs([f"Not covered: {'; '.join(NOT_COVERED)}"])


def _privacy_rows(privacy: Privacy) -> Iterator[tuple[str, ...]]:
    yield "columns", "verdict", "E", "ε", "why"
    for found in privacy.columns:
        ratio = "" if found.ratio is None else str(found.ratio)
        epsilon = "" if found.epsilon is None else str(found.epsilon)
        yield ", ".join(found.columns), found.verdict, ratio, epsilon, lines(column_reasons(found))


def _witness(found: ColumnPrivacy) -> Iterator[Html]:
    witness = found.witness
    if witness is None:
        return
    yield paragraphs([column_heading(found)])
    for title, schema, records in witness_tables(witness):
        yield _records_table(title, schema, records) if schema else paragraphs([title])
    yield paragraphs(trace_lines(witness))


def _comparison_parts(comparison: Comparison) -> Iterator[Html]:
    """A table on which the policies differ, the guarantees of both policies, and the impact."""
    yield paragraphs([f"{comparison_verdict(comparison)}: {'; '.join(comparison_reasons(comparison))}"])
    if comparison.difference is not None:
        yield from _difference(comparison.difference)
    sides = (comparison.old_by_new, comparison.new_by_old)
    for heading, claims in zip(guarantee_headings(comparison), sides, strict=True):
        yield table(heading, _claim_rows(claims))
    impact = comparison.impact
    yield paragraphs([impact_heading(impact), *impact_lines(impact), *inferred_type_lines(comparison)])


def _difference(difference: Difference) -> Iterator[Html]:
    for heading, schema, records in difference_tables(difference):
        if schema is None:
            yield tag("p", f"{heading}: {NOTHING_WRITTEN}")
        else:
            yield _records_table(heading, schema, records)
    if difference.trace:
        yield tag("p", f"trace {', '.join(difference.trace)}")


def table(caption: str, rows: Iterable[Sequence[str]]) -> Html:
    """The first row and the first cell of each row are headers. A wide table scrolls with the mouse or the keyboard."""
    header, *body = rows
    head = tag("tr", *(tag("th", name, scope="col", style=_CELL) for name in header))
    titled = tag("caption", caption, style=_CAPTION)
    filled = tag("table", titled, tag("thead", head), tag("tbody", *map(_table_row, body)), style=_TABLE)
    return tag("div", filled, style="overflow-x:auto", tabindex="0", role="group", aria_label=caption)


def _table_row(cells: Sequence[str]) -> Html:
    first, *others = cells
    return tag(
        "tr",
        tag("th", first, scope="row", style=_CELL),
        *(tag("td", cell, style=_CELL) for cell in others),
    )


def code(text: str) -> Html:
    return tag("code", text, style=_CODE)


def paragraphs(texts: Iterable[str]) -> Html:
    return join_html(tag("p", text) for text in texts)


def lines(texts: Iterable[str]) -> Html:
    return join_html(tag("div", text) for text in texts)
