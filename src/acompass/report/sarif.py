"""A check as SARIF 2.1.0: one result per violated requirement, at its line in the policy."""

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from acompass.diagnostics import Diagnostic, Edit, Fix
from acompass.diagnostics.pages import how_to_see
from acompass.diagnostics.source import Source
from acompass.report.words import violation
from acompass.result import RequirementOutcome, Result
from acompass.version import __version__

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_VIOLATED = "requirement-violated"


def to_sarif(result: Result, policy: str) -> dict[str, Any]:
    rule = {"id": _VIOLATED, "shortDescription": {"text": "a requirement of the policy is violated"}}
    violated = [outcome for outcome in result.requirements if outcome.is_violated]
    return _log([rule], [_violation(outcome, policy) for outcome in violated])


def errors_to_sarif(diagnostics: Sequence[Diagnostic], source: str | None, policy: str) -> dict[str, Any]:
    """A check that could not be performed: one result per diagnostic."""
    from acompass.diagnostics.codes import CODES

    codes = sorted({diagnostic.code for diagnostic in diagnostics})
    rules = [
        {
            "id": code,
            "shortDescription": {"text": CODES.get(code, code)},
            "help": {"text": f"`{how_to_see(code)}` prints a page with an example and its fix."},
        }
        for code in codes
    ]
    text = None if source is None else Source(source)
    return _log(rules, [_error(diagnostic, text, policy) for diagnostic in diagnostics])


def _log(rules: list[dict[str, Any]], results: list[dict[str, Any]]) -> dict[str, Any]:
    driver = {"name": "acompass", "version": __version__, "rules": rules}
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results, "columnKind": "unicodeCodePoints"}],
    }


def _violation(outcome: RequirementOutcome, policy: str) -> dict[str, Any]:
    return {
        "ruleId": _VIOLATED,
        "level": "error",
        "message": {"text": violation(outcome)},
        "locations": [_location(policy, outcome.line)],
    }


def _error(diagnostic: Diagnostic, source: Source | None, policy: str) -> dict[str, Any]:
    line, fixes = 1, []
    if source is not None and diagnostic.labels:
        line, _ = source.position(diagnostic.labels[0].span.start)
        fixes = [_fix(fix, source, policy) for fix in diagnostic.fixes]
    error = {
        "ruleId": diagnostic.code,
        "level": str(diagnostic.severity),
        "message": {"text": diagnostic.message},
        "locations": [_location(policy, line)],
    }
    return {**error, "fixes": fixes} if fixes else error


def _fix(fix: Fix, source: Source, policy: str) -> dict[str, Any]:
    change = {
        "artifactLocation": _artifact(policy),
        "replacements": [_replacement(edit, source) for edit in fix.edits],
    }
    return {"description": {"text": fix.title}, "artifactChanges": [change]}


def _replacement(edit: Edit, source: Source) -> dict[str, Any]:
    line, column = source.position(edit.span.start)
    end_line, end_column = source.position(edit.span.end)
    region = {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}
    return {"deletedRegion": region, "insertedContent": {"text": edit.text}}


def _location(policy: str, line: int) -> dict[str, Any]:
    return {"physicalLocation": {"artifactLocation": _artifact(policy), "region": {"startLine": line}}}


def _artifact(policy: str) -> dict[str, str]:
    path = PurePath(policy)
    uri = path.as_uri() if path.is_absolute() else quote(path.as_posix(), errors="surrogateescape")
    return {"uri": uri}
