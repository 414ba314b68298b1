"""The provers of a policy: a single one if it costs little, or else one for the columns of each claim.

Where lines for one column read many others, the exact set of possible records can be too large. Claims about
few columns seldom need it: a prover for these columns forgets the others after each line. It has more records
than are possible, so what it proves is true.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TypeVar

from acompass.checked.program import Assertion, Program
from acompass.prove.columns import columns_of
from acompass.prove.effort import MOST_OPERATIONS, Budget, Exhausted, bounded, require_time
from acompass.prove.prover import Prover
from acompass.prove.variables import Variables

#: operations on diagrams for the possible records of all columns, about half a second
FEW_OPERATIONS = 60_000


Key = TypeVar("Key")


class Provers:
    """The arguments are those of a prover. Every question raises Exhausted if it costs too much."""

    def __init__(
        self,
        program: Program,
        claims: Sequence[Assertion],
        known: frozenset[int] = frozenset(),
        any_scale: frozenset[int] = frozenset(),
    ):
        self._program = program
        self._claims = tuple(claims)
        self._known = known
        self._any_scale = any_scale
        self._focused: dict[frozenset[int], Prover] = {}

    def of(self, assertion: Assertion) -> Prover:
        """The prover to ask about an assertion."""
        return self.of_columns(columns_of(assertion))

    def of_columns(self, columns: frozenset[int]) -> Prover:
        if self._whole is not None:
            return self._whole
        if columns not in self._focused:
            self._focused[columns] = self._prover(self._variables, columns)
        return self._focused[columns]

    def by_prover(self, assertions: Mapping[Key, Assertion]) -> dict[Prover, dict[Key, Assertion]]:
        """The assertions that each prover is asked about."""
        found: defaultdict[Prover, dict[Key, Assertion]] = defaultdict(dict)
        for key, assertion in assertions.items():
            found[self.of(assertion)][key] = assertion
        return found

    @cached_property
    def _whole(self) -> Prover | None:
        """The prover of all columns; None where it costs too much."""
        budget = Budget(FEW_OPERATIONS)
        try:
            prover = self._prover(self._new_variables(budget), None)
        except Exhausted:
            require_time()
            return None
        budget.add(MOST_OPERATIONS)
        return prover

    @cached_property
    def _variables(self) -> Variables:
        return self._new_variables(Budget(MOST_OPERATIONS))

    def _new_variables(self, budget: Budget) -> Variables:
        return Variables(self._program, self._claims, self._any_scale, budget)

    def _prover(self, variables: Variables, focus: frozenset[int] | None) -> Prover:
        with bounded():
            return Prover(self._program, self._claims, self._known, self._any_scale, variables, focus)
