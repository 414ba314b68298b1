"""Expressions of relational algebra over bags, with aggregation.

Columns of the table have the names that the policy writes. The algebra has columns of its own, such as the i
and the h of the trace. These are symbols, so that a table may have a column `h`.
"""

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from typing import TypeAlias

from acompass.syntax import tree
from acompass.syntax.tree import Function, Operator

#: a seed's values of the trace are h / 2⁵² (D19)
BITS = 52


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table, as the policy writes its name."""

    name: str


@dataclass(frozen=True, slots=True)
class Symbol:
    """A column that the algebra makes. `alias` is the side of a join that it is from."""

    text: str
    alias: str | None = None


@dataclass(frozen=True, slots=True)
class Every:
    """S: all columns of the table, in their order."""

    alias: str | None = None


@dataclass(frozen=True, slots=True)
class Cut:
    """⌈p · 2⁵²⌉: h / 2⁵² is below p exactly where h is below the cut (X6)."""

    probability: Decimal | Fraction


class Sign(StrEnum):
    PLUS = "+"
    MINUS = "−"
    TIMES = "·"


@dataclass(frozen=True, slots=True)
class Arithmetic:
    left: "Scalar"
    sign: Sign
    right: "Scalar"


@dataclass(frozen=True, slots=True)
class Floor:
    """⌊of / 2⁵²⌋."""

    of: "Scalar"


@dataclass(frozen=True, slots=True)
class Label:
    """The label that a map gives the value of a column (X2)."""

    map: tree.Map
    column: Column


@dataclass(frozen=True, slots=True)
class Choice:
    """The value of the first condition that holds, else the last value."""

    options: tuple[tuple["Scalar", "Condition"], ...]
    otherwise: "Scalar"


Scalar: TypeAlias = Column | Symbol | Every | tree.Constant | Cut | Arithmetic | Floor | Label | Choice


@dataclass(frozen=True, slots=True)
class Compare:
    """Records (`Every`) are compared column by column; missing values come first (D18)."""

    left: Scalar
    operator: Operator
    right: Scalar


@dataclass(frozen=True, slots=True)
class Not:
    operand: "Condition"


@dataclass(frozen=True, slots=True)
class All:
    operands: tuple["Condition", ...]


@dataclass(frozen=True, slots=True)
class Any:
    operands: tuple["Condition", ...]


Condition: TypeAlias = Compare | Not | All | Any


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a name: the input, or what an equation has before."""

    name: str


@dataclass(frozen=True, slots=True)
class Call:
    """An expression with a name, which is shown instead of its definition."""

    name: str
    arguments: tuple["Expression", ...]
    definition: "Expression"


@dataclass(frozen=True, slots=True)
class Select:
    """σ."""

    condition: Condition
    of: "Expression"


@dataclass(frozen=True, slots=True)
class Project:
    """π onto some columns, each with its value; a column alone keeps its value."""

    columns: tuple[tuple[Scalar, Column | Symbol | Every], ...]
    of: "Expression"


@dataclass(frozen=True, slots=True)
class Write:
    """π that writes one column of the table and keeps the table's others."""

    value: Scalar
    column: Column
    of: "Expression"


@dataclass(frozen=True, slots=True)
class Without:
    """π onto all columns but some."""

    columns: tuple[Column, ...]
    of: "Expression"


@dataclass(frozen=True, slots=True)
class Aggregated:
    """`argument` is None for COUNT(*)."""

    function: Function
    argument: Column | Symbol | None
    result: Column | Symbol


@dataclass(frozen=True, slots=True)
class Group:
    """γ. Without keys, the only group is the whole bag; a bag without records has no group (D16)."""

    keys: tuple[Column | Symbol | Every, ...]
    values: tuple[Aggregated, ...]
    of: "Expression"


@dataclass(frozen=True, slots=True)
class Rename:
    """ρ: the same records, whose columns a join tells apart by the alias."""

    alias: str
    of: "Expression"


@dataclass(frozen=True, slots=True)
class Join:
    """⋈ on a condition."""

    left: "Expression"
    condition: Condition
    right: "Expression"


@dataclass(frozen=True, slots=True)
class Semijoin:
    """⋉: the records of `left` that have the same values of the keys as some record of `right`."""

    left: "Expression"
    right: "Expression"
    keys: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Antijoin:
    """▷: the records of `left` that have not."""

    left: "Expression"
    right: "Expression"
    keys: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Union:
    """∪ of bags: multiplicities are added."""

    left: "Expression"
    right: "Expression"


@dataclass(frozen=True, slots=True)
class Difference:
    """− of bags: multiplicities are subtracted."""

    left: "Expression"
    right: "Expression"


@dataclass(frozen=True, slots=True)
class IfEmpty:
    """`table` if `tested` has no record, else no record: table − (table × δ(π[](tested)))."""

    table: "Expression"
    tested: "Expression"


@dataclass(frozen=True, slots=True)
class Single:
    """The bag of one record with one column."""

    value: tree.Number
    column: Symbol


Expression: TypeAlias = (
    Table
    | Call
    | Select
    | Project
    | Write
    | Without
    | Group
    | Rename
    | Join
    | Semijoin
    | Antijoin
    | Union
    | Difference
    | IfEmpty
    | Single
)


@dataclass(frozen=True, slots=True)
class Equation:
    """`again` is a second expression for the same table."""

    table: Table
    expression: Expression
    again: Expression | None = None
