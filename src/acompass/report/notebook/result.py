"""A result as a table of its requirements."""

from collections.abc import Iterator

from acompass.report.html.elements import Html
from acompass.report.notebook.elements import code, display, paragraphs, table
from acompass.report.words import UNNAMED, affected_of, note_text, records_in_and_out, verdict
from acompass.result import Result


def result_html(result: Result) -> str:
    return display(*result_parts(result, records_in_and_out(result)))


def result_parts(result: Result, caption: str) -> tuple[Html, ...]:
    return table(caption, _rows(result)), paragraphs(_remarks(result))


def _rows(result: Result) -> Iterator[tuple[str, ...]]:
    yield "line", "requirement", "verdict", "affected", "action"
    for each in result.requirements:
        yield str(each.line), code(each.text), verdict(each), affected_of(each), each.action or ""


def _remarks(result: Result) -> Iterator[str]:
    yield from (f"Note: {note_text(note)}" for note in result.notes)
    if result.unnamed:
        yield f"{UNNAMED.capitalize()}: {', '.join(result.unnamed)}"
