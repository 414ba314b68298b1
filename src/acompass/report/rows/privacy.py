"""The privacy of a policy as rows of words."""

from collections.abc import Iterator
from fractions import Fraction
from typing import assert_never

from acompass.privacy.answer import (
    NEIGHBOURS,
    NOT_COVERED,
    UNIT,
    ColumnPrivacy,
    ColumnVerdict,
    Witness,
)
from acompass.privacy.table_answer import LineStability, Refusal, Stability, TablePrivacy
from acompass.privacy.weights import Weights
from acompass.report.words import counted, on_one_line

_HEADINGS = {
    ColumnVerdict.EXACT: "exactly",
    ColumnVerdict.AT_MOST: "at most",
    ColumnVerdict.NONE: "no bound",
    ColumnVerdict.UNDECIDED: "undecided",
}


def unit_lines() -> Iterator[str]:
    yield f"unit: {UNIT}"
    yield f"neighbours: {NEIGHBOURS}"


def not_covered() -> str:
    return f"not covered: {'; '.join(NOT_COVERED)}"


def column_heading(found: ColumnPrivacy) -> str:
    """`exactly 10  Disease, ε 2.303`."""
    names = ", ".join(on_one_line(name) for name in found.columns)
    if found.ratio is None:
        return f"{_HEADINGS[found.verdict]}  {names}"
    return f"{_HEADINGS[found.verdict]} {found.ratio}  {names}: e^ε, so ε is {found.epsilon}"


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
    return f"line {line.line}: {stability_text(line.records)}: {line.reason}"


def _plain(number: Fraction) -> str:
    return f"{float(number):g}"
