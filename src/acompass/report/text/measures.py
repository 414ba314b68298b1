"""Measures as text, in aligned columns."""

from collections.abc import Iterator

from acompass.measures import Loss, Measures
from acompass.report.rows import measures as rows
from acompass.report.rows.quasi_identifiers import quasi_identifier_rows
from acompass.report.rows.sampling import sampling_heading, sampling_rows
from acompass.report.text.columns import numbers_aligned


def measures_text(measures: Measures) -> str:
    sections = [f"{rows.heading(measures)}\n", _aligned(rows.class_rows(measures.classes))]
    sections += [_aligned(rows.size_rows(measures.classes)), _aligned(rows.risk_rows(measures))]
    if measures.sampling is not None:
        sections += [f"{sampling_heading(measures.sampling)}\n", _aligned(sampling_rows(measures.sampling))]
    if len(measures.by_quasi_identifier) > 1:
        sections.append(_aligned(quasi_identifier_rows(measures.by_quasi_identifier)))
    if measures.sensitive:
        sections.append(_aligned(rows.sensitive_rows(measures.sensitive)))
    if measures.comparison is not None:
        sections += [f"{rows.change_heading(measures.comparison)}\n"]
        sections += [_aligned(rows.change_rows(measures.comparison))]
        sections += ["".join(f"{line}\n" for line in rows.unshared(measures.comparison))]
    if measures.loss is not None:
        sections += [f"loss {measures.loss.total:.4f}\n", _losses(measures.loss)]
    return "\n".join(section for section in sections if section)


def _losses(loss: Loss) -> str:
    """The words about levels are aligned to the left."""
    *numbers, levels = zip(*rows.loss_rows(loss), strict=True)
    lines = zip(numbers_aligned(list(zip(*numbers, strict=True))), levels, strict=True)
    return "".join(f"{number}  {words}\n" for number, words in lines)


def _aligned(lines: Iterator[rows.Row]) -> str:
    return "".join(f"{line}\n" for line in numbers_aligned(list(lines)))
