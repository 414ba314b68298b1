"""Render findings as SARIF 2.1.0, for code hosts to show at lines of a policy."""

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from acompass.errors.diagnostics import Edit, Fix, Source, Span
from acompass.report.document import STREAM, Context
from acompass.report.findings import Place, Report, find_all
from acompass.version import __version__

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def findings_to_sarif(answer: Any, context: Context) -> dict[str, Any]:
    """One result for each requirement, claim or diagnostic that fails, with its fixes as edits."""
    reports = find_all(answer, context)
    rules = {
        each.id: rule(each.id, each.description, each.help, each.link) for report in reports for each in report.rules
    }
    places = [(report, finding.place) for report in reports for finding in report.findings if finding.place is not None]
    return log([*rules.values()], [_result(report, place) for report, place in places])


def _result(report: Report, place: Place) -> dict[str, Any]:
    file = report.file if report.file == STREAM else report.source_file or report.file
    region, fixes = {"startLine": place.line}, []
    if report.source is not None and place.diagnostic is not None and place.diagnostic.labels:
        region = _region(place.diagnostic.labels[0].span, report.source)
        fixes = [_fix(fix, report.source, file) for fix in place.diagnostic.fixes]
    found = result(place.rule.id, place.rule.level, place.message, file, region)
    return {**found, "fixes": fixes} if fixes else found


def _fix(fix: Fix, source: Source, file: str) -> dict[str, Any]:
    change = {"artifactLocation": artifact(file), "replacements": [_replacement(edit, source) for edit in fix.edits]}
    return {"description": {"text": fix.title}, "artifactChanges": [change]}


def _replacement(edit: Edit, source: Source) -> dict[str, Any]:
    return {"deletedRegion": _region(edit.span, source), "insertedContent": {"text": edit.text}}


def _region(span: Span, source: Source) -> dict[str, int]:
    span = source.clamp(span)
    line, column = source.position(span.start)
    end_line, end_column = source.position(span.end)
    return {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}


def log(rules: Sequence[dict[str, Any]], results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    driver = {"name": "acompass", "version": __version__, "rules": list(rules)}
    run = {"tool": {"driver": driver}, "results": list(results), "columnKind": "unicodeCodePoints"}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def rule(identifier: str, description: str, help_: str, link: str | None = None) -> dict[str, Any]:
    found = {"id": identifier, "shortDescription": {"text": description}, "help": {"text": help_}}
    return found if link is None else {**found, "helpUri": link}


def result(rule_id: str, level: str, message: str, policy: str, region: dict[str, int]) -> dict[str, Any]:
    place = {"artifactLocation": artifact(policy), "region": region}
    return {
        "ruleId": rule_id,
        "level": level,
        "message": {"text": message},
        "locations": [{"physicalLocation": place}],
    }


def artifact(policy: str) -> dict[str, str]:
    path = PurePath(policy)
    uri = path.as_uri() if path.is_absolute() else quote(path.as_posix(), errors="surrogateescape")
    return {"uri": uri}
