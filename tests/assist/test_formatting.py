"""Formatting is edits of lines, which give the canonical text."""

import pytest

from acompass.assist.document import Document
from acompass.assist.formatting import format_edits
from acompass.diagnostics.fixing import apply_edits
from acompass.syntax.format import format_program
from tests.assist.people import POLICY

TEXT = "-- why\neach result : Age<=80:reject;\n\n\nALWAYS : DROP Name;\nALWAYS:DROP  Zip;"


@pytest.mark.parametrize("text", [TEXT, TEXT.replace("\n", "\r\n"), POLICY.replace("   ", " "), "  -- alone"])
def test_the_edits_give_the_canonical_text(text: str) -> None:
    edits = format_edits(Document(text))
    assert edits
    assert apply_edits(text, edits) == format_program(text)


def test_lines_that_are_canonical_stay() -> None:
    edits = format_edits(Document(TEXT))
    touched = "".join(TEXT[edit.span.start : edit.span.end] for edit in edits)
    assert "-- why" not in touched
    assert "DROP Name" not in touched


@pytest.mark.parametrize("text", [POLICY, "", "EACH RESULT : ", "EACH RESULT : Age<=80;\nEACH;"])
def test_nothing_to_do(text: str) -> None:
    assert format_edits(Document(text)) == ()
