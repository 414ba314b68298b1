"""The policies of `pram`: weights, types, rare values, matrices and files."""

import datetime
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acompass
from acompass.author.perturb.pram import (
    Line,
    Matrix,
    Request,
    format_policy,
    make_request,
    matrix_lines,
    value_weights,
    weighted_lines,
    weights_ratio,
)
from acompass.author.perturb.transitions import CountedColumn
from acompass.errors.catalog import CODES
from acompass.language.program.types import INTEGER, TEXT, Column, Type, decimal
from acompass.language.text.formatter import format_program
from acompass.plan.run.queries import ValueCount
from acompass.policy import Policy
from acompass.reason.lint.linter import lint_policy
from tests.author.perturb.matrices import rows, write_matrix
from tests.errors.pages import FOLDER, Page, read_page, require_error, run_fix
from tests.generators.strategies import parse_and_check
from tests.laws.pushforward import law
from tests.length import at_length

TABLE = [{"d": value} for value in "aaaaabbbcc"]


def _random_line(policy: acompass.Policy) -> str:
    return policy.text.splitlines()[-1]


def test_the_weights_are_the_counts() -> None:
    policy = acompass.pram(TABLE, "d", 0.8)
    assert _random_line(policy) == "ALWAYS : WITH PROBABILITY 0.2 RANDOM d FROM (5 OF 'a', 3 OF 'b', 2 OF 'c');"
    assert "constants chosen from the data" in " ".join(policy.text.split("\n-- "))
    assert (policy.values, policy.ratio, policy.rarest) == (3, Fraction(21), Fraction(1, 5))
    assert policy.epsilon == Decimal("3.045")


def test_uniform_weights_show_no_counts() -> None:
    policy = acompass.pram(TABLE, "d", "0.5", uniform=True)
    assert _random_line(policy) == "ALWAYS : WITH PROBABILITY 0.5 RANDOM d FROM ('a', 'b', 'c');"
    assert "chosen from the data" not in policy.text
    assert policy.ratio == 4


def test_rounded_weights_are_multiples_and_no_value_is_lost() -> None:
    policy = acompass.pram(TABLE, "d", "0.8", round=4)
    assert _random_line(policy) == "ALWAYS : WITH PROBABILITY 0.2 RANDOM d FROM (4 OF 'a', 4 OF 'b', 4 OF 'c');"
    assert "rounded to 4" in policy.text


def test_a_value_that_is_too_rare_is_an_error_unless_weights_are_rounded() -> None:
    column = CountedColumn("d", TEXT, {"a": ValueCount("a", 2**33), "b": ValueCount("b", 1)})
    with pytest.raises(acompass.CallError, match="AC633"):
        value_weights(Request("d", Decimal("0.8"), None, uniform=False, round=None), column)
    rounded = value_weights(Request("d", Decimal("0.8"), None, uniform=False, round=100), column)
    assert rounded == {"a": 8_589_934_600, "b": 100}


VALUES: dict[str, list[Any]] = {
    "integers": [1, 1, 2, -7],
    "decimals": [Decimal("1.50"), Decimal("1.50"), Decimal("-2.25"), Decimal("3.00")],
    "floats": [0.1, 0.1, 1e-7, -2.5],
    "booleans": [True, True, False],
    "dates": [datetime.date(2020, 1, 1), datetime.date(2020, 1, 1), datetime.date(2019, 5, 6)],
    "times": [datetime.datetime(2020, 1, 1, 3, 4, 5, 600), datetime.datetime(2019, 5, 6)],
    "texts": ["it's", "it's", "", "line\nbreak", "*"],
}


@pytest.mark.parametrize("kind", VALUES)
def test_every_type_keeps_its_values(kind: str) -> None:
    """A run draws values of the column, and lint finds nothing in the policy."""
    table = [{"d": value, "n": n} for n, value in enumerate(VALUES[kind] * 10)]
    policy = acompass.pram(table, "d", 0.5)
    result = acompass.run(policy, table, seed="s")
    assert {type(record["d"]) for record in result.table} == {type(VALUES[kind][0])}
    assert {record["d"] for record in result.table} == set(VALUES[kind])
    assert lint_policy(policy.tree, policy.text, {"d": _type(table), "n": "integer"}) == ()


def _type(table: list[dict[str, Any]]) -> Any:
    with acompass.open(table) as session:
        return session.schema("EACH PROCESS COUNT(*) AS k GROUP BY d : k >= 1;")[0].type


