"""AC504 and AC505: what a requirement makes true, or a check has found true, and a later line breaks."""

from collections.abc import Iterator

from acompass.checked.program import Assertion, Quantifier
from acompass.diagnostics import Diagnostic
from acompass.lint.subject import Subject
from acompass.prove.prover import Prover
from acompass.prove.reasons import Reasons
from acompass.prove.refute import Refuter

#: records times requirements that the counterexamples may cost
LABOUR = 6_000
#: findings of this kind in a policy, at the most
MOST = 20


def broken_later(subject: Subject) -> Iterator[Diagnostic]:
    """Each is replayed on a table before it is reported."""
    prover = subject.passing
    doubtful = _doubtful(subject, prover)
    witnesses = Refuter(prover, LABOUR).refute(list(doubtful.values())) if doubtful else []
    reasons = Reasons(prover)
    for at, witness in zip(doubtful, witnesses, strict=True):
        if witness is not None:
            argument = prover.argue(doubtful[at], prover.last)
            yield _finding(subject, at, reasons.breaker(doubtful[at], argument))


def _doubtful(subject: Subject, prover: Prover) -> dict[int, Assertion]:
    """Assertions that hold right after their requirement and cannot be proved of what is left."""
    found: dict[int, Assertion] = {}
    final = subject.program.final_schema
    for at, requirement in enumerate(subject.program.requirements[:-1]):
        assertion = requirement.assertion
        is_asked = (
            assertion.quantifier is Quantifier.EACH and requirement.before == final and len(found) < MOST
        )
        if (
            is_asked
            and not prover.argue(assertion, prover.last).is_proof
            and prover.argue(assertion, at + 1).is_proof
        ):
            found[at] = assertion
    return found


def _finding(subject: Subject, at: int, breaker: int | None) -> Diagnostic:
    is_check = subject.program.requirements[at].action is None
    code = "AC505" if is_check else "AC504"
    by = "a later line" if breaker is None else f"line {subject.line(breaker)}"
    what = "what this checks" if is_check else "what this requirement makes true"
    message = f"{what} need not be true any more after {by}"
    also = () if breaker is None else (subject.place(breaker, "this can break it"),)
    return subject.finding(code, message, at, f"move it below {by}", also, subject.move_below(at, breaker))
