"""Short ways to write edits and fixes."""

from acompass.diagnostics.diagnostic import Edit, Fix, Span


def insert(offset: int, text: str) -> Edit:
    return Edit(Span(offset, offset), text)


def replace(span: Span, text: str) -> Edit:
    return Edit(span, text)


def delete(span: Span) -> Edit:
    return Edit(span, "")


def safe(title: str, *edits: Edit) -> tuple[Fix, ...]:
    """The only possible reading of the text."""
    return (Fix(title, edits, is_safe=True),)


def offer(title: str, *edits: Edit) -> tuple[Fix, ...]:
    """One of several readings."""
    return (Fix(title, edits),)
