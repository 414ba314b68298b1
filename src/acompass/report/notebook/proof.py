"""A proof as a table of its claims; a refuted claim shows the table before and after the policy.

These tables are made up by the prover and have no value of a record.
"""

from collections.abc import Iterator, Sequence

from acompass.checked.types import Schema, Value
from acompass.prove.proof import Claim, Proof
from acompass.report.html.elements import Html, tag
from acompass.report.notebook.elements import code, display, lines, paragraphs, table
from acompass.report.rows.proof import inferred_types, table_rows
from acompass.report.words import counted, policy_line


def proof_html(proof: Proof) -> str:
    return display(*proof_parts(proof))


def proof_parts(proof: Proof) -> list[Html]:
    caption = f"{counted(len(proof.claims), 'claim')}, {_verdict(proof)}"
    counterexamples = [part for claim in proof.claims for part in _counterexample(claim)]
    return [table(caption, _rows(proof)), *counterexamples, paragraphs(inferred_types(proof))]


def _verdict(proof: Proof) -> str:
    return "all proved" if proof.ok else "not all proved"


def _rows(proof: Proof) -> Iterator[tuple[str, ...]]:
    yield "line", "assertion", "verdict", "why"
    for claim in proof.claims:
        place = "claim" if claim.line is None else str(claim.line)
        yield place, code(claim.text), claim.verdict, lines(claim.reason.splitlines())


def _counterexample(claim: Claim) -> Iterator[Html]:
    found = claim.counterexample
    if found is None:
        return
    yield records_table(f"Refuted: {policy_line(claim.text)}. Before", found.schema, found.records)
    if found.trace:
        yield tag("p", f"trace {', '.join(found.trace)}")
    yield records_table("After", found.left_schema, found.left)
    other = found.instead
    if other is not None:
        yield records_table(other.title.capitalize(), other.schema, other.records or ())


def records_table(caption: str, schema: Schema, records: Sequence[Sequence[Value]]) -> Html:
    header, *rows = table_rows(schema, records)
    numbered = [("record", *header), *((f"{place}", *row) for place, row in enumerate(rows, 1))]
    return table(caption if records else f"{caption}: no records", numbered)
