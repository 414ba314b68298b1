"""A suggestion as text: the levels of each column, what each step does, and what is lost."""

from collections.abc import Iterable

from acompass.report.rows import suggestion as rows
from acompass.report.text.columns import left_aligned, numbers_aligned
from acompass.report.text.style import BOLD, PLAIN, Style
from acompass.suggestion import Suggestion


def suggestion_text(suggestion: Suggestion, style: Style = PLAIN) -> str:
    steps = _counts_aligned(rows.steps_rows(suggestion))
    tables = [left_aligned(list(rows.columns_rows(suggestion))), left_aligned(steps)]
    if suggestion.curve:
        tables.append(numbers_aligned(list(rows.curve_rows(suggestion.curve))))
    tinted = [[style.tinted(heading, BOLD), *lines] for heading, *lines in tables]
    sections = [*tinted, list(rows.summary(suggestion))]
    return "\n".join("".join(f"{line}\n" for line in lines) for lines in sections)


def _counts_aligned(steps: Iterable[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    header, *counted = steps
    width = max(len(count) for count, _, _ in counted)
    return [header, *((f"{count:>{width}}", loss, text) for count, loss, text in counted)]
