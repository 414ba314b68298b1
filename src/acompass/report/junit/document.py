"""A JUnit document: one suite for the policy, and a case for each answer about it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias
from xml.etree import ElementTree as Xml

#: what becomes of a case that does not pass
Ending: TypeAlias = Literal["failure", "error", "skipped"]


@dataclass(frozen=True, slots=True)
class Case:
    """A case passes unless it has an `ending`, of which `type` and `message` are attributes."""

    name: str
    ending: Ending | None = None
    type: str | None = None
    message: str = ""
    text: str | None = None


def junit(policy: str, cases: Sequence[Case]) -> str:
    suite = Xml.Element(
        "testsuite",
        name=_legal(policy),
        tests=str(len(cases)),
        failures=str(_number(cases, "failure")),
        errors=str(_number(cases, "error")),
    )
    for case in cases:
        _add(suite, case, policy)
    suites = Xml.Element("testsuites")
    suites.append(suite)
    Xml.indent(suites)
    return Xml.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _number(cases: Sequence[Case], ending: Ending) -> int:
    return sum(case.ending == ending for case in cases)


def _add(suite: Xml.Element, case: Case, policy: str) -> None:
    element = Xml.SubElement(suite, "testcase", classname=_legal(policy), name=_legal(case.name))
    if case.ending is None:
        return
    attributes = {} if case.type is None else {"type": case.type}
    ending = Xml.SubElement(element, case.ending, {**attributes, "message": _legal(case.message)})
    ending.text = None if case.text is None else _legal(case.text)


def _legal(text: str) -> str:
    """Replace control characters and lone surrogates, which XML 1.0 forbids and a policy may contain."""
    return "".join(letter if _is_legal(ord(letter)) else "\ufffd" for letter in text)


def _is_legal(point: int) -> bool:
    return point in (0x9, 0xA, 0xD) or 0x20 <= point <= 0xD7FF or 0xE000 <= point <= 0xFFFD or point > 0xFFFF
