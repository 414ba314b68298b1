"""A proof as Markdown, with the privacy that it was asked for. Its records are made up by the prover."""

from collections.abc import Iterator

from acompass.privacy.answer import NOT_COVERED, ColumnPrivacy, Privacy, PrivacyProof
from acompass.report.markdown.elements import (
    Markdown,
    bold,
    bullets,
    document,
    heading,
    lines,
    listed,
    prose,
    table,
)
from acompass.report.markdown.proof import proof_blocks, records_table
from acompass.report.rows.privacy import (
    column_heading,
    column_reasons,
    stability_heading,
    stability_line,
    table_lines,
    trace_lines,
    unit_lines,
    witness_tables,
)


def privacy_proof_markdown(proof: PrivacyProof, name: str | None = None) -> str:
    privacy = () if proof.privacy is None else _privacy(proof.privacy)
    return document([*proof_blocks(proof, name), *privacy])


def _privacy(privacy: Privacy) -> Iterator[Markdown]:
    yield heading(3, "Privacy by column")
    yield bullets(unit_lines())
    yield table(_rows(privacy))
    for found in privacy.columns:
        yield from _witness(found)
    yield heading(3, "Privacy of the table, one record more or less")
    yield bullets(table_lines(privacy.table))
    yield heading(3, stability_heading(privacy.stability).capitalize())
    yield bullets(stability_line(line) for line in privacy.stability.requirements)
    yield heading(3, "Not covered")
    yield bullets(NOT_COVERED)


def _rows(privacy: Privacy) -> Iterator[tuple[str, ...]]:
    yield "columns", "verdict", "E", "ε", "why"
    for found in privacy.columns:
        ratio = "" if found.ratio is None else str(found.ratio)
        epsilon = "" if found.epsilon is None else str(found.epsilon)
        yield listed(found.columns), found.verdict, ratio, epsilon, lines(column_reasons(found))


def _witness(found: ColumnPrivacy) -> Iterator[Markdown]:
    if found.witness is None:
        return
    yield bold(column_heading(found))
    for title, schema, records in witness_tables(found.witness):
        if schema:
            yield from records_table(title.capitalize(), schema, records)
        else:
            yield prose(title.capitalize())
    yield bullets(trace_lines(found.witness))
