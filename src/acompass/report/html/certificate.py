"""The certificate for readers; the page also embeds it as JSON."""

from collections.abc import Iterator, Sequence

from acompass.report.certificate import EMPTY_BLOCK, Certificate, FileHash, Reader
from acompass.report.html.elements import Html, about, row, section, table, tag

_READERS: dict[Reader, str] = {
    "receiver": "whoever receives the table",
    "curator": "the curator of the table before",
}


def certificate_section(certificate: Certificate) -> Html:
    introduction = about(
        "The hashes identify the files that this page describes. Verify them with ",
        tag("code", "acompass verify-report"),
        ". They are not a signature: anyone who can edit the page can also replace its certificate.",
    )
    files = table("Files", ("file", "name", "bytes", "SHA-256"), _files(certificate))
    facts = [row(name, value) for name, value in _facts(certificate)]
    made_with = table("Made with", ("property", "value"), facts)
    return section("Certificate", "certificate-title", introduction, files, made_with, Html(EMPTY_BLOCK))


def _files(certificate: Certificate) -> Iterator[Html]:
    yield from _file("policy", None if certificate.policy is None else [certificate.policy])
    yield from _file("hierarchy", certificate.hierarchies)
    yield from _file("input", certificate.input)
    yield from _file("output", certificate.output)
    for what, name in certificate.tables.items():
        yield row(what, tag("span", name), "", f"a table in {certificate.versions['engine']}")


def _file(what: str, files: Sequence[FileHash] | None) -> Iterator[Html]:
    for file in files or ():
        digest = tag("code", file.sha256, class_="hash")
        yield row(what, tag("span", file.name), f"{file.bytes:,}", digest)


def _facts(certificate: Certificate) -> Iterator[tuple[str, str]]:
    yield "made", certificate.made
    yield "command", f"acompass {certificate.command}"
    yield "for", _READERS[certificate.reader]
    yield from certificate.versions.items()
    for name, value in certificate.parameters.items():
        yield f"parameter {name}", value
    for format_ in certificate.dates:
        yield "dates", format_
