"""Backward rules for what chance decides: which records a coin hits (X5), which class a drawn value joins.

docs/prove.md, section 6. A coin may miss every record, so the fact must hold before it; the rules add what
keeps it, whichever records are hit.
"""

from dataclasses import replace
from typing import assert_never

from acompass.checked.effects import plain_of
from acompass.checked.program import Draw, Drop, Generalize, Random, Reject, Replace
from acompass.prove.blocked import Blocked
from acompass.prove.decision_diagram import EMPTY, Diagram
from acompass.prove.facts import Fact
from acompass.prove.preimages import Preimages
from acompass.prove.reachability import Reachability, Transition


class ChanceRules:
    def __init__(self, reachability: Reachability, preimages: Preimages):
        self._reachability = reachability
        self._preimages = preimages
        self._laws = reachability.laws
        self._diagrams = reachability.laws.diagrams

    def before_coin(self, fact: Fact, transition: Transition) -> Fact:
        """The fact before an action that is performed with a probability. Raises Blocked."""
        plain = plain_of(transition.requirement.action)
        match plain:
            case Reject():
                earlier = replace(fact, step=transition.step)
                return self._cut(earlier, transition, transition.affects)
            case Replace(column) | Random(column) | Draw(column) | Generalize(column):
                return self._before_coin_write(fact, transition, column)
            case None | Drop():
                raise AssertionError("no coin is tossed for it")
            case _:
                assert_never(plain)

    def _before_coin_write(self, fact: Fact, transition: Transition, column: int) -> Fact:
        self._preimages.refuse_conversion(fact, transition, column)
        if column in fact.groups:
            earlier = self.before_scattering(fact, transition, column, transition.affects)
            return self._cut(earlier, transition, transition.affects)
        if column == fact.column:
            return self._revalued(fact, transition, column)
        return self._reselected(fact, transition, column)

    def _cut(self, fact: Fact, transition: Transition, lost: Diagram) -> Fact:
        """Rule of the coin: a class may lose any of the records in `lost`."""
        if not self._laws.is_kept_without(fact, lost, transition.care):
            raise Blocked("a coin decides which records of a class are left")
        return fact

    def _reselected(self, fact: Fact, transition: Transition, column: int) -> Fact:
        """Rule of the coin for a WHERE: the class is part of all records that it could select."""
        diagrams = self._diagrams
        stays = self._preimages.unwritten(fact.where, transition, column)
        comes = diagrams.intersection(transition.affects, self._preimages.written(fact.where, transition))
        earlier = replace(fact, step=transition.step, where=diagrams.union(stays, comes))
        leaves = diagrams.intersection(transition.affects, self._leaving(fact, transition))
        lost = diagrams.union(leaves, diagrams.difference(comes, stays))
        return self._cut(earlier, transition, lost)

    def _leaving(self, fact: Fact, transition: Transition) -> Diagram:
        """The records that the WHERE can miss once they are hit."""
        return self._preimages.written(self._diagrams.complement(fact.where), transition)

    def _revalued(self, fact: Fact, transition: Transition, column: int) -> Fact:
        """Rule of the coin for the aggregated column: part of a class, together with records that are hit."""
        diagrams, aggregates = self._diagrams, self._laws.aggregates
        stays = self._preimages.unwritten(fact.where, transition, column)
        earlier = replace(fact, step=transition.step, where=stays)
        affected = diagrams.intersection(transition.affects, transition.care)
        hit = diagrams.intersection(affected, self._preimages.written(fact.where, transition))
        if hit is not EMPTY:
            new = aggregates.of_values(fact, self._reachability.written(transition))
            keys = diagrams.project(hit, self._laws.key_variables(earlier))
            if not self._laws.is_kept_with(earlier, keys, new, transition.care):
                raise Blocked("a coin decides which values of a class are rewritten")
        return self._cut(
            earlier, transition, diagrams.intersection(affected, self._leaving(fact, transition))
        )

    def before_scattering(self, fact: Fact, transition: Transition, column: int, affected: Diagram) -> Fact:
        """Rule of the scattered class: whatever happens where rewritten records can land is allowed, and
        elsewhere a class has only records that stay."""
        diagrams = self._diagrams
        rewritten = self._reachability.rewrite(transition, diagrams.intersection(affected, transition.care))
        landing = diagrams.project(
            diagrams.intersection(rewritten, fact.where), self._laws.key_variables(fact)
        )
        landed = replace(fact, where=diagrams.intersection(fact.where, landing))
        if not self._laws.follows(landed, self._reachability.care[fact.step]):
            raise Blocked("chance decides which class a record joins")
        elsewhere = diagrams.difference(fact.where, landing)
        return replace(
            fact,
            step=transition.step,
            where=self._preimages.unwritten(elsewhere, transition, column),
            allowed=self._preimages.unwritten(fact.allowed, transition, column),
        )
