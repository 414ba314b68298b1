"""Every literate case, on every engine."""

from pathlib import Path

import pytest

from tests.language.cases import Case, all_cases
from tests.language.running import run_case

ENGINES = ["reference", "duckdb", "postgres"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.id)
def test_case(case: Case, engine_url: str, tmp_path: Path) -> None:
    assert case.expected, "a case must expect something; python -m tests.language.update fills it in"
    assert run_case(case, engine_url, tmp_path) == case.expected
