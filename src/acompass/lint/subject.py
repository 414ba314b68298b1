"""A policy under inspection: its tree for places, its checked form for meaning, its effects for truth."""

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

from acompass.checked.program import Program, Quantifier, Reject, Requirement
from acompass.diagnostics import Diagnostic, Fix, Label, Severity
from acompass.diagnostics.edits import delete, insert, offer
from acompass.prove.effects import Effect
from acompass.prove.prover import Prover
from acompass.syntax import tree


class Subject:
    """Requirements are counted from 0 here, as the prover's steps."""

    def __init__(self, policy: tree.Program, program: Program):
        self.policy = policy
        self.program = program

    @cached_property
    def prover(self) -> Prover:
        return Prover(self.program, ())

    @cached_property
    def passing(self) -> Prover:
        """Of the policy whose checks all pass: a REJECT in the place of each leaves such a table as it is."""
        requirements = tuple(map(_assumed, self.program.requirements))
        if requirements == self.program.requirements:
            return self.prover
        return Prover(replace(self.program, requirements=requirements), ())

    @property
    def effects(self) -> list[Effect]:
        return self.prover.effects.effects

    def line(self, at: int) -> int:
        return self.program.requirements[at].line

    def finding(
        self,
        code: str,
        message: str,
        at: int,
        help_: str,
        also: Iterable[Label] = (),
        fixes: tuple[Fix, ...] = (),
    ) -> Diagnostic:
        labels = (Label(self.policy.requirements[at].span), *also)
        return Diagnostic(code, message, labels, help_, Severity.WARNING, fixes)

    def removal(self, at: int) -> tuple[Fix, ...]:
        """An offer: a requirement without effect is more often a mistake than superfluous."""
        return offer("remove the requirement", delete(self.policy.requirements[at].span))

    def move_below(self, at: int, target: int | None) -> tuple[Fix, ...]:
        if target is None:
            return ()
        moved = insert(self.policy.requirements[target].span.end, f"\n{self.program.requirements[at].text};")
        return offer("move it down", delete(self.policy.requirements[at].span), moved)

    def place(self, at: int, text: str) -> Label:
        return Label(self.policy.requirements[at].span, text)


def _assumed(requirement: Requirement) -> Requirement:
    is_check = requirement.action is None and requirement.assertion.quantifier is Quantifier.EACH
    return replace(requirement, action=Reject()) if is_check else requirement
