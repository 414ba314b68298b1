"""Turn proofs, privacy and comparisons of policies into rows of text, for every format with tables.

The records in them are invented by the prover; none of them comes from a table."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain
from typing import Any, NamedTuple, TypeAlias, assert_never

from acompass.errors.diagnostics import option_text
from acompass.errors.display import count_text, on_one_line
from acompass.language.program.types import Column, Kind, Schema, Value, to_text
from acompass.prove.proof import Claim, Proof
from acompass.reason.compare.answer import Comparison, Difference, Impact, Release, is_implied
from acompass.reason.privacy.answer import (
    NEIGHBORS,
    UNIT,
    ColumnPrivacy,
    ColumnVerdict,
    LineStability,
    Refusal,
    Stability,
    TablePrivacy,
    Weights,
    Witness,
)

Record: TypeAlias = tuple[Any, ...]
#: a heading, the schema and the records; the schema is None if nothing is written
DifferenceTable: TypeAlias = tuple[str, Schema | None, tuple[tuple[Value, ...], ...]]

_VERDICTS = {True: "equivalent", False: "different", None: "undecided"}
_GUARANTEE_VERDICTS = {True: "all kept", False: "not all kept", None: "not all known to be kept"}
NOTHING_MORE = "the new policy releases nothing that the old one could not"
NOTHING_MORE_FOUND = "no kind of record or value was found that only the new policy can release"
NOTHING_WRITTEN = "(nothing is written)"


class TitledTable(NamedTuple):
    """A table to show; without columns if nothing is written."""

    title: str
    schema: Schema
    records: tuple[Record, ...]


def certificate_lines(claim: Claim) -> list[str]:
    """Whether the claim is certified, if a certificate was requested."""
    if claim.is_certified is None:
        return []
    return ["certified"] if claim.is_certified else [f"not certified: {claim.uncertified}"]


def inferred_type_lines(proof: Proof | Comparison) -> list[str]:
    """The types that the call does not specify."""
    if not proof.inferred:
        return []
    types = ", ".join(f"{on_one_line(name)} {proof.types[name]}" for name in proof.inferred)
    return [f"types inferred from the policy: {types}"]


def table_rows(schema: Schema, records: Sequence[Sequence[Value]]) -> list[list[str]]:
    header = [column.name for column in schema]
    return [header, *([*map(_cell_text, record, schema)] for record in records)]


def _cell_text(value: Value, column: Column) -> str:
    if column.type.kind is Kind.OPAQUE:
        return str(value)
    text = to_text(value, column.type)
    return text if text.isprintable() and text.strip() == text and text else repr(text)


def unit_lines() -> Iterator[str]:
    yield f"unit: {UNIT}"
    yield f"neighbors: {NEIGHBORS}"


def column_heading(found: ColumnPrivacy) -> str:
    """`Disease: e^ε is exactly 10, ε ≤ 2.303`."""
    names = ", ".join(on_one_line(name) for name in found.columns)
    match found.verdict:
        case ColumnVerdict.EXACT:
            return f"{names}: e^ε is exactly {found.ratio}, ε ≤ {found.epsilon}"
        case ColumnVerdict.AT_MOST:
            return f"{names}: e^ε is at most {found.ratio}, ε ≤ {found.epsilon}"
        case ColumnVerdict.NONE:
            return f"{names}: no bound"
        case ColumnVerdict.UNDECIDED:
            return f"{names}: undecided"
        case _:
            assert_never(found.verdict)


def witness_tables(witness: Witness) -> Iterator[TitledTable]:
    """The table, its neighbor and the output, without columns that have one value in all three."""
    constant = _constant_columns(witness)
    yield _without_columns(constant, TitledTable("table", witness.schema, witness.records))
    yield _without_columns(constant, TitledTable("neighbor", witness.schema, witness.neighbour))
    if witness.left is None:
        yield TitledTable(output_heading(witness), (), ())
    else:
        yield _without_columns(constant, TitledTable(output_heading(witness), witness.left_schema, witness.left))


def _constant_columns(witness: Witness) -> set[str]:
    values: defaultdict[str, set[Any]] = defaultdict(set)
    left = () if witness.left is None else witness.left
    before = (zip(witness.schema, record, strict=True) for record in (*witness.records, *witness.neighbour))
    after = (zip(witness.left_schema, record, strict=True) for record in left)
    for column, value in chain.from_iterable((*before, *after)):
        values[column.name].add(value)
    return {name for name, found in values.items() if len(found) == 1}


def _without_columns(omitted: set[str], shown: TitledTable) -> TitledTable:
    """Omit columns, unless none would be left."""
    kept = [at for at, column in enumerate(shown.schema) if column.name not in omitted]
    if not kept:
        return shown
    schema = tuple(shown.schema[at] for at in kept)
    return TitledTable(shown.title, schema, tuple(tuple(record[at] for at in kept) for record in shown.records))


def column_reasons(found: ColumnPrivacy) -> Iterator[str]:
    if found.reason:
        yield found.reason if found.line is None else f"line {found.line}: {found.reason}"
    if found.ratio == found.seed_ratio == 1:
        yield "no output depends on it"
    elif found.seed_ratio != found.ratio:
        yield f"with the 52 bits of a seed: {found.seed_ratio}"


def output_heading(witness: Witness) -> str:
    """How probable the output is from each of the two tables."""
    more, less = witness.probabilities
    outcome = "nothing is written" if witness.left is None else "output"
    law = ", with the 52 bits of a seed" if witness.weights is Weights.SEED else ""
    return f"{outcome}: probability {more} from the table, {less or 'impossible'} from the neighbor{law}"


def trace_lines(witness: Witness) -> Iterator[str]:
    names = ("table", "neighbor")
    for name, trace in zip(names, witness.traces, strict=True):
        if trace:
            yield f"trace of the {name}: {', '.join(trace)}"


def table_lines(found: TablePrivacy | Refusal) -> Iterator[str]:
    match found:
        case Refusal(line, reason):
            place = "" if line is None else f"line {line}: "
            yield f"no (ε, δ) is claimed: {place}{reason}"
        case TablePrivacy():
            is_ = "is" if found.is_exact else "is at most"
            yield f"for ε = {_decimal_text(found.epsilon)}, δ {is_} {found.delta_shown}"
            lines = ", ".join(map(str, found.sampled))
            yield f"line {lines}: keeps a record with a probability of at most {found.beta}"
            yield f"line {found.rejects}: rejects classes of fewer than {count_text(found.k, 'record')}"
            yield f"worst for a class of {count_text(found.class_size, 'record')}, {found.direction}"
            yield f"the output must be written in canonical order: {option_text('order', 'canonical')}"
        case _:
            assert_never(found)


def stability_heading(found: Stability) -> str:
    return f"stability: {stability_text(found.policy)}"


def stability_text(records: int | None) -> str:
    return "infinite" if records is None else str(records)


def stability_line(line: LineStability) -> str:
    return f"line {line.line}: {stability_text(line.records)}, {line.reason}"


def _decimal_text(number: Fraction) -> str:
    return f"{float(number):g}"


def comparison_verdict(comparison: Comparison) -> str:
    return _VERDICTS[comparison.equivalent]


def comparison_reasons(comparison: Comparison) -> list[str]:
    lines = comparison.reason.splitlines()
    if comparison.difference is not None:
        lines.append(f"they differ on a table of {count_text(len(comparison.difference.records), 'record')}")
    return lines


def guarantee_headings(comparison: Comparison) -> tuple[str, str]:
    """For the guarantees of the old policy, then of the new one."""
    return (
        f"guarantees of the old policy in the new one: {_guarantee_verdict(comparison.old_by_new)}",
        f"guarantees of the new policy in the old one: {_guarantee_verdict(comparison.new_by_old)}",
    )


def _guarantee_verdict(guarantees: tuple[Claim, ...]) -> str:
    return "none" if not guarantees else _GUARANTEE_VERDICTS[is_implied(guarantees)]


def difference_tables(difference: Difference) -> Iterator[DifferenceTable]:
    yield "before", difference.schema, difference.records
    for heading, written in (("old", difference.old), ("new", difference.new)):
        yield (heading, None, ()) if written is None else (heading, written.schema, written.records)


def impact_heading(impact: Impact) -> str:
    if impact.released is None:
        return "what the new policy can release beyond the old one: undecided"
    if not impact.released:
        return NOTHING_MORE if impact.exact else NOTHING_MORE_FOUND
    certain = all(each.certain for each in impact.released)
    return f"the new policy {'can' if certain else 'may'} release what the old one could not"


def impact_lines(impact: Impact) -> list[str]:
    if impact.released is None:
        return [impact.reason]
    return [on_one_line(_release_text(each)) for each in impact.released]


def _release_text(released: Release) -> str:
    if released.column is None:
        return released.words if released.words == "all records" else f"records with {released.words}"
    return f"`{released.column}` {released.words}"
