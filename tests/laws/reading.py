"""The comparisons with text that must be rejected because of a table's values, exactly as D24 and D28 state.

Independent of `acompass.engines`, which decides the same in SQL."""

import operator
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, TypeAlias

import pytest

from acompass.errors.diagnostics import TableError
from acompass.language.program.effects import comparisons, write_of
from acompass.language.program.program import Assertion, Comparison, Filter, Process, Requirement
from acompass.language.program.types import TEXT
from acompass.language.text.tree import Function, Operator
from acompass.testing.conformance.cases import Case

#: the code of an error and the name of its column
Refusal: TypeAlias = tuple[str, str]

_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?", re.ASCII)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_ORDERS = {
    Operator.LT: operator.lt,
    Operator.LE: operator.le,
    Operator.GT: operator.gt,
    Operator.GE: operator.ge,
}


def refusals(case: Case) -> set[Refusal]:
    """The errors with which the case may be rejected; empty if it must run."""
    return set(_refusals(case))


def is_refused(raised: pytest.ExceptionInfo[TableError], expected: set[Refusal]) -> bool:
    """Whether the error is one of those expected, about the same column."""
    (found,) = raised.value.diagnostics
    return any(found.code == code and found.message.startswith(f"column `{n}` ") for code, n in expected)


def _refusals(case: Case) -> Iterator[Refusal]:
    for position, comparison in _table_comparisons(case):
        column, text = case.schema[position], comparison.value
        if column.type != TEXT or not isinstance(text, str):
            continue
        values = [record[position] for record in case.records]
        if _DATE.fullmatch(text) and values and not any(map(_DATE.match, values)):
            yield "AC232", column.name
        if _is_disordered(values, comparison.operator, text):
            yield "AC231", column.name


def _is_disordered(values: list[Any], asked: Operator, text: str) -> bool:
    """D24: all values are numbers or `*`, and the order of some number as text differs from its order as a number."""
    numbers = [value for value in values if value != "*"]
    if asked not in _ORDERS or not all(map(_NUMBER.fullmatch, [text, *numbers])):
        return False
    order = _ORDERS[asked]
    return any(order(value, text) != order(Decimal(value), Decimal(text)) for value in numbers)


def _table_comparisons(case: Case) -> Iterator[tuple[int, Comparison]]:
    """Every comparison of a table column, or of its MIN or MAX, with the position of the column.

    Comparisons after a GENERALIZE of the column compare labels and are excluded, as are those of LIKE (X4).
    """
    generalized: set[int] = set()
    for requirement in case.program().requirements:
        for position, comparison in _requirement_comparisons(requirement):
            assert comparison.span is not None
            text = case.policy_text[comparison.span.start : comparison.span.end]
            if position not in generalized and " LIKE " not in text:
                yield position, comparison
        write = write_of(requirement.action)
        if write is not None and write.kernel.label_map() is not None:
            generalized.add(write.column)


def _requirement_comparisons(requirement: Requirement) -> Iterator[tuple[int, Comparison]]:
    assertion = requirement.assertion
    match assertion.result:
        case Filter(condition) | Process(where=condition) if condition is not None:
            yield from ((each.column, each) for each in comparisons(condition))
    origins = _origins(assertion)
    for comparison in comparisons(assertion.condition):
        position = origins[comparison.column]
        if position is not None:
            yield position, comparison


def _origins(assertion: Assertion) -> list[int | None]:
    """For each column of the condition, the table column that its values come from."""
    match assertion.result:
        case Process(aggregates=aggregates, group_by=groups):
            of_values = (Function.MIN, Function.MAX)
            return [*groups, *(each.column if each.function in of_values else None for each in aggregates)]
        case _:
            return list(range(len(assertion.schema)))
