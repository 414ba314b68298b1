"""The policy that the linter's rules inspect: syntax tree for spans, checked program for meaning, provers for facts."""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TypeAlias

from acompass.errors.diagnostics import Diagnostic, Fix, Label, Severity, delete, insert, offer
from acompass.language.program.effects import changes, columns_written
from acompass.language.program.program import Assertion, Program
from acompass.language.text import tree
from acompass.language.text.walk import steps, steps_of
from acompass.prove.rules.reachability import Transition
from acompass.prove.search.claims import assertion_columns, check_steps
from acompass.prove.search.prover import Prover, Provers
from acompass.prove.search.verdicts import Reasons

#: whether a column of the table contains one of the texts
Occurs: TypeAlias = Callable[[str, Sequence[str]], bool]


class InspectedPolicy:
    """Numbers requirements from 0, like the prover's steps. `occurs` is None without a table; the types of the columns
    `inferred` follow from the policy alone."""

    def __init__(
        self,
        policy: tree.Program,
        program: Program,
        occurs: Occurs | None = None,
        inferred: frozenset[int] = frozenset(),
    ):
        self._steps = steps(policy)
        self._wholes = [whole for whole in policy.requirements for _ in steps_of(whole)]
        self.comments = policy.comments
        self.program = program
        self.occurs = occurs
        self.inferred = inferred
        self._reasons: dict[Prover, Reasons] = {}

    @cached_property
    def _provers(self) -> Provers:
        return Provers(self.program, ())

    @cached_property
    def provers_with_checks(self) -> Provers:
        """Provers restricted to the tables on which every check holds."""
        known = check_steps(self.program)
        return Provers(self.program, (), known) if known else self._provers

    @cached_property
    def prover(self) -> Prover:
        """Answers questions about conditions and actions; it may know nothing about the possible records."""
        return self._provers.for_columns(frozenset())

    def prover_for(self, assertion: Assertion) -> Prover:
        return self._provers.for_assertion(assertion)

    def reasons_for(self, assertion: Assertion) -> Reasons:
        prover = self.prover_for(assertion)
        return self._reasons.setdefault(prover, Reasons(prover))

    @cached_property
    def transitions(self) -> list[Transition]:
        """One transition per requirement, from a prover that knows the columns the requirement reads and writes."""
        columns = [
            assertion_columns(requirement.assertion) | columns_written([requirement])
            for requirement in self.program.requirements
        ]
        return [self._provers.for_columns(own).reachability.transitions[at] for at, own in enumerate(columns)]

    def holds_at_the_end(self, at: int) -> bool:
        """Whether the assertion is proved for the final table, or for the last table that has its columns."""
        assertion = self.program.requirements[at].assertion
        prover = self.prover_for(assertion)
        last = next(step for step in range(prover.last, -1, -1) if prover.fits(assertion, at, step))
        return prover.attempt(assertion, last).is_proof

    def holds_later(self, at: int) -> bool:
        """Whether a later line, such as REJECT at the end of a cascade, provably makes the assertion true.
        Lines after that one may break it again."""
        assertion = self.program.requirements[at].assertion
        prover = self.prover_for(assertion)
        return any(
            prover.fits(assertion, at, step) and prover.attempt(assertion, step).is_proof
            for step in range(at + 2, prover.last + 1)
            if self._may_establish(step - 1, assertion)
        )

    def _may_establish(self, at: int, assertion: Assertion) -> bool:
        """Whether a requirement can make an assertion true: it removes records, or writes a column that the assertion
        reads."""
        action = self.program.requirements[at].action
        return changes(action, assertion_columns(assertion))

    def line(self, at: int) -> int:
        return self.program.requirements[at].line

    def finding(
        self, code: str, message: str, at: int, help_: str, also: Iterable[Label] = (), fixes: tuple[Fix, ...] = ()
    ) -> Diagnostic:
        labels = (Label(self._steps[at].span), *also)
        return Diagnostic(code, message, labels, help_, Severity.WARNING, fixes)

    def removal(self, at: int) -> tuple[Fix, ...]:
        """A fix that is only offered: a requirement without effect is more often wrong than superfluous.
        There is none for a step of a THEN: if it has no effect, the steps after it have none either."""
        return offer("remove the requirement", delete(self._wholes[at].span)) if self._is_alone(at) else ()

    def is_first_step(self, at: int) -> bool:
        """False for the later steps of a THEN, which repeat the assertion."""
        return at == 0 or self._wholes[at] is not self._wholes[at - 1]

    def _is_alone(self, at: int) -> bool:
        """Whether the requirement has a single step."""
        return self._steps[at] is self._wholes[at]

    def move_below(self, at: int, target: int | None) -> tuple[Fix, ...]:
        """A fix that moves the requirement. There is none for a step of a THEN, because the order of steps matters."""
        if target is None or not self._is_alone(at):
            return ()
        moved = insert(self._wholes[target].span.end, f"\n{self.program.requirements[at].text};")
        return offer("move it down", delete(self._wholes[at].span), moved)

    def appended(self, title: str, text: str) -> tuple[Fix, ...]:
        """A fix that adds a requirement at the end of the policy."""
        return offer(title, insert(self._wholes[-1].span.end, f"\n{text}"))

    def label(self, at: int, text: str) -> Label:
        return Label(self._steps[at].span, text)
