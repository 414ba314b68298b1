"""AC501 and AC502: requirements that nothing, or nothing any more, can violate."""

from collections.abc import Iterator

from acompass.checked.program import Assertion, Process, Quantifier
from acompass.diagnostics import Diagnostic
from acompass.lint.subject import Subject
from acompass.prove.cells import ALL, NONE
from acompass.prove.effects import Effect
from acompass.prove.facts import fact_of
from acompass.prove.reasons import Reasons


def never_violated(subject: Subject) -> Iterator[Diagnostic]:
    reasons = Reasons(subject.prover)
    for at, effect in enumerate(subject.effects):
        if _holds_by_itself(subject, at, effect):
            message = "no table can violate this requirement"
            fixes = subject.removal(at)
            yield subject.finding("AC501", message, at, "remove it, or correct its condition", fixes=fixes)
        elif effect.requirement.action is not None and _holds_by_now(subject, at, effect):
            yield _shadowed(subject, reasons, at)


def _holds_by_itself(subject: Subject, at: int, effect: Effect) -> bool:
    assertion = effect.requirement.assertion
    prover = subject.prover
    if assertion.quantifier is Quantifier.SOME:
        return effect.may is NONE and effect.care is not NONE
    if isinstance(assertion.result, Process):
        return prover.effects.laws.follows(fact_of(prover.levels, at, assertion), ALL)
    return prover.refused(at, assertion) is NONE


def _holds_by_now(subject: Subject, at: int, effect: Effect) -> bool:
    assertion = effect.requirement.assertion
    return assertion.quantifier is Quantifier.EACH and subject.prover.argue(assertion, at).is_proof


def _shadowed(subject: Subject, reasons: Reasons, at: int) -> Diagnostic:
    assertion = subject.program.requirements[at].assertion
    message = "this requirement is never violated: the lines before it leave nothing for it to do"
    cause = _cause(subject, reasons, assertion, at)
    also = () if cause is None else (subject.place(cause, "nothing that violates it is left after this"),)
    return subject.finding("AC502", message, at, "remove it, or move it up", also, subject.removal(at))


def _cause(subject: Subject, reasons: Reasons, assertion: Assertion, at: int) -> int | None:
    if isinstance(assertion.result, Process):
        argument = subject.prover.argue(assertion, at)
        return max(argument.passed, default=None)
    since = reasons.unchanged_since(assertion, at)
    return since - 1 if since > 0 else None
