"""What every stage must know about each aggregate: one row of a table.

A new aggregate needs a row here; a stage that needs more matches over `Function`, which mypy checks to be exhaustive.
No other module tests for one of the functions. `semantics` has its own equations and asks nothing of this module."""

from collections.abc import Callable
from enum import Enum

from acompass.dataclasses import dataclass
from acompass.language.program.types import INTEGER, SHARE, Kind, Type
from acompass.language.text.tree import Function


class Change(Enum):
    """How the aggregate of a union, or of a part, of classes compares with that of a class."""

    NOT_LOWER = "not lower"
    NOT_HIGHER = "not higher"
    ANY = "any"  # it depends on the values


@dataclass(frozen=True, slots=True)
class AggregateFacts:
    """The defaults are what is true of the fewest functions, and claim nothing about merged or divided classes."""

    #: before the name of the column, as in "a sum of"
    words: str
    #: the function in SQL, without DISTINCT; a sum is the dialect's own (D13)
    sql: str
    takes: Callable[[Type], bool]  # the types of its column
    needs: str  # the same in words
    #: a number of records or of distinct values: an integer, from 1 on in every class
    is_count: bool = False
    #: it depends on the set of the column's values, not on how often each occurs
    ignores_copies: bool = False
    #: one of the column's values, and of its type
    is_value: bool = False
    #: the values are added, and need exact arithmetic (D13)
    adds: bool = False
    #: an exact fraction between 0 and 1, compared without division (X13)
    is_share: bool = False
    #: the function whose value over the same class and column is never lower; None if there is none
    never_above: Function | None = None
    #: over the union of classes, compared with any one of them
    merged: Change = Change.ANY
    #: over a part of a class, compared with the whole
    part: Change = Change.ANY

    @property
    def counts_records(self) -> bool:
        return self.is_count and not self.ignores_copies

    @property
    def counts_distinct(self) -> bool:
        return self.is_count and self.ignores_copies

    @property
    def weighs_records(self) -> bool:
        """Whether it tells how many records there are, or how many of them: a person counts once for each (D35)."""
        return self.counts_records or (self.is_share and not self.of_numbers)

    @property
    def tells_values_apart(self) -> bool:
        """Whether it depends on which values of its column are equal: their numbers have one spelling (D26)."""
        return self.counts_distinct or (self.is_share and not self.of_numbers)

    @property
    def of_numbers(self) -> bool:
        """Whether it uses its column as a number (D10)."""
        return self.takes is _numeric

    def type_for(self, type_: Type) -> Type:
        """The type of its value over a column of this type."""
        if self.is_share:
            return SHARE
        return INTEGER if self.is_count else type_


def _any(_: Type) -> bool:
    return True


def _ordered(type_: Type) -> bool:
    return type_.kind is not Kind.BOOLEAN


def _numeric(type_: Type) -> bool:
    return type_.is_number


_ORDERED = "numbers, text, dates or timestamps"
_FACTS = {
    Function.COUNT: AggregateFacts(
        "a number of records",
        "count",
        _any,
        needs="no column",
        is_count=True,
        merged=Change.NOT_LOWER,
        part=Change.NOT_HIGHER,
    ),
    Function.COUNT_DISTINCT: AggregateFacts(
        "a number of distinct values of",
        "count",
        _any,
        needs="any values",
        is_count=True,
        ignores_copies=True,
        never_above=Function.COUNT,
        merged=Change.NOT_LOWER,
        part=Change.NOT_HIGHER,
    ),
    Function.SUM: AggregateFacts("a sum of", "sum", _numeric, needs="numbers", adds=True),
    Function.MIN: AggregateFacts(
        "a minimum",
        "min",
        _ordered,
        needs=_ORDERED,
        ignores_copies=True,
        is_value=True,
        never_above=Function.MAX,
        merged=Change.NOT_HIGHER,
        part=Change.NOT_LOWER,
    ),
    Function.MAX: AggregateFacts(
        "a maximum",
        "max",
        _ordered,
        needs=_ORDERED,
        ignores_copies=True,
        is_value=True,
        merged=Change.NOT_LOWER,
        part=Change.NOT_HIGHER,
    ),
    Function.SHARE_OF_LARGEST: AggregateFacts(
        "a share of the largest values of", "sum", _numeric, needs="numbers", is_share=True
    ),
    Function.SHARE_OF_MODE: AggregateFacts(
        "a share of the most frequent value of", "count", _any, needs="any values", is_share=True
    ),
}

#: an aggregate over a reference table (X14): a number that depends only on the columns of GROUP BY, and may be 0
REFERENCED = AggregateFacts("a total of a reference table", "max", _numeric, needs="numbers", ignores_copies=True)


def facts_about(function: Function) -> AggregateFacts:
    return _FACTS[function]


def counts_distinct(function: Function) -> bool:
    return _FACTS[function].counts_distinct
