"""The certificate as people read it; the same is in the page as JSON."""

from collections.abc import Iterator, Sequence

from acompass.report.html.certificate import Certificate, FileHash
from acompass.report.html.elements import Html, joined, row, section, table, tag

#: filled in once the rest of the page is known
EMPTY_BLOCK = Html('<script type="application/json" id="certificate"></script>')


def certificate_section(certificate: Certificate) -> Html:
    about = joined(
        [
            "The hashes say which files this page is about. Check them with ",
            tag("code", "acompass verify-report"),
            ". They are no signature: whoever can write the page can write another.",
        ]
    )
    files = table("Files", ("file", "name", "bytes", "SHA-256"), _files(certificate))
    facts = table("Made with", ("what", "value"), [row(name, value) for name, value in _facts(certificate)])
    return section(
        "Certificate", "certificate-title", tag("p", about, class_="about"), files, facts, EMPTY_BLOCK
    )


def _files(certificate: Certificate) -> Iterator[Html]:
    yield from _file("policy", None if certificate.policy is None else [certificate.policy])
    yield from _file("input", certificate.input)
    yield from _file("output", certificate.output)


def _file(what: str, files: Sequence[FileHash] | None) -> Iterator[Html]:
    for file in files or ():
        digest = tag("code", file.sha256, class_="hash")
        yield row(what, tag("span", file.name), f"{file.bytes:,}", digest)


def _facts(certificate: Certificate) -> Iterator[tuple[str, str]]:
    yield "made", certificate.made
    yield "command", f"acompass {certificate.command}"
    yield from certificate.versions.items()
    for name, value in certificate.parameters.items():
        yield f"parameter {name}", value
