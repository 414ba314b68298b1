"""A result as a table of its requirements."""

from collections.abc import Iterator

from acompass.report.html.elements import Html
from acompass.report.notebook.elements import code, display, paragraphs, table
from acompass.report.words import UNNAMED, affected_of, note_text, records_in_and_out, repair_word, verdict
from acompass.result import Result


def result_html(result: Result) -> str:
    return display(*result_parts(result, records_in_and_out(result), repair_word(result)))


def result_parts(result: Result, caption: str, repaired: str) -> tuple[Html, ...]:
    return table(caption, _rows(result, repaired)), paragraphs(_remarks(result))


def _rows(result: Result, repaired: str) -> Iterator[tuple[str, ...]]:
    yield "line", "requirement", "verdict", "affected", "action"
    for each in result.requirements:
        yield str(each.line), code(each.text), verdict(each, repaired), affected_of(each), each.action or ""


def _remarks(result: Result) -> Iterator[str]:
    yield from (f"Note: {note_text(note)}" for note in result.notes)
    if result.unnamed:
        yield f"{UNNAMED.capitalize()}: {', '.join(result.unnamed)}"
