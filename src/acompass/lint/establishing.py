"""AC503: actions that leave their own assertion violated."""

from collections.abc import Iterator

from acompass.checked.program import Process, Program, Quantifier, Random, Replace
from acompass.diagnostics import Diagnostic
from acompass.lint.subject import Subject
from acompass.prove.cells import NONE, Cells
from acompass.prove.effects import Effect, record_condition
from acompass.prove.prover import Prover
from acompass.prove.refute import Refuter

#: records times requirements that a counterexample may cost
LABOUR = 3_000


def not_established(subject: Subject) -> Iterator[Diagnostic]:
    for at, effect in enumerate(subject.effects):
        action = effect.requirement.action
        if (
            isinstance(action, Replace | Random)
            and _can_be_asked_again(effect)
            and _leaves_it(subject, at, effect)
        ):
            name = effect.requirement.after[action.column].name
            message = f"what this requirement writes into `{name}` does not make its assertion true"
            yield subject.finding("AC503", message, at, "write a value that satisfies it, or use REJECT")


def _can_be_asked_again(effect: Effect) -> bool:
    return effect.requirement.before == effect.requirement.after and effect.may is not NONE


def _leaves_it(subject: Subject, at: int, effect: Effect) -> bool:
    assertion = effect.requirement.assertion
    if isinstance(assertion.result, Process):
        return assertion.quantifier is Quantifier.EACH and _leaves_classes(subject, at, effect)
    diagrams = subject.prover.levels.diagrams
    scope, condition = record_condition(subject.prover.levels, at, assertion)
    written = _written(subject, effect)
    if assertion.quantifier is Quantifier.SOME:
        return diagrams.both(written, diagrams.both(scope, condition)) is NONE
    return diagrams.both(written, diagrams.minus(scope, condition)) is not NONE


def _written(subject: Subject, effect: Effect) -> Cells:
    """What the affected records are afterwards."""
    action = effect.requirement.action
    assert isinstance(action, Replace | Random)
    level = subject.prover.levels.column(effect.step + 1, action.column)
    mask = subject.prover.effects.written(effect.step, action)
    return subject.prover.levels.diagrams.assigned(effect.may, level, mask)


def _leaves_classes(subject: Subject, at: int, effect: Effect) -> bool:
    """Not proved after it, and refuted of the requirement alone."""
    assertion = effect.requirement.assertion
    if subject.prover.argue(assertion, at + 1).is_proof:
        return False
    alone = Program(effect.requirement.before, (effect.requirement,), frozenset())
    (witness,) = Refuter(Prover(alone, (assertion,)), LABOUR).refute([assertion])
    return witness is not None
