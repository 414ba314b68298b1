"""Every request, about any text and at any position, is answered or rejected and never fails."""

import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from lsprotocol import types

from acompass.assist.document import Document
from acompass.assist.lsp.open_documents import Mistakes, OpenDocument, OpenDocuments, Tables
from acompass.assist.lsp.server import ANSWERS, COMMANDS
from acompass.assist.lsp.view import Client, View, protocol_diagnostics
from acompass.errors.diagnostics import AcompassError
from tests.assist.lsp.editor import modern_capabilities
from tests.repo.sources import ROOT
from tests.text.fuzz_texts import texts
from tests.waiting import PATIENCE

TABLE = (ROOT / "examples/electricity/table.csv").read_text("utf-8")
SETTINGS = '[policy."release.acp"]\ntable = "people.csv"\nparams = { k = 2, l = 1, unused = "x" }\n'
CLIENT = Client(modern_capabilities(), types.PositionEncodingKind.Utf16)


class Faults:
    """Publishes diagnostics as the server does, and collects failures."""

    def __init__(self) -> None:
        self.found_faults: list[BaseException] = []

    def show_mistakes(self, opened: OpenDocument, mistakes: Mistakes) -> None:
        protocol_diagnostics(View(opened, CLIENT), mistakes)

    def show_verdicts(self, opened: OpenDocument) -> None:
        pass

    def show_failure(self, error: BaseException) -> None:
        self.found_faults.append(error)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.slow
def test_every_request_about_every_text_is_answered(seed: int, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "acompass.toml").write_text(SETTINGS, encoding="utf-8")
    tables, faults, source = Tables(), Faults(), random.Random(seed)
    documents = OpenDocuments(tables, faults)
    try:
        for version, text in enumerate(texts(seed, 40)):
            documents.put("policy", version, Document(text, str(tmp_path / "release.acp")))
            opened = documents.get("policy")
            assert opened is not None
            opened.judged.result(PATIENCE)
            _ask_everything(opened, source)
    finally:
        documents.clear()
        tables.close()
    assert faults.found_faults == []


def _ask_everything(opened: OpenDocument, source: random.Random) -> None:
    view = View(opened, CLIENT)
    for method, (answer, _) in ANSWERS.items():
        for params in _requests(view, source):
            try:
                answer(view, params)
            except AcompassError:
                assert method == types.TEXT_DOCUMENT_RENAME, "only a rename may be rejected"
    for command in COMMANDS.values():
        with suppress(AcompassError):
            command(opened, None)


def _requests(view: View, source: random.Random) -> Iterator[Any]:
    """Parameters at three random positions, with every field that any method reads."""
    for _ in range(3):
        position = view.positions.position(source.randint(0, len(view.document.text)))
        only = [types.CodeActionKind.QuickFix, types.CodeActionKind.SourceFixAll]
        context = SimpleNamespace(include_declaration=False, only=only, diagnostics=[])
        whole = types.Range(types.Position(0, 0), types.Position(9999, 0))
        yield SimpleNamespace(position=position, range=whole, context=context, new_name="size")
