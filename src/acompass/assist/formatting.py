"""The edits that make a policy's text canonical."""

from difflib import SequenceMatcher

from acompass.assist.document import Document
from acompass.diagnostics import Edit, Span
from acompass.syntax.format import format_program


def format_edits(document: Document) -> tuple[Edit, ...]:
    """None if the text is canonical, or does not parse. Whole lines are replaced, so that marks and cursors
    in other lines stay."""
    if document.policy is None:
        return ()
    return line_edits(document.text, format_program(document.text))


def line_edits(before: str, after: str) -> tuple[Edit, ...]:
    """The edits of whole lines that turn one text into another."""
    old, new = _lines(before), _lines(after)
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    return tuple(
        Edit(Span(starts[first], starts[last]), "".join(new[to:end]))
        for kind, first, last, to, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        if kind != "equal"
    )


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
