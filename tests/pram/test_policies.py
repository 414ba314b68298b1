"""What `pram` makes of tables: weights, types, rare values, and where a policy is put."""

import datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import acompass
from acompass.checked.types import TEXT
from acompass.lint import lint_policy
from acompass.plan.running.value_counts import ValueCount
from acompass.pram.read import CountedColumn
from acompass.pram.request import Request
from acompass.pram.weights import weights_of
from tests.pram.matrices import write_matrix

TABLE = [{"d": value} for value in "aaaaabbbcc"]


def _urn(policy: acompass.Policy) -> str:
    return policy.text.splitlines()[-1]


def test_the_weights_are_the_counts() -> None:
    policy = acompass.pram(TABLE, "d", 0.8)
    assert _urn(policy) == "ALWAYS : WITH PROBABILITY 0.2 RANDOM d FROM (5 OF 'a', 3 OF 'b', 2 OF 'c');"
    assert "constants that were chosen from the data" in " ".join(policy.text.split("\n-- "))
    assert (policy.values, policy.ratio, policy.rarest) == (3, Fraction(21), Fraction(1, 5))
    assert policy.epsilon == Decimal("3.045")


def test_a_uniform_urn_shows_no_counts() -> None:
    policy = acompass.pram(TABLE, "d", "0.5", uniform=True)
    assert _urn(policy) == "ALWAYS : WITH PROBABILITY 0.5 RANDOM d FROM ('a', 'b', 'c');"
    assert "chosen from the data" not in policy.text
    assert policy.ratio == 4


def test_rounded_weights_are_multiples_and_no_value_is_lost() -> None:
    policy = acompass.pram(TABLE, "d", "0.8", round=4)
    assert _urn(policy) == "ALWAYS : WITH PROBABILITY 0.2 RANDOM d FROM (4 OF 'a', 4 OF 'b', 4 OF 'c');"
    assert "rounded to 4" in policy.text


def test_a_value_that_is_too_rare_is_an_error_unless_it_is_rounded() -> None:
    column = CountedColumn("d", TEXT, {"a": ValueCount("a", 2**33), "b": ValueCount("b", 1)})
    with pytest.raises(acompass.CallError, match="AC633"):
        weights_of(Request("d", Decimal("0.8"), None, uniform=False, round=None), column)
    rounded = weights_of(Request("d", Decimal("0.8"), None, uniform=False, round=100), column)
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
    """A run draws values of the column, and the policy has no mistakes that lint knows."""
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
def test_a_matrix_keeps_numbers_numbers_and_makes_text_of_other_types(kind: str, tmp_path: Path) -> None:
    values = sorted(set(VALUES[kind]))
    texts = [str(value).lower() if kind == "booleans" else str(value) for value in values]
    third = Fraction(1, len(values))
    write_matrix(tmp_path / "m.csv", texts, [[third] * len(values)] * len(values))
    table = [{"d": value, "n": n} for n, value in enumerate(VALUES[kind] * 20)]
    policy = acompass.pram(table, "d", matrix=tmp_path / "m.csv")
    released = {record["d"] for record in acompass.run(policy, table, seed="s").table}
    is_kept = kind in ("integers", "decimals", "texts")
    assert released == (set(values) if is_kept else set(texts))
    assert ("make the column text" in policy.text) is not is_kept


def test_a_policy_is_written_whole_and_never_over_an_input(tmp_path: Path) -> None:
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


def test_a_session_and_the_function_give_the_same() -> None:
    with acompass.open(TABLE) as session:
        assert session.pram("D", 0.8) == acompass.pram(TABLE, "d", 0.8)


def test_neither_counts_nor_values_are_in_the_repr() -> None:
    policy = acompass.pram([{"d": "Lovelace"}, {"d": "Byron"}], "d", 0.8)
    assert repr(policy) == "Perturbation(column='d', values=2, ratio=9)"
