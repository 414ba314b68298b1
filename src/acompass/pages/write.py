"""Write the report page of a run, a check or a measurement."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

from acompass.diagnostics import CallError, Diagnostic
from acompass.pages.gather import page_contents
from acompass.pages.request import ReportRequest
from acompass.policy import Policy
from acompass.report.certificate import Reader
from acompass.report.html.page import page_html
from acompass.tables.errors import no_folder
from acompass.tables.output import is_same_file
from acompass.tables.replacing import replacing
from acompass.tables.source import matching

_Path: TypeAlias = str | os.PathLike[str]

_STREAM = "-"


def require_files(
    report: _Path | None,
    internal: _Path | None,
    tables: Sequence[Any],
    output: Any = None,
    policy: Policy | None = None,
) -> None:
    """Raise before anything runs if a page cannot be written or would overwrite a table, the policy, one of
    its hierarchies or the other page. The policy's name is a file's name only if it comes from a file."""
    if _STREAM in [table for table in tables if isinstance(table, str)]:
        raise _needs_files("standard input")
    if isinstance(output, str) and output == _STREAM:
        raise _needs_files("standard output")
    for path in (report, internal):
        if path is not None:
            _require_place(os.fspath(path), (*tables, output), policy)
    if report is not None and internal is not None and _is_one_page(os.fspath(report), os.fspath(internal)):
        raise _overwrites("other report", os.fspath(report))


def _require_place(path: str, tables: Sequence[Any], policy: Policy | None) -> None:
    place = os.path.realpath(path)
    if not os.path.isdir(os.path.dirname(place)):
        raise no_folder(str(Path(path).parent))
    for table in tables:
        if isinstance(table, str | os.PathLike) and _is_one_of(place, os.fspath(table)):
            raise _overwrites("table", path)
    if policy is not None:
        _require_other_files(place, path, policy)


def _is_one_page(report: str, internal: str) -> bool:
    return os.path.realpath(report) == os.path.realpath(internal) or is_same_file(report, internal)


def _require_other_files(place: str, path: str, policy: Policy) -> None:
    if is_same_file(place, policy.name):
        raise _overwrites("policy", path)
    if any(is_same_file(place, str(each)) for each in policy.hierarchies):
        raise _overwrites("hierarchy", path)


def _is_one_of(place: str, table: str) -> bool:
    return os.path.realpath(table) == place or any(is_same_file(place, each) for each in matching(table))


def _needs_files(found: str) -> CallError:
    help_ = "name a file, or omit `--report`"
    return CallError([Diagnostic("AC706", f"a report needs files, found {found}", help=help_)])


def _overwrites(found: str, path: str) -> CallError:
    help_ = "choose another file: `--report report.html`"
    return CallError([Diagnostic("AC708", f"the report would overwrite the {found} `{path}`", help=help_)])


def write_reports(report: _Path | None, internal: _Path | None, request: ReportRequest) -> None:
    """Both pages are made before one is written."""
    readers: tuple[tuple[_Path | None, Reader], ...] = ((report, "receiver"), (internal, "curator"))
    asked = [(path, reader) for path, reader in readers if path is not None]
    pages = list(map(page_html, page_contents(request, [reader for _, reader in asked])))
    for (path, _), page in zip(asked, pages, strict=True):
        with replacing(os.fspath(path)) as part:
            Path(part).write_text(page, encoding="utf-8")
