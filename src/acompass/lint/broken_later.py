"""AC504 and AC505: an assertion that holds after its requirement and that a later line breaks."""

from collections.abc import Iterator

from acompass.checked.effects import is_always, process_of
from acompass.checked.program import Assertion, Quantifier
from acompass.diagnostics import Diagnostic
from acompass.lint.inspected_policy import InspectedPolicy
from acompass.prove.effort import Exhausted
from acompass.prove.provers import Provers
from acompass.prove.reasons import Reasons
from acompass.prove.refute import Refuter

#: records times requirements that the search for counterexamples may cost
BUDGET = 60_000
#: the most findings of this kind in one policy, about classes and about records
MAX_OF_CLASSES = 20
MAX_OF_RECORDS = 500


def broken_later(policy: InspectedPolicy) -> Iterator[Diagnostic]:
    """Reports only assertions that fail on a replayed table."""
    provers = policy.provers_with_checks
    for prover, candidates in provers.by_prover(_candidates(policy, provers)).items():
        refuter = Refuter(prover, BUDGET)
        refuted = refuter.is_refuted(list(candidates.values()))
        reasons = Reasons(prover)
        for at in [at for at, is_refuted in zip(candidates, refuted, strict=True) if is_refuted]:
            attempt = prover.attempt(candidates[at], prover.last)
            yield _finding(policy, at, reasons.breaker(candidates[at], attempt))
        if refuter.exhausted:
            raise Exhausted(refuter.exhausted)


def _candidates(policy: InspectedPolicy, provers: Provers) -> dict[int, Assertion]:
    """The assertions that are proved right after their requirement and not at the end of the policy."""
    found: dict[int, Assertion] = {}
    left = {True: MAX_OF_CLASSES, False: MAX_OF_RECORDS}
    for at, requirement in enumerate(policy.program.requirements[:-1]):
        assertion, is_about_classes = requirement.assertion, process_of(requirement) is not None
        prover = provers.of(assertion)
        if (
            assertion.quantifier is Quantifier.EACH
            and not is_always(requirement)
            and prover.fits(assertion, at, prover.last)
            and left[is_about_classes]
            and not prover.attempt(assertion, prover.last).is_proof
            and prover.attempt(assertion, at + 1).is_proof
        ):
            found[at] = assertion
            left[is_about_classes] -= 1
    return found


def _finding(policy: InspectedPolicy, at: int, breaker: int | None) -> Diagnostic:
    is_check = policy.program.requirements[at].action is None
    code = "AC505" if is_check else "AC504"
    by = "a later line" if breaker is None else f"line {policy.line(breaker)}"
    what = "this check" if is_check else "the assertion of this requirement"
    message = f"{what} may no longer hold after {by}"
    also = () if breaker is None else (policy.label(breaker, "this can break it"),)
    return policy.finding(code, message, at, f"move it below {by}", also, policy.move_below(at, breaker))
