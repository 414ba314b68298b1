"""Write the report page of a run, a check or a measurement."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from acompass.diagnostics import CallError, Diagnostic
from acompass.pages.gather import page_content
from acompass.pages.request import ReportRequest
from acompass.policy import Policy
from acompass.report.html.page import page_html
from acompass.tables.errors import no_folder
from acompass.tables.output import is_same_file
from acompass.tables.replacing import replacing
from acompass.tables.source import matching

_STREAM = "-"


def require_files(
    path: str | os.PathLike[str], tables: Sequence[Any], output: Any = None, policy: Policy | None = None
) -> None:
    """Raise before anything runs if the report cannot be written or would overwrite a table, the policy or
    one of its hierarchies. The policy's name is a file's name only if it comes from a file."""
    if _STREAM in [table for table in tables if isinstance(table, str)]:
        raise _needs_files("standard input")
    if isinstance(output, str) and output == _STREAM:
        raise _needs_files("standard output")
    place = os.path.realpath(path)
    if not os.path.isdir(os.path.dirname(place)):
        raise no_folder(str(Path(path).parent))
    for table in (*tables, output):
        if isinstance(table, str | os.PathLike) and _is_one_of(place, os.fspath(table)):
            raise _overwrites("table", os.fspath(path))
    if policy is not None:
        _require_other_files(place, os.fspath(path), policy)


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


def write_report(path: str | os.PathLike[str], request: ReportRequest) -> None:
    page = page_html(page_content(request))
    with replacing(os.fspath(path)) as part:
        Path(part).write_text(page, encoding="utf-8")
