"""Answers follow the newest text, the settings, the table and the hierarchies."""

import asyncio
import os
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.assist.lsp.editor import SETTINGS, TABLE, Editor, Wire, connected

pytestmark = pytest.mark.asyncio(loop_scope="session")

CLASSES = "EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= k;"
HOLDS = "1: holds for 100 records, refuted"


async def test_the_server_asks_to_be_told_about_files(wire: Wire) -> None:
    await wire.until(lambda: wire.registered)
    [watching] = wire.registered
    assert watching.method == types.WORKSPACE_DID_CHANGE_WATCHED_FILES
    assert isinstance(watching.register_options, dict)
    assert {"globPattern": "**/acompass.toml"} in watching.register_options["watchers"]


async def test_changed_settings_change_the_verdict(editor: Editor) -> None:
    editor.open(CLASSES)
    assert await editor.hints() == [HOLDS]
    refreshed = editor.wire.refreshed
    editor.write(acompass_toml=SETTINGS.replace("k = 5", "k = 30"))
    editor.changed_outside("acompass.toml")
    await editor.wire.until(lambda: editor.wire.refreshed > refreshed)
    assert await editor.hints() == ["1: violated: 100 of 100 records affected, refuted"]


async def test_a_changed_table_changes_the_verdict(editor: Editor) -> None:
    editor.open(CLASSES)
    assert await editor.hints() == [HOLDS]
    editor.write(people_csv=TABLE + "30,99999,judge\n")
    editor.changed_outside("people.csv")
    await editor.diagnostics()
    assert await editor.hints() == ["1: violated: 1 of 101 records affected, refuted"]


async def test_a_table_that_appears_is_used(editor: Editor) -> None:
    (editor.folder / "people.csv").unlink()
    editor.open(CLASSES)
    assert [each.code for each in await editor.settled()] == ["AC201"]
    editor.write(people_csv=TABLE)
    editor.changed_outside("people.csv")
    assert await editor.settled() == ()
    assert await editor.hints() == [HOLDS]


async def test_a_changed_hierarchy_changes_the_diagnostics(editor: Editor) -> None:
    editor.write(jobs_csv="judge;law\nnurse;health\n")
    editor.open("ALWAYS : GENERALIZE Job TO LEVEL 1 OF 'jobs.csv' ELSE 'other';\nEACH RESULT : Zip > k;")
    assert await editor.settled() == ()
    editor.write(jobs_csv="judge;law\njudge;health\n")
    editor.changed_outside("jobs.csv")
    assert [each.code for each in await editor.settled()] == ["AC122"]


async def test_a_client_that_watches_nothing_is_followed_when_it_saves(editor: Editor) -> None:
    editor.open(CLASSES)
    assert await editor.hints() == [HOLDS]
    editor.write(people_csv=TABLE + "30,99999,judge\n")
    editor.client.text_document_did_save(types.DidSaveTextDocumentParams(editor.document))
    assert await editor.hints() == ["1: violated: 1 of 101 records affected, refuted"]


async def _asked(editor: Editor) -> "asyncio.Task[list[str]]":
    """A question that has been sent."""
    task = asyncio.ensure_future(editor.hints())
    await asyncio.sleep(0)
    return task


async def test_the_newest_text_wins(editor: Editor) -> None:
    """Of many versions only the last is answered; questions about the others are refused."""
    editor.open(CLASSES)
    asked = []
    for age in range(30):
        editor.change(f"{CLASSES}\nEACH RESULT : Age <= {age} : REJECT;")
        asked.append(await _asked(editor))
    editor.change(f"{CLASSES}\nEACH RESULT : Age <= 40 : REJECT;")
    assert await editor.hints() == [HOLDS, "2: repaired: 38 of 100 records affected, REJECT, proved"]
    for answer in await asyncio.gather(*asked, return_exceptions=True):
        if isinstance(answer, JsonRpcException):
            assert answer.code == types.LSPErrorCodes.ContentModified
        else:
            assert answer == [] or answer[0] == HOLDS


async def test_policies_share_a_table_and_do_not_cancel_each_other(editor: Editor) -> None:
    editor.write(acompass_toml=SETTINGS + SETTINGS.replace("release", "other"))
    other = Editor(editor.wire, editor.folder)
    other.path = editor.folder / "other.acp"
    editor.open(CLASSES)
    other.open("EACH RESULT : Age <= k;")
    both = await asyncio.gather(editor.hints(), other.hints())
    assert both == [[HOLDS], ["1: violated: 100 of 100 records affected, refuted"]]
    other.close()
    editor.change(f"{CLASSES} ")
    assert await editor.hints() == [HOLDS]


@pytest.mark.slow
async def test_a_table_that_takes_long_to_open_keeps_nothing_waiting(tmp_path: Path) -> None:
    """Nobody writes into the pipe, so that it never opens. The server ends all the same."""
    async with connected() as wire:
        editor = Editor(wire, tmp_path)
        editor.write(acompass_toml=SETTINGS)
        os.mkfifo(tmp_path / "people.csv")
        editor.open("EACH RESULT : Age <= 80")
        assert [each.code for each in await editor.diagnostics()] == ["AC010"]
        editor.change("EACH RESULT : Age <= k : REJECT;")
        assert await editor.diagnostics() == ()
        params = types.HoverParams(editor.document, editor.at("<= |k"))
        found = await editor.client.text_document_hover_async(params)
        assert found is not None
        waiting = await _asked(editor)
        editor.change("EACH RESULT : Age <= 5 : REJECT")
        assert "AC010" in [each.code for each in await editor.diagnostics()]
        with pytest.raises(JsonRpcException, match="the policy has changed"):
            await waiting
    assert wire.client._server is not None
    assert wire.client._server.returncode == 0
