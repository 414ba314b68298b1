"""Measures as Markdown: the figures that decide first, then all of them in tables."""

from collections.abc import Iterable, Iterator, Sequence

from acompass.measures import Comparison, Loss, Measures
from acompass.report.markdown.elements import (
    Markdown,
    bullets,
    code,
    document,
    heading,
    headline,
    table,
)
from acompass.report.rows import measures as rows
from acompass.report.rows.quasi_identifiers import quasi_identifier_rows
from acompass.report.rows.sampling import sampling_heading, sampling_rows
from acompass.report.words import rounded


def measures_markdown(measures: Measures, name: str | None = None) -> str:
    return document(_blocks(measures, name))


def _blocks(measures: Measures, name: str | None) -> Iterator[Markdown]:
    (_, k), *classes = rows.class_rows(measures.classes)
    yield headline("Measures", name, k)
    yield bullets(_summary(measures))
    yield _numbers([("measure", "value"), ("k-anonymity", k), *_most_important(measures)])
    yield heading(3, "Classes")
    yield _numbers([("measure", "value"), *classes])
    yield _numbers(rows.size_rows(measures.classes))
    yield heading(3, "Risk")
    yield _numbers(rows.risk_rows(measures))
    if measures.sampling is not None:
        yield _numbers(sampling_rows(measures.sampling))
    if len(measures.by_quasi_identifier) > 1:
        yield heading(3, "Risk by quasi-identifier")
        yield _numbers(_named(quasi_identifier_rows(measures.by_quasi_identifier)))
    if measures.sensitive:
        yield heading(3, "Sensitive columns")
        header, *figures = rows.sensitive_rows(measures.sensitive)
        yield _numbers([(header[0], *map(code, header[1:])), *figures])
    if measures.comparison is not None:
        yield from _comparison(measures.comparison)
    if measures.loss is not None:
        yield from _loss(measures.loss)


def _summary(measures: Measures) -> Iterator[str]:
    yield rows.heading(measures)
    if measures.sampling is not None:
        yield sampling_heading(measures.sampling)
    if measures.comparison is not None:
        yield rows.change_heading(measures.comparison)


def _most_important(measures: Measures) -> Iterator[Sequence[str]]:
    """What is reported of a release: diversity, risk and loss."""
    for each in measures.sensitive:
        yield Markdown(f"distinct l-diversity of {code(each.column)}"), f"l = {each.distinct_l:,}"
    yield "highest risk of a record", rounded(measures.classes.prosecutor_maximum)
    if measures.journalist is not None:
        yield "highest risk in the population", rounded(measures.journalist.maximum)
    yield "average risk", rounded(measures.marketer)
    if measures.loss is not None:
        yield "loss", f"{measures.loss.total:.4f}"


def _comparison(comparison: Comparison) -> Iterator[Markdown]:
    yield heading(3, "Change")
    yield _numbers(_named(rows.change_rows(comparison)))
    yield bullets(rows.unshared(comparison))


def _loss(loss: Loss) -> Iterator[Markdown]:
    yield heading(3, f"Loss {loss.total:.4f}")
    yield table(_named(rows.loss_rows(loss)), numbers=(1,))


def _named(lines: Iterable[rows.Row]) -> Iterator[rows.Row]:
    """Rows that begin with the name of a column."""
    header, *body = lines
    yield header
    yield from ((code(name), *cells) for name, *cells in body)


def _numbers(lines: Iterable[Sequence[str]]) -> Markdown:
    """A table with a label first in each row, and numbers after it."""
    header, *body = lines
    return table([header, *body], numbers=range(1, len(header)))
