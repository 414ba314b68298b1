"""One short test, for `make test`, of each part that other targets test at length. Skipped if a tool is missing."""

from pathlib import Path
from typing import Any

import pytest

import acompass
from tests.assist.lsp.editor import raw_server
from tests.assist.studio.browsing import write_people
from tests.assist.studio.pages import open_studio
from tests.engines.postgres_server import Server
from tests.repo.sources import ROOT
from tests.report.browser import browser

__all__ = ["browser"]

pytestmark = [pytest.mark.smoke, pytest.mark.slow]

EXAMPLE = ROOT / "examples" / "electricity"


def _release(engine: str, folder: Path) -> bytes:
    """The paper's table, released with the paper's policy."""
    policy, output = acompass.load(EXAMPLE / "policy.acp"), folder / "out.csv"
    options: dict[str, Any] = {"params": {"k": 2, "l": 1}, "seed": "s", "order": "canonical", "force": True}
    acompass.run(policy, EXAMPLE / "table.csv", engine=engine, output=output, **options)
    return output.read_bytes()


def test_postgres(postgres: Server, tmp_path: Path) -> None:
    """PostgreSQL releases the same table as the reference."""
    assert _release(postgres.url("english"), tmp_path) == _release("reference", tmp_path)


def test_spark(spark: Any, tmp_path: Path) -> None:
    """Spark releases the same table as the reference."""
    assert _release(spark.sparkContext.master, tmp_path) == _release("reference", tmp_path)


def test_studio(browser: Any, tmp_path: Path) -> None:
    """The studio's page shows the policy in Chromium."""
    from playwright.sync_api import expect

    with open_studio(*write_people(tmp_path)) as (_, access), browser.new_context() as context:
        page = context.new_page()
        page.goto(access.address)
        expect(page.get_by_role("textbox", name="Policy text")).to_contain_text("EACH")


def test_language_server(tmp_path: Path) -> None:
    """The language server reports a mistake and exits on request."""
    with raw_server() as server:
        server.start()
        server.open(tmp_path / "release.acp", "EACH RESULT : Age == 80;\n")
        found = server.until(lambda message: message.get("method") == "textDocument/publishDiagnostics")
        assert [each["code"] for each in found["params"]["diagnostics"]] == ["AC031"]
        server.request(1, "shutdown")
        server.notify("exit")
        assert server.wait()[0] == 0
