"""Whatever a search finds, the written policy does exactly what the search predicted."""

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
from acompass.suggestion import Suggestion
from acompass.syntax.format import format_program
from tests.suggest.searches import COLUMNS, any_steps, write_table

STYLES = ("cascade", "uniform", "stars")


@pytest.mark.parametrize("style", STYLES)
@settings(max_examples=200)
@given(st.integers(0, 2**32), st.integers(2, 4), st.sampled_from([None, 2, 3]), st.integers(1, 40))
def test_a_run_affects_drops_and_loses_what_was_predicted(
    style: str, seed: int, k: int, l: int | None, records: int
) -> None:
    random = Random(seed)
    columns = random.sample(COLUMNS, random.randint(1, 3))
    with TemporaryDirectory() as folder, chdir(folder):
        table = write_table(random, Path(folder), columns, records)
        levels = {column.name: text for column in columns if (text := random.choice(column.levels))}
        with patch.object(flow, "search", any_steps(random, style)):
            found = acompass.suggest(
                str(table),
                [column.name for column in columns],
                k,
                sensitive=["d"],
                l=l,
                hierarchies=levels,
                max_lost="100%",
                output="suggested.acp",
            )
        policy = acompass.load("suggested.acp")
        result = acompass.run(policy, str(table), engine="reference", output="released.csv")
        released = list(csv.DictReader(Path("released.csv").read_text(encoding="utf-8").splitlines()))
        assert_tidy(found)
    assert [each.affected for each in result.requirements] == [step.affected for step in found.steps]
    assert (result.records_in, result.records_out) == (found.records_in, found.records_out)
    assert len(released) == found.records_out
    _reaches(released, [column.name for column in columns], k, l)
    assert sum(step.loss for step in found.steps) == pytest.approx(found.loss, abs=1e-9)


def _reaches(released: list[dict[str, str]], columns: list[str], k: int, l: int | None) -> None:
    classes: dict[tuple[str, ...], list[str]] = {}
    for record in released:
        classes.setdefault(tuple(record[name] for name in columns), []).append(record["d"])
    assert all(len(values) >= k for values in classes.values())
    assert all(len(set(values)) >= (l or 1) for values in classes.values())


def assert_tidy(found: Suggestion) -> None:
    text = found.policy.text
    assert format_program(text) == text
    assert max(map(len, text.splitlines())) <= 100
    assert acompass.lint(found.policy) == ()
    assert {claim.verdict for claim in acompass.prove(found.policy).claims} == {"proved"}
