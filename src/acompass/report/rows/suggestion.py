"""A suggestion as rows of words: the levels of each column, what each step does, and what is lost."""

from collections.abc import Iterator

from acompass.report.words import counted, on_one_line
from acompass.suggestion import CurvePoint, Suggestion


def columns_rows(suggestion: Suggestion) -> Iterator[tuple[str, str, str]]:
    yield "column", "loss", "levels"
    for name, levels in suggestion.levels.items():
        origin = "proposed from the values: " if levels.proposed else ""
        yield on_one_line(name), _loss(suggestion.per_column[name]), on_one_line(origin + levels.words)


def steps_rows(suggestion: Suggestion) -> Iterator[tuple[str, str, str]]:
    yield "records", "loss", "step"
    for step in suggestion.steps:
        where = "" if step.where is None else f"WHERE {step.where} : "
        text = ("ALWAYS : " if step.is_always else where) + step.text
        yield f"{step.affected:,}", f"+{_loss(step.loss)}", on_one_line(text)


def curve_rows(points: tuple[CurvePoint, ...]) -> Iterator[tuple[str, str, str]]:
    yield "lines", "loss", "dropped"
    for point in points:
        yield f"{point.lines:,}", _loss(point.loss), f"{point.dropped:,}"


def summary(suggestion: Suggestion) -> Iterator[str]:
    incomplete = f", {suggestion.incomplete:,} dropped as incomplete" if suggestion.incomplete else ""
    yield (
        f"{counted(suggestion.records_in, 'record')} in{incomplete}, {suggestion.dropped:,} rejected, "
        f"{suggestion.records_out:,} out, loss {_loss(suggestion.loss)}"
    )
    goal = f"k = {suggestion.k:,}"
    if suggestion.l is not None:
        goal += f" and l = {suggestion.l:,}"
    yield f"{goal}: on this table and, as `acompass prove` shows, on every other"
    if suggestion.t is not None:
        yield f"t = {suggestion.t:.4f}: measured on this table, not proved for another"


def _loss(loss: float) -> str:
    return f"{loss:.4f}"
