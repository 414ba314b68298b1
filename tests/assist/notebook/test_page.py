"""The cells of the page about notebooks, run in order in a real shell."""

from IPython.core.interactiveshell import InteractiveShell

from acompass.explain.answer import Explanation
from tests.assist.notebook.conftest import Cell
from tests.docs.pages import blocks
from tests.repo.sources import ROOT

PAGE = ROOT / "docs" / "how-to" / "notebooks.md"


def test_the_cells_of_the_page_run(cell: Cell, shell: InteractiveShell) -> None:
    del shell.user_ns["people"]
    cells = [block.content for block in blocks(PAGE.read_text(encoding="utf-8")) if block.language == "ipython"]
    ran = [cell(content) for content in cells]
    assert [each.output for each in ran if not each.succeeded] == []
    assert len(ran) >= 5
    assert isinstance(ran[-1].value, Explanation)
