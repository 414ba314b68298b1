"""Facts that hold of every table at a step, from the lines before it (docs/prove.md, section 2)."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeAlias, assert_never

from acompass.checked.effects import drops_records, is_certain, plain_of
from acompass.checked.program import Draw, Drop, Generalize, Random, Reject, Replace, Requirement
from acompass.prove.decision_diagram import Diagram
from acompass.prove.facts import Fact
from acompass.prove.known_facts import KnownFacts
from acompass.prove.laws import Laws

Standing: TypeAlias = tuple[Fact, ...]

#: only so many facts are remembered, the last ones
MOST_STANDING = 8


class StandingFacts:
    def __init__(self, laws: Laws):
        self._laws = laws
        self._known = KnownFacts(laws)

    def satisfiable(self, fact: Fact, standing: Standing, care: Diagram) -> Diagram:
        """The keys at which the standing facts leave an aggregate that the fact allows."""
        refused = replace(fact, allowed=self._laws.diagrams.complement(fact.allowed))
        return self._known.unsettled(refused, standing, care)

    def after(
        self, requirement: Requirement, standing: Standing, established: Standing, care: Diagram
    ) -> Standing:
        """The facts that stand after a requirement; `established` are those that its assertion consists of,
        if it is known to hold afterwards."""
        left = [each for fact in standing for each in self._left(requirement, fact, care)]
        found = dict.fromkeys(replace(fact, step=fact.step + 1) for fact in (*left, *established))
        return tuple(found)[-MOST_STANDING:]

    def _left(self, requirement: Requirement, fact: Fact, care: Diagram) -> Iterator[Fact]:
        plain = plain_of(requirement.action)
        match plain:
            case None:
                yield fact
            case Reject():
                bounds = (fact, *(self._laws.halves(fact) or ()))
                yield from [each for each in bounds if self._laws.is_kept_by_parts(each, care)][:1]
            case Replace(column) | Random(column) | Draw(column) | Generalize(column):
                yield from () if column in self._laws.columns_read(fact) else (fact,)
            case Drop(columns):
                yield from (fact,) if self._laws.columns_read(fact).isdisjoint(columns) else ()
            case _:
                assert_never(plain)


def is_established(requirement: Requirement, is_known: bool) -> bool:
    """Whether the classes that violate the assertion are gone after the requirement."""
    return is_known or (drops_records(requirement.action) and is_certain(requirement.action))
