"""A policy under inspection: its tree for spans, its checked program for meaning, its provers for facts."""

from collections.abc import Iterable
from functools import cached_property

from acompass.checked.program import Program
from acompass.diagnostics import Diagnostic, Fix, Label, Severity
from acompass.diagnostics.edits import delete, insert, offer
from acompass.prove.claims import check_steps
from acompass.prove.prover import Prover
from acompass.prove.reachability import Transition
from acompass.syntax import tree


class InspectedPolicy:
    """Requirements are numbered from 0, like the prover's steps."""

    def __init__(self, policy: tree.Program, program: Program):
        self._tree = policy
        self.program = program

    @cached_property
    def prover(self) -> Prover:
        return Prover(self.program, ())

    @cached_property
    def prover_with_checks(self) -> Prover:
        """The prover of the tables on which every check holds."""
        known = check_steps(self.program)
        return Prover(self.program, (), known) if known else self.prover

    @property
    def transitions(self) -> list[Transition]:
        return self.prover.reachability.transitions

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
        labels = (Label(self._tree.requirements[at].span), *also)
        return Diagnostic(code, message, labels, help_, Severity.WARNING, fixes)

    def removal(self, at: int) -> tuple[Fix, ...]:
        """An offer: a requirement without effect is more often a mistake than superfluous."""
        return offer("remove the requirement", delete(self._tree.requirements[at].span))

    def move_below(self, at: int, target: int | None) -> tuple[Fix, ...]:
        if target is None:
            return ()
        moved = insert(self._tree.requirements[target].span.end, f"\n{self.program.requirements[at].text};")
        return offer("move it down", delete(self._tree.requirements[at].span), moved)

    def label(self, at: int, text: str) -> Label:
        return Label(self._tree.requirements[at].span, text)
