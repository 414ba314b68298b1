"""A check as JUnit: one case per requirement, with a failure if it is violated."""

from acompass.report.junit.document import Case, junit
from acompass.report.words import policy_line, violation
from acompass.result import RequirementOutcome, Result


def to_junit(result: Result, policy: str) -> str:
    return junit(policy, [_case(outcome, policy) for outcome in result.requirements])


def _case(outcome: RequirementOutcome, policy: str) -> Case:
    name = f"line {outcome.line}: {policy_line(outcome.text)}"
    match outcome.holds:
        case None:
            return Case(name, "skipped", message="no verdict")
        case True:
            return Case(name)
        case False:
            text = f"{policy}:{outcome.line}\n{outcome.text}"
            return Case(name, "failure", "violated", violation(outcome), text)
