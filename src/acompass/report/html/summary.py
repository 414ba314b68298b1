"""The top of a page: the verdict, the parameters, and what was lost and gained."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from acompass.measures import Loss, Measures, Persons
from acompass.report.html.content import PageContent
from acompass.report.html.elements import Html, about, badge, tag
from acompass.report.html.measures import percent
from acompass.report.words import counted, persons
from acompass.result import Result

_INTERNAL = (
    " This page contains values and counts of the table before. Do not hand it out: whoever receives the "
    "table gets the page of "
)
#: the spaces do not break, so that a value stays with its parameter
_IS = "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}"


def page_header(content: PageContent, title: str) -> Html:
    figures = tag("dl", *_figures(content), class_="figures")
    return tag("header", tag("h1", title), *_warning(content), about(*_verdict(content)), figures)


def _warning(content: PageContent) -> Iterator[Html]:
    if content.is_internal:
        page = tag("code", "--report")
        yield tag("p", tag("strong", "Internal."), _INTERNAL, page, ".", class_="internal")


def _verdict(content: PageContent) -> Iterator[str]:
    result = content.result
    if result is not None and content.command == "run":
        yield badge("every check holds", "good") if result.ok else badge("a check is violated", "bad")
        if not (result.ok or content.certificate.output or "output" in content.certificate.tables):
            yield " No table was written."
    elif result is not None:
        yield badge("every requirement holds", "good") if result.ok else badge("violated", "bad")
    if content.certificate.policy is not None:
        yield f" Policy {content.certificate.policy.name}"


def _figures(content: PageContent) -> Iterator[Html]:
    result, measures = content.result, content.measures
    parameters = content.certificate.parameters
    if parameters:
        named = "parameter" if len(parameters) == 1 else "parameters"
        yield _figure(named, ", ".join(f"{name}{_IS}{value}" for name, value in parameters.items()))
    if result is not None:
        yield from _records(result)
    elif measures:
        yield _figure("records", _arrow([persons(each.records) for each in measures]))
        yield from _difference(measures)
    if content.overview is not None and content.overview.loss is not None:
        yield _loss(content.overview.loss, measures)
    if measures:
        smallest = ["none" if each.k is None else persons(each.k) for each in measures]
        yield _figure("smallest class (k)", _arrow(smallest))
        yield _figure("highest risk", _arrow([percent(each.classes.prosecutor_maximum) for each in measures]))


def _records(result: Result) -> Iterator[Html]:
    if not result.performed:
        left_out = f"{result.dropped:,} incomplete, not checked" if result.dropped else ""
        yield _figure("records", f"{result.records_in:,}", left_out)
        return
    yield _figure("records", _arrow([f"{result.records_in:,}", f"{result.records_out:,}"]))
    rejected = result.records_in - result.dropped - result.records_out
    parts = [
        f"{number:,} {what}"
        for number, what in ((rejected, "rejected"), (result.dropped, "dropped as incomplete"))
        if number
    ]
    yield _lost(result.records_in - result.records_out, result.records_in, ", ".join(parts))


def _difference(measures: Sequence[Measures]) -> Iterator[Html]:
    if len(measures) > 1:
        before, after = measures[0].records, measures[-1].records
        yield _lost(max(before - after, 0), before, "")


def _lost(lost: Persons, whole: Persons, parts: str) -> Html:
    return _figure("records lost", percent(Fraction(lost) / Fraction(whole) if whole else Fraction(0)), parts)


def _loss(loss: Loss, measures: Sequence[Measures]) -> Html:
    known = {each.column for each in loss.columns}
    unknown = [name for name in measures[-1].quasi_identifiers if name not in known]
    note = f"of {counted(len(known), 'quasi-identifier')}"
    note += f"; not measured: {', '.join(unknown)}" if unknown else ""
    return _figure("information lost", percent(Fraction(loss.total)), note)


def _arrow(values: Sequence[str]) -> str:
    return " → ".join(values)


def _figure(name: str, value: str, note: str = "") -> Html:
    details = [tag("dd", note, class_="note")] if note else []
    return tag("div", tag("dt", name), tag("dd", value), *details)
