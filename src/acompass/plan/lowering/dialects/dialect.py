"""The expressions that each engine writes in its own way."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from acompass.checked.types import Kind, Type, Value
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql


def _reads_as_integer(value: Sql) -> Sql:
    number = exp.TryCast(this=value.copy(), to=exp.DataType.build("BIGINT"), safe=True)
    return exp.NullSafeEQ(this=sql.cast(number, "TEXT"), expression=value)


@dataclass(frozen=True)
class Dialect:
    """`name` is the name of sqlglot's dialect. Each function builds an expression from expressions."""

    name: str
    #: the exact sum of integers or decimals, and the sum of floats in sorted order (D13)
    exact_sum: Callable[[Sql, Type], Sql]
    float_sum: Callable[[Sql], Sql]
    #: the first 13 hexadecimal digits of the SHA-256 of a text, as an integer (D19)
    hash52: Callable[[Sql], Sql]
    #: ⌊hash · span / 2⁵²⌋ in exact arithmetic (D19)
    scaled: Callable[[Sql, int], Sql]
    #: the text of a value whose column becomes text (D12)
    float_text: Callable[[Sql], Sql]
    timestamp_text: Callable[[Sql], Sql]
    #: a float as a sort key: NaN becomes NULL, so that missing values come first in canonical order (D11)
    float_order: Callable[[Sql], Sql]
    #: any other value as text that is compared by code point (D9)
    plain_text: Callable[[Sql], Sql] = lambda value: sql.cast(value, "TEXT")
    #: a text constant that is compared by code point (D9), also where it is all that a column has
    text_constant: Callable[[Sql], Sql] = lambda literal: literal
    #: the text of a decimal whose column becomes text, where a cast gives another one
    decimal_text: Callable[[Sql, Type], Sql] | None = None
    #: whether a text is the canonical text of a 64-bit integer (D10)
    is_integer_text: Callable[[Sql], Sql] = _reads_as_integer
    #: the end of the text in a regular expression, not just of its last line
    end_of_text: str = r"\z"
    #: the sign before the number of a group in the replacement of a regular expression
    group_sign: str = "\\"
    #: whether the engine can join each value to the largest constant not above it (an ASOF join)
    joins_by_order: bool = False
    #: about how many distinct combinations of values there are, for much less than it takes to group by them
    approximate_distinct: Callable[[Sequence[Sql]], Sql] | None = None
    #: the depth of nested SELECTs at which the records of a cascade are stored, if not that of other records
    deepest_cascade: int | None = None
    #: kinds of values that the engine cannot store exactly
    lacks: frozenset[Kind] = frozenset()
    #: monotonic functions of a value, each finer than the one before
    coarser: Callable[[Sql, Type], Iterable[Sql]] = lambda _value, _type: ()
    #: the number of groups of records that one worker may sort; None where one worker sorts all records
    most_rank_groups: int | None = None

    def constant(self, value: Value) -> Sql:
        """A constant that is written into a column."""
        literal = sql.literal(value)
        return self.text_constant(literal) if isinstance(value, str) else literal

    def to_text(self, value: Sql, type_: Type) -> Sql:
        """The text of a stored value."""
        if type_.is_spelled_decimal:
            return value
        match type_.kind:
            case Kind.FLOAT:
                return self.float_text(value)
            case Kind.TIMESTAMP:
                return self.timestamp_text(value)
            case Kind.DECIMAL if self.decimal_text is not None:
                return self.decimal_text(value, type_)
            case _:
                return self.plain_text(value)

    def convert(self, value: Sql, source: Type, target: Type) -> Sql:
        """The stored value of a column whose type D12 changes."""
        if source == target:
            return value
        match target.kind:
            case Kind.DROPPED:
                return sql.cast(exp.null(), "TEXT")
            case Kind.TEXT:
                return self.to_text(value, source)
            case Kind.DECIMAL if target.spelled:
                return self.to_text(value, source)
            case Kind.DECIMAL:
                return sql.cast(value, sql.decimal_type(target.scale))
            case Kind.FLOAT:
                return sql.cast(value, "DOUBLE")
            case _:
                raise AssertionError(f"no conversion from {source} to {target}")
