"""t-closeness of a suggestion: reached on the table of the search, and what `measure` says of the release."""

from pathlib import Path
from random import Random

import pytest

import acompass
from tests.suggest.searches import COLUMNS, write_table
from tests.suggest.tidiness import assert_tidy


@pytest.mark.parametrize("seed", range(8))
def test_t_is_what_measure_finds_in_the_release(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    random = Random(seed)
    columns = random.sample(COLUMNS, 2)
    table, names = str(write_table(random, tmp_path, columns, 60)), [column.name for column in columns]
    found = acompass.suggest(table, names, 2, sensitive=["d"], t="0.2", max_lost="60%")
    acompass.run(found.policy, table, output="released.csv")
    measures = acompass.measure("released.csv", names, ["d"])
    (measured,) = measures.sensitive
    assert measures.k >= found.k >= 2
    assert f" >= {found.k}\n" in found.text
    assert_tidy(found.policy)
    assert found.t is not None
    assert found.t == pytest.approx(float(measured.t_equal or 0))
    assert found.t <= 0.2 + 1e-9
