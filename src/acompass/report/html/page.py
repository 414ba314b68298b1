"""The page, assembled from its sections."""

from collections.abc import Iterator
from importlib.resources import files

from acompass.report.certificate import Certificate, sealed
from acompass.report.html.certificate import certificate_section
from acompass.report.html.content import Command, PageContent
from acompass.report.html.distributions import columns_section
from acompass.report.html.elements import Html, tag
from acompass.report.html.loss import loss_section
from acompass.report.html.measures import classes_section, risk_section, sensitive_section
from acompass.report.html.quasi_identifiers import quasi_identifiers_section
from acompass.report.html.result import policy_section
from acompass.report.html.sampling import sampling_section
from acompass.report.html.summary import page_header
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
        page_header(content, title),
        tag("main", *_sections(content), id="report"),
        tag("footer", f"Made by acompass {__version__}. This page shows no record."),
    )
    page = f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"
    return sealed(page, content.certificate)


def _title(content: PageContent) -> str:
    kind = _TITLES[content.command]
    shown = f"Internal {kind[0].lower()}{kind[1:]}" if content.is_internal else kind
    name = _name(content.certificate)
    return shown + ("" if name is None else f": {name}")


def _name(certificate: Certificate) -> str | None:
    """The name of the output, or else of the input."""
    for hashed, what in ((certificate.output, "output"), (certificate.input, "input")):
        if hashed or what in certificate.tables:
            return hashed[0].name if hashed else certificate.tables[what]
    return None


def _sections(content: PageContent) -> Iterator[Html]:
    overview = content.overview
    if content.result is not None:
        yield policy_section(content, content.result)
    if overview is not None and overview.measures:
        yield from _measures(content)
    if overview is not None and overview.loss is not None:
        yield loss_section(overview.loss, content.is_internal)
    if overview is not None and overview.columns:
        yield columns_section(overview.columns, content.is_internal)
    yield certificate_section(content.certificate)


def _measures(content: PageContent) -> Iterator[Html]:
    measures, series = content.measures[-content.shown :], content.series[-content.shown :]
    yield classes_section(measures, series)
    yield risk_section(measures, series)
    if measures[-1].sampling is not None:
        yield sampling_section(measures, series)
    if measures[-1].by_quasi_identifier:
        yield quasi_identifiers_section(measures, series)
    if measures[-1].sensitive:
        yield sensitive_section(measures, series)
