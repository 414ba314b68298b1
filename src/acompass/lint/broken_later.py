"""AC504 and AC505: an assertion that holds after its requirement and that a later line breaks."""

from collections.abc import Iterator

from acompass.checked.effects import is_always
from acompass.checked.program import Assertion, Quantifier
from acompass.diagnostics import Diagnostic
from acompass.lint.inspected_policy import InspectedPolicy
from acompass.prove.prover import Prover
from acompass.prove.reasons import Reasons
from acompass.prove.refute import Refuter

#: records times requirements that the search for counterexamples may cost
BUDGET = 6_000
#: the most findings of this kind in one policy
MAX_FINDINGS = 20


def broken_later(policy: InspectedPolicy) -> Iterator[Diagnostic]:
    """Reports only assertions that fail on a replayed table."""
    prover = policy.prover_with_checks
    candidates = _candidates(policy, prover)
    witnesses = Refuter(prover, BUDGET).refute(list(candidates.values())) if candidates else []
    reasons = Reasons(prover)
    for at, witness in zip(candidates, witnesses, strict=True):
        if witness is not None:
            attempt = prover.attempt(candidates[at], prover.last)
            yield _finding(policy, at, reasons.breaker(candidates[at], attempt))


def _candidates(policy: InspectedPolicy, prover: Prover) -> dict[int, Assertion]:
    """The assertions that are proved right after their requirement and not at the end of the policy."""
    found: dict[int, Assertion] = {}
    for at, requirement in enumerate(policy.program.requirements[:-1]):
        assertion = requirement.assertion
        if (
            assertion.quantifier is Quantifier.EACH
            and not is_always(requirement)
            and prover.fits(assertion, at, prover.last)
            and len(found) < MAX_FINDINGS
            and not prover.attempt(assertion, prover.last).is_proof
            and prover.attempt(assertion, at + 1).is_proof
        ):
            found[at] = assertion
    return found


def _finding(policy: InspectedPolicy, at: int, breaker: int | None) -> Diagnostic:
    is_check = policy.program.requirements[at].action is None
    code = "AC505" if is_check else "AC504"
    by = "a later line" if breaker is None else f"line {policy.line(breaker)}"
    what = "this check" if is_check else "the assertion of this requirement"
    message = f"{what} may no longer hold after {by}"
    also = () if breaker is None else (policy.label(breaker, "this can break it"),)
    return policy.finding(code, message, at, f"move it below {by}", also, policy.move_below(at, breaker))
