"""Errors and findings while a policy is written."""

from pathlib import Path

import pytest
from lsprotocol.types import DiagnosticSeverity, PositionEncodingKind
from pygls.uris import to_fs_path
from pytest_lsp import client_capabilities

from tests.assist.lsp.editor import SETTINGS, Editor, connect

pytestmark = pytest.mark.asyncio(loop_scope="session")

SOUND = "EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip\n   : n >= k\n   : REJECT;\n"


async def test_a_syntax_error_has_a_code_a_position_help_and_a_page(bare: Editor) -> None:
    bare.open("EACH RESULT : Age <= 80 : REPLACE Age BY 80;")
    [found] = await bare.diagnostics()
    assert (found.code, found.source, found.severity) == ("AC042", "acompass", DiagnosticSeverity.Error)
    assert bare.text_in(found.range) == "BY"
    assert "\nhelp: " in found.message
    assert found.code_description is not None
    page = to_fs_path(found.code_description.href)
    assert page is not None
    assert Path(page).read_text(encoding="utf-8").startswith("# AC042")


async def test_a_corrected_text_has_no_errors(bare: Editor) -> None:
    bare.open("EACH RESULT : Age <= 80")
    assert [found.code for found in await bare.diagnostics()] == ["AC010"]
    bare.change("EACH RESULT : Age <= 80;")
    assert await bare.diagnostics() == ()


async def test_a_finding_of_lint_is_a_warning(bare: Editor) -> None:
    bare.open("EACH RESULT : Age <= 80 : REPLACE Age WITH 90;")
    assert [(each.code, each.severity) for each in await bare.diagnostics()] == [("AC503", DiagnosticSeverity.Warning)]


async def test_a_conflict_names_both_places(editor: Editor) -> None:
    editor.open("ALWAYS : GENERALIZE Age TO BANDS OF 5;\nALWAYS : GENERALIZE Age TO BANDS OF 7;\n")
    first = next(each for each in await editor.final_diagnostics() if each.code == "AC119")
    assert first.range.start.line == 1
    assert first.related_information is not None
    assert [each.location.range.start.line for each in first.related_information] == [0]


async def test_the_policy_is_checked_against_its_table(editor: Editor) -> None:
    editor.open(SOUND.replace("Zip", "Post"))
    [found] = await editor.final_diagnostics()
    assert (found.code, editor.text_in(found.range)) == ("AC101", "Post")
    assert "Zip" in found.message


async def test_without_settings_errors_that_need_no_table_are_reported(bare: Editor) -> None:
    bare.open(SOUND)
    [found] = await bare.diagnostics()
    assert (found.code, bare.text_in(found.range)) == ("AC106", "k")
    bare.change("EACH RESULT : Age > 'x' AND Age > 5;")
    assert [each.code for each in await bare.diagnostics()] == ["AC110"]


async def test_an_unsaved_policy_without_a_file_is_checked(bare: Editor) -> None:
    bare.path = Path("/nowhere/at/all/release.acp")
    bare.open("EACH RESULT : Age <= ;")
    assert [each.code for each in await bare.diagnostics()] != []


async def test_wrong_settings_are_reported_in_the_policy_with_their_place_in_the_file(editor: Editor) -> None:
    editor.write(acompass_toml=SETTINGS.replace("params", "parameters"))
    editor.open("EACH RESULT : Age <= 80;")
    found = next(each for each in await editor.final_diagnostics() if each.code == "AC625")
    assert found.range.start.line == 0
    assert found.related_information is not None
    [place] = [each.location for each in found.related_information]
    assert place.uri == (editor.folder / "acompass.toml").as_uri()
    assert (place.range.start.line, place.range.start.character) == (2, 0)


async def test_a_missing_table_is_reported(editor: Editor) -> None:
    editor.write(acompass_toml=SETTINGS.replace("people", "persons"))
    editor.open("EACH RESULT : Age > 'x' AND Age > 5;")
    assert {each.code for each in await editor.final_diagnostics()} == {"AC201", "AC107", "AC110"}


@pytest.mark.slow
@pytest.mark.parametrize("encoding", list(PositionEncodingKind))
async def test_columns_are_counted_in_the_negotiated_encoding(tmp_path: Path, encoding: PositionEncodingKind) -> None:
    capabilities = client_capabilities("visual-studio-code")
    assert capabilities.general is not None
    capabilities.general.position_encodings = [encoding]
    async with connect(capabilities) as connection:
        assert connection.encoding == encoding
        editor = Editor(connection, tmp_path)
        editor.open("EACH RESULT : Städte = '𝔸é😀' : REPLACE Age BY 80;")
        [found] = await editor.final_diagnostics()
        assert editor.text_in(found.range) == "BY"
        columns = {
            PositionEncodingKind.Utf8: 51,
            PositionEncodingKind.Utf16: 45,
            PositionEncodingKind.Utf32: 43,
        }
        assert found.range.start.character == columns[encoding]


async def test_a_closed_policy_has_no_diagnostics(bare: Editor) -> None:
    bare.open("EACH RESULT")
    assert len(await bare.diagnostics()) == 1
    bare.close()
    assert await bare.diagnostics() == ()


async def test_lines_end_as_the_protocol_says(bare: Editor) -> None:
    """Python would count a form feed and U+2028 as line ends."""
    bare.open("-- a\x0c\u2028 b\r\nEACH RESULT : Age <= 80 : REPLACE Age BY 80;")
    [found] = await bare.diagnostics()
    assert (found.range.start.line, bare.text_in(found.range)) == (1, "BY")
