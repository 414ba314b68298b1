"""Hover, completion, outline, definitions, references and renames."""

from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import client_capabilities

from acompass.assist.lsp.answers import to_markdown
from tests.assist.lsp.editor import SETTINGS, TABLE, Connection, Editor, connect

pytestmark = pytest.mark.asyncio(loop_scope="session")

POLICY = (
    "EACH RESULT : Age <= 50 : REPLACE Age WITH 50;\n"
    "EACH PROCESS COUNT(*) AS size GROUP BY Age, Zip\n"
    "   : size >= k\n"
    "   : GENERALIZE Age TO BANDS OF 10\n"
    "     THEN REJECT;\n"
)


async def _hover(editor: Editor, place: str) -> str:
    await editor.final_diagnostics()  # so that the table is open
    found = await editor.client.text_document_hover_async(types.HoverParams(editor.document, editor.at(place)))
    assert found is not None
    assert isinstance(found.contents, types.MarkupContent)
    return found.contents.value


async def test_a_column_shows_its_type_and_distribution(editor: Editor) -> None:
    editor.open(POLICY)
    shown = await _hover(editor, "EACH RESULT : A|ge")
    assert shown.startswith("**column `Age`**\n\ninteger\n\n40 distinct values")


async def test_a_map_shows_what_it_does(editor: Editor) -> None:
    editor.open(POLICY)
    assert "becomes `30-39`" in await _hover(editor, "BAN|DS OF 10")


async def test_a_parameter_shows_its_value(editor: Editor) -> None:
    editor.open(POLICY)
    assert "set to `5`" in await _hover(editor, "size >= |k")


async def test_a_requirement_shows_its_verdict_and_proof(editor: Editor) -> None:
    editor.open(POLICY)
    shown = await _hover(editor, "EA|CH PROCESS")
    assert "repaired" in shown
    assert "proved for every table" in shown


async def test_a_comment_shows_nothing(bare: Editor) -> None:
    bare.open("-- a comment\n")
    params = types.HoverParams(bare.document, types.Position(0, 5))
    assert await bare.client.text_document_hover_async(params) is None


async def test_names_and_values_of_a_table_are_never_markup(bare: Editor) -> None:
    hostile = "![x](http://example.org/a.png)"
    bare.write(
        people_csv='"<b>*x*</b>"\n' + f"{hostile}\n" * 50,
        acompass_toml='[policy."release.acp"]\ntable = "people.csv"',
    )
    bare.open("EACH RESULT : \"<b>*x*</b>\" > 'a';")
    shown = await _hover(bare, 'EACH RESULT : "|<b>')
    assert shown.startswith("**column `<b>*x*</b>`**")
    assert r"\!\[x\]\(http\:\/\/example\.org\/a\.png\)" in shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("`a` and `b`", "`a` and `b`"),
        ("`a``<b>`", "`a` `<b>`"),
        ("``<b>`", r"\``<b>`"),
        ("`<b>", r"\`\<b\>"),
        ("a\n# b [c](d)", r"a \# b \[c\]\(d\)"),
    ],
)
async def test_text_outside_code_is_escaped(text: str, shown: str) -> None:
    assert to_markdown("t", (text,)) == f"**t**\n\n{shown}"


@pytest.mark.slow
async def test_a_client_without_markdown_gets_plain_text(tmp_path: Any) -> None:
    capabilities = client_capabilities("neovim")
    assert capabilities.text_document is not None
    capabilities.text_document.hover = types.HoverClientCapabilities(content_format=[types.MarkupKind.PlainText])
    async with connect(capabilities) as connection:
        editor = Editor(connection, tmp_path)
        editor.write(people_csv=TABLE, acompass_toml=SETTINGS)
        editor.open(POLICY)
        assert (await _hover(editor, "EACH RESULT : A|ge")).startswith("column `Age`\ninteger\n")


async def _complete(editor: Editor, text: str) -> dict[str, str]:
    """The text after each completion, by label; the bar marks the cursor."""
    before, _, after = text.partition("|")
    editor.change(before + after)
    await editor.final_diagnostics()  # so that the table is open
    place = editor.positions.position(len(before))
    params = types.CompletionParams(editor.document, place)
    found = await editor.client.text_document_completion_async(params)
    assert isinstance(found, types.CompletionList)
    return {each.label: editor.apply([each.text_edit]) for each in found.items if each.text_edit}


async def test_words_that_may_come_next_are_completed(bare: Editor) -> None:
    bare.open("")
    assert {"EACH", "SOME", "ALWAYS"} <= set(await _complete(bare, "|"))
    assert set(await _complete(bare, "EACH R|")) == {"RESULT"}
    assert await _complete(bare, "ALWAYS : GENERALIZE Age TO BA|;") == {
        "BANDS OF": "ALWAYS : GENERALIZE Age TO BANDS OF;",
        "BANDS AT": "ALWAYS : GENERALIZE Age TO BANDS AT;",
    }


async def test_columns_names_parameters_and_values_are_completed(editor: Editor) -> None:
    editor.open("")
    assert {"Age", "Zip", "Job"} <= set(await _complete(editor, "EACH RESULT : |"))
    assert (await _complete(editor, "EACH RESULT : Z| > 1;"))["Zip"] == "EACH RESULT : Zip > 1;"
    process = "EACH PROCESS COUNT(*) AS size GROUP BY Age : "
    assert "size" in await _complete(editor, f"{process}s|")
    assert (await _complete(editor, f"{process}size >= |"))["k"] == f"{process}size >= k"
    assert (await _complete(editor, "EACH RESULT : Job = 'ju|"))["judge"] == "EACH RESULT : Job = 'judge'"


