"""A repr reaches logs and tracebacks, so none shows a value of a record (invariant 4)."""

from typing import Any

import pytest

import acompass

NAMES = ("Ada", "Ben", "Cai")
PEOPLE = [{"Name": name, "Age": age} for name, age in zip(NAMES, (71234, 72345, 83456), strict=True)]
POLICY = """\
EACH PROCESS COUNT(*) AS n GROUP BY Name, Age : n >= 2;
EACH RESULT : Age <= 80000 : REPLACE Age WITH 80000;
EACH PROCESS MAX(Age) AS m GROUP BY Name : m <= 72000 : REJECT;
"""
VALUES = (*NAMES, "71234", "72345", "83456")


def _shows_none(shown: Any) -> bool:
    return not any(value in repr(shown) for value in VALUES)


@pytest.mark.parametrize("kind", ["dicts", "pandas", "polars", "pyarrow"])
def test_the_result_of_a_run(kind: str) -> None:
    result = acompass.run(POLICY, _table(kind))
    assert result.table is not None
    assert _shows_none(result)
    assert "records_in=3" in repr(result)


def _table(kind: str) -> Any:
    if kind == "dicts":
        return PEOPLE
    library = pytest.importorskip(kind)
    return library.Table.from_pylist(PEOPLE) if kind == "pyarrow" else library.DataFrame(PEOPLE)


def test_samples_of_a_check() -> None:
    result = acompass.check(POLICY, PEOPLE, show=3)
    sample = result.requirements[0].sample
    assert sample is not None
    assert len(sample.rows) == 3
    assert _shows_none(result)
    assert _shows_none(sample)


def test_a_plan() -> None:
    assert _shows_none(acompass.plan(POLICY, PEOPLE))


def test_an_explanation() -> None:
    explanation = acompass.explain(POLICY, PEOPLE, where="Age > 0")
    assert len(explanation.lives) == 3
    steps = [step for life in explanation.lives for step in life.steps]
    assert any(step.seen for step in steps)
    assert any(step.change for step in steps)
    assert _shows_none(explanation)


def test_a_session() -> None:
    with acompass.open(PEOPLE) as session:
        assert _shows_none(session)
