"""Counterexamples are tables that `run` loads, and on whose results claims fail.

A number has at most 38 digits, an integer 64 bits (D9). Text that is compared with a date has dates among its
values (D28), and text that a number orders is not ordered otherwise than the numbers that it spells (D24).
"""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from acompass.checked.constants import digits_before_point, is_64_bit
from acompass.checked.effects import comparisons, generalize_of, process_of, record_comparisons
from acompass.checked.program import Assertion, Comparison, Operator, Program, Requirement
from acompass.checked.types import MOST_DIGITS, Kind, Type, Value
from acompass.prove.witness import Record, Witness
from acompass.semantics import compare, holds

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?", re.ASCII)


def is_loadable(value: Value, type_: Type) -> bool:
    match value:
        case bool():
            return True
        case int():
            return is_64_bit(value)
        case Decimal():
            return abs(value) < 1 or digits_before_point(value) + type_.scale <= MOST_DIGITS
        case _:
            return True


class LoadableTables:
    """`dated` are the text columns that the policy compares with dates."""

    def __init__(self, program: Program):
        found = list(_text_comparisons(program))
        self.dated = frozenset(each.column for each in found if _DATE.fullmatch(str(each.value)))
        self._ordered = [
            each for each in found if each.operator is not Operator.EQ and _NUMBER.fullmatch(str(each.value))
        ]

    def refutes(self, witness: Witness, claim: Assertion, known: frozenset[int]) -> bool:
        """Whether the claim fails on what the run writes: nothing where a known check is violated (D31)."""
        is_written = not witness.violated & known
        return is_written and not holds(list(witness.left), claim) and self.loads(witness.records)

    @property
    def are_all(self) -> bool:
        """Whether every table of loadable values loads."""
        return not self.dated and not self._ordered

    def loads(self, records: Sequence[Record]) -> bool:
        return all(_has_date(records, column) for column in self.dated) and all(
            _is_in_order(records, comparison) for comparison in self._ordered
        )


def _has_date(records: Sequence[Record], column: int) -> bool:
    return not records or any(_DATE.match(str(record[column])) for record in records)


def _is_in_order(records: Sequence[Record], comparison: Comparison) -> bool:
    texts = {str(record[comparison.column]) for record in records} - {"*"}
    if not all(_NUMBER.fullmatch(text) for text in texts):
        return True
    number = Decimal(str(comparison.value))
    return all(
        compare(text, comparison.operator, comparison.value)
        == compare(Decimal(text), comparison.operator, number)
        for text in texts
    )


def _text_comparisons(program: Program) -> Iterator[Comparison]:
    """The comparisons with text of columns that are text in the table, and not labels yet."""
    labelled: set[int] = set()
    for requirement in program.requirements:
        for comparison in _comparisons(requirement):
            is_text = program.schema[comparison.column].type.kind is Kind.TEXT
            if is_text and comparison.column not in labelled and isinstance(comparison.value, str):
                yield comparison
        action = generalize_of(requirement.action)
        labelled.update(() if action is None else (action.column,))


def _comparisons(requirement: Requirement) -> Iterator[Comparison]:
    """Comparisons of columns, of keys and of aggregates that are values of a column, each with its column."""
    yield from record_comparisons(requirement)
    process = process_of(requirement)
    if process is None:
        return
    columns = [*process.group_by, *(aggregate.column for aggregate in process.aggregates)]
    for comparison in comparisons(requirement.assertion.condition):
        column = columns[comparison.column]
        if column is not None:
            yield Comparison(column, comparison.operator, comparison.value)
