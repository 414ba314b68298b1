"""Write a policy that randomizes a column of an open table by a known matrix: PRAM (post-randomization).

Comments in the policy say what its lines guarantee and what they do not."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from math import gcd, lcm

from acompass.author.answers import Perturbation
from acompass.author.perturb.column import (
    UNUSED,
    CountedColumn,
    codes_for,
    column_position,
    counted_column,
    require_values,
    to_constant,
)
from acompass.author.perturb.matrix import Matrix, read_matrix, require_fit
from acompass.dataclasses import dataclass
from acompass.engines.protocol import OpenTable
from acompass.errors.diagnostics import CallError, Diagnostic
from acompass.language.mistakes.probabilities import RAREST
from acompass.language.program.types import EXACT, Kind, Type
from acompass.language.text import tree
from acompass.language.text.formatter import format_program, format_requirement, remark_lines
from acompass.language.text.parser import parse_text
from acompass.language.text.tree import Inequality, Quantifier
from acompass.policy import Policy, parse, parse_file
from acompass.tables.formats import ReadingOptions


@dataclass(frozen=True, slots=True)
class Request:
    column: str
    keep: Decimal | None  # None only with a matrix
    matrix: str | None
    uniform: bool
    round: int | None  # weights are multiples of this number


@dataclass(frozen=True, slots=True)
class Line:
    requirement: tree.Requirement
    is_undone: bool = False  # later lines write the value that this one removes, on purpose (AC504)


def pram_policy(source: OpenTable, request: Request, reading: ReadingOptions, output: str | None) -> Perturbation:
    """`output` is the path that the policy will be written to, if any."""
    matrix = None if request.matrix is None else read_matrix(request.matrix)
    column = counted_column(source, column_position(request.column, source), UNUSED, reading)
    require_values(column)
    return _by_weights(request, column, output) if matrix is None else _by_matrix(matrix, request, column, output)


def _by_weights(request: Request, column: CountedColumn, output: str | None) -> Perturbation:
    assert request.keep is not None, "a request without a matrix has a probability"
    weights = value_weights(request, column)
    lines = weighted_lines(column, request.keep, weights, uniform=request.uniform)
    policy = _policy(request, column, lines, output)
    ratio, rarest = weights_ratio(Fraction(request.keep), weights), share_of_rarest(weights.values())
    return _perturbation(policy, column.name, len(weights), ratio, rarest)


def _by_matrix(matrix: Matrix, request: Request, column: CountedColumn, output: str | None) -> Perturbation:
    assert request.matrix is not None, "the matrix was read from a file"
    require_fit(matrix, request.matrix, column)
    if request.keep is not None:
        matrix = matrix.keeping(Fraction(request.keep))
    require_no_rarity(matrix)
    lines = matrix_lines(column, matrix)
    policy = _policy(request, column, lines, output)
    return _perturbation(policy, column.name, len(matrix.values), matrix.ratio)


def _policy(request: Request, column: CountedColumn, lines: Sequence[Line], output: str | None) -> Policy:
    text = format_policy(request, column.type, lines)
    return parse(text) if output is None else parse_file(text, output)


def _perturbation(
    policy: Policy, column: str, values: int, ratio: Fraction | None, rarest: Fraction | None = None
) -> Perturbation:
    return Perturbation(policy.text, policy.name, policy.tree, column, values, ratio, rarest)


_PROBABILITY = re.compile(r"0?\.[0-9]{1,30}")


def make_request(
    column: str,
    keep: str | None,
    matrix: str | os.PathLike[str] | None,
    uniform: bool,
    round: int | None,  # noqa: A002
) -> Request:
    """Validate the arguments of a call, alone and in combination."""
    if keep is None and matrix is None:
        raise invalid("`keep` is missing", "give the probability that a record keeps its value: `--keep 0.8`")
    if matrix is not None and (uniform or round is not None):
        other = "uniform" if uniform else "round"
        raise invalid(f"`matrix` and `{other}` exclude each other", f"leave `--{other}` out")
    if uniform and round is not None:
        raise invalid("`uniform` and `round` exclude each other", "leave `--round` out")
    if round is not None and round < 1:
        raise invalid(f"`round` is {round:,}, expected at least 1", "write for example `--round 100`")
    path = None if matrix is None else os.fspath(matrix)
    return Request(column, None if keep is None else _probability(keep), path, uniform, round)


def _probability(text: str) -> Decimal:
    found = _PROBABILITY.fullmatch(text.strip())
    number = None if found is None else Decimal(found[0])
    if number is None or not RAREST <= Fraction(number) <= 1 - RAREST:
        message = f"`keep` is `{text}`, expected a probability between 0 and 1"
        raise invalid(message, "write for example `--keep 0.8`")
    return number


def invalid(message: str, help_: str) -> CallError:
    return CallError([Diagnostic("AC630", message, help=help_)])


def value_weights(request: Request, column: CountedColumn) -> dict[str, int]:
    """The weight of each value, at least 1 after rounding. Raise if one is too rare (X7, rare outcomes)."""
    counts = {text: each.records for text, each in column.counts.items()}
    if request.uniform:
        return dict.fromkeys(counts, 1)
    step = request.round or 1
    weights = {text: max(step, _nearest(records, step)) for text, records in counts.items()}
    total = sum(weights.values())
    if min(weights.values()) < total * RAREST:
        raise _too_rare("a value of the column is", "write weights that differ less: `--round 1000`")
    return weights


def _nearest(records: int, step: int) -> int:
    return (2 * records + step) // (2 * step) * step


def weights_ratio(keep: Fraction, weights: Mapping[str, int]) -> Fraction:
    """e^ε of a column that is kept with a probability and otherwise drawn from weighted values.

    A value v is released with probability keep + (1 - keep) · π(v) if it was v, and with (1 - keep) · π(v) if
    it was not. The quotient is largest for the rarest value.
    """
    return 1 + keep / ((1 - keep) * share_of_rarest(weights.values()))


def share_of_rarest(weights: Iterable[int]) -> Fraction:
    listed = list(weights)
    return Fraction(min(listed), sum(listed))


def require_no_rarity(matrix: Matrix) -> None:
    """Raise if a line of the policy would draw an outcome that is too rare (X7, rare outcomes)."""
    for place, row in enumerate(matrix.rows, start=1):
        if min(filter(None, row)) < RAREST:
            raise _too_rare(f"a probability in row {place} of the matrix is", "write 0, or a larger number")


def _too_rare(what: str, help_: str) -> CallError:
    return CallError([Diagnostic("AC633", f"{what} below 2^-32, which no seed can draw exactly", help=help_)])


def weighted_lines(column: CountedColumn, keep: Decimal, weights: Mapping[str, int], *, uniform: bool) -> list[Line]:
    """A record keeps its value with a probability, and otherwise gets one of the weighted values."""
    name = tree.Name(column.name)
    values = (
        tree.WeightedValue(to_constant(text, column.type), None if uniform else tree.Number(Decimal(weight)))
        for text, weight in weights.items()
    )
    drawn = tree.Sometimes(tree.Number(EXACT.subtract(Decimal(1), keep)), tree.Draw(name, tuple(values)))
    return [*_replace_unlisted(name, column, list(weights)), Line(tree.Requirement(tree.Always(), drawn))]


def matrix_lines(column: CountedColumn, matrix: Matrix) -> list[Line]:
    """Draw from each value's row of the matrix. The results are codes, so that no later line draws them again;
    the last lines turn the codes into values."""
    name, type_ = tree.Name(column.name), column.type
    moved, drawn = [text for text, row, own in _rows(matrix) if row[own] != 1], _drawn_values(matrix)
    coded = [text for text in moved if text in drawn]
    codes = dict(zip(coded, codes_for(coded, matrix.values, type_), strict=True))
    targets = [codes.get(text) or to_constant(text, type_) for text in matrix.values]
    draws = (
        _draw_from_row(name, to_constant(text, type_), targets, row, own)
        for text, row, own in _rows(matrix)
        if text in moved
    )
    renamed = (
        Line(_on_value(name, code, tree.Replace(name, to_constant(text, type_)))) for text, code in codes.items()
    )
    return [*_replace_unlisted(name, column, matrix.values), *draws, *renamed]


def _rows(matrix: Matrix) -> Iterator[tuple[str, Sequence[Fraction], int]]:
    """Each value, its row, and its own position in the row."""
    pairs = zip(matrix.values, matrix.rows, strict=True)
    return ((text, row, own) for own, (text, row) in enumerate(pairs))


def _drawn_values(matrix: Matrix) -> frozenset[str]:
    """The values that some line draws."""
    rows = (zip(matrix.values, _row_weights(row, own), strict=True) for _, row, own in _rows(matrix))
    return frozenset(text for row in rows for text, entry in row if entry)


def _row_weights(row: Sequence[Fraction], own: int) -> list[Fraction]:
    """The entries to draw from; without the value itself if `WITH PROBABILITY` decides whether it changes."""
    is_coin = _change(row, own) is not None
    return [Fraction(0) if is_coin and place == own else entry for place, entry in enumerate(row)]


def _change(row: Sequence[Fraction], own: int) -> Decimal | None:
    """The probability that a value changes, if it is a decimal below 1."""
    return as_decimal(1 - row[own]) if row[own] else None


def _replace_unlisted(name: tree.Name, column: CountedColumn, values: Sequence[str]) -> Iterator[Line]:
    """Replace unlisted values with the most frequent one: keeping them, or stopping the run, would reveal them.

    A boolean has no other value.
    """
    if column.type.kind is not Kind.BOOLEAN:
        listed = tree.In(name, tuple(to_constant(text, column.type) for text in values))
        replaced = tree.Replace(name, to_constant(column.most_frequent, column.type))
        yield Line(tree.Requirement(tree.Assertion(Quantifier.EACH, tree.Result(), listed), replaced))


def _on_value(name: tree.Name, value: tree.Constant, action: tree.Step) -> tree.Requirement:
    """Perform the action on the records that have the value."""
    other = tree.Unequal(name, Inequality.C, value)
    return tree.Requirement(tree.Assertion(Quantifier.EACH, tree.Result(), other), action)


def _draw_from_row(
    name: tree.Name,
    value: tree.Constant,
    targets: Sequence[tree.Constant],
    row: Sequence[Fraction],
    own: int,
) -> Line:
    """Use `WITH PROBABILITY` if the probability of a change is a decimal below 1; otherwise, the value's own code
    is among the weighted values."""
    change = _change(row, own)
    draw = tree.Draw(name, _weighted_values(targets, _row_weights(row, own)))
    action = draw if change is None else tree.Sometimes(tree.Number(change), draw)
    return Line(_on_value(name, value, action), is_undone=change is None and targets[own] != value)


def _weighted_values(targets: Sequence[tree.Constant], row: Sequence[Fraction]) -> tuple[tree.WeightedValue, ...]:
    common = lcm(*(entry.denominator for entry in row))
    weights = [int(entry * common) for entry in row]
    shared = gcd(*weights)
    is_uniform = set(weights) <= {0, shared}
    return tuple(
        tree.WeightedValue(target, None if is_uniform else tree.Number(Decimal(weight // shared)))
        for target, weight in zip(targets, weights, strict=True)
        if weight
    )


def as_decimal(number: Fraction) -> Decimal | None:
    """The number as a decimal; None if its expansion is infinite."""
    digits = 0
    while number * 10**digits % 1:
        if digits > number.denominator.bit_length():
            return None
        digits += 1
    return Decimal(int(number * 10**digits)).scaleb(-digits, EXACT)


_ALLOWED = "-- allow AC504: a code becomes this value again below"

_INVARIANT = "which leaves the column's expected distribution unchanged (invariant PRAM)."
_COUNTS = (
    "The weights are counts from the table: constants chosen from the data. A privacy proof covers the policy "
    "with these constants, not the way they were chosen."
)
_OTHERS = (
    "A value that is not listed becomes the most frequent one: a value that no other value can become would "
    "reveal itself. `acompass prove --privacy` shows what this policy reveals."
)


def format_policy(request: Request, type_: Type, lines: Sequence[Line]) -> str:
    """Write the policy with comments; `type_` is the type of the column."""
    header = [line for paragraph in _header(request, type_) for line in remark_lines(paragraph)]
    blocks = [f"{_ALLOWED}\n" * line.is_undone + format_requirement(line.requirement) for line in lines]
    text = "\n".join(header) + "\n\n" + "\n\n".join(blocks) + "\n"
    program = tree.Program(tuple(line.requirement for line in lines))
    assert parse_text(text)[0].requirements == program.requirements, "the text has another meaning"
    assert format_program(text) == text, "the text is not canonical"
    return text


def _header(request: Request, type_: Type) -> Iterator[str]:
    kept = f"Each record keeps its value with probability {request.keep}, and otherwise"
    if request.matrix is not None:
        yield f"{kept} gets one drawn from the matrix." if request.keep else "A matrix decides each record's value."
        yield "Values become codes first, so that none is drawn twice; then the codes become values."
    elif request.uniform:
        yield f"{kept} gets one of all values, each with the same probability (randomized response)."
    else:
        about = _INVARIANT if request.round is None else _INVARIANT.replace("leaves", "roughly leaves")
        yield f"{kept} gets one drawn by its share of the records, {about}"
        yield _COUNTS if request.round is None else f"{_COUNTS} They are rounded to {request.round:,}."
    if type_.kind is not Kind.BOOLEAN:
        yield _OTHERS
    if request.matrix is not None and not type_.is_number and type_.kind is not Kind.TEXT:
        yield "The codes are text, which makes the column a text column (D12)."
