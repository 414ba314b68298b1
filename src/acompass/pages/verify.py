"""Compare a report with its own certificate, and the certificate with files."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from acompass.diagnostics import CallError, Diagnostic
from acompass.pages.certify import hash_hierarchies, hash_policy, hash_table
from acompass.policy import Policy, load
from acompass.report.certificate import FileHash, certificate_in, document_hash


@dataclass(frozen=True, slots=True)
class VerifiedPart:
    """Whether one part of a certificate matches its file."""

    what: str
    matches: bool


def verify(path: str, policy: str | None, before: str | None, after: str | None) -> list[VerifiedPart]:
    """Compare the page with its own certificate, and the certificate with each file that is not None."""
    page, written = _read(path)
    found = [VerifiedPart("report", written.get("document") == document_hash(page))]
    if policy is not None:
        found.extend(_verify_policy(load(policy), written))
    for what, table in (("input", before), ("output", after)):
        if table is not None:
            found.append(
                VerifiedPart(what, _hashes(written.get(what)) == _hashes_of_files(hash_table(table)))
            )
    return found


def _verify_policy(policy: Policy, written: dict[str, Any]) -> Iterator[VerifiedPart]:
    """The policy's text and, in the order in which it names them, its hierarchies."""
    yield VerifiedPart("policy", _hash_of(written.get("policy")) == hash_policy(policy).sha256)
    certified = _hashes(written.get("hierarchies"))
    for index, file in enumerate(hash_hierarchies(policy)):
        yield VerifiedPart(f"hierarchy {file.name}", certified[index : index + 1] == [file.sha256])


def _read(path: str) -> tuple[str, dict[str, Any]]:
    try:
        with open(path, encoding="utf-8") as file:
            page = file.read()
    except (OSError, UnicodeDecodeError):
        raise _not_a_report(path) from None
    written = certificate_in(page)
    if written is None:
        raise _not_a_report(path)
    return page, written


def _hash_of(written: Any) -> str | None:
    return written.get("sha256") if isinstance(written, dict) else None


def _hashes(written: Any) -> list[str | None]:
    """The hashes in a list of the certificate, in its order, which is that of the files."""
    return [_hash_of(each) for each in written] if isinstance(written, list) else []


def _hashes_of_files(files: Sequence[FileHash] | None) -> list[str | None]:
    return [file.sha256 for file in files or ()]


def _not_a_report(path: str) -> CallError:
    help_ = "give an unmodified page that `--report` wrote"
    return CallError([Diagnostic("AC707", f"`{path}` is not a report", help=help_)])
