"""All literate cases, on all engines."""

from pathlib import Path

import pytest

from tests.language.cases import Case, all_cases
from tests.language.running import run_case

ENGINES = ["reference", "duckdb", "postgres", "spark"]
#: engines that keep no order of records unless one is requested (D21)
UNORDERED = {"spark"}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.id)
def test_case(case: Case, engine: str, engine_url: str, tmp_path: Path) -> None:
    assert case.expected, "the case has no expected result; run `python -m tests.language.update`"
    found, expected = run_case(case, engine_url, tmp_path), case.expected
    if engine in UNORDERED and case.option("order") is None:
        found, expected = _as_bag(found), _as_bag(expected)
    assert found == expected


def _as_bag(blocks: dict[str, str]) -> dict[str, str]:
    if "after" not in blocks:
        return blocks
    header, *records = blocks["after"].splitlines(keepends=True)
    return {**blocks, "after": "".join([header, *sorted(records)])}
