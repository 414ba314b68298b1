"""Facts: statements about every class of the table at a step of the policy."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from acompass.checked.effects import process_in
from acompass.checked.program import Aggregate, Assertion, Process
from acompass.prove.clauses import Clause, clauses
from acompass.prove.decision_diagram import ALL, Diagram, Variable
from acompass.prove.variables import Variables
from acompass.syntax.tree import Function


@dataclass(frozen=True, slots=True)
class Fact:
    """EACH PROCESS function(column) WHERE where GROUP BY groups : allowed, of the table at `step`.

    `allowed` is over the variables of the groups and of the aggregate's value.
    """

    step: int
    function: Function
    column: int | None
    where: Diagram
    groups: frozenset[int]
    allowed: Diagram


#: a function and its column: aggregates with the same ones are equal, whatever their names
Measure: TypeAlias = tuple[Function, int | None]

#: a class satisfies it exactly if it satisfies one of the facts; None where that cannot be said by facts
Alternatives: TypeAlias = tuple[Fact, ...] | None


@dataclass(frozen=True, slots=True)
class ClassAssertion:
    """An assertion about classes: a class satisfies it if it satisfies each of `parts`."""

    where: Diagram
    groups: frozenset[int]
    parts: tuple[Alternatives, ...]

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The facts that an EACH of the assertion states, and perhaps more."""
        return tuple(part[0] for part in self.parts if part is not None and len(part) == 1)

    @property
    def mixed(self) -> tuple[tuple[Fact, ...], ...]:
        """The parts with several alternatives."""
        return tuple(part for part in self.parts if part is not None and len(part) > 1)


def class_assertion(variables: Variables, step: int, assertion: Assertion) -> ClassAssertion | None:
    """The assertion's result and condition as facts; None if it is about records."""
    query = process_in(assertion)
    if query is None:
        return None
    where = ALL
    if query.where is not None:
        where = variables.condition(query.where, lambda column: variables.column(step, column))
    groups = frozenset(query.group_by)
    writer = _Writer(variables, step, query, where, groups)
    return ClassAssertion(where, groups, writer.parts(assertion))


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes the condition after PROCESS as facts about one aggregate each."""

    variables: Variables
    step: int
    query: Process
    where: Diagram
    groups: frozenset[int]

    def parts(self, assertion: Assertion) -> tuple[Alternatives, ...]:
        measures = dict.fromkeys(map(_measure, self.query.aggregates))
        if len(measures) == 1:
            (measure,) = measures
            allowed = self.variables.condition(assertion.condition, self._seen(measure))
            return ((self._fact(measure, allowed),),)
        found = clauses(assertion.condition)
        return (None,) if found is None else self._several(found)

    def _several(self, found: Iterable[Clause]) -> tuple[Alternatives, ...]:
        """Clauses about the same aggregate make one fact. A clause about several has several alternatives."""
        diagrams = self.variables.diagrams
        single: dict[Measure, Diagram] = {}
        mixed: list[Alternatives] = []
        for clause in found:
            measures = self._measures(clause)
            if len(measures) > 1:
                mixed.append(tuple(self._fact(each, self._allowed(clause, each)) for each in measures))
                continue
            measure = measures[0] if measures else _measure(self.query.aggregates[0])
            allowed = diagrams.intersection(single.get(measure, ALL), self._allowed(clause, measure))
            single[measure] = allowed
        return (*((self._fact(*each),) for each in single.items()), *mixed)

    def _measures(self, clause: Clause) -> list[Measure]:
        first = len(self.query.group_by)
        positions = {literal.comparison.column for literal in clause}
        compared = (each for at, each in enumerate(self.query.aggregates, first) if at in positions)
        return list(dict.fromkeys(map(_measure, compared)))

    def _allowed(self, clause: Clause, measure: Measure) -> Diagram:
        """The classes that satisfy the clause by their key or by the aggregate."""
        first = len(self.query.group_by)
        own = [at for at, each in enumerate(self.query.aggregates, first) if _measure(each) == measure]
        literals = [each for each in clause if each.comparison.column in (*range(first), *own)]
        seen = self._seen(measure)
        return self.variables.diagrams.union_of(
            self.variables.condition(literal.condition, seen) for literal in literals
        )

    def _seen(self, measure: Measure) -> Callable[[int], Variable]:
        """The variables at the positions that the condition sees; it names no other aggregate than this."""
        keys = [self.variables.column(self.step, column) for column in self.query.group_by]
        own = self.variables.aggregate(self.step, *measure)
        return lambda position: keys[position] if position < len(keys) else own

    def _fact(self, measure: Measure, allowed: Diagram) -> Fact:
        return Fact(self.step, *measure, self.where, self.groups, allowed)


def _measure(aggregate: Aggregate) -> Measure:
    return aggregate.function, aggregate.column
