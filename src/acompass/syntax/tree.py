"""The syntax tree: one frozen node a production of the paper's Figure 1 (LANGUAGE section 1), with its span.

Spans do not take part in equality: two trees are equal when they say the same.
"""

from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import TypeAlias

from acompass.diagnostics import Span


class Quantifier(StrEnum):
    EACH = "EACH"
    SOME = "SOME"


class Operator(StrEnum):
    LT = "<"
    LE = "<="
    EQ = "="
    GE = ">="
    GT = ">"


class Function(StrEnum):
    SUM = "SUM"
    MIN = "MIN"
    MAX = "MAX"
    COUNT = "COUNT"
    COUNT_DISTINCT = "COUNT DISTINCT"


@dataclass(frozen=True, slots=True)
class Name:
    """An attribute's name, words joined by one space; `quoted` says how it was written, not what it means."""

    text: str
    span: Span = field(compare=False, repr=False)
    quoted: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Number:
    """An exact number; `3` and `3.0` differ by scale (the exponent), as Decimal keeps it."""

    value: Decimal
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class String:
    value: str
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A bare word in the place of a constant (D5)."""

    name: str
    span: Span = field(compare=False, repr=False)


Constant: TypeAlias = Number | String | Parameter


@dataclass(frozen=True, slots=True)
class Comparison:
    name: Name
    operator: Operator
    constant: Constant
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Not:
    operand: "Condition"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class And:
    """Two or more operands."""

    operands: tuple["Condition", ...]
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Or:
    """Two or more operands."""

    operands: tuple["Condition", ...]
    span: Span = field(compare=False, repr=False)


Condition: TypeAlias = Comparison | Not | And | Or


@dataclass(frozen=True, slots=True)
class Aggregate:
    """`column` is None for COUNT(*) only."""

    function: Function
    column: Name | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Result:
    """`RESULT` (or `RECORD`, D1)."""

    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Filter:
    condition: Condition
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Process:
    aggregate: Aggregate
    alias: Name
    where: Condition | None
    group_by: tuple[Name, ...]
    span: Span = field(compare=False, repr=False)


ResultForm: TypeAlias = Result | Filter | Process


@dataclass(frozen=True, slots=True)
class Assertion:
    quantifier: Quantifier
    result: ResultForm
    condition: Condition
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Reject:
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Replace:
    name: Name
    constant: Constant
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Random:
    name: Name
    lower: Number | Parameter
    upper: Number | Parameter
    span: Span = field(compare=False, repr=False)


Action: TypeAlias = Reject | Replace | Random


@dataclass(frozen=True, slots=True)
class Requirement:
    """`action` is None where the requirement only checks (D6). The span ends with the semicolon."""

    assertion: Assertion
    action: Action | None
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Comment:
    """`text` as written, delimiters included; the span says where it stood."""

    text: str
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Program:
    requirements: tuple[Requirement, ...]
    comments: tuple[Comment, ...]
    span: Span = field(compare=False, repr=False)
