"""Answers follow the newest text, the settings, the table and the hierarchies."""

import asyncio
import os
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.assist.lsp.editor import SETTINGS, TABLE, Connection, Editor, connect

pytestmark = pytest.mark.asyncio(loop_scope="session")

CLASSES = "EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= k;"
HOLDS = "1: holds for 100 records, refuted"


async def test_the_server_registers_for_file_changes(connection: Connection) -> None:
    await connection.until(lambda: connection.registered)
    [watching] = connection.registered
    assert watching.method == types.WORKSPACE_DID_CHANGE_WATCHED_FILES
    assert isinstance(watching.register_options, dict)
    assert {"globPattern": "**/acompass.toml"} in watching.register_options["watchers"]


async def test_changed_settings_change_the_verdict(editor: Editor) -> None:
    editor.open(CLASSES)
    assert await editor.hints() == [HOLDS]
    refreshed = editor.connection.refreshed
    editor.write(acompass_toml=SETTINGS.replace("k = 5", "k = 30"))
    editor.report_changed("acompass.toml")
    await editor.connection.until(lambda: editor.connection.refreshed > refreshed)
    assert await editor.hints() == ["1: violated: 100 of 100 records affected, refuted"]


async def test_a_changed_table_changes_the_verdict(editor: Editor) -> None:
    editor.open(CLASSES)
    assert await editor.hints() == [HOLDS]
    editor.write(people_csv=TABLE + "30,99999,judge\n")
    editor.report_changed("people.csv")
    await editor.diagnostics()
    assert await editor.hints() == ["1: violated: 1 of 101 records affected, refuted"]


async def test_a_table_that_appears_is_used(editor: Editor) -> None:
    (editor.folder / "people.csv").unlink()
    editor.open(CLASSES)
    assert [each.code for each in await editor.final_diagnostics()] == ["AC201"]
    editor.write(people_csv=TABLE)
    editor.report_changed("people.csv")
    assert await editor.final_diagnostics() == ()
    assert await editor.hints() == [HOLDS]


async def test_a_changed_hierarchy_changes_the_diagnostics(editor: Editor) -> None:
    editor.write(jobs_csv="judge;law\nnurse;health\n")
    editor.open("ALWAYS : GENERALIZE Job TO LEVEL 1 OF 'jobs.csv' ELSE 'other';\nEACH RESULT : Zip > k;")
    assert await editor.final_diagnostics() == ()
    editor.write(jobs_csv="judge;law\njudge;health\n")
    editor.report_changed("jobs.csv")
    assert [each.code for each in await editor.final_diagnostics()] == ["AC122"]


async def test_a_changed_reference_table_changes_the_diagnostics(editor: Editor) -> None:
    editor.write(jobs_csv="Job,people\njudge,5\nnurse,6\n")
    editor.open("EACH PROCESS SUM(people) IN 'jobs.csv' AS n GROUP BY Job : n > 0;\nEACH RESULT : Zip > k;")
    assert "AC130" not in {each.code for each in await editor.final_diagnostics()}
    editor.write(jobs_csv="Job,persons\njudge,5\n")
    editor.report_changed("jobs.csv")
    assert "AC130" in {each.code for each in await editor.final_diagnostics()}
    editor.write(jobs_csv="Job,people\njudge,5\nnurse,\n")
    editor.report_changed("jobs.csv")
    assert "AC239" in {each.code for each in await editor.final_diagnostics()}


async def test_saving_picks_up_changes_if_the_client_watches_no_files(editor: Editor) -> None:
    editor.open(CLASSES)
    assert await editor.hints() == [HOLDS]
    editor.write(people_csv=TABLE + "30,99999,judge\n")
    editor.client.text_document_did_save(types.DidSaveTextDocumentParams(editor.document))
    assert await editor.hints() == ["1: violated: 1 of 101 records affected, refuted"]


async def _send_question(editor: Editor) -> "asyncio.Task[list[str]]":
    """Send a request for hints without waiting for the answer."""
    task = asyncio.ensure_future(editor.hints())
    await asyncio.sleep(0)
    return task


async def test_the_newest_text_wins(editor: Editor) -> None:
    """Only the last of many versions is answered; requests about the others are rejected."""
    editor.open(CLASSES)
    asked = []
    for age in range(30):
        editor.change(f"{CLASSES}\nEACH RESULT : Age <= {age} : REJECT;")
        asked.append(await _send_question(editor))
    editor.change(f"{CLASSES}\nEACH RESULT : Age <= 40 : REJECT;")
    assert await editor.hints() == [HOLDS, "2: repaired: 38 of 100 records affected, REJECT, proved"]
    for answer in await asyncio.gather(*asked, return_exceptions=True):
        if isinstance(answer, JsonRpcException):
            assert answer.code == types.LSPErrorCodes.ContentModified
        else:
            # an earlier text, answered in time: whether its output satisfies the first line depends on the age
            assert answer == [] or answer[0].startswith("1: holds for 100 records")


async def test_policies_share_a_table_and_do_not_cancel_each_other(editor: Editor) -> None:
    editor.write(acompass_toml=SETTINGS + SETTINGS.replace("release", "other"))
    other = Editor(editor.connection, editor.folder)
    other.path = editor.folder / "other.acp"
    editor.open(CLASSES)
    other.open("EACH RESULT : Age <= k;")
    both = await asyncio.gather(editor.hints(), other.hints())
    assert both == [[HOLDS], ["1: violated: 100 of 100 records affected, refuted"]]
    other.close()
    editor.change(f"{CLASSES} ")
    assert await editor.hints() == [HOLDS]


@pytest.mark.slow
async def test_a_table_that_never_opens_blocks_nothing_else(tmp_path: Path) -> None:
    """No process writes to the pipe, so it never opens. The server still exits."""
    async with connect() as connection:
        editor = Editor(connection, tmp_path)
        editor.write(acompass_toml=SETTINGS)
        os.mkfifo(tmp_path / "people.csv")
        editor.open("EACH RESULT : Age <= 80")
        assert [each.code for each in await editor.diagnostics()] == ["AC010"]
        editor.change("EACH RESULT : Age <= k : REJECT;")
        assert await editor.diagnostics() == ()
        params = types.HoverParams(editor.document, editor.at("<= |k"))
        found = await editor.client.text_document_hover_async(params)
        assert found is not None
        waiting = await _send_question(editor)
        editor.change("EACH RESULT : Age <= 5 : REJECT")
        assert "AC010" in [each.code for each in await editor.diagnostics()]
        with pytest.raises(JsonRpcException, match="the policy has changed"):
            await waiting
    assert connection.client._server is not None
    assert connection.client._server.returncode == 0
