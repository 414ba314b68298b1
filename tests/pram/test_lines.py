"""The lines that `pram` writes do to each value exactly what was asked: by all traces of `semantics`."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acompass
from acompass.checked.types import INTEGER, TEXT, Column, Type, decimal
from acompass.lint import lint_policy
from acompass.plan.running.value_counts import ValueCount
from acompass.policy import Policy
from acompass.pram.describe import commented_text
from acompass.pram.matrix import Matrix
from acompass.pram.read import CountedColumn
from acompass.pram.request import request_of
from acompass.pram.to_syntax import Line, matrix_lines, urn_lines
from acompass.pram.weights import urn_ratio
from acompass.syntax.format import format_program
from tests.generators.programs import program_of
from tests.laws.pushforward import law
from tests.pram.matrices import rows, write_matrix

TEXTS = ("a", "b", "it's", "~a", "")
COLUMNS: list[tuple[Type, tuple[Any, ...]]] = [
    (TEXT, TEXTS),
    (INTEGER, (-2, -1, 0, 7, 10**6)),
    (decimal(1), tuple(map(Decimal, ("-1.0", "0.5", "2.0", "7.5", "9.0")))),
]


def _column(type_: Type, values: Sequence[Any], size: int) -> CountedColumn:
    return CountedColumn("d", type_, {str(value): ValueCount(value, 1) for value in values[:size]})


def _policy(lines: list[Line], matrix: str | None = None) -> Policy:
    request = request_of("d", "0.8", matrix, False, None)
    return acompass.parse(commented_text(request, lines, turns_to_text=False))


def _kernel(policy: Policy, column: CountedColumn, value: Any) -> dict[Any, Fraction]:
    """What becomes of a record with the value."""
    program = program_of(policy.text, (Column("d", column.type),))
    return {table[0][0]: share for table, share in law(program, [(value,)]).items()}


@pytest.mark.parametrize(("type_", "values"), COLUMNS)
@settings(max_examples=40)
@given(data=st.data())
def test_a_record_goes_by_the_matrix(type_: Type, values: tuple[Any, ...], data: st.DataObject) -> None:
    size = data.draw(st.integers(2, 5))
    column, entries = _column(type_, values, size), data.draw(rows(size))
    policy = _policy(matrix_lines(column, Matrix(tuple(column.counts), entries)), "matrix.csv")
    for value, row in zip(values, entries, strict=False):
        expected = {new: share for new, share in zip(values, row, strict=False) if share}
        assert _kernel(policy, column, value) == expected


@settings(max_examples=60)
@given(rows=rows(4))
def test_the_lines_of_a_matrix_are_canonical_and_nothing_is_found_in_them(
    rows: tuple[tuple[Fraction, ...], ...],
) -> None:
    column = _column(TEXT, TEXTS, 4)
    policy = _policy(matrix_lines(column, Matrix(tuple(column.counts), rows)), "matrix.csv")
    assert format_program(policy.text) == policy.text
    assert lint_policy(policy.tree, policy.text) == ()


@pytest.mark.parametrize(("type_", "values"), COLUMNS)
@settings(max_examples=40)
@given(data=st.data())
def test_the_marginal_of_an_urn_is_invariant(
    type_: Type, values: tuple[Any, ...], data: st.DataObject
) -> None:
    """π P = π, where π is the distribution of the column and P its kernel."""
    size = data.draw(st.integers(2, 5))
    counts = data.draw(st.lists(st.integers(1, 50), min_size=size, max_size=size))
    column, keep = _column(type_, values, size), data.draw(st.sampled_from(["0.5", "0.8", "0.999"]))
    lines = urn_lines(column, Decimal(keep), dict(zip(column.counts, counts, strict=True)), uniform=False)
    kernels = [_kernel(_policy(lines), column, value) for value in values[:size]]
    for place, value in enumerate(values[:size]):
        after = sum(count * kernel[value] for count, kernel in zip(counts, kernels, strict=True))
        assert after == counts[place]
        assert kernels[place][value] == Fraction(keep) + (1 - Fraction(keep)) * Fraction(
            counts[place], sum(counts)
        )


@given(st.lists(st.integers(1, 50), min_size=2, max_size=5), st.sampled_from(["0.5", "0.8", "0.999"]))
def test_the_ratio_is_the_largest_quotient_of_two_probabilities(counts: list[int], keep: str) -> None:
    weights = dict(zip(TEXTS, counts, strict=False))
    column = _column(TEXT, TEXTS, len(counts))
    policy = _policy(urn_lines(column, Decimal(keep), weights, uniform=False))
    kernels = [_kernel(policy, column, value) for value in weights]
    largest = max(one[value] / other[value] for value in weights for one in kernels for other in kernels)
    assert urn_ratio(Fraction(keep), weights) == largest
    assert Matrix(tuple(weights), tuple(tuple(k[v] for v in weights) for k in kernels)).ratio == largest


def test_a_value_that_is_not_listed_becomes_the_most_frequent_one(tmp_path: Path) -> None:
    policy = acompass.pram([{"d": value} for value in "abb"], "d", 0.8)
    kernel = _kernel(policy, _column(TEXT, "abz", 3), "z")
    assert kernel == {"a": Fraction(1, 15), "b": Fraction(14, 15)}
    write_matrix(tmp_path / "m.csv", "ab", [[Fraction(1, 3), Fraction(2, 3)], [Fraction(0), Fraction(1)]])
    policy = acompass.pram([{"d": value} for value in "aab"], "d", matrix=tmp_path / "m.csv")
    for code in ("z", "~a"):
        assert _kernel(policy, _column(TEXT, "ab", 2), code) == {"a": Fraction(1, 3), "b": Fraction(2, 3)}


def test_keep_comes_before_the_matrix(tmp_path: Path) -> None:
    write_matrix(tmp_path / "m.csv", "ab", [[Fraction(0), Fraction(1)], [Fraction(1, 2), Fraction(1, 2)]])
    policy = acompass.pram([{"d": value} for value in "ab"], "d", "0.9", matrix=tmp_path / "m.csv")
    assert "WITH PROBABILITY 0.1 RANDOM d FROM ('~b')" in policy.text
    assert _kernel(policy, _column(TEXT, "ab", 2), "b") == {"a": Fraction(1, 20), "b": Fraction(19, 20)}


@settings(max_examples=15)
@given(data=st.data())
def test_the_ratio_is_what_prove_finds(data: st.DataObject) -> None:
    """Of each policy for every table, whatever its values are."""
    size = data.draw(st.integers(2, 3))
    column = _column(TEXT, TEXTS, size)
    if data.draw(st.booleans()):
        matrix = Matrix(tuple(column.counts), data.draw(rows(size)))
        policy, ratio = _policy(matrix_lines(column, matrix), "matrix.csv"), matrix.ratio
    else:
        weights = dict(zip(column.counts, data.draw(st.tuples(*[st.integers(1, 9)] * size)), strict=True))
        policy = _policy(urn_lines(column, Decimal("0.8"), weights, uniform=False))
        ratio = urn_ratio(Fraction("0.8"), weights)
    found = acompass.prove(policy, schema={"d": "text"}, privacy=True).privacy
    assert found is not None
    assert found.columns[0].ratio == ratio
