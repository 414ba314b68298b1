"""Measures as tables."""

from collections.abc import Iterator

from acompass.measures import Comparison, Loss, Measures
from acompass.report.html.elements import Html
from acompass.report.notebook.elements import display, paragraphs, table
from acompass.report.rows import measures as rows
from acompass.report.rows.quasi_identifiers import quasi_identifier_rows
from acompass.report.rows.sampling import sampling_heading, sampling_rows


def measures_html(measures: Measures) -> str:
    return display(*_parts(measures))


def _parts(measures: Measures) -> Iterator[Html]:
    yield table(rows.heading(measures), [("measure", "value"), *rows.class_rows(measures.classes)])
    yield table("Classes and their records, by class size", rows.size_rows(measures.classes))
    yield table("Risk", rows.risk_rows(measures))
    if measures.sampling is not None:
        yield table(sampling_heading(measures.sampling).capitalize(), sampling_rows(measures.sampling))
    if len(measures.by_quasi_identifier) > 1:
        yield table("Risk by quasi-identifier", quasi_identifier_rows(measures.by_quasi_identifier))
    if measures.sensitive:
        yield table("Sensitive columns", rows.sensitive_rows(measures.sensitive))
    if measures.comparison is not None:
        yield from _comparison(measures.comparison)
    if measures.loss is not None:
        yield _loss(measures.loss)


def _comparison(comparison: Comparison) -> Iterator[Html]:
    yield table(rows.change_heading(comparison).capitalize(), rows.change_rows(comparison))
    yield paragraphs(rows.unshared(comparison))


def _loss(loss: Loss) -> Html:
    return table(f"Loss {loss.total:.4f}", rows.loss_rows(loss))
