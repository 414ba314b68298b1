"""The columns of a query. SQL has other names for them, because DuckDB does not distinguish `Age` from `age`."""

from dataclasses import dataclass
from typing import TypeAlias, assert_never

from acompass.explain.algebra import Column, Every, Symbol
from acompass.language.program.types import Names


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    #: whether it is a column of the table, not a symbol of the algebra
    is_own: bool = True
    #: its side of a join
    alias: str | None = None

    @property
    def sql(self) -> str:
        prefix = "" if self.alias is None else f"{self.alias}_"
        return prefix + (f"c{self.name.encode().hex()}" if self.is_own else self.name)


Fields: TypeAlias = tuple[Field, ...]


def to_field(column: Column | Symbol) -> Field:
    match column:
        case Column(name):
            return Field(name)
        case Symbol(text, alias):
            return Field(text, is_own=False, alias=alias)
        case _:
            assert_never(column)


def own(fields: Fields, alias: str | None = None) -> Fields:
    """S: the columns of the table, or of one side of a join."""
    return tuple(field for field in fields if field.is_own and field.alias == alias)


def find(column: Column | Symbol, fields: Fields) -> Field:
    """Find a field; the policy may write a name in another case than the table (D3)."""
    match column:
        case Column(name):
            candidates = own(fields)
            (position,) = Names([field.name for field in candidates]).find(name)
            return candidates[position]
        case Symbol():
            (found,) = [field for field in fields if field == to_field(column)]
            return found
        case _:
            assert_never(column)


def find_all(column: Column | Symbol | Every, fields: Fields) -> Fields:
    match column:
        case Every(alias):
            return own(fields, alias)
        case Column() | Symbol():
            return (find(column, fields),)
        case _:
            assert_never(column)
