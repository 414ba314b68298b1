"""What an engine has to say how to write."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from acompass.checked.types import Kind, Type
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql


@dataclass(frozen=True)
class Dialect:
    """`name` is sqlglot's. Each function builds an expression from expressions."""

    name: str
    #: exact sum of integers or decimals, and of floats in sorted order (D13)
    exact_sum: Callable[[Sql, Type], Sql]
    float_sum: Callable[[Sql], Sql]
    #: the first 13 hexadecimal digits of the SHA-256 of a text, as an integer (D19)
    hash52: Callable[[Sql], Sql]
    #: ⌊hash · span / 2⁵²⌋ in exact arithmetic (D19)
    scaled: Callable[[Sql, int], Sql]
    #: a value once its column has become text (D12)
    float_text: Callable[[Sql], Sql]
    timestamp_text: Callable[[Sql], Sql]
    #: a float that is missing becomes NULL, so that it is first in canonical order (D11)
    float_order: Callable[[Sql], Sql]
    #: any other value as text that compares by code point (D9)
    plain_text: Callable[[Sql], Sql] = lambda value: sql.cast(value, "TEXT")
    #: the end of the text in a regular expression, not just of its last line
    end_of_text: str = r"\z"
    #: whether a value finds the largest constant it reaches by an ordered join
    joins_by_order: bool = False
    #: kinds of values that the engine cannot hold, or not exactly
    lacks: frozenset[Kind] = frozenset()
    #: functions of a value that never decrease as it grows, each finer than the one before
    coarser: Callable[[Sql, Type], Iterable[Sql]] = lambda _value, _type: ()
    #: at most how many groups of records one worker puts in order; None where one may sort them all
    most_rank_groups: int | None = None

    def to_text(self, value: Sql, type_: Type) -> Sql:
        match type_.kind:
            case Kind.FLOAT:
                return self.float_text(value)
            case Kind.TIMESTAMP:
                return self.timestamp_text(value)
            case _:
                return self.plain_text(value)

    def convert(self, value: Sql, source: Type, target: Type) -> Sql:
        """A column's value when D12 changes its type."""
        if source == target:
            return value
        match target.kind:
            case Kind.TEXT:
                return self.to_text(value, source)
            case Kind.DECIMAL:
                return sql.cast(value, sql.decimal_type(target.scale))
            case Kind.FLOAT:
                return sql.cast(value, "DOUBLE")
            case _:
                raise AssertionError(f"no conversion from {source} to {target}")
