"""A policy under inspection: its tree for spans, its checked program for meaning, its provers for facts."""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TypeAlias

from acompass.checked.effects import column_written, drops_records
from acompass.checked.program import Assertion, Program, Requirement
from acompass.diagnostics import Diagnostic, Fix, Label, Severity
from acompass.diagnostics.edits import delete, insert, offer
from acompass.prove.claims import check_steps
from acompass.prove.columns import columns_of
from acompass.prove.prover import Prover
from acompass.prove.provers import Provers
from acompass.prove.reachability import Transition
from acompass.prove.reasons import Reasons
from acompass.syntax import tree
from acompass.syntax.walk import steps, steps_of

#: whether a column of the table has one of the texts
Occurs: TypeAlias = Callable[[str, Sequence[str]], bool]


class InspectedPolicy:
    """Requirements are numbered from 0, like the prover's steps. `occurs` is None without a table."""

    def __init__(self, policy: tree.Program, program: Program, occurs: Occurs | None = None):
        self._steps = steps(policy)
        self._wholes = [whole for whole in policy.requirements for _ in steps_of(whole)]
        self.program = program
        self.occurs = occurs
        self._reasons: dict[Prover, Reasons] = {}

    @cached_property
    def _provers(self) -> Provers:
        return Provers(self.program, ())

    @cached_property
    def provers_with_checks(self) -> Provers:
        """The provers of the tables on which every check holds."""
        known = check_steps(self.program)
        return Provers(self.program, (), known) if known else self._provers

    @cached_property
    def prover(self) -> Prover:
        """For questions about conditions and actions. It may know nothing of the possible records."""
        return self._provers.of_columns(frozenset())

    def prover_of(self, assertion: Assertion) -> Prover:
        return self._provers.of(assertion)

    def reasons_of(self, assertion: Assertion) -> Reasons:
        prover = self.prover_of(assertion)
        return self._reasons.setdefault(prover, Reasons(prover))

    @cached_property
    def transitions(self) -> list[Transition]:
        """Each by a prover that knows the columns that the requirement reads and writes."""
        return [self._transition(at, requirement) for at, requirement in enumerate(self.program.requirements)]

    def _transition(self, at: int, requirement: Requirement) -> Transition:
        written = column_written(requirement.action)
        columns = columns_of(requirement.assertion) | ({written} if written is not None else frozenset())
        return self._provers.of_columns(columns).reachability.transitions[at]

    def holds_at_the_end(self, at: int) -> bool:
        """Whether the final table, or the last one with its columns, is proved to satisfy the assertion."""
        assertion = self.program.requirements[at].assertion
        prover = self.prover_of(assertion)
        last = next(step for step in range(prover.last, -1, -1) if prover.fits(assertion, at, step))
        return prover.attempt(assertion, last).is_proof

    def holds_later(self, at: int) -> bool:
        """Whether a later line, such as REJECT at the end of a cascade, is proved to make the assertion true.
        Lines after it may break it again."""
        assertion = self.program.requirements[at].assertion
        prover = self.prover_of(assertion)
        return any(
            prover.fits(assertion, at, step) and prover.attempt(assertion, step).is_proof
            for step in range(at + 2, prover.last + 1)
            if self._may_establish(step - 1, assertion)
        )

    def _may_establish(self, at: int, assertion: Assertion) -> bool:
        """Whether a requirement can make an assertion true: it removes records, or writes what is read."""
        action = self.program.requirements[at].action
        return drops_records(action) or column_written(action) in columns_of(assertion)

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
        labels = (Label(self._steps[at].span), *also)
        return Diagnostic(code, message, labels, help_, Severity.WARNING, fixes)

    def removal(self, at: int) -> tuple[Fix, ...]:
        """An offer: a requirement without effect is more often a mistake than superfluous.

        None for a step of a THEN: where it is of no use, the steps after it are not either.
        """
        if not self._is_alone(at):
            return ()
        return offer("remove the requirement", delete(self._wholes[at].span))

    def is_first_step(self, at: int) -> bool:
        """False for the later steps of a THEN, which repeat the assertion."""
        return at == 0 or self._wholes[at] is not self._wholes[at - 1]

    def _is_alone(self, at: int) -> bool:
        """Whether the requirement has a single step."""
        return self._steps[at] is self._wholes[at]

    def move_below(self, at: int, target: int | None) -> tuple[Fix, ...]:
        """None for a step of a THEN, whose place among the others has a meaning."""
        if target is None or not self._is_alone(at):
            return ()
        moved = insert(self._wholes[target].span.end, f"\n{self.program.requirements[at].text};")
        return offer("move it down", delete(self._wholes[at].span), moved)

    def label(self, at: int, text: str) -> Label:
        return Label(self._steps[at].span, text)
