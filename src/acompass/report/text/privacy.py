"""A proof as text, with the privacy that it was asked for: a paragraph for each set of columns."""

from collections.abc import Iterable, Iterator

from acompass.privacy.answer import ColumnPrivacy, Privacy, PrivacyProof, Witness
from acompass.report.rows.privacy import (
    column_heading,
    column_reasons,
    not_covered,
    output_heading,
    stability_heading,
    stability_line,
    table_lines,
    trace_lines,
    unit_lines,
)
from acompass.report.text.proof import proof_text, table_text


def privacy_proof_text(proof: PrivacyProof) -> str:
    found = () if proof.privacy is None else (_privacy(proof.privacy),)
    return "\n\n".join(part for part in (proof_text(proof), *found) if part)


def _privacy(privacy: Privacy) -> str:
    table, *details = table_lines(privacy.table)
    lines = [stability_line(line) for line in privacy.stability.requirements]
    paragraphs = [
        ["privacy by column", *_indented(unit_lines())],
        *([column_heading(found), *_indented(_column(found))] for found in privacy.columns),
        [f"privacy of the table, one record more or less: {table}", *_indented(details)],
        [stability_heading(privacy.stability), *_indented(lines)],
        [not_covered()],
    ]
    return "\n\n".join("\n".join(lines) for lines in paragraphs)


def _column(found: ColumnPrivacy) -> Iterator[str]:
    yield from column_reasons(found)
    if found.witness is not None:
        yield from _witness(found.witness)


def _witness(witness: Witness) -> Iterator[str]:
    yield "table"
    yield from _indented(table_text(witness.schema, witness.records))
    yield "neighbour"
    yield from _indented(table_text(witness.schema, witness.neighbour))
    yield output_heading(witness)
    if witness.left is not None:
        yield from _indented(table_text(witness.left_schema, witness.left))
    yield from trace_lines(witness)


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)
