"""A proof as Markdown: a row for each claim; a refuted claim shows the table before and after the policy.

These tables are made up by the prover and have no value of a record.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from acompass.checked.types import Schema, Value
from acompass.prove.proof import Claim, ClaimVerdict, Counterexample, Proof
from acompass.report.markdown.elements import (
    Markdown,
    bold,
    captioned,
    code,
    document,
    heading,
    headline,
    lines,
    marked,
    prose,
    table,
)
from acompass.report.rows.proof import certified, table_rows
from acompass.report.words import counted, policy_line

_SIGNS = {ClaimVerdict.PROVED: True, ClaimVerdict.REFUTED: False, ClaimVerdict.UNDECIDED: None}


def proof_markdown(proof: Proof, name: str | None = None) -> str:
    return document(proof_blocks(proof, name))


def proof_blocks(proof: Proof, name: str | None) -> Iterator[Markdown]:
    yield headline("Proof", name, _verdicts(proof), proof.ok)
    if proof.claims:
        yield claims_table(proof.claims)
    for claim in proof.claims:
        yield from counterexample_blocks(claim, f"{_place(claim)} is refuted by this table")
    yield from types_table(proof.types, proof.inferred)


def _verdicts(proof: Proof) -> str:
    if proof.ok:
        return f"{counted(len(proof.claims), 'claim')} proved"
    numbers = Counter(claim.verdict for claim in proof.claims)
    return ", ".join(f"{numbers[verdict]:,} {verdict}" for verdict in ClaimVerdict if numbers[verdict])


def claims_table(claims: Iterable[Claim]) -> Markdown:
    return table([("line", "verdict", "assertion", "why"), *map(_row, claims)], numbers=(0,))


def _row(claim: Claim) -> tuple[str, ...]:
    place = "claim" if claim.line is None else str(claim.line)
    why = lines((*claim.reason.splitlines(), *certified(claim)))
    return place, marked(_SIGNS[claim.verdict], claim.verdict), code(policy_line(claim.text)), why


def _place(claim: Claim) -> str:
    return "The claim" if claim.line is None else f"Line {claim.line}"


def counterexample_blocks(claim: Claim, title: str) -> Iterator[Markdown]:
    if claim.counterexample is not None:
        yield heading(3, title)
        yield code(policy_line(claim.text))
        yield from _tables(claim.counterexample)


def _tables(found: Counterexample) -> Iterator[Markdown]:
    yield from records_table("Before", found.schema, found.records)
    yield trace_line(found.trace)
    yield from records_table("After", found.left_schema, found.left)
    other = found.instead
    if other is not None and other.records is None:
        yield Markdown(f"{bold(other.title.capitalize())}: nothing is written")
    elif other is not None:
        yield from records_table(other.title.capitalize(), other.schema, other.records or ())


def trace_line(trace: Sequence[str]) -> Markdown:
    return prose(f"Trace: {', '.join(trace)}" if trace else "")


def records_table(caption: str, schema: Schema, records: Sequence[Sequence[Value]]) -> Iterator[Markdown]:
    """Made-up records, with their numbers: the policy may have dropped all columns."""
    if not records:
        yield Markdown(f"{bold(caption)}: no records")
        return
    header, *rows = ([code(cell) for cell in row] for row in table_rows(schema, records))
    numbered = (("record", *header), *((str(place), *row) for place, row in enumerate(rows, 1)))
    yield from captioned(caption, numbered, numbers=(0,))


def types_table(types: Mapping[str, str], inferred: Sequence[str]) -> Iterator[Markdown]:
    if types:
        yield heading(3, "Types of the columns")
        rows = (
            (code(name), type_, "inferred from the policy" * (name in inferred))
            for name, type_ in types.items()
        )
        yield table([("column", "type", "note"), *rows])
