"""The privacy of a policy as tables. Their records are made up by the prover."""

from collections.abc import Iterator

from acompass.privacy.answer import NOT_COVERED, ColumnPrivacy, Privacy, PrivacyProof
from acompass.report.html.elements import Html, joined
from acompass.report.notebook.elements import display, lines, paragraphs, table
from acompass.report.notebook.proof import proof_parts, records_table
from acompass.report.rows.privacy import (
    column_heading,
    column_reasons,
    stability_line,
    stability_text,
    table_lines,
    trace_lines,
    unit_lines,
    witness_tables,
)


def privacy_proof_html(proof: PrivacyProof) -> str:
    parts = proof_parts(proof)
    return display(*parts, *(() if proof.privacy is None else (_privacy(proof.privacy),)))


def _privacy(privacy: Privacy) -> Html:
    witnesses = [part for found in privacy.columns for part in _witness(found)]
    stable = privacy.stability
    return joined(
        (
            table("Privacy by column", _rows(privacy)),
            paragraphs(unit_lines()),
            *witnesses,
            paragraphs(["Privacy of the table, one record more or less", *table_lines(privacy.table)]),
            paragraphs([f"Stability {stability_text(stable.policy)}"]),
            lines(stability_line(line) for line in stable.requirements),
            paragraphs([f"Not covered: {'; '.join(NOT_COVERED)}"]),
        )
    )


def _rows(privacy: Privacy) -> Iterator[tuple[str, ...]]:
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
        yield records_table(title, schema, records) if schema else paragraphs([title])
    yield paragraphs(trace_lines(witness))
