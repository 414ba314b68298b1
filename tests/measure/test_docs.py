"""The page on measuring says what happens."""

from pathlib import Path

import pytest

from tests.measure.pages import DOCS, run_blocks


def test_every_command_and_python_block_of_the_page_does_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = list(run_blocks((DOCS / "measure.md").read_text(encoding="utf-8")))
    assert len(ran) == 2
    for each in ran:
        assert (each.exit_code, each.errors) == (0, "")
        assert each.output == each.promised
