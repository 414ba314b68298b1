"""Whatever a search finds, the written policy does exactly what the search predicted, and reaches k and l."""

import csv
from contextlib import chdir
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acompass
from acompass.suggest import flow
from acompass.suggestion import Suggestion, Unreachable
from tests.suggest.searches import COLUMNS, Drawn, any_steps, write_table
from tests.suggest.tidiness import assert_tidy

STYLES = ("cascade", "uniform", "stars")


@pytest.mark.parametrize("style", STYLES)
@settings(max_examples=max(settings.default.max_examples // 5, 10))
@given(st.integers(0, 2**32), st.integers(2, 4), st.sampled_from([None, 2, 3]), st.integers(1, 40))
def test_a_run_of_any_steps_does_what_was_predicted(
    style: str, seed: int, k: int, least: int | None, records: int
) -> None:
    with patch.object(flow, "search", any_steps(Random(seed), style)):
        _assert_predicted(style, seed, k, least, records, may_idle=True)


@pytest.mark.parametrize("style", STYLES)
@settings(max_examples=max(settings.default.max_examples // 5, 10))
@given(st.integers(0, 2**32), st.integers(2, 4), st.sampled_from([None, 2, 3]), st.integers(1, 40))
def test_a_run_of_the_found_steps_does_what_was_predicted(
    style: str, seed: int, k: int, least: int | None, records: int
) -> None:
    _assert_predicted(style, seed, k, least, records)


def test_a_class_of_different_values_is_left_as_it_is_whichever_of_many_they_are(tmp_path: Path) -> None:
    """Of 600 values, three that are 256 apart are a class of their own, and three others are another."""
    rows = [f"{min(20 + number % 256, 60)},d{number:03}" for number in range(600)]
    table = tmp_path / "table.csv"
    table.write_text("\n".join(["age,d", *rows, ""]), encoding="utf-8")
    found = acompass.suggest(str(table), ["age"], 3, sensitive=["d"], l=2, max_lost="0%")
    result = acompass.run(found.policy, str(table), engine="reference")
    assert [step.text for step in found.steps] == ["REJECT"]
    assert result.records_out == 600


def _assert_predicted(
    style: str, seed: int, k: int, least: int | None, records: int, *, may_idle: bool = False
) -> None:
    random = Random(seed)
    columns = random.sample(COLUMNS, random.randint(1, 3))
    with TemporaryDirectory() as folder, chdir(folder):
        table = str(write_table(random, Path(folder), columns, records))
        levels = {column.name: text for column in columns if (text := random.choice(column.levels))}
        try:
            found = acompass.suggest(
                table,
                [column.name for column in columns],
                k,
                sensitive=["d"],
                l=least,
                hierarchies=levels,
                max_lost="100%",
                lines=random.randint(1, 8),
                style=style,
                output="suggested.acp",
            )
        except Unreachable:  # these steps leave no record
            assert not Path("suggested.acp").exists()
            return
        assert found.records_out
        result = acompass.run(
            acompass.load("suggested.acp"), table, engine="reference", output="released.csv"
        )
        assert [each.affected for each in result.requirements] == [step.affected for step in found.steps]
        assert (result.records_in, result.records_out) == (found.records_in, found.records_out)
        _assert_reached([column.name for column in columns], k, least or 1)
        _assert_loss(found, table, columns, levels)
        assert_tidy(found.policy, may_idle=may_idle)


def _assert_reached(columns: list[str], k: int, least: int) -> None:
    classes: dict[tuple[str, ...], list[str]] = {}
    for record in csv.DictReader(Path("released.csv").read_text(encoding="utf-8").splitlines()):
        classes.setdefault(tuple(record[name] for name in columns), []).append(record["d"])
    assert all(len(values) >= k and len(set(values)) >= least for values in classes.values())


def _assert_loss(found: Suggestion, table: str, columns: list[Drawn], levels: dict[str, str]) -> None:
    """`measure` reads a released table. Two spellings of a number are two values for it."""
    assert sum(step.loss for step in found.steps) == pytest.approx(found.loss, abs=1e-9)
    if not any(column.has_two_spellings for column in columns):
        names = [column.name for column in columns]
        loss = acompass.measure("released.csv", names, against=table, hierarchies=levels).loss
        assert loss is not None
        assert loss.total == pytest.approx(found.loss, abs=1e-9)
