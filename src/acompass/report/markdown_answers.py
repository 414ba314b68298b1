"""Render any answer as Markdown: proofs, privacy, comparisons and measures; results are in `markdown.py`.

The tables in proofs and comparisons are invented and contain no record values."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from acompass.errors.display import ReportedAnswer, count_text
from acompass.language.program.types import Schema, Value
from acompass.language.text.tokens import policy_line
from acompass.measure.answer import Measures
from acompass.prove.proof import Claim, ClaimVerdict, Counterexample, Proof
from acompass.reason.compare.answer import Comparison, Difference, Impact
from acompass.reason.privacy.answer import NOT_COVERED, ColumnPrivacy, Privacy, PrivacyProof
from acompass.report import rows
from acompass.report.markdown import (
    Markdown,
    bold,
    bullets,
    caption_table,
    code,
    code_list,
    document,
    heading,
    headline,
    lines,
    mark_verdict,
    prose,
    result_markdown,
    table,
)
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
    stability_heading,
    stability_line,
    table_lines,
    table_rows,
    trace_lines,
    unit_lines,
    witness_tables,
)
from acompass.report.words import round_measure
from acompass.result import Result

_SIGNS = {ClaimVerdict.PROVED: True, ClaimVerdict.REFUTED: False, ClaimVerdict.UNDECIDED: None}
_TITLES = {"before": "Before", "old": "The old policy writes", "new": "The new policy writes"}


def answer_markdown(answer: ReportedAnswer, name: str | None) -> str:
    match answer:
        case Result():
            return result_markdown(answer, name)
        case PrivacyProof():
            return document([*_proof_blocks(answer, name), *_privacy(answer.privacy)])
        case Proof():
            return document(_proof_blocks(answer, name))
        case Comparison():
            return comparison_markdown(answer, name)
        case Measures():
            return measures_markdown(answer, name)
        case _:
            raise TypeError(f"no Markdown for {type(answer).__name__}")


def _proof_blocks(proof: Proof, name: str | None) -> Iterator[Markdown]:
    """A row for each claim, and the table before and after the policy for each refuted claim."""
    yield headline("Proof", name, _verdicts(proof), proof.ok)
    if proof.claims:
        yield _claims_table(proof.claims)
    for claim in proof.claims:
        yield from _counterexample_blocks(claim, f"{_place(claim)} is refuted by this table")
    yield from _types_table(proof.types, proof.inferred)


def _verdicts(proof: Proof) -> str:
    if proof.ok:
        return f"{count_text(len(proof.claims), 'claim')} proved"
    numbers = Counter(claim.verdict for claim in proof.claims)
    return ", ".join(f"{numbers[verdict]:,} {verdict}" for verdict in ClaimVerdict if numbers[verdict])


def _claims_table(claims: Iterable[Claim]) -> Markdown:
    return table([("line", "verdict", "assertion", "why"), *map(_claim_row, claims)], numbers=(0,))


def _claim_row(claim: Claim) -> tuple[str, ...]:
    place = "claim" if claim.line is None else str(claim.line)
    why = lines((*claim.reason.splitlines(), *certificate_lines(claim)))
    return place, mark_verdict(_SIGNS[claim.verdict], claim.verdict), code(policy_line(claim.text)), why


def _place(claim: Claim) -> str:
    return "The claim" if claim.line is None else f"Line {claim.line}"


def _counterexample_blocks(claim: Claim, title: str) -> Iterator[Markdown]:
    if claim.counterexample is not None:
        yield heading(3, title)
        yield code(policy_line(claim.text))
        yield from _counterexample_tables(claim.counterexample)


def _counterexample_tables(found: Counterexample) -> Iterator[Markdown]:
    yield from _records_table("Before", found.schema, found.records)
    yield _trace_line(found.trace)
    yield from _records_table("After", found.left_schema, found.left)
    other = found.instead
    if other is not None and other.records is None:
        yield Markdown(f"{bold(other.title.capitalize())}: nothing is written")
    elif other is not None:
        yield from _records_table(other.title.capitalize(), other.schema, other.records or ())


def _trace_line(trace: Sequence[str]) -> Markdown:
    return prose(f"Trace: {', '.join(trace)}" if trace else "")


def _records_table(caption: str, schema: Schema, records: Sequence[Sequence[Value]]) -> Iterator[Markdown]:
    """Number the records, because the policy may have dropped all columns."""
    if not records:
        yield Markdown(f"{bold(caption)}: no records")
        return
    header, *body = ([code(cell) for cell in row] for row in table_rows(schema, records))
    numbered = (("record", *header), *((str(place), *row) for place, row in enumerate(body, 1)))
    yield from caption_table(caption, numbered, numbers=(0,))


def _types_table(types: Mapping[str, str], inferred: Sequence[str]) -> Iterator[Markdown]:
    if types:
        yield heading(3, "Types of the columns")
        rows = ((code(name), type_, "inferred from the policy" * (name in inferred)) for name, type_ in types.items())
        yield table([("column", "type", "note"), *rows])


def _privacy(privacy: Privacy | None) -> Iterator[Markdown]:
    if privacy is None:
        return
    yield heading(3, "Privacy by column")
    yield bullets(unit_lines())
    yield table(_privacy_rows(privacy))
    for found in privacy.columns:
        yield from _witness(found)
    yield heading(3, "Privacy of the table, adding or removing one record")
    yield bullets(table_lines(privacy.table))
    yield heading(3, stability_heading(privacy.stability).capitalize())
    yield bullets(stability_line(line) for line in privacy.stability.requirements)
    yield heading(3, "Not covered")
    yield bullets(NOT_COVERED)


def _privacy_rows(privacy: Privacy) -> Iterator[tuple[str, ...]]:
    yield "columns", "verdict", "E", "ε", "why"
    for found in privacy.columns:
        ratio = "" if found.ratio is None else str(found.ratio)
        epsilon = "" if found.epsilon is None else str(found.epsilon)
        yield code_list(found.columns), found.verdict, ratio, epsilon, lines(column_reasons(found))


def _witness(found: ColumnPrivacy) -> Iterator[Markdown]:
    if found.witness is None:
        return
    yield bold(column_heading(found))
    for title, schema, records in witness_tables(found.witness):
        if schema:
            yield from _records_table(title.capitalize(), schema, records)
        else:
            yield prose(title.capitalize())
    yield bullets(trace_lines(found.witness))


def comparison_markdown(comparison: Comparison, name: str | None = None, impact: bool = True) -> str:
    """With `impact`, also show what only the new policy can release, and a table for each lost guarantee."""
    return document(_comparison_blocks(comparison, name, impact))


def _comparison_blocks(comparison: Comparison, name: str | None, impact: bool) -> Iterator[Markdown]:
    """What is lost, then a table on which the policies differ, then the guarantees."""
    yield headline("Comparison", name, f"{comparison_verdict(comparison)}{_consequence(comparison)}", comparison.ok)
    yield bullets(comparison_reasons(comparison))
    yield from _claims_block("No longer guaranteed", comparison.impact.lost)
    yield from _impact(comparison.impact, impact)
    if comparison.difference is not None:
        yield heading(3, "A table on which the policies differ")
        yield from _difference(comparison.difference)
    kept = [claim for claim in comparison.old_by_new if claim.verdict is ClaimVerdict.PROVED]
    yield from _claims_block("Still guaranteed", kept)
    yield from _claims_block(guarantee_headings(comparison)[1].capitalize(), comparison.new_by_old)
    yield from _types_table(comparison.types, comparison.inferred)


def _consequence(comparison: Comparison) -> str:
    """The change that matters most to a reviewer."""
    if comparison.equivalent:
        return ""
    lost = Counter(claim.verdict for claim in comparison.impact.lost)
    refuted, undecided = lost[ClaimVerdict.REFUTED], lost[ClaimVerdict.UNDECIDED]
    if refuted:
        return f", {count_text(refuted, 'guarantee')} of the old policy lost"
    if undecided:
        return f", {count_text(undecided, 'guarantee')} of the old policy not known to be kept"
    return f", no guarantee of the old policy lost; {impact_heading(comparison.impact)}"


def _claims_block(title: str, claims: Sequence[Claim]) -> Iterator[Markdown]:
    if claims:
        yield heading(3, title)
        yield _claims_table(claims)


def _impact(impact: Impact, in_full: bool) -> Iterator[Markdown]:
    if in_full:
        found, title = impact_lines(impact), _sentence(impact_heading(impact))
        yield heading(3, title) if found else prose(title)
        yield bullets(found)
        for claim in impact.lost:
            title = f"Line {claim.line} of the old policy does not hold in the new one for this table"
            yield from _counterexample_blocks(claim, title)
    elif impact.released != ():
        yield prose(f"{_sentence(impact_heading(impact))}; `--impact` shows what.")


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}"


def _difference(difference: Difference) -> Iterator[Markdown]:
    for place, schema, records in difference_tables(difference):
        title = _TITLES[place]
        if schema is None:
            yield Markdown(f"{bold(title)}: {NOTHING_WRITTEN}")
        else:
            yield from _records_table(title, schema, records)
        if place == "before":
            yield _trace_line(difference.trace)


def measures_markdown(measures: Measures, name: str | None = None) -> str:
    return document(_measures_blocks(measures, name))


def _measures_blocks(measures: Measures, name: str | None) -> Iterator[Markdown]:
    (_, k), *classes = rows.class_rows(measures.classes)
    yield headline("Measures", name, k)
    yield bullets(_measures_summary(measures))
    yield _number_table([("measure", "value"), ("k-anonymity", k), *_most_important(measures)])
    yield heading(3, "Classes")
    yield _number_table([("measure", "value"), *classes])
    yield _number_table(rows.size_rows(measures.classes))
    yield heading(3, "Risk")
    yield _number_table(rows.risk_rows(measures))
    if measures.sampling is not None:
        yield _number_table(rows.sampling_rows(measures.sampling))
    if len(measures.by_quasi_identifier) > 1:
        yield heading(3, "Risk by quasi-identifier")
        yield _number_table(_mark_column_names(rows.quasi_identifier_rows(measures.by_quasi_identifier)))
    if measures.sensitive:
        yield heading(3, "Sensitive columns")
        header, *figures = rows.sensitive_rows(measures.sensitive)
        yield _number_table([(header[0], *map(code, header[1:])), *figures])
    if measures.comparison is not None:
        yield heading(3, "Change")
        yield _number_table(_mark_column_names(rows.change_rows(measures.comparison)))
        yield bullets(rows.unshared_columns(measures.comparison))
    if measures.loss is not None:
        yield heading(3, f"Loss {measures.loss.total:.4f}")
        yield table(_mark_column_names(rows.loss_rows(measures.loss)), numbers=(1,))


def _measures_summary(measures: Measures) -> Iterator[str]:
    yield rows.measures_heading(measures)
    if measures.sampling is not None:
        yield rows.sampling_heading(measures.sampling)
    if measures.comparison is not None:
        yield rows.change_heading(measures.comparison)


def _most_important(measures: Measures) -> Iterator[Sequence[str]]:
    """The figures to report about a release: diversity, risk and loss."""
    for each in measures.sensitive:
        yield Markdown(f"distinct l-diversity of {code(each.column)}"), f"l = {each.distinct_l:,}"
    yield "highest risk of a record", round_measure(measures.classes.prosecutor_maximum)
    if measures.journalist is not None:
        yield "highest risk in the population", round_measure(measures.journalist.maximum)
    yield "average risk", round_measure(measures.marketer)
    if measures.loss is not None:
        yield "loss", f"{measures.loss.total:.4f}"


def _mark_column_names(lines: Iterable[rows.Row]) -> Iterator[rows.Row]:
    """Format the first cell of each row, the name of a column, as code."""
    header, *body = lines
    yield header
    yield from ((code(name), *cells) for name, *cells in body)


def _number_table(lines: Iterable[Sequence[str]]) -> Markdown:
    """A table with a label first in each row, and numbers after it."""
    header, *body = lines
    return table([header, *body], numbers=range(1, len(header)))
