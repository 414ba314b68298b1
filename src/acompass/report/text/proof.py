"""A proof as text: one paragraph per claim; a refuted claim shows the table before and after the policy."""

from collections.abc import Sequence

from acompass.checked.convert import to_text
from acompass.checked.types import Column, Kind, Schema, Value
from acompass.prove.proof import Claim, Counterexample, Proof
from acompass.report.text.columns import left_aligned
from acompass.report.words import on_one_line, policy_line


def proof_text(proof: Proof) -> str:
    return "\n\n".join([*(_claim(claim) for claim in proof.claims), *_types(proof)])


def _types(proof: Proof) -> list[str]:
    """The types that nobody gave."""
    if not proof.inferred:
        return []
    types = ", ".join(f"{on_one_line(name)} {proof.types[name]}" for name in proof.inferred)
    return [f"types inferred from the policy: {types}"]


def _claim(claim: Claim) -> str:
    place = "" if claim.line is None else f"line {claim.line}: "
    lines = [f"{claim.verdict}  {place}{policy_line(claim.text)}"]
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
    header = [column.name for column in schema]
    rows = [[*map(_shown, record, schema)] for record in records]
    return [f"    {line}" for line in left_aligned([header, *rows])]


def _shown(value: Value, column: Column) -> str:
    if column.type.kind is Kind.OPAQUE:
        return str(value)
    text = to_text(value, column.type)
    return text if text.isprintable() and text.strip() == text and text else repr(text)
