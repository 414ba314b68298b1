"""What a run says about a release is true of the file, read again by code that shares nothing with the project."""

import ast
from pathlib import Path

import pytest

from tests.length import at_length
from tests.promise import reread
from tests.promise.campaign import judge_all


@pytest.mark.campaign
def test_every_sentence_about_a_release_is_true() -> None:
    found = judge_all([f"quick {number}" for number in range(at_length(10))])
    assert found.false == []
    assert found.released
    assert len(found.sentences) > 10


def test_a_file_that_differs_from_the_summary_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if a record were lost after it was counted, and a value changed."""

    def read_less(path: Path) -> reread.Table:
        found = reread.read_table(path)
        if path.name != "out.csv" or not found.rows:
            return found
        rows = [{**row, "note": "changed"} if "note" in row else row for row in found.rows[1:]]
        return reread.Table(found.header, rows)

    monkeypatch.setattr("tests.promise.campaign.read_table", read_less)
    wrong = {kind for kind, _, _ in judge_all([f"quick {number}" for number in range(6)]).false}
    assert {"records out", "an unnamed column is released unchanged"} <= wrong


def test_the_reader_shares_nothing_with_the_project() -> None:
    tree = ast.parse(Path(reread.__file__).read_text(encoding="utf-8"))
    froms = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    names = froms | {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert not [name for name in names if name.split(".")[0] in ("acompass", "tests", "duckdb")]