@pytest.mark.parametrize("kind", ["integers", "decimals", "texts", "booleans", "dates"])
def test_a_matrix_keeps_numbers_and_turns_other_types_into_text(kind: str, tmp_path: Path) -> None:
    values = sorted(set(VALUES[kind]))
    texts = [str(value).lower() if kind == "booleans" else str(value) for value in values]
    third = Fraction(1, len(values))
    write_matrix(tmp_path / "m.csv", texts, [[third] * len(values)] * len(values))
    table = [{"d": value, "n": n} for n, value in enumerate(VALUES[kind] * 20)]
    policy = acompass.pram(table, "d", matrix=tmp_path / "m.csv")
    released = {record["d"] for record in acompass.run(policy, table, seed="s").table}
    is_kept = kind in ("integers", "decimals", "texts")
    assert released == (set(values) if is_kept else set(texts))
    assert ("makes the column a text column" in policy.text) is not is_kept


def test_a_policy_is_written_completely_and_never_over_an_input(tmp_path: Path) -> None:
    table, matrix = tmp_path / "t.csv", tmp_path / "m.csv"
    table.write_text("d\na\nb\n")
    write_matrix(matrix, "ab", [[Fraction(1, 2)] * 2] * 2)
    for output in (table, matrix):
        before = output.read_bytes()
        with pytest.raises(acompass.TableError, match="AC220"):
            acompass.pram(table, "d", matrix=matrix, output=output)
        assert output.read_bytes() == before
    policy = acompass.pram(table, "d", matrix=matrix, output=tmp_path / "p.acp")
    assert (tmp_path / "p.acp").read_text() == policy.text
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.csv", "p.acp", "t.csv"]


def test_a_session_and_the_function_give_the_same_policy() -> None:
    with acompass.open(TABLE) as session:
        assert session.pram("D", 0.8) == acompass.pram(TABLE, "d", 0.8)


def test_the_repr_contains_neither_counts_nor_values() -> None:
    policy = acompass.pram([{"d": "Lovelace"}, {"d": "Byron"}], "d", 0.8)
    assert repr(policy) == "Perturbation(column='d', values=2, ratio=9)"


TEXTS = ("a", "b", "it's", "~a", "")
COLUMNS: list[tuple[Type, tuple[Any, ...]]] = [
    (TEXT, TEXTS),
    (INTEGER, (-2, -1, 0, 7, 10**6)),
    (decimal(1), tuple(map(Decimal, ("-1.0", "0.5", "2.0", "7.5", "9.0")))),
]


def _column(type_: Type, values: Sequence[Any], size: int) -> CountedColumn:
    return CountedColumn("d", type_, {str(value): ValueCount(value, 1) for value in values[:size]})


def _policy(lines: list[Line], matrix: str | None = None) -> Policy:
    request = make_request("d", "0.8", matrix, False, None)
    return acompass.parse(format_policy(request, TEXT, lines))


def _kernel(policy: Policy, column: CountedColumn, value: Any) -> dict[Any, Fraction]:
    """The distribution of a record with this value after a run."""
    program = parse_and_check(policy.text, (Column("d", column.type),))
    return {table[0][0]: share for table, share in law(program, [(value,)]).items()}


@pytest.mark.parametrize(("type_", "values"), COLUMNS)
@settings(max_examples=at_length(15))
@given(data=st.data())
def test_a_record_changes_as_the_matrix_says(type_: Type, values: tuple[Any, ...], data: st.DataObject) -> None:
    size = data.draw(st.integers(2, 5))
    column, entries = _column(type_, values, size), data.draw(rows(size))
    policy = _policy(matrix_lines(column, Matrix(tuple(column.counts), entries)), "matrix.csv")
    for value, row in zip(values, entries, strict=False):
        expected = {new: share for new, share in zip(values, row, strict=False) if share}
        assert _kernel(policy, column, value) == expected


@settings(max_examples=at_length(20))
@given(rows=rows(4))
def test_the_lines_of_a_matrix_are_canonical_and_lint_finds_nothing(
    rows: tuple[tuple[Fraction, ...], ...],
) -> None:
    column = _column(TEXT, TEXTS, 4)
    policy = _policy(matrix_lines(column, Matrix(tuple(column.counts), rows)), "matrix.csv")
    assert format_program(policy.text) == policy.text
    assert lint_policy(policy.tree, policy.text) == ()


