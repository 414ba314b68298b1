"""Facts: what holds of every class of a table at a step of the policy."""

from dataclasses import dataclass

from acompass.checked.program import Assertion, Process
from acompass.prove.cells import ALL, Cells
from acompass.prove.levels import Levels
from acompass.syntax.tree import Function


@dataclass(frozen=True, slots=True)
class Fact:
    """EACH PROCESS function(column) WHERE where GROUP BY groups : allowed, of the table at `step`.

    `allowed` is over the groups' levels and that of the aggregate's value.
    """

    step: int
    function: Function
    column: int | None
    where: Cells
    groups: frozenset[int]
    allowed: Cells


def fact_of(levels: Levels, step: int, assertion: Assertion) -> Fact:
    query = assertion.result
    assert isinstance(query, Process)
    where = ALL
    if query.where is not None:
        where = levels.condition(query.where, lambda column: levels.column(step, column))
    measure = levels.measure(step, query.function, query.column)

    def level_at(position: int) -> int:
        return measure if position == len(query.group_by) else levels.column(step, query.group_by[position])

    allowed = levels.condition(assertion.condition, level_at)
    return Fact(step, query.function, query.column, where, frozenset(query.group_by), allowed)
