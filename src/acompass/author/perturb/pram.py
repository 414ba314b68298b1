"""Write a policy that randomizes a column of an open table by a known matrix: PRAM (post-randomization).

Comments in the policy say what its lines guarantee and what they do not. A matrix is read from a CSV file: the header
has the values, and each row a value and the probabilities that it becomes another. The file may be a table of personal
data by mistake, so messages never quote a cell."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from math import gcd, lcm
from typing import TypeAlias

from acompass.author.answers import Perturbation
from acompass.author.perturb.transitions import (
    UNUSED,
    CountedColumn,
    codes_for,
    column_position,
    counted_column,
    require_values,
    to_constant,
    to_value,
)
from acompass.dataclasses import dataclass
from acompass.engines.protocol import OpenTable
from acompass.errors.diagnostics import CallError, Diagnostic, option_text
from acompass.language.mistakes.probabilities import RAREST
from acompass.language.program.hierarchies import require_small_file
from acompass.language.program.types import EXACT, Kind, Type
from acompass.language.text import tree
from acompass.language.text.formatter import format_program, format_requirement, remark_lines
from acompass.language.text.parser import parse_text
from acompass.language.text.tree import Inequality, Quantifier
from acompass.policy import parse, parse_file
from acompass.tables.csv import Csv, Field, first_record
from acompass.tables.formats import ReadingOptions
from acompass.tables.input import open_source
from acompass.tables.source import Files, report_read_errors


@dataclass(frozen=True, slots=True)
class Matrix:
    values: tuple[str, ...]  # as text
    #: `rows[x][y]` is the probability that a record with the value `values[x]` gets `values[y]`; each row sums to 1
    rows: tuple[tuple[Fraction, ...], ...]

    def keeping(self, probability: Fraction) -> "Matrix":
        """The matrix of a record that keeps its value with the probability and otherwise uses this matrix."""
        rows = (
            tuple((1 - probability) * entry + probability * (x == y) for y, entry in enumerate(row))
            for x, row in enumerate(self.rows)
        )
        return Matrix(self.values, tuple(rows))

    @property
    def ratio(self) -> Fraction | None:
        """e^ε: how much more likely one original value can make a released value than another original value.

        None if unbounded, because one original value excludes a released value that another allows.
        """
        columns = [column for column in zip(*self.rows, strict=True) if any(column)]
        return max(max(column) / min(column) for column in columns) if all(map(all, columns)) else None


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
    about: tuple[int, Fraction | None, Fraction | None]
    if matrix is None:
        assert request.keep is not None, "a request without a matrix has a probability"
        weights = value_weights(request, column)
        lines = weighted_lines(column, request.keep, weights, uniform=request.uniform)
        about = len(weights), weights_ratio(Fraction(request.keep), weights), share_of_rarest(weights.values())
    else:
        assert request.matrix is not None, "the matrix was read from a file"
        require_fit(matrix, request.matrix, column)
        matrix = matrix if request.keep is None else matrix.keeping(Fraction(request.keep))
        require_no_rarity(matrix)
        lines, about = matrix_lines(column, matrix), (len(matrix.values), matrix.ratio, None)
    text = format_policy(request, column.type, lines)
    policy = parse(text) if output is None else parse_file(text, output)
    return Perturbation(policy.text, policy.name, policy.tree, column.name, *about)


_PROBABILITY = re.compile(r"0?\.[0-9]{1,30}")


def make_request(
    column: str,
    keep: str | float | None,
    matrix: str | os.PathLike[str] | None,
    uniform: bool,
    round: int | None,  # noqa: A002
) -> Request:
    """Validate the arguments of a call, alone and in combination."""
    if keep is None and matrix is None:
        example = option_text("keep", 0.8)
        message = f"`{option_text('keep')}` is missing"
        raise invalid(message, f"give the probability that a record keeps its value: `{example}`")
    if matrix is not None and (uniform or round is not None):
        raise _exclusive("matrix", "uniform" if uniform else "round")
    if uniform and round is not None:
        raise _exclusive("uniform", "round")
    if round is not None and round < 1:
        message = f"`{option_text('round')}` is {round:,}, expected at least 1"
        raise invalid(message, f"write for example `{option_text('round', 100)}`")
    path = None if matrix is None else os.fspath(matrix)
    return Request(column, None if keep is None else _probability(str(keep)), path, uniform, round)


def _exclusive(one: str, other: str) -> CallError:
    message = f"`{option_text(one)}` and `{option_text(other)}` exclude each other"
    return invalid(message, f"leave `{option_text(other)}` out")


def _probability(text: str) -> Decimal:
    found = _PROBABILITY.fullmatch(text.strip())
    number = None if found is None else Decimal(found[0])
    if number is None or not RAREST <= Fraction(number) <= 1 - RAREST:
        message = f"`{option_text('keep')}` is `{text}`, expected a probability between 0 and 1"
        raise invalid(message, f"write for example `{option_text('keep', 0.8)}`")
    return number


def invalid(message: str, help_: str) -> CallError:
    return CallError([Diagnostic("AC630", message, help=help_)])


def value_weights(request: Request, column: CountedColumn) -> dict[str, int]:
    """The weight of each value. Raise if one is too rare (X7, rare outcomes)."""
    counts = {text: each.records for text, each in column.counts.items()}
    if request.uniform:
        return dict.fromkeys(counts, 1)
    step = request.round or 1
    # the nearest multiple of `step`, but at least one
    weights = {text: max(step, (2 * records + step) // (2 * step) * step) for text, records in counts.items()}
    total = sum(weights.values())
    if min(weights.values()) < total * RAREST:
        raise _too_rare("a value of the column is", f"write weights that differ less: `{option_text('round', 1000)}`")
    return weights


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
    moved = [text for text, row, own in _rows(matrix) if row[own] != 1]
    weights = (zip(matrix.values, _row_weights(row, own), strict=True) for _, row, own in _rows(matrix))
    drawn = {text for row in weights for text, entry in row if entry}
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
    name: tree.Name, value: tree.Constant, targets: Sequence[tree.Constant], row: Sequence[Fraction], own: int
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


_DECIMAL = re.compile(r"[0-9]{1,30}(?:\.[0-9]{1,30})?")
_FRACTION = re.compile(r"([0-9]{1,30})/([0-9]{1,30})")

#: a line, the value that it begins with, and the value's probabilities
_Row: TypeAlias = tuple[int, str, tuple[Fraction, ...]]


def read_matrix(path: str | os.PathLike[str]) -> Matrix:
    """Raise if the file cannot be read, or is not a matrix whose rows sum to exactly 1."""
    shown = os.fspath(path)
    with open_source(path) as source:
        if not isinstance(source, Files) or source.format != "csv":
            raise _unusable(f"matrix `{shown}` is not a CSV file", "write it as CSV")
        with report_read_errors(shown):
            require_small_file(source.paths[0])
        names, delimiter = first_record(source)
        values = names[1:]
        _require_header(shown, values)
        rows = list(_read_rows(Csv(source, names, delimiter), shown))
    _require_same_values(shown, values, rows)
    by_value = {value: row for _, value, row in rows}
    return Matrix(values, tuple(by_value[value] for value in values))


def _require_header(shown: str, values: Sequence[str]) -> None:
    if len(set(values)) < max(len(values), 1):
        found = "a duplicate value" if values else "no values"
        help_ = "write each value once, after a first cell that may be empty"
        raise _unusable(f"the header of matrix `{shown}` has {found}", help_)


def _read_rows(csv: Csv, shown: str) -> Iterator[_Row]:
    for path, name in csv.files:
        for line, (value, *cells) in csv.records(path, name):
            row = tuple(_parse_entry(cell, shown, line, place) for place, cell in enumerate(cells, 2))
            if sum(row) != 1:
                message = f"line {line} of matrix `{shown}` sums to {sum(row)}, expected exactly 1"
                help_ = "change a probability, or write fractions such as `1/3`"
                raise _unusable(message, help_)
            yield line, value or "", row


def _parse_entry(cell: Field, shown: str, line: int, place: int) -> Fraction:
    """Parse a decimal or a fraction in [0, 1]. An empty cell is 0."""
    number = _number((cell or "0").strip())
    if number is None or number > 1:
        message = f"column {place} of line {line} of matrix `{shown}` is not a probability"
        raise _unusable(message, "write a number from 0 to 1, such as `0.8` or `4/5`")
    return number


def _number(text: str) -> Fraction | None:
    if _DECIMAL.fullmatch(text):
        return Fraction(Decimal(text))
    found = _FRACTION.fullmatch(text)
    return Fraction(int(found[1]), int(found[2])) if found and int(found[2]) else None


def _require_same_values(shown: str, values: Sequence[str], rows: Sequence[_Row]) -> None:
    """Raise unless each value has one row and one column."""
    first: dict[str, int] = {}
    for line, value, _ in rows:
        if value in first:
            message = f"lines {first[value]} and {line} of matrix `{shown}` begin with the same value"
            raise _unusable(message, "remove one of them")
        if value not in values:
            message = f"line {line} of matrix `{shown}` begins with a value that is not in the header"
            raise _unusable(message, "after its first cell, the header lists the values that rows begin with")
        first[value] = line
    if len(rows) < len(values):
        message = f"matrix `{shown}` has {len(values):,} values in its header and {len(rows):,} rows"
        raise _unusable(message, "write a row for each value")


def _unusable(message: str, help_: str) -> CallError:
    return CallError([Diagnostic("AC632", message, help=help_)])


def require_fit(matrix: Matrix, path: str, column: CountedColumn) -> None:
    _require_types(matrix, path, column)
    absent = column.counts.keys() - set(matrix.values)
    if absent:
        records = sum(column.counts[text].records for text in absent)
        values = "1 value" if len(absent) == 1 else f"{len(absent):,} values"
        message = f"matrix `{path}` has no row for {values} of `{column.name}`, in {records:,} records"
        help_ = "write a row for each value; `acompass hierarchy TABLE COLUMN --from-values` lists them"
        raise CallError([Diagnostic("AC634", message, help=help_)])


def _require_types(matrix: Matrix, path: str, column: CountedColumn) -> None:
    unlike = sum(to_value(text, column.type) is None for text in matrix.values)
    if unlike:
        values = "a value" if unlike == 1 else f"{unlike:,} values"
        message = f"matrix `{path}` has {values} that column `{column.name}`, {column.type}, cannot have"
        raise CallError([Diagnostic("AC634", message, help=f"write values of the type {column.type.kind}")])
    if column.type.is_number and len(set(map(Decimal, matrix.values))) < len(matrix.values):
        message = f"matrix `{path}` has two spellings of one number"
        raise CallError([Diagnostic("AC634", message, help="write each number once, in its shortest form")])


_ALLOWED = "-- allow AC330, AC504: a code becomes this value again below"

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
