"""The types of columns and the Python types of their values (D9)."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import TypeAlias

#: digits that every engine's exact numbers hold
MOST_DIGITS = 38


class Kind(StrEnum):
    INTEGER = "integer"
    DECIMAL = "decimal"
    FLOAT = "float"
    TEXT = "text"
    BOOLEAN = "boolean"
    DATE = "date"
    TIMESTAMP = "timestamp"
    #: a column that no policy can name (a list, a blob, …); it passes through unchanged
    OPAQUE = "opaque"
    #: a column that DROP removed; it keeps its position in the schema, without values (X3)
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class Type:
    """`scale` is the number of a decimal's digits after the point, 0 for every other kind.

    `spelled` is True for the numbers of a text column, which keep their spelling: `2` and `2.0` are the same
    number, but they are written as they were read (D26). `shortened` are the constants that REPLACE writes in
    their shortest form, because the column has another spelling of them. `numbers` is the kind of numbers
    that a text column has beside labels of bands and `*` (X2). None of the three takes part in equality.
    """

    kind: Kind
    scale: int = 0
    spelled: bool = field(default=False, compare=False)
    shortened: frozenset[Decimal] = field(default=frozenset(), compare=False)
    numbers: Kind | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return f"decimal({self.scale})" if self.kind is Kind.DECIMAL else str(self.kind)

    @property
    def is_number(self) -> bool:
        return self.kind in (Kind.INTEGER, Kind.DECIMAL, Kind.FLOAT)

    @property
    def is_spelled_decimal(self) -> bool:
        """Whether a value is more than its number. An integer has only one spelling."""
        return self.spelled and self.kind is Kind.DECIMAL


INTEGER = Type(Kind.INTEGER)
FLOAT = Type(Kind.FLOAT)
TEXT = Type(Kind.TEXT)
BOOLEAN = Type(Kind.BOOLEAN)
DATE = Type(Kind.DATE)
TIMESTAMP = Type(Kind.TIMESTAMP)
OPAQUE = Type(Kind.OPAQUE)
DROPPED = Type(Kind.DROPPED)


def decimal(scale: int) -> Type:
    return Type(Kind.DECIMAL, scale)


#: int for integer, Decimal for decimal, float, str, bool, date and datetime for the others
Value: TypeAlias = int | Decimal | float | str | bool | datetime.date | datetime.datetime


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    type: Type


#: the paper's schema S = (A1, …, An): distinct names, in order
Schema: TypeAlias = tuple[Column, ...]


def remaining(schema: Schema) -> tuple[int, ...]:
    """The positions of the columns that no DROP has removed."""
    return tuple(p for p, column in enumerate(schema) if column.type.kind is not Kind.DROPPED)


def schema_of(types: Mapping[str, Type]) -> Schema:
    return tuple(Column(name, type_) for name, type_ in types.items())


def types_by_name(schema: Schema) -> dict[str, str | Type]:
    """As `prove` and `lint` take a schema, beside types that are spelled out."""
    return {column.name: column.type for column in schema}
