"""About every text, and at every place in it, there is an answer or a refusal, never a fault."""

import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from lsprotocol import types

from acompass.assist.document import Document
from acompass.diagnostics import AcompassError
from acompass.lsp.features import ANSWERS, COMMANDS
from acompass.lsp.findings import published
from acompass.lsp.sheets import Mistakes, Sheet, Sheets
from acompass.lsp.tables import Tables
from acompass.lsp.view import Client, View
from tests.lsp.editor import modern
from tests.repo.sources import ROOT
from tests.syntax.fuzz_texts import texts
from tests.waiting import PATIENCE

TABLE = (ROOT / "examples/electricity/table.csv").read_text("utf-8")
SETTINGS = '[policy."release.acp"]\ntable = "people.csv"\nparams = { k = 2, l = 1, unused = "x" }\n'
CLIENT = Client(modern(), types.PositionEncodingKind.Utf16)


class Faults:
    """Publishes diagnostics as the server does, and keeps what must not happen."""

    def __init__(self) -> None:
        self.found_faults: list[BaseException] = []

    def found(self, sheet: Sheet, mistakes: Mistakes) -> None:
        published(View(sheet, CLIENT), mistakes)

    def judged(self, sheet: Sheet) -> None:
        pass

    def failed(self, error: BaseException) -> None:
        self.found_faults.append(error)


@pytest.mark.parametrize("seed", range(4))
def test_every_request_about_every_text_is_answered(seed: int, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "acompass.toml").write_text(SETTINGS, encoding="utf-8")
    tables, faults, source = Tables(), Faults(), random.Random(seed)
    sheets = Sheets(tables, faults)
    try:
        for version, text in enumerate(texts(seed, 40)):
            sheets.put("policy", version, Document(text, str(tmp_path / "release.acp")))
            sheet = sheets.get("policy")
            assert sheet is not None
            sheet.judged.result(PATIENCE)
            _ask_everything(sheet, source)
    finally:
        sheets.clear()
        tables.close()
    assert faults.found_faults == []


def _ask_everything(sheet: Sheet, source: random.Random) -> None:
    view = View(sheet, CLIENT)
    for method, (answer, _) in ANSWERS.items():
        for params in _requests(view, source):
            try:
                answer(view, params)
            except AcompassError:
                assert method == types.TEXT_DOCUMENT_RENAME, "nothing else may be refused"
    for command in COMMANDS.values():
        with suppress(AcompassError):
            command(sheet, None)


def _requests(view: View, source: random.Random) -> Iterator[Any]:
    """The parameters of a request at three places, with all that any method asks for."""
    for _ in range(3):
        position = view.positions.position(source.randint(0, len(view.document.text)))
        only = [types.CodeActionKind.QuickFix, types.CodeActionKind.SourceFixAll]
        context = SimpleNamespace(include_declaration=False, only=only, diagnostics=[])
        whole = types.Range(types.Position(0, 0), types.Position(9999, 0))
        yield SimpleNamespace(position=position, range=whole, context=context, new_name="size")
