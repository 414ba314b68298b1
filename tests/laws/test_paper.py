"""`semantics` has a function for every equation of the paper and points at items of docs/paper.md."""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from acompass.semantics import assertions, model, requirements, results

PAGE = Path(__file__).parents[2] / "docs" / "paper.md"
ITEMS = re.findall(r"^(\d+)\. ", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


def _documented() -> Iterator[tuple[str, str]]:
    for module in (model, results, assertions, requirements):
        for name, each in vars(module).items():
            if inspect.getmodule(each) is module and (text := inspect.getdoc(each)):
                yield name, text


def test_every_pointer_leads_to_an_item() -> None:
    pointers = {(name, i) for name, text in _documented() for i in re.findall(r"docs/paper\.md, (\d+)", text)}
    assert len(pointers) >= 8
    assert {(name, item) for name, item in pointers if item not in ITEMS} == set()


@pytest.mark.parametrize("number", range(2, 12))
def test_every_figure_of_the_semantics_has_a_function(number: int) -> None:
    assert any(f"Figure {number}" in text for _, text in _documented())


@pytest.mark.parametrize("number", range(3, 12))
def test_every_definition_of_the_semantics_has_a_function(number: int) -> None:
    assert any(f"Definition {number}" in text for _, text in _documented())
