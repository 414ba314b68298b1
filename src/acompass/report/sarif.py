"""A check as SARIF 2.1.0: one result per violated requirement, at its line in the policy."""

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from acompass.diagnostics import Diagnostic
from acompass.report.words import violation
from acompass.result import RequirementOutcome, Result
from acompass.version import __version__

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_VIOLATED = "requirement-violated"


def to_sarif(result: Result, policy: str) -> dict[str, Any]:
    rule = {"id": _VIOLATED, "shortDescription": {"text": "a requirement of the policy is violated"}}
    violated = [outcome for outcome in result.requirements if not outcome.holds]
    return _log([rule], [_violation(outcome, policy) for outcome in violated])


def errors_to_sarif(diagnostics: Sequence[Diagnostic], source: str | None, policy: str) -> dict[str, Any]:
    """A check that could not be performed: one result per diagnostic."""
    from acompass.diagnostics.codes import CODES

    codes = sorted({diagnostic.code for diagnostic in diagnostics})
    rules = [{"id": code, "shortDescription": {"text": CODES.get(code, code)}} for code in codes]
    return _log(rules, [_error(diagnostic, source, policy) for diagnostic in diagnostics])


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


def _error(diagnostic: Diagnostic, source: str | None, policy: str) -> dict[str, Any]:
    line = 1 if source is None else _line_of(diagnostic, source)
    return {
        "ruleId": diagnostic.code,
        "level": str(diagnostic.severity),
        "message": {"text": diagnostic.message},
        "locations": [_location(policy, line)],
    }


def _line_of(diagnostic: Diagnostic, source: str) -> int:
    return source.count("\n", 0, diagnostic.labels[0].span.start) + 1 if diagnostic.labels else 1


def _location(policy: str, line: int) -> dict[str, Any]:
    path = PurePath(policy)
    uri = path.as_uri() if path.is_absolute() else quote(path.as_posix(), errors="surrogateescape")
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": line}}}
