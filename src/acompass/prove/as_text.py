"""A proof for people: a paragraph a claim, with the table before and after where it fails."""

from collections.abc import Sequence

from acompass.checked.convert import to_text
from acompass.checked.types import Column, Kind, Schema, Value
from acompass.prove.proof import Claim, Counterexample, Proof


def proof_as_text(proof: Proof) -> str:
    return "\n\n".join(_claim(claim) for claim in proof.claims)


def _claim(claim: Claim) -> str:
    place = "" if claim.line is None else f"line {claim.line}: "
    lines = [f"{claim.verdict}  {place}{' '.join(claim.text.split())}"]
    lines += [f"  {step}" for step in claim.reason.splitlines()]
    if claim.counterexample is not None:
        lines += _counterexample(claim.counterexample)
    return "\n".join(lines)


def _counterexample(counterexample: Counterexample) -> list[str]:
    lines = ["  before", *_table(counterexample.schema, counterexample.records)]
    if counterexample.trace:
        lines.append(f"  trace {', '.join(counterexample.trace)}")
    return [*lines, "  after", *_table(counterexample.left_schema, counterexample.left)]


def _table(schema: Schema, records: Sequence[Sequence[Value]]) -> list[str]:
    if not records:
        return ["    (no records)"]
    rows = [[column.name for column in schema], *([*map(_shown, record, schema)] for record in records)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(schema))]
    return ["    " + "  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def _shown(value: Value, column: Column) -> str:
    if column.type.kind is Kind.OPAQUE:
        return str(value)
    text = to_text(value, column.type)
    return text if text.isprintable() and text.strip() == text and text else repr(text)
