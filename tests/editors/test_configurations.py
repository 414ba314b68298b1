"""The lines that other editors need, on the page about editors and in the help of the command."""

import tomllib

import pytest

from acompass.cli.lsp import EXAMPLES
from tests.docs.pages import Block, blocks
from tests.repo.sources import ROOT

BLOCKS = blocks((ROOT / "docs" / "editors.md").read_text("utf-8"))
TOML = [block for block in BLOCKS if block.language == "toml"]


@pytest.mark.parametrize("block", TOML, ids=lambda block: block.content.splitlines()[0])
def test_toml_is_toml(block: Block) -> None:
    assert tomllib.loads(block.content)


def test_the_help_and_the_page_configure_helix_alike() -> None:
    on_page = next(tomllib.loads(block.content) for block in TOML if "[[language]]" in block.content)
    shown = tomllib.loads(EXAMPLES.partition("languages.toml:\n")[2])
    assert on_page["language-server"] == shown["language-server"]
    assert shown["language"][0].items() <= on_page["language"][0].items()


@pytest.mark.parametrize("language", ["lua", "toml", "rust", "elisp"])
def test_each_editor_starts_the_server(language: str) -> None:
    text = "".join(block.content for block in BLOCKS if block.language == language)
    assert "acompass" in text
    assert "lsp" in text
