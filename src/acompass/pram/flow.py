"""From an open table to a policy that randomizes one of its columns."""

from collections.abc import Sequence
from fractions import Fraction

from acompass.checked.types import Kind
from acompass.engines.engine import OpenTable
from acompass.options import ReadingOptions
from acompass.perturbation import Perturbation
from acompass.policy import Policy, parse, parse_file
from acompass.pram.describe import commented_text
from acompass.pram.fitting import require_fit
from acompass.pram.from_csv import read_matrix
from acompass.pram.matrix import Matrix
from acompass.pram.read import UNUSED, CountedColumn, column_position, counted_column, require_values
from acompass.pram.request import Request
from acompass.pram.to_syntax import Line, matrix_lines, urn_lines
from acompass.pram.weights import require_no_rarity, share_of_rarest, urn_ratio, weights_of


def pram_policy(
    source: OpenTable, request: Request, reading: ReadingOptions, output: str | None
) -> Perturbation:
    """`output` is where the policy will be; None if it is not written."""
    matrix = None if request.matrix is None else read_matrix(request.matrix)
    column = counted_column(source, column_position(request.column, source), UNUSED, reading)
    require_values(column)
    return _by_urn(request, column, output) if matrix is None else _by(matrix, request, column, output)


def _by_urn(request: Request, column: CountedColumn, output: str | None) -> Perturbation:
    assert request.keep is not None, "a request without a matrix has a probability"
    weights = weights_of(request, column)
    lines = urn_lines(column, request.keep, weights, uniform=request.uniform)
    policy = _policy(request, lines, output, turns_to_text=False)
    ratio, rarest = urn_ratio(Fraction(request.keep), weights), share_of_rarest(weights.values())
    return _perturbation(policy, column.name, len(weights), ratio, rarest)


def _by(given: Matrix, request: Request, column: CountedColumn, output: str | None) -> Perturbation:
    assert request.matrix is not None, "the matrix was read from a file"
    require_fit(given, request.matrix, column)
    matrix = given if request.keep is None else given.keeping(Fraction(request.keep))
    require_no_rarity(matrix)
    lines = matrix_lines(column, matrix)
    turns_to_text = not column.type.is_number and column.type.kind is not Kind.TEXT
    policy = _policy(request, lines, output, turns_to_text=turns_to_text)
    return _perturbation(policy, column.name, len(matrix.values), matrix.ratio)


def _policy(request: Request, lines: Sequence[Line], output: str | None, *, turns_to_text: bool) -> Policy:
    text = commented_text(request, lines, turns_to_text=turns_to_text)
    return parse(text) if output is None else parse_file(text, output)


def _perturbation(
    policy: Policy, column: str, values: int, ratio: Fraction | None, rarest: Fraction | None = None
) -> Perturbation:
    return Perturbation(policy.text, policy.name, policy.tree, column, values, ratio, rarest)
