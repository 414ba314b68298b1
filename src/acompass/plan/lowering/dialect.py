"""The expressions that engines write differently, and the conversions of columns whose type changes (D12, retyping)."""

from collections.abc import Callable, Iterable, Sequence

from sqlglot import exp

from acompass.dataclasses import dataclass, replace
from acompass.language.program.effects import type_changes
from acompass.language.program.program import Requirement
from acompass.language.program.types import TEXT, Kind, Schema, Type, Value
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql


@dataclass(frozen=True)
class Keyed:
    """How an engine computes what PSEUDONYM and SHIFT write (X15, X16)."""

    #: the hexadecimal digits of the HMAC-SHA256 of a text, with the inner and outer pads of the key
    hmac: Callable[[Sql, Sql, Sql], Sql]
    #: the first 13 hexadecimal digits of a text as an integer
    first52: Callable[[Sql], Sql]
    #: a date or timestamp a number of days later, on the local clock
    add_days: Callable[[Sql, Sql, Type], Sql]


@dataclass(frozen=True)
class Dialect:
    """How an engine writes the expressions that differ between engines, and which features it has."""

    #: the name of sqlglot's dialect
    name: str
    #: the exact sum of integers or decimals, and the sum of floats in sorted order (D13)
    exact_sum: Callable[[Sql, Type], Sql]
    float_sum: Callable[[Sql], Sql]
    #: the first 13 hexadecimal digits of the SHA-256 of a text, as an integer (D19)
    hash52: Callable[[Sql], Sql]
    #: ⌊hash · span / 2⁵²⌋ in exact arithmetic (D19)
    scaled: Callable[[Sql, int], Sql]
    #: the text of a value whose column becomes text (D12, retyping)
    float_text: Callable[[Sql], Sql]
    timestamp_text: Callable[[Sql], Sql]
    #: a float as a sort key: NaN becomes NULL, so that missing values come first in canonical order (D11)
    float_order: Callable[[Sql], Sql]
    #: what PSEUDONYM and SHIFT compute; None if the engine has neither
    keyed: Keyed | None = None
    #: any other value as text that is compared by code point (D9)
    plain_text: Callable[[Sql], Sql] = lambda value: sql.cast(value, "TEXT")
    #: a text constant that is compared by code point (D9), even if it is the only value of a column
    text_constant: Callable[[Sql], Sql] = lambda literal: literal
    #: the text of a decimal whose column becomes text, if a cast gives a different one
    decimal_text: Callable[[Sql, Type], Sql] | None = None
    #: whether a text is the canonical text of a 64-bit integer (D10)
    is_integer_text: Callable[[Sql], Sql] = sql.reads_as_integer
    #: the end of the text in a regular expression, not just of its last line
    end_of_text: str = r"\z"
    #: the sign before the number of a group in the replacement of a regular expression
    group_sign: str = "\\"
    #: whether the engine can join each value to the largest constant not above it (an ASOF join)
    joins_by_order: bool = False
    #: an estimate of the number of distinct combinations of values, much cheaper than grouping by them
    approximate_distinct: Callable[[Sequence[Sql]], Sql] | None = None
    #: the sum of the n least values of a group, or of all if it has fewer; None if records must be ranked for that
    least_sum: Callable[[Sql, int], Sql] | None = None
    #: the depth of nested SELECTs at which the records of a cascade are stored; None for the default depth
    deepest_cascade: int | None = None
    #: kinds of values that the engine cannot store exactly
    lacks: frozenset[Kind] = frozenset()
    #: monotonic functions of a value, each finer than the one before
    coarser: Callable[[Sql, Type], Iterable[Sql]] = lambda _value, _type: ()
    #: whether the engine can read the files of reference tables itself
    reads_files: bool = False
    #: the number of groups of records that one worker may sort; None if one worker sorts all records
    most_rank_groups: int | None = None

    def constant(self, value: Value) -> Sql:
        """A constant to write into a column."""
        literal = sql.literal(value)
        return self.text_constant(literal) if isinstance(value, str) else literal

    def to_text(self, value: Sql, type_: Type) -> Sql:
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
        """The stored value of a column whose type changes (D12, retyping)."""
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


def conversions(dialect: Dialect, requirements: Iterable[Requirement]) -> dict[int, Sql]:
    """The new value of each column of `t` whose type changes."""
    return {
        column: dialect.convert(sql.column(column, "t"), before, after)
        for requirement in requirements
        for column, (before, after) in type_changes(requirement).items()
    }


def convert_through(dialect: Dialect, requirements: Iterable[Requirement], column: int, value: Sql) -> Sql:
    """A value of a column after all changes of its type, in order."""
    for requirement in requirements:
        if column in (changes := type_changes(requirement)):
            value = dialect.convert(value, *changes[column])
    return value


def schema_after(schema: Schema, requirements: Iterable[Requirement]) -> Schema:
    changes = {
        column: after for requirement in requirements for column, (_, after) in type_changes(requirement).items()
    }
    if not changes:
        return schema
    return tuple(replace(c, type=changes.get(i, c.type)) for i, c in enumerate(schema))


#: kinds whose stored values an engine and Python write as the same text
PLAIN_KINDS = (Kind.INTEGER, Kind.TEXT, Kind.DATE)


def text_key(dialect: Dialect, stored: Sql, type_: Type) -> tuple[Sql, Type]:
    """The stored value, or its text if Python and the engine would write it differently; and the type of the result."""
    return (stored, type_) if type_.kind in PLAIN_KINDS else (dialect.to_text(stored, type_), TEXT)
