"""A proof as rows of words: the types and the certificate of its claims, and tables of counterexamples."""

from collections.abc import Sequence

from acompass.checked.convert import to_text
from acompass.checked.types import Column, Kind, Schema, Value
from acompass.compare.answer import Comparison
from acompass.prove.proof import Claim, Proof
from acompass.report.words import on_one_line


def certified(claim: Claim) -> list[str]:
    """Only where a certificate was asked for."""
    if claim.is_certified is None:
        return []
    return ["certified"] if claim.is_certified else [f"not certified: {claim.uncertified}"]


def inferred_types(proof: Proof | Comparison) -> list[str]:
    """The types that nobody gave."""
    if not proof.inferred:
        return []
    types = ", ".join(f"{on_one_line(name)} {proof.types[name]}" for name in proof.inferred)
    return [f"types inferred from the policy: {types}"]


def table_rows(schema: Schema, records: Sequence[Sequence[Value]]) -> list[list[str]]:
    header = [column.name for column in schema]
    return [header, *([*map(_shown, record, schema)] for record in records)]


def _shown(value: Value, column: Column) -> str:
    if column.type.kind is Kind.OPAQUE:
        return str(value)
    text = to_text(value, column.type)
    return text if text.isprintable() and text.strip() == text and text else repr(text)
