"""Quick fixes, all safe fixes at once, and formatting."""

from collections.abc import Sequence

import pytest
from lsprotocol.types import (
    CodeAction,
    CodeActionContext,
    CodeActionKind,
    CodeActionParams,
    DocumentFormattingParams,
    FormattingOptions,
    Range,
    TextDocumentEdit,
)

from tests.assist.lsp.editor import Editor

pytestmark = pytest.mark.asyncio(loop_scope="session")

MESSY = "EACH RESULT : Age <= 80 : REPLACE Age BY 80;\nEACH RESULT : Zip == '21200' : REJECT;\n"


async def _actions(editor: Editor, range_: Range, *only: str) -> Sequence[CodeAction]:
    context = CodeActionContext(await editor.final_diagnostics(), list(only) or None)
    params = CodeActionParams(editor.document, range_, context)
    found = await editor.client.text_document_code_action_async(params)
    assert found is not None
    return [each for each in found if isinstance(each, CodeAction)]


def _apply(editor: Editor, action: CodeAction) -> str:
    assert action.edit is not None
    assert action.edit.document_changes is not None
    [change] = action.edit.document_changes
    assert isinstance(change, TextDocumentEdit)
    assert (change.text_document.uri, change.text_document.version) == (editor.uri, editor.version)
    return editor.apply(change.edits)


async def test_a_safe_fix_is_preferred_and_removes_the_error(bare: Editor) -> None:
    bare.open("EACH RESULT : Age <= 80 : REPLACE Age BY 80;")
    [found] = await bare.diagnostics()
    [action] = await _actions(bare, found.range)
    assert (action.kind, action.is_preferred) == (CodeActionKind.QuickFix, True)
    assert action.diagnostics == (found,)
    assert _apply(bare, action) == "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;"
    bare.change(_apply(bare, action))
    assert await bare.diagnostics() == ()


async def test_an_offered_fix_is_not_preferred(editor: Editor) -> None:
    editor.open("EACH RESULT : Agee <= 80;")
    [action] = await _actions(editor, editor.whole())
    assert action.is_preferred is False
    assert _apply(editor, action) == "EACH RESULT : Age <= 80;"


async def test_only_fixes_at_the_cursor_are_offered(bare: Editor) -> None:
    bare.open(MESSY)
    here = bare.at("Zip =|=")
    [action] = await _actions(bare, Range(here, here))
    assert "Zip = '21200'" in _apply(bare, action)
    start = bare.at("|EACH RESULT : Age")
    assert await _actions(bare, Range(start, start)) == []


async def test_all_safe_fixes_are_one_action(bare: Editor) -> None:
    bare.open(MESSY)
    [action] = await _actions(bare, bare.whole(), "source.fixAll")
    assert action.kind == "source.fixAll.acompass"
    assert _apply(bare, action) == (
        "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;\nEACH RESULT : Zip = '21200' : REJECT;\n"
    )


async def test_a_kind_that_is_not_asked_for_is_not_offered(bare: Editor) -> None:
    bare.open(MESSY)
    assert await _actions(bare, bare.whole(), "refactor") == []
    assert {each.kind for each in await _actions(bare, bare.whole())} == {CodeActionKind.QuickFix}


async def _format(editor: Editor) -> str:
    params = DocumentFormattingParams(editor.document, FormattingOptions(3, True))
    return editor.apply(await editor.client.text_document_formatting_async(params) or ())


async def test_a_policy_is_formatted(bare: Editor) -> None:
    bare.open("-- ages\nEACH RESULT:Age<=80:REPLACE   Age WITH 80;\n\n\n\nEACH RESULT : Zip > 1;\n")
    expected = "-- ages\nEACH RESULT\n   : Age <= 80\n   : REPLACE Age WITH 80;\n\nEACH RESULT\n   : Zip > 1;\n"
    assert await _format(bare) == expected
    bare.change(expected)
    assert await _format(bare) == expected


async def test_a_policy_that_does_not_parse_is_left_alone(bare: Editor) -> None:
    bare.open("EACH   RESULT")
    assert await _format(bare) == "EACH   RESULT"
