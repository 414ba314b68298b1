"""The columns of the table that an assertion reads."""

from acompass.checked.effects import columns_aggregated, comparisons, filter_in, process_in
from acompass.checked.program import Assertion
from acompass.syntax.tree import Function

#: the functions whose value has the type of the column
_OF_VALUES = (Function.SUM, Function.MIN, Function.MAX)


def columns_of(assertion: Assertion) -> frozenset[int]:
    """All columns that an assertion reads."""
    process = process_in(assertion)
    if process is None:
        return columns_with_type(assertion)
    return columns_with_type(assertion) | columns_aggregated(process) | frozenset(process.group_by)


def columns_with_type(assertion: Assertion) -> frozenset[int]:
    """The columns whose types matter to an assertion: it compares them, or aggregates their values."""
    selected = filter_in(assertion)
    found = set() if selected is None else {each.column for each in comparisons(selected)}
    seen = {each.column for each in comparisons(assertion.condition)}
    process = process_in(assertion)
    if process is None:
        return frozenset(found | seen)
    found.update(column for at, column in enumerate(process.group_by) if at in seen)
    values = (each.column for each in process.aggregates if each.function in _OF_VALUES)
    return frozenset(found.union(column for column in values if column is not None))
