"""Render findings as JUnit XML, which CI services show as test cases: one suite for the policy, with a case for each
requirement, claim or finding."""

from typing import Any
from xml.etree import ElementTree as Xml

from acompass.report.document import Context
from acompass.report.findings import Finding, Report, find_all


def findings_to_junit(answer: Any, context: Context) -> str:
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
