"""A check as JUnit XML: one test case per requirement, with a failure if it is violated."""

from collections.abc import Sequence
from xml.etree import ElementTree as Xml

from acompass.diagnostics import Diagnostic
from acompass.report.words import policy_line, violation
from acompass.result import RequirementOutcome, Result


def to_junit(result: Result, policy: str) -> str:
    suite = _suite(policy, tests=len(result.requirements), failures=_violated(result), errors=0)
    for outcome in result.requirements:
        _add_case(suite, outcome, policy)
    return _document(suite)


def errors_to_junit(diagnostics: Sequence[Diagnostic], policy: str) -> str:
    """A check that could not be performed: one case with an error per diagnostic."""
    suite = _suite(policy, tests=len(diagnostics), failures=0, errors=len(diagnostics))
    for diagnostic in diagnostics:
        case = Xml.SubElement(suite, "testcase", classname=_legal(policy), name=diagnostic.code)
        Xml.SubElement(case, "error", type=diagnostic.code, message=_legal(diagnostic.message))
    return _document(suite)


def _violated(result: Result) -> int:
    return sum(outcome.is_violated for outcome in result.requirements)


def _suite(policy: str, **counts: int) -> Xml.Element:
    numbers = {key: str(count) for key, count in counts.items()}
    return Xml.Element("testsuite", {"name": _legal(policy), **numbers})


def _add_case(suite: Xml.Element, outcome: RequirementOutcome, policy: str) -> None:
    name = f"line {outcome.line}: {policy_line(outcome.text)}"
    case = Xml.SubElement(suite, "testcase", classname=_legal(policy), name=_legal(name))
    if outcome.holds is None:
        Xml.SubElement(case, "skipped", message="no verdict")
    if outcome.is_violated:
        failure = Xml.SubElement(case, "failure", type="violated", message=violation(outcome))
        failure.text = _legal(f"{policy}:{outcome.line}\n{outcome.text}")


def _document(suite: Xml.Element) -> str:
    suites = Xml.Element("testsuites")
    suites.append(suite)
    Xml.indent(suites)
    return Xml.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _legal(text: str) -> str:
    """Replace control characters and lone surrogates, which XML 1.0 forbids and a policy may contain."""
    return "".join(letter if _is_legal(ord(letter)) else "\ufffd" for letter in text)


def _is_legal(point: int) -> bool:
    return point in (0x9, 0xA, 0xD) or 0x20 <= point <= 0xD7FF or 0xE000 <= point <= 0xFFFD or point > 0xFFFF