@pytest.mark.parametrize(("type_", "values"), COLUMNS)
@settings(max_examples=at_length(15))
@given(data=st.data())
def test_weights_keep_the_marginal_distribution(type_: Type, values: tuple[Any, ...], data: st.DataObject) -> None:
    """π P = π, where π is the distribution of the column and P its kernel."""
    size = data.draw(st.integers(2, 5))
    counts = data.draw(st.lists(st.integers(1, 50), min_size=size, max_size=size))
    column, keep = _column(type_, values, size), data.draw(st.sampled_from(["0.5", "0.8", "0.999"]))
    lines = weighted_lines(column, Decimal(keep), dict(zip(column.counts, counts, strict=True)), uniform=False)
    kernels = [_kernel(_policy(lines), column, value) for value in values[:size]]
    for place, value in enumerate(values[:size]):
        after = sum(count * kernel[value] for count, kernel in zip(counts, kernels, strict=True))
        assert after == counts[place]
        assert kernels[place][value] == Fraction(keep) + (1 - Fraction(keep)) * Fraction(counts[place], sum(counts))


@given(st.lists(st.integers(1, 50), min_size=2, max_size=5), st.sampled_from(["0.5", "0.8", "0.999"]))
def test_the_ratio_is_the_largest_quotient_of_two_probabilities(counts: list[int], keep: str) -> None:
    weights = dict(zip(TEXTS, counts, strict=False))
    column = _column(TEXT, TEXTS, len(counts))
    policy = _policy(weighted_lines(column, Decimal(keep), weights, uniform=False))
    kernels = [_kernel(policy, column, value) for value in weights]
    largest = max(one[value] / other[value] for value in weights for one in kernels for other in kernels)
    assert weights_ratio(Fraction(keep), weights) == largest
    assert Matrix(tuple(weights), tuple(tuple(k[v] for v in weights) for k in kernels)).ratio == largest


def test_a_value_that_is_not_listed_becomes_the_most_frequent_one(tmp_path: Path) -> None:
    policy = acompass.pram([{"d": value} for value in "abb"], "d", 0.8)
    kernel = _kernel(policy, _column(TEXT, "abz", 3), "z")
    assert kernel == {"a": Fraction(1, 15), "b": Fraction(14, 15)}
    write_matrix(tmp_path / "m.csv", "ab", [[Fraction(1, 3), Fraction(2, 3)], [Fraction(0), Fraction(1)]])
    policy = acompass.pram([{"d": value} for value in "aab"], "d", matrix=tmp_path / "m.csv")
    for code in ("z", "~a"):
        assert _kernel(policy, _column(TEXT, "ab", 2), code) == {"a": Fraction(1, 3), "b": Fraction(2, 3)}


def test_keep_is_applied_before_the_matrix(tmp_path: Path) -> None:
    write_matrix(tmp_path / "m.csv", "ab", [[Fraction(0), Fraction(1)], [Fraction(1, 2), Fraction(1, 2)]])
    policy = acompass.pram([{"d": value} for value in "ab"], "d", "0.9", matrix=tmp_path / "m.csv")
    assert "WITH PROBABILITY 0.1 RANDOM d FROM ('~b')" in policy.text
    assert _kernel(policy, _column(TEXT, "ab", 2), "b") == {"a": Fraction(1, 20), "b": Fraction(19, 20)}


@settings(max_examples=at_length(8))
@given(data=st.data())
def test_the_ratio_equals_that_of_prove(data: st.DataObject) -> None:
    """The ratio holds for every table, whatever its values."""
    size = data.draw(st.integers(2, 3))
    column = _column(TEXT, TEXTS, size)
    if data.draw(st.booleans()):
        matrix = Matrix(tuple(column.counts), data.draw(rows(size)))
        policy, ratio = _policy(matrix_lines(column, matrix), "matrix.csv"), matrix.ratio
    else:
        weights = dict(zip(column.counts, data.draw(st.tuples(*[st.integers(1, 9)] * size)), strict=True))
        policy = _policy(weighted_lines(column, Decimal("0.8"), weights, uniform=False))
        ratio = weights_ratio(Fraction("0.8"), weights)
    found = acompass.prove(policy, schema={"d": "text"}, privacy=True).privacy
    assert found is not None
    assert found.columns[0].ratio == ratio


PAGES = [read_page(FOLDER / f"{code}.md") for code in sorted(CODES) if code.startswith("AC63")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.code)
def test_the_example_gives_the_error_and_the_fix_works(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    require_error(page)
    ran = run_fix(page)
    assert "error[" not in ran.errors
    assert ran.output
