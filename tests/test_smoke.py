"""One test each of what other targets test at length, for `make test`. Skipped where something is missing."""

from pathlib import Path
from typing import Any

import pytest

import acompass
from tests.assist.lsp.editor import raw_server
from tests.assist.studio.browsing import written
from tests.assist.studio.pages import opened
from tests.engines.postgres_server import Server
from tests.repo.sources import ROOT
from tests.report.browser import browser

__all__ = ["browser"]

pytestmark = [pytest.mark.smoke, pytest.mark.slow]

EXAMPLE = ROOT / "examples" / "electricity"


def _released(engine: str, folder: Path) -> bytes:
    """What the paper's policy makes of the paper's table."""
    policy, output = acompass.load(EXAMPLE / "policy.acp"), folder / "out.csv"
    options: dict[str, Any] = {"params": {"k": 2, "l": 1}, "seed": "s", "order": "canonical", "force": True}
    acompass.run(policy, EXAMPLE / "table.csv", engine=engine, output=output, **options)
    return output.read_bytes()


def test_postgres(postgres: Server, tmp_path: Path) -> None:
    """PostgreSQL releases what the reference does."""
    assert _released(postgres.url("english"), tmp_path) == _released("reference", tmp_path)


def test_spark(spark: Any, tmp_path: Path) -> None:
    """Spark releases what the reference does."""
    assert _released(spark.sparkContext.master, tmp_path) == _released("reference", tmp_path)


def test_studio(browser: Any, tmp_path: Path) -> None:
    """Studio: its page shows the policy in Chromium."""
    from playwright.sync_api import expect

    with opened(*written(tmp_path)) as (_, access), browser.new_context() as context:
        page = context.new_page()
        page.goto(access.address)
        expect(page.get_by_role("textbox", name="Policy text")).to_contain_text("EACH")


def test_language_server(tmp_path: Path) -> None:
    """Language server: its process reports a mistake and ends when it is told to."""
    with raw_server() as server:
        server.start()
        server.open(tmp_path / "release.acp", "EACH RESULT : Age == 80;\n")
        found = server.until(lambda message: message.get("method") == "textDocument/publishDiagnostics")
        assert [each["code"] for each in found["params"]["diagnostics"]] == ["AC031"]
        server.request(1, "shutdown")
        server.notify("exit")
        assert server.ended()[0] == 0
