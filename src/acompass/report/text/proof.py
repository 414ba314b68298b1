"""A proof as text: one paragraph per claim; a refuted claim shows the table before and after the policy."""

from collections.abc import Sequence

from acompass.checked.types import Schema, Value
from acompass.prove.proof import Claim, Counterexample, Instead, Proof
from acompass.report.rows.proof import certified, inferred_types, table_rows
from acompass.report.text.columns import left_aligned
from acompass.report.words import policy_line


def proof_text(proof: Proof) -> str:
    return "\n\n".join([*(claim_text(claim) for claim in proof.claims), *inferred_types(proof)])


def claim_text(claim: Claim) -> str:
    place = "" if claim.line is None else f"line {claim.line}: "
    lines = [f"{claim.verdict}  {place}{policy_line(claim.text)}"]
    lines += [f"  {step}" for step in (*claim.reason.splitlines(), *certified(claim))]
    if claim.counterexample is not None:
        lines += _counterexample(claim.counterexample)
    return "\n".join(lines)


def _counterexample(counterexample: Counterexample) -> list[str]:
    lines = ["  before", *_indented(counterexample.schema, counterexample.records)]
    if counterexample.trace:
        lines.append(f"  trace {', '.join(counterexample.trace)}")
    lines += ["  after", *_indented(counterexample.left_schema, counterexample.left)]
    return lines if counterexample.instead is None else [*lines, *_instead(counterexample.instead)]


def _instead(instead: Instead) -> list[str]:
    heading = f"  {instead.title}"
    if instead.records is None:
        return [heading, "    (nothing is written)"]
    return [heading, *_indented(instead.schema, instead.records)]


def _indented(schema: Schema, records: Sequence[Sequence[Value]]) -> list[str]:
    return [f"    {line}" for line in table_text(schema, records)]


def table_text(schema: Schema, records: Sequence[Sequence[Value]]) -> list[str]:
    return left_aligned(table_rows(schema, records)) if records else ["(no records)"]
