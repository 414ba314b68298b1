"""Render results, proofs, comparisons and diagnostics as JUnit XML, which CI services show as test cases.

A document has one suite for the policy, with a case for each requirement, claim or finding."""

from collections.abc import Sequence
from typing import Literal, TypeAlias
from xml.etree import ElementTree as Xml

from acompass.dataclasses import dataclass
from acompass.errors.diagnostics import Diagnostic, Source
from acompass.errors.rendering import render_text
from acompass.language.text.tokens import policy_line
from acompass.prove.proof import Claim, ClaimVerdict, Proof
from acompass.reason.compare.answer import Comparison
from acompass.report.proof_rows import impact_heading, impact_lines
from acompass.report.text_answers import claim_text
from acompass.report.words import violation
from acompass.result import RequirementOutcome, Result

#: the outcome of a case that does not pass
Ending: TypeAlias = Literal["failure", "error", "skipped"]


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    ending: Ending | None = None  # the case passes if None
    type: str | None = None  # attribute of the ending
    message: str = ""  # attribute of the ending
    text: str | None = None


def result_to_junit(result: Result, policy: str) -> str:
    return junit(policy, [_requirement_case(outcome, policy) for outcome in result.requirements])


def _requirement_case(outcome: RequirementOutcome, policy: str) -> Case:
    name = f"line {outcome.line}: {policy_line(outcome.text)}"
    match outcome.holds:
        case None:
            return Case(name, "skipped", message="no verdict")
        case True:
            return Case(name)
        case False:
            text = f"{policy}:{outcome.line}\n{outcome.text}"
            return Case(name, "failure", "violated", violation(outcome), text)


def proof_to_junit(proof: Proof, policy: str) -> str:
    return junit(policy, [claim_case(claim) for claim in proof.claims])


def claim_case(claim: Claim) -> Case:
    place = "claim" if claim.line is None else f"line {claim.line}"
    name = f"{place}: {policy_line(claim.text)}"
    if claim.verdict is ClaimVerdict.PROVED:
        return Case(name)
    first, *_ = claim.reason.splitlines() or [""]
    return Case(name, "failure", claim.verdict, f"{claim.verdict}: {first}", claim_text(claim))


def comparison_to_junit(comparison: Comparison, policy: str) -> str:
    return junit(policy, [*map(claim_case, comparison.old_by_new), _release_case(comparison)])


def _release_case(comparison: Comparison) -> Case:
    name = "releases nothing that the old policy could not"
    if comparison.ok or comparison.impact.released == ():
        return Case(name)
    impact = comparison.impact
    return Case(name, "failure", "released", impact_heading(impact), "\n".join(impact_lines(impact)))


def errors_to_junit(diagnostics: Sequence[Diagnostic], policy: str) -> str:
    """A case with an error for each diagnostic of a command that failed."""
    return junit(policy, [Case(each.code, "error", each.code, each.message) for each in diagnostics])


def findings_to_junit(diagnostics: Sequence[Diagnostic], source: str, policy: str) -> str:
    """A failed case for each finding, or a case that passes if there are none."""
    return junit(policy, [_finding_case(each, source, policy) for each in diagnostics] or [Case("lint")])


def _finding_case(diagnostic: Diagnostic, source: str, policy: str) -> Case:
    places = [Source(source).position(label.span.start) for label in diagnostic.labels]
    name = f"line {places[0][0]}: {diagnostic.code}" if places else diagnostic.code
    text = render_text([diagnostic], source, policy)
    return Case(name, "failure", diagnostic.code, diagnostic.message, text)


def junit(policy: str, cases: Sequence[Case]) -> str:
    suite = Xml.Element(
        "testsuite",
        name=_replace_illegal(policy),
        tests=str(len(cases)),
        failures=str(sum(case.ending == "failure" for case in cases)),
        errors=str(sum(case.ending == "error" for case in cases)),
    )
    for case in cases:
        _add_case(suite, case, policy)
    suites = Xml.Element("testsuites")
    suites.append(suite)
    Xml.indent(suites)
    return Xml.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _add_case(suite: Xml.Element, case: Case, policy: str) -> None:
    element = Xml.SubElement(suite, "testcase", classname=_replace_illegal(policy), name=_replace_illegal(case.name))
    if case.ending is None:
        return
    attributes = {} if case.type is None else {"type": case.type}
    ending = Xml.SubElement(element, case.ending, {**attributes, "message": _replace_illegal(case.message)})
    ending.text = None if case.text is None else _replace_illegal(case.text)


def _replace_illegal(text: str) -> str:
    """Replace control characters and lone surrogates, which XML 1.0 forbids and a policy may contain."""
    return "".join(letter if _is_legal(ord(letter)) else "\ufffd" for letter in text)


def _is_legal(point: int) -> bool:
    return point in (0x9, 0xA, 0xD) or 0x20 <= point <= 0xD7FF or 0xE000 <= point <= 0xFFFD or point > 0xFFFF
