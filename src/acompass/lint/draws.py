"""AC509: a RANDOM that can draw the value it replaces (Theorem 8)."""

from collections.abc import Iterator

from acompass.checked.program import Random
from acompass.diagnostics import Diagnostic
from acompass.lint.subject import Subject


def draws_what_it_replaces(subject: Subject) -> Iterator[Diagnostic]:
    effects, levels = subject.prover.effects, subject.prover.levels
    for at, effect in enumerate(subject.effects):
        action = effect.requirement.action
        if not isinstance(action, Random):
            continue
        level = levels.column(at + 1, action.column)
        replaced = levels.diagrams.mask_of(effects.converted(at, action, effect.may), level)
        if replaced & effects.written(at, action):
            name = effect.requirement.after[action.column].name
            message = f"values of `{name}` that this requirement replaces are in the range that it draws from"
            help_ = f"take bounds that leave out the values of `{name}` that violate the assertion"
            yield subject.finding("AC509", message, at, help_)
