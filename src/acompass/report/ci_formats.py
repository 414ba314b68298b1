"""Render findings for CI services: as JUnit XML, which they show as test cases, and as SARIF 2.1.0, which code hosts
show at lines of a policy."""

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree as Xml

from acompass.errors.diagnostics import Edit, Fix, Source, Span
from acompass.report.document import STREAM, Context
from acompass.report.findings import Finding, Place, Report, find_all
from acompass.version import __version__

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def findings_to_junit(answer: Any, context: Context) -> str:
    """One suite for each policy, with a case for each requirement, claim or finding."""
    suites = Xml.Element("testsuites")
    suites.extend(map(_suite, find_all(answer, context)))
    Xml.indent(suites)
    return Xml.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _suite(report: Report) -> Xml.Element:
    endings = [finding.ending for finding in report.findings]
    suite = Xml.Element(
        "testsuite",
        name=_replace_illegal(report.file),
        tests=str(len(endings)),
        failures=str(endings.count("failure")),
        errors=str(endings.count("error")),
    )
    for finding in report.findings:
        _add_case(suite, finding, report.file)
    return suite


def _add_case(suite: Xml.Element, finding: Finding, file: str) -> None:
    element = Xml.SubElement(suite, "testcase", classname=_replace_illegal(file), name=_replace_illegal(finding.name))
    if finding.ending is None:
        return
    attributes = {} if finding.type is None else {"type": finding.type}
    ending = Xml.SubElement(element, finding.ending, {**attributes, "message": _replace_illegal(finding.message)})
    ending.text = None if finding.details is None else _replace_illegal(finding.details)


def _replace_illegal(text: str) -> str:
    """Replace control characters and lone surrogates, which XML 1.0 forbids and a policy may contain."""
    return "".join(letter if _is_legal(ord(letter)) else "\ufffd" for letter in text)


def _is_legal(point: int) -> bool:
    return point in (0x9, 0xA, 0xD) or 0x20 <= point <= 0xD7FF or 0xE000 <= point <= 0xFFFD or point > 0xFFFF


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
