"""The page, assembled from its sections."""

from collections.abc import Iterator
from importlib.resources import files

from acompass.measures import Measures
from acompass.report.certificate import Certificate, sealed
from acompass.report.html.certificate import certificate_section
from acompass.report.html.content import Command, PageContent
from acompass.report.html.distributions import columns_section
from acompass.report.html.elements import Html, about, badge, tag
from acompass.report.html.measures import classes_section, percent, risk_section, sensitive_section
from acompass.report.html.proof import proof_section
from acompass.report.html.result import policy_section
from acompass.report.words import persons
from acompass.version import __version__

STYLE = files(__package__).joinpath("style.css").read_text(encoding="utf-8")

_TITLES: dict[Command, str] = {
    "run": "Release report",
    "check": "Check report",
    "measure": "Anonymity report",
}


def page_html(content: PageContent) -> str:
    title = _title(content)
    head = tag(
        "head",
        Html('<meta charset="utf-8">'),
        Html('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Html('<meta name="referrer" content="no-referrer">'),
        tag("title", title),
        tag("style", Html(STYLE)),
    )
    body = tag(
        "body",
        tag("a", "Skip to the report", href="#report", class_="skip"),
        _header(content, title),
        tag("main", *_sections(content), id="report"),
        tag("footer", f"Made by acompass {__version__}. This page shows no record."),
    )
    page = f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"
    return sealed(page, content.certificate)


def _title(content: PageContent) -> str:
    name = _name(content.certificate)
    return _TITLES[content.command] + ("" if name is None else f": {name}")


def _name(certificate: Certificate) -> str | None:
    """The name of the output, or else of the input."""
    for hashed, what in ((certificate.output, "output"), (certificate.input, "input")):
        if hashed or what in certificate.tables:
            return hashed[0].name if hashed else certificate.tables[what]
    return None


def _header(content: PageContent, title: str) -> Html:
    figures = tag("dl", *_figures(content), class_="figures")
    return tag("header", tag("h1", title), about(*_verdict(content)), figures)


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
    result, measures = content.result, _measures(content)
    if result is not None:
        yield _figure("records in", f"{result.records_in:,}")
        if result.dropped:
            yield _figure("dropped as incomplete", f"{result.dropped:,}")
        if content.command == "run":
            yield _figure("records out", f"{result.records_out:,}")
    elif measures:
        yield _figure("records", _arrow([persons(each.records) for each in measures]))
    if measures:
        smallest = ["none" if each.k is None else persons(each.k) for each in measures]
        yield _figure("smallest class", _arrow(smallest))
        yield _figure("highest risk", _arrow([percent(each.classes.prosecutor_maximum) for each in measures]))


def _arrow(values: list[str]) -> str:
    return " → ".join(values)


def _figure(name: str, value: str) -> Html:
    return tag("div", tag("dt", name), tag("dd", value))


def _measures(content: PageContent) -> tuple[Measures, ...]:
    return () if content.overview is None else content.overview.measures


def _sections(content: PageContent) -> Iterator[Html]:
    measures, series = _measures(content), content.series
    if content.result is not None:
        yield policy_section(content.result, performed=content.command == "run")
    if measures:
        yield classes_section(measures, series)
        yield risk_section(measures, series)
        if measures[-1].sensitive:
            yield sensitive_section(measures, series)
    if content.overview is not None and content.overview.columns:
        yield columns_section(content.overview.columns, series)
    if content.proof is not None:
        yield proof_section(content.proof)
    yield certificate_section(content.certificate)
