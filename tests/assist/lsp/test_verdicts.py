"""Hints next to requirements, lenses above them, and the lenses' commands."""

from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.assist.lsp.editor import SETTINGS, TABLE, Editor

pytestmark = pytest.mark.asyncio(loop_scope="session")

POLICY = (
    "EACH RESULT : Age <= 50 : REPLACE Age WITH 50;\n"
    "EACH RESULT : Zip >= 1;\n"
    "EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= k\n"
    "   : GENERALIZE Age TO BANDS OF 10\n"
    "     THEN REJECT;\n"
    "ALWAYS : DROP Job;\n"
)


async def test_each_step_has_its_verdict_count_and_proof(editor: Editor) -> None:
    editor.open(POLICY)
    assert await editor.final_diagnostics() == ()
    assert await editor.hints() == [
        "1: repaired: 18 of 100 records affected, REPLACE, undecided",
        "2: holds for 100 records, refuted",
        "4: repaired: 100 of 100 records affected, GENERALIZE, proved",
        "5: repaired: 40 of 100 records affected, REJECT",
        "6: no verdict: 60 of 60 records affected, DROP",
    ]


async def test_an_editor_needs_no_key(editor: Editor) -> None:
    """Verdicts and counts are those of a stand-in: no pseudonym is shown (X15)."""
    editor.open("ALWAYS : PSEUDONYM Job;\nEACH PROCESS COUNT(*) AS n GROUP BY Job : n >= 1;\n")
    assert "AC415" not in {each.code for each in await editor.final_diagnostics()}
    assert [each.partition(",")[0] for each in await editor.hints()] == [
        "1: no verdict: 100 of 100 records affected",
        "2: holds for 100 records",
    ]


async def test_a_hint_explains_its_proof(editor: Editor) -> None:
    editor.open(POLICY)
    found = await editor.client.text_document_inlay_hint_async(types.InlayHintParams(editor.document, editor.whole()))
    assert found is not None
    assert "removes every class that violates it" in str(found[2].tooltip)


async def test_without_a_table_proofs_remain(bare: Editor) -> None:
    bare.write(acompass_toml='[policy."release.acp"]\nparams = { k = 5 }\n')
    bare.open("EACH PROCESS COUNT(*) AS n GROUP BY Age : n >= k : REJECT;")
    assert await bare.hints() == ["1: proved"]


async def test_a_policy_with_errors_has_no_hints(editor: Editor) -> None:
    editor.open("EACH RESULT : Agee <= 80;")
    assert await editor.hints() == []


async def test_only_hints_in_the_requested_range_are_returned(editor: Editor) -> None:
    editor.open(POLICY)
    first_line = types.Range(types.Position(0, 0), types.Position(1, 0))
    found = await editor.client.text_document_inlay_hint_async(types.InlayHintParams(editor.document, first_line))
    assert [each.position.line for each in found or ()] == [0]


async def test_a_runtime_error_is_a_diagnostic(editor: Editor) -> None:
    editor.write(jobs_csv="judge;law\n")
    editor.open("ALWAYS : GENERALIZE Job TO LEVEL 1 OF 'jobs.csv';")
    found = await editor.final_diagnostics()
    assert "AC237" in [each.code for each in found]


async def test_lenses_run_prove_and_explain(editor: Editor) -> None:
    editor.open(POLICY)
    found = await editor.client.text_document_code_lens_async(types.CodeLensParams(editor.document))
    titles = [(each.range.start.line, each.command.title) for each in found or () if each.command]
    assert titles[:3] == [(0, "run"), (0, "prove"), (0, "explain")]
    assert titles[3:] == [(line, title) for line in (1, 2, 5) for title in ("prove", "explain")]


async def test_run_shows_the_verdicts_and_writes_nothing(editor: Editor) -> None:
    before = {path.name for path in editor.folder.iterdir()}
    editor.open(POLICY)
    answer = await editor.command("run")
    assert answer["title"] == "run release.acp"
    assert "\n   2  holds                0 of 100  " in answer["text"]
    assert answer["text"].endswith("100 records in, 60 out; nothing was written\n")
    message = editor.client.messages[-1].message
    assert message == "run release.acp: 3 of 5 requirements would be repaired; 100 records in, 60 out"
    assert {path.name for path in editor.folder.iterdir()} == before
    assert (editor.folder / "people.csv").read_text() == TABLE


async def test_prove_shows_claims_of_all_or_one_requirement(editor: Editor) -> None:
    editor.open(POLICY)
    whole = (await editor.command("prove"))["text"]
    assert (whole.count("\nproved  ") + whole.startswith("proved"), "line 1:" in whole) == (1, True)
    third = (await editor.command("prove", 3))["text"]
    assert third.startswith("proved  line 3: EACH PROCESS")
    assert "line 1:" not in third


async def test_prove_shows_a_counterexample(bare: Editor) -> None:
    bare.open("EACH RESULT : Age <= 80 : REPLACE Age WITH 90;")
    answer = await bare.command("prove")
    assert "refuted" in answer["text"]
    assert "before" in answer["text"]


async def test_explain_shows_algebra(editor: Editor) -> None:
    editor.open(POLICY)
    assert "σ[¬(Age ≤ 50)](R₀)" in (await editor.command("explain"))["text"]
    second = (await editor.command("explain", 2))["text"]
    assert "Zip ≥ 1" in second
    assert "Age ≤ 50" not in second


async def test_a_command_that_fails_says_why(bare: Editor) -> None:
    bare.open("EACH RESULT : Age <= 80;")
    with pytest.raises(JsonRpcException, match=r"no table is given; name the table in `acompass\.toml`"):
        await bare.command("run")
    bare.change("EACH RESULT : Age <=")
    for name in ("run", "prove", "explain"):
        with pytest.raises(JsonRpcException, match="expected"):
            await bare.command(name)
    other = Editor(bare.connection, bare.folder)
    other.path = bare.folder / "other.acp"
    with pytest.raises(JsonRpcException, match="open the policy first"):
        await other.command("run")


async def test_a_command_without_arguments_uses_the_only_open_policy(editor: Editor) -> None:
    """Helix passes no arguments."""
    editor.open(POLICY)
    await editor.hints()
    params = types.ExecuteCommandParams("acompass.explain")
    answer = await editor.client.workspace_execute_command_async(params)
    assert answer["title"] == "explain release.acp"


async def test_missing_values_are_reported(editor: Editor) -> None:
    editor.write(people_csv=TABLE + ",21200,judge\n")
    editor.open("EACH RESULT : Age <= 80 AND Zip > k;")
    assert [each.code for each in await editor.final_diagnostics()] == ["AC212"]
    assert await editor.hints() == []


@pytest.mark.parametrize("params", ["{ k = 3 }", '{ k = 3, unused = "x" }'])
async def test_parameters_in_the_settings_are_used(editor: Editor, params: Any) -> None:
    editor.write(acompass_toml=SETTINGS.replace("{ k = 5 }", params))
    editor.open("EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= k;")
    assert await editor.hints() == ["1: holds for 100 records, refuted"]
