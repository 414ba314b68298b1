"""A proof as text, with the privacy that it was asked for: a paragraph for each set of columns."""

from collections.abc import Iterable, Iterator

from acompass.privacy.answer import NOT_COVERED, ColumnPrivacy, Privacy, PrivacyProof, Witness
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
        ["not covered", *_indented(NOT_COVERED)],
    ]
    return "\n\n".join("\n".join(lines) for lines in paragraphs)


def _column(found: ColumnPrivacy) -> Iterator[str]:
    yield from column_reasons(found)
    if found.witness is not None:
        yield from _witness(found.witness)


def _witness(witness: Witness) -> Iterator[str]:
    for title, schema, records in witness_tables(witness):
        yield title
        yield from _indented(table_text(schema, records) if schema else ())
    yield from trace_lines(witness)


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)
