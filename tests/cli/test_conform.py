"""`acompass conform` on an engine that agrees, and on engines broken for the test."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from sqlglot import exp

from acompass.engines.duckdb.session import DuckDBSession
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialects.duckdb import DUCKDB
from acompass.plan.lowering.sql import Sql
from tests.cli.conftest import Acompass
from tests.language.cases import read_cases
from tests.language.running import run_case

BROKEN: dict[str, Callable[..., Sql]] = {
    "exact_sum": lambda value, _: exp.Sum(this=exp.Distinct(expressions=[value])),
    "float_sum": lambda value: exp.Max(this=value),
    "hash52": lambda text: sql.integer(7),
}
#: the seeds of a hundred cases that tell each of them from the right one
SEEDS = {"exact_sum": "2", "float_sum": "13", "hash52": "3"}


def test_agreement(acompass: Acompass) -> None:
    ran = acompass("conform", "--engine", "duckdb", "--cases", "20", "--seed", "4")
    assert (ran.exit_code, ran.stdout) == (0, "20 cases, 0 disagreements\n")


@pytest.mark.slow
@pytest.mark.parametrize("part", sorted(BROKEN))
def test_the_smallest_disagreement_is_a_literate_test(
    acompass: Acompass, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, part: str
) -> None:
    monkeypatch.setattr(DuckDBSession, "dialect", replace(DUCKDB, **{part: BROKEN[part]}))
    ran = acompass("conform", "--engine", "duckdb", "--cases", "100", "--seed", SEEDS[part])
    assert ran.exit_code == 1
    assert "100 cases, " in ran.stdout
    page = tmp_path / "found.md"
    page.write_text(ran.stdout, encoding="utf-8")
    (case,) = read_cases(page)
    assert case.blocks["acompass"].count(";") == 1
    assert case.blocks["csv"].count("\n") <= 6
    assert run_case(case, "reference", tmp_path) == case.expected
    assert run_case(case, "duckdb", tmp_path) != case.expected


@pytest.mark.slow
def test_an_engine_that_fails_disagrees(acompass: Acompass, monkeypatch: pytest.MonkeyPatch) -> None:
    failing = replace(DUCKDB, float_sum=lambda value: sql.call("no_such_function", value))
    monkeypatch.setattr(DuckDBSession, "dialect", failing)
    ran = acompass("conform", "--engine", "duckdb", "--cases", "100")
    assert ran.exit_code == 1
    assert "the engine gave no result: DuckDB failed with " in ran.stdout


def test_the_reference_is_not_compared_with_itself(acompass: Acompass) -> None:
    ran = acompass("conform", "--engine", "reference")
    assert ran.exit_code == 2
    assert "AC316" in ran.stderr


@pytest.mark.slow
def test_kinds_that_an_engine_lacks_are_left_out_and_named(
    acompass: Acompass, monkeypatch: pytest.MonkeyPatch
) -> None:
    from acompass.checked.types import Kind

    lacking = replace(DUCKDB, lacks=frozenset({Kind.DECIMAL, Kind.FLOAT}), float_sum=None)
    monkeypatch.setattr(DuckDBSession, "dialect", lacking)
    ran = acompass("conform", "--engine", "duckdb", "--cases", "100")
    assert ran.exit_code == 0
    assert "because the engine lacks them: decimal, float" in ran.stdout