async def test_a_column_that_needs_quotes_gets_them(bare: Editor) -> None:
    bare.write(people_csv="Age (years)\n1\n", acompass_toml=SETTINGS)
    bare.open("")
    found = await _complete(bare, "EACH RESULT : Ag| > 1;")
    assert found["Age (years)"] == 'EACH RESULT : "Age (years)" > 1;'


async def test_the_outline_has_requirements_with_their_names(bare: Editor) -> None:
    bare.open(POLICY)
    params = types.DocumentSymbolParams(bare.document)
    first, second = await bare.client.text_document_document_symbol_async(params) or ()
    assert isinstance(second, types.DocumentSymbol)
    assert (first.name, second.name) == (
        "EACH RESULT : Age <= 50",
        "EACH PROCESS COUNT(*) AS size GROUP BY Age, Zip : size >= k",
    )
    assert bare.text_in(second.range).startswith("EACH PROCESS")
    assert [child.name for child in second.children or ()] == ["size", "k"]


@pytest.mark.slow
async def test_a_client_without_nested_symbols_gets_a_list(tmp_path: Any) -> None:
    async with connect(types.ClientCapabilities()) as connection:
        editor = Editor(connection, tmp_path)
        editor.open(POLICY)
        params = types.DocumentSymbolParams(editor.document)
        found = await editor.client.text_document_document_symbol_async(params) or ()
        assert [(each.name, getattr(each, "container_name", None)) for each in found][2:] == [
            ("size", found[1].name),
            ("k", found[1].name),
        ]


async def test_an_as_name_has_a_definition_and_references(bare: Editor) -> None:
    bare.open(POLICY)
    defined = await bare.client.text_document_definition_async(
        types.DefinitionParams(bare.document, bare.at("siz|e >= k"))
    )
    assert isinstance(defined, types.Location)
    assert (defined.range.start.line, bare.text_in(defined.range)) == (1, "size")
    for include, lines in ((True, [1, 2]), (False, [2])):
        context = types.ReferenceContext(include)
        params = types.ReferenceParams(context, bare.document, bare.at("AS |size"))
        found = await bare.client.text_document_references_async(params)
        assert [each.range.start.line for each in found or ()] == lines
    params = types.DocumentHighlightParams(bare.document, bare.at("AS |size"))
    assert len(await bare.client.text_document_document_highlight_async(params) or ()) == 2


async def test_a_parameter_is_defined_in_the_settings(editor: Editor) -> None:
    editor.open(POLICY)
    found = await editor.client.text_document_definition_async(
        types.DefinitionParams(editor.document, editor.at("size >= |k"))
    )
    assert isinstance(found, types.Location)
    assert found.uri == (editor.folder / "acompass.toml").as_uri()
    assert (found.range.start.line, found.range.start.character) == (2, 11)


async def _rename(editor: Editor, place: str, new: str) -> dict[str, Any]:
    params = types.RenameParams(editor.document, editor.at(place), new)
    edit = await editor.client.text_document_rename_async(params)
    assert edit is not None
    changes = edit.document_changes or ()
    return {each.text_document.uri: each.edits for each in changes if isinstance(each, types.TextDocumentEdit)}


async def test_an_as_name_is_renamed(bare: Editor) -> None:
    bare.open(POLICY)
    prepared = await bare.client.text_document_prepare_rename_async(
        types.PrepareRenameParams(bare.document, bare.at("siz|e >= k"))
    )
    assert isinstance(prepared, types.PrepareRenamePlaceholder)
    assert (prepared.placeholder, bare.text_in(prepared.range)) == ("size", "size")
    changes = await _rename(bare, "siz|e >= k", "Class Size")
    assert bare.apply(changes[bare.uri]) == POLICY.replace("size", "Class Size")


async def test_a_parameter_is_renamed_in_the_settings_too(editor: Editor) -> None:
    editor.open(POLICY)
    changes = await _rename(editor, "size >= |k", "smallest")
    assert editor.apply(changes[editor.uri]) == POLICY.replace(">= k", ">= smallest")
    [edit] = changes[(editor.folder / "acompass.toml").as_uri()]
    assert (edit.new_text, edit.range.start.line, edit.range.start.character) == ("smallest", 2, 11)
    assert edit.range.end.character == 12


async def test_a_column_cannot_be_renamed(bare: Editor) -> None:
    bare.open(POLICY)
    params = types.PrepareRenameParams(bare.document, bare.at("EACH RESULT : A|ge"))
    assert await bare.client.text_document_prepare_rename_async(params) is None
    with pytest.raises(JsonRpcException, match="only AS names and parameters can be renamed"):
        await _rename(bare, "EACH RESULT : A|ge", "Years")
    with pytest.raises(JsonRpcException, match="already a name here"):
        await _rename(bare, "AS |size", "zip")


async def test_a_policy_that_is_not_open_has_no_answers(connection: Connection, tmp_path: Any) -> None:
    editor = Editor(connection, tmp_path)
    params = types.HoverParams(editor.document, types.Position(0, 0))
    assert await editor.client.text_document_hover_async(params) is None


async def test_a_file_that_is_not_a_policy_is_ignored(bare: Editor) -> None:
    """Some editors start the server for every file type."""
    bare.path = bare.folder / "notes.txt"
    item = types.TextDocumentItem(bare.uri, "plaintext", 1, "not a policy")
    bare.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    params = types.DocumentSymbolParams(bare.document)
    assert await bare.client.text_document_document_symbol_async(params) is None
    assert (bare.uri, 1) not in bare.connection.published
