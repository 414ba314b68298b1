"""Write the report pages of a run, a check or a measurement, and the certificate of a policy's proved claims."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

from acompass.dataclasses import replace
from acompass.errors.diagnostics import CallError, Diagnostic, option_text
from acompass.policy import Policy
from acompass.prove.certify.certificate import Certified, Uncertified, build_certificate, certify
from acompass.prove.proof import Claim, ClaimVerdict, Proof
from acompass.prove.search.verdicts import ProvedClaim
from acompass.report.page.certificate import Reader
from acompass.report.page.content import ReportRequest, page_contents, report_settings
from acompass.report.page.layout import page_html
from acompass.tables.errors import no_folder
from acompass.tables.output import is_same_file, replace_file
from acompass.tables.source import find_paths

_Path: TypeAlias = str | os.PathLike[str]

_STREAM = "-"


def require_files(
    report: _Path | None,
    internal: _Path | None,
    tables: Sequence[Any],
    output: Any = None,
    policy: Policy | None = None,
) -> None:
    """Raise, before anything runs, if a page cannot be written or would overwrite another file of the call, or if the
    settings for its front page are wrong."""
    report_settings(policy)
    if _STREAM in [table for table in tables if isinstance(table, str)]:
        raise _no_file_error("standard input")
    if isinstance(output, str) and output == _STREAM:
        raise _no_file_error("standard output")
    for path in (report, internal):
        if path is not None:
            _require_place(os.fspath(path), (*tables, output), policy)
    if report is not None and internal is not None and _is_same_page(os.fspath(report), os.fspath(internal)):
        raise _overwrite_error("other report", os.fspath(report))


def _require_place(path: str, tables: Sequence[Any], policy: Policy | None) -> None:
    place = os.path.realpath(path)
    if not os.path.isdir(os.path.dirname(place)):
        raise no_folder(str(Path(path).parent))
    for table in tables:
        if isinstance(table, str | os.PathLike) and _is_part_of(place, os.fspath(table)):
            raise _overwrite_error("table", path)
    if policy is None:
        return
    if is_same_file(place, policy.name):
        raise _overwrite_error("policy", path)
    for what, files in (("hierarchy", policy.hierarchies), ("reference table", policy.references)):
        if any(is_same_file(place, str(each)) for each in files):
            raise _overwrite_error(what, path)


def _is_same_page(report: str, internal: str) -> bool:
    return os.path.realpath(report) == os.path.realpath(internal) or is_same_file(report, internal)


def _is_part_of(place: str, table: str) -> bool:
    return os.path.realpath(table) == place or any(is_same_file(place, each) for each in find_paths(table))


def _no_file_error(found: str) -> CallError:
    help_ = f"name a file, or omit `{option_text('report')}`"
    return CallError([Diagnostic("AC706", f"a report needs files, found {found}", help=help_)])


def _overwrite_error(found: str, path: str) -> CallError:
    help_ = f"choose another file: `{option_text('report', 'report.html')}`"
    return CallError([Diagnostic("AC708", f"the report would overwrite the {found} `{path}`", help=help_)])


def write_reports(report: _Path | None, internal: _Path | None, request: ReportRequest) -> None:
    """Render both pages before writing one of them."""
    readers: tuple[tuple[_Path | None, Reader], ...] = ((report, "receiver"), (internal, "curator"))
    requested = [(path, reader) for path, reader in readers if path is not None]
    pages = list(map(page_html, page_contents(request, [reader for _, reader in requested])))
    for (path, _), page in zip(requested, pages, strict=True):
        with replace_file(os.fspath(path)) as part:
            Path(part).write_text(page, encoding="utf-8")


class CertificateFile:
    """The file for a policy's certificate; without a path, nothing is written."""

    def __init__(self, path: str | os.PathLike[str] | None, policy: Policy, table: Any):
        """Raise, before anything is proved, if the certificate would overwrite an input."""
        self._path = path
        self._text = policy.text
        self._proved: list[ProvedClaim] = []
        tables = [table] if isinstance(table, str | os.PathLike) else []
        for file in (policy.name, *policy.files, *tables):
            self._require_other(file)

    def _require_other(self, file: str | os.PathLike[str]) -> None:
        if self._path is not None and is_same_file(os.path.realpath(self._path), os.fspath(file)):
            message = f"the certificate would overwrite `{os.fspath(self._path)}`"
            help_ = f"choose another file: `{option_text('certificate', 'certificate.json')}`"
            raise CallError([Diagnostic("AC708", message, help=help_)])

    def add(self, proved: ProvedClaim) -> None:
        self._proved.append(proved)

    def write(self, proof: Proof) -> Proof:
        """Write the certificate, and return the proof with each proved claim marked as certified or not."""
        if self._path is None:
            return proof
        outcomes = {each.claim: certify(each) for each in self._proved}
        certified = [each for each in outcomes.values() if isinstance(each, Certified)]
        content = build_certificate(self._text, self._proved, certified)
        with replace_file(os.fspath(self._path)) as part:
            Path(part).write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        claims = (_mark_claim(each, outcomes) if each.verdict is ClaimVerdict.PROVED else each for each in proof.claims)
        return replace(proof, claims=tuple(claims))


def _mark_claim(claim: Claim, outcomes: dict[Claim, Certified | Uncertified]) -> Claim:
    match outcomes.get(claim):
        case None:
            return replace(claim, is_certified=False, uncertified="only assertions have certificates")
        case Certified():
            return replace(claim, is_certified=True)
        case Uncertified(_, reason):
            return replace(claim, is_certified=False, uncertified=reason)
