"""Diagnostics as SARIF: the findings of `lint`, or errors in place of a result."""

from collections.abc import Sequence
from typing import Any

from acompass.diagnostics import Diagnostic, Edit, Fix, Span
from acompass.diagnostics.pages import how_to_see
from acompass.diagnostics.source import Source
from acompass.report.sarif.document import artifact, log, result, rule


def diagnostics_to_sarif(
    diagnostics: Sequence[Diagnostic], source: str | None, policy: str
) -> dict[str, Any]:
    """One result per diagnostic, with its fixes as edits, and one rule per code."""
    from acompass.diagnostics.codes import CODES

    codes = sorted({diagnostic.code for diagnostic in diagnostics})
    rules = [
        rule(code, CODES.get(code, code), f"`{how_to_see(code)}` prints a page with an example and its fix.")
        for code in codes
    ]
    text = None if source is None else Source(source)
    return log(rules, [_result(diagnostic, text, policy) for diagnostic in diagnostics])


def _result(diagnostic: Diagnostic, source: Source | None, policy: str) -> dict[str, Any]:
    region, fixes = {"startLine": 1}, []
    if source is not None and diagnostic.labels:
        region = _region(diagnostic.labels[0].span, source)
        fixes = [_fix(fix, source, policy) for fix in diagnostic.fixes]
    found = result(diagnostic.code, str(diagnostic.severity), _message(diagnostic), policy, region)
    return {**found, "fixes": fixes} if fixes else found


def _message(diagnostic: Diagnostic) -> str:
    return diagnostic.message if diagnostic.help is None else f"{diagnostic.message}\nhelp: {diagnostic.help}"


def _fix(fix: Fix, source: Source, policy: str) -> dict[str, Any]:
    change = {
        "artifactLocation": artifact(policy),
        "replacements": [_replacement(edit, source) for edit in fix.edits],
    }
    return {"description": {"text": fix.title}, "artifactChanges": [change]}


def _replacement(edit: Edit, source: Source) -> dict[str, Any]:
    return {"deletedRegion": _region(edit.span, source), "insertedContent": {"text": edit.text}}


def _region(span: Span, source: Source) -> dict[str, int]:
    span = source.clamp(span)
    line, column = source.position(span.start)
    end_line, end_column = source.position(span.end)
    return {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}
