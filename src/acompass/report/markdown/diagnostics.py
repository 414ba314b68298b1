"""Diagnostics as Markdown: the findings of `lint`, or errors in place of an answer."""

from collections.abc import Iterator, Sequence

from acompass.diagnostics import AcompassError, Diagnostic
from acompass.diagnostics.pages import how_to_see
from acompass.diagnostics.source import Source
from acompass.report.markdown.elements import (
    Markdown,
    code,
    document,
    heading,
    headline,
    lines,
    marked,
    prose,
    table,
)
from acompass.report.words import counted


def findings_markdown(diagnostics: Sequence[Diagnostic], source: str, name: str, most: int) -> str:
    found = counted(len(diagnostics), "finding") if diagnostics else "nothing found"
    top = headline("Lint", name, found, not diagnostics)
    return document([top, *_details(diagnostics, source, most)])


def error_markdown(error: AcompassError, most: int) -> str:
    place = "" if error.name is None else f" in {code(error.name)}"
    words = Markdown(f"{counted(len(error.diagnostics), 'error')}{place}")
    return document([heading(2, marked(False, words)), *_details(error.diagnostics, error.source, most)])


def _details(diagnostics: Sequence[Diagnostic], source: str | None, most: int) -> Iterator[Markdown]:
    if not diagnostics:
        return
    text = None if source is None else Source(source)
    header = ("line", "code", "finding", "help")
    yield table([header, *(_row(each, text) for each in diagnostics[:most])], numbers=(0,))
    if len(diagnostics) > most:
        yield prose(f"and {len(diagnostics) - most:,} more")
    example = how_to_see(diagnostics[0].code)
    yield prose(f"`{example}` prints a page about a code, with an example and its fix.")


def _row(diagnostic: Diagnostic, source: Source | None) -> tuple[str, ...]:
    labels = () if source is None else diagnostic.labels
    places = [source.position(label.span.start)[0] for label in labels] if source is not None else []
    notes = [f"line {line}: {label.text}" for line, label in zip(places, labels, strict=True) if label.text]
    line = str(places[0]) if places else ""
    help_ = () if diagnostic.help is None else diagnostic.help.splitlines()
    return line, diagnostic.code, lines((diagnostic.message, *notes)), lines(help_)
