"""AC510: a REJECT that can leave nothing of a table."""

from collections.abc import Iterator

from acompass.checked.program import Process, Quantifier, Reject
from acompass.diagnostics import Diagnostic
from acompass.lint.subject import Subject
from acompass.prove.cells import NONE
from acompass.prove.effects import Effect


def empties_the_table(subject: Subject) -> Iterator[Diagnostic]:
    for at, effect in enumerate(subject.effects):
        if (
            isinstance(effect.requirement.action, Reject)
            and effect.care is not NONE
            and _can_take_all(subject, effect)
        ):
            message = "this REJECT removes every record of a table that violates the assertion"
            yield subject.finding("AC510", message, at, _help(effect))


def _can_take_all(subject: Subject, effect: Effect) -> bool:
    if effect.may is NONE:
        return False
    assertion = effect.requirement.assertion
    if assertion.quantifier is Quantifier.SOME:
        return True
    if isinstance(assertion.result, Process):
        return not assertion.result.group_by and assertion.result.where is None
    return subject.prover.levels.diagrams.minus(effect.care, effect.must) is NONE


def _help(effect: Effect) -> str:
    if effect.requirement.assertion.quantifier is Quantifier.SOME:
        return (
            "EACH in the place of SOME removes only the records that violate it; without an action it checks"
        )
    if isinstance(effect.requirement.assertion.result, Process):
        return "add GROUP BY to remove only the classes that violate it"
    return "correct the condition, which no record satisfies"
