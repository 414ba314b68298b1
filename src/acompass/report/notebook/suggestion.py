"""A suggestion as its policy and tables of what it does."""

from collections.abc import Iterator

from acompass.report.html.elements import Html, tag
from acompass.report.notebook.elements import code, display, paragraphs, table
from acompass.report.rows import suggestion as rows
from acompass.suggestion import Suggestion


def suggestion_html(suggestion: Suggestion) -> str:
    return display(*_parts(suggestion))


def _parts(suggestion: Suggestion) -> Iterator[Html]:
    yield tag("pre", code(suggestion.text), style="background:none;color:inherit")
    yield table("Levels of each column", rows.columns_rows(suggestion))
    yield table("Steps", rows.steps_rows(suggestion))
    if suggestion.curve:
        yield table("Least loss by number of lines", rows.curve_rows(suggestion.curve))
    yield paragraphs(rows.summary(suggestion))
