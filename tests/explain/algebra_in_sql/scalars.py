"""The values and conditions of the algebra as SQL."""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from typing import assert_never

from acompass.explain.algebra import (
    BITS,
    All,
    Any,
    Arithmetic,
    Choice,
    Column,
    Compare,
    Condition,
    Cut,
    Days,
    Every,
    Floor,
    Label,
    Mean,
    Not,
    Pseudonym,
    Scalar,
    Sign,
    Symbol,
)
from acompass.language.text import tree
from acompass.language.text.tokens import spell_number, spell_string
from acompass.language.text.tree import Operator
from tests.explain.algebra_in_sql.fields import Field, Fields, find, own

#: the table of values and results that represents a map, the pseudonyms or the days of persons
GRAPH = "graph"
#: the affected records with their means
MEANS = "means"

_SIGNS = {Sign.PLUS: "+", Sign.MINUS: "-", Sign.TIMES: "*"}


def condition_sql(condition: Condition, fields: Fields) -> str:
    match condition:
        case Compare(Every(x), operator, Every(y)):
            assert operator is Operator.LE
            return _is_not_after(own(fields, x), own(fields, y))
        case Compare(left, operator, right):
            return f"{scalar_sql(left, fields)} {operator} {scalar_sql(right, fields)}"
        case Not(operand):
            return f"NOT ({condition_sql(operand, fields)})"
        case All(operands):
            return " AND ".join(f"({condition_sql(operand, fields)})" for operand in operands)
        case Any(operands):
            return " OR ".join(f"({condition_sql(operand, fields)})" for operand in operands)
        case _:
            assert_never(condition)


def _is_not_after(left: Sequence[Field], right: Sequence[Field]) -> str:
    """Compare column by column, in schema order; missing values are equal and come first (D18, D11)."""
    if not left:
        return "TRUE"
    x, y = left[0].sql, right[0].sql
    is_before = f"{x} < {y} OR ({x} IS NULL AND {y} IS NOT NULL)"
    return f"{is_before} OR ({x} IS NOT DISTINCT FROM {y} AND ({_is_not_after(left[1:], right[1:])}))"


def scalar_sql(scalar: Scalar, fields: Fields) -> str:
    match scalar:
        case Column() | Symbol():
            return find(scalar, fields).sql
        case tree.Number(value):
            return spell_number(value)
        case tree.String(text):
            return spell_string(text)
        case Cut(probability):
            return str(ceil(Fraction(probability) * 2**BITS))
        case Arithmetic(left, sign, right):
            return f"({scalar_sql(left, fields)} {_SIGNS[sign]} {scalar_sql(right, fields)})"
        case Floor(of):
            return f"({scalar_sql(of, fields)} // {2**BITS})"
        case Label() | Pseudonym() | Days():
            return f"{GRAPH}.result"
        case Choice() | Every() | Mean() | tree.Parameter():
            raise AssertionError(f"not one value: {scalar}")
        case _:
            assert_never(scalar)


def stored_sql(value: Scalar, type_: str, fields: Fields) -> str:
    """The value as stored in a column of this type. Drawn values are converted one by one: even if 0.50 is another
    option, the text of 1 is `1`."""
    match value:
        case Choice(options, otherwise):
            last = stored_sql(otherwise, type_, fields)
            chosen = [
                f"WHEN {condition_sql(condition, fields)} THEN {stored_sql(option, type_, fields)}"
                for option, condition in options
            ]
            return f"CASE {' '.join(chosen)} ELSE {last} END" if chosen else last
        case Arithmetic(left, _, Days()) if type_ == "VARCHAR":
            text, days = scalar_sql(left, fields), scalar_sql(value.right, fields)
            return f"CAST(CAST(left({text}, 10) AS DATE) + {days} AS VARCHAR) || substr({text}, 11)"
        case _:
            return f"CAST({scalar_sql(value, fields)} AS {type_})"
