"""Facts: statements about every class of the table at a step of the policy."""

from dataclasses import dataclass

from acompass.checked.effects import process_in
from acompass.checked.program import Assertion
from acompass.prove.decision_diagram import ALL, Diagram
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


def fact_of(variables: Variables, step: int, assertion: Assertion) -> Fact | None:
    """The fact that an EACH of the assertion's result and condition states; None if it is about records."""
    query = process_in(assertion)
    if query is None:
        return None
    where = ALL
    if query.where is not None:
        where = variables.condition(query.where, lambda column: variables.column(step, column))
    aggregate = variables.aggregate(step, query.function, query.column)
    seen = (*(variables.column(step, column) for column in query.group_by), aggregate)
    allowed = variables.condition(assertion.condition, seen.__getitem__)
    return Fact(step, query.function, query.column, where, frozenset(query.group_by), allowed)
