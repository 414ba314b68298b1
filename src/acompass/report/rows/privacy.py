"""The privacy of a policy as rows of words."""

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain
from typing import Any, NamedTuple, TypeAlias, assert_never

from acompass.checked.types import Schema
from acompass.privacy.answer import (
    NEIGHBOURS,
    UNIT,
    ColumnPrivacy,
    ColumnVerdict,
    Witness,
)
from acompass.privacy.table_answer import LineStability, Refusal, Stability, TablePrivacy
from acompass.privacy.weights import Weights
from acompass.report.words import counted, on_one_line

Record: TypeAlias = tuple[Any, ...]


class Titled(NamedTuple):
    """A table to show. It has no columns where nothing is written."""

    title: str
    schema: Schema
    records: tuple[Record, ...]


def unit_lines() -> Iterator[str]:
    yield f"unit: {UNIT}"
    yield f"neighbours: {NEIGHBOURS}"


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


def witness_tables(witness: Witness) -> Iterator[Titled]:
    """The table, its neighbour and the output, without columns that have one value in all three."""
    silent = _silent(witness)
    yield _without(silent, Titled("table", witness.schema, witness.records))
    yield _without(silent, Titled("neighbour", witness.schema, witness.neighbour))
    if witness.left is None:
        yield Titled(output_heading(witness), (), ())
    else:
        yield _without(silent, Titled(output_heading(witness), witness.left_schema, witness.left))


def _silent(witness: Witness) -> set[str]:
    values: defaultdict[str, set[Any]] = defaultdict(set)
    left = () if witness.left is None else witness.left
    before = (zip(witness.schema, record, strict=True) for record in (*witness.records, *witness.neighbour))
    after = (zip(witness.left_schema, record, strict=True) for record in left)
    for column, value in chain.from_iterable((*before, *after)):
        values[column.name].add(value)
    return {name for name, found in values.items() if len(found) == 1}


def _without(silent: set[str], shown: Titled) -> Titled:
    """A table keeps its columns if it would have none left."""
    kept = [at for at, column in enumerate(shown.schema) if column.name not in silent]
    if not kept:
        return shown
    schema = tuple(shown.schema[at] for at in kept)
    return Titled(shown.title, schema, tuple(tuple(record[at] for at in kept) for record in shown.records))


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
    what = "nothing is written" if witness.left is None else "output"
    law = ", with the 52 bits of a seed" if witness.weights is Weights.SEED else ""
    return f"{what}: probability {more} from the table, {less or 'impossible'} from the neighbour{law}"


def trace_lines(witness: Witness) -> Iterator[str]:
    names = ("table", "neighbour")
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
            yield f"for ε = {_plain(found.epsilon)}, δ {is_} {found.delta_shown}"
            lines = ", ".join(map(str, found.sampled))
            yield f"line {lines}: keeps a record with a probability of at most {found.beta}"
            yield f"line {found.rejects}: rejects classes of fewer than {counted(found.k, 'record')}"
            yield f"worst for a class of {counted(found.class_size, 'record')}, {found.direction}"
            yield "the output has to be written in canonical order: --order canonical"
        case _:
            assert_never(found)


def stability_heading(found: Stability) -> str:
    return f"stability: {stability_text(found.policy)}"


def stability_text(records: int | None) -> str:
    return "infinite" if records is None else str(records)


def stability_line(line: LineStability) -> str:
    return f"line {line.line}: {stability_text(line.records)}, {line.reason}"


def _plain(number: Fraction) -> str:
    return f"{float(number):g}"
