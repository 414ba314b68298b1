"""The syntax tree: one frozen node for each production of the paper's Figure 1 (LANGUAGE section 1).

Each node has the span of text that it was parsed from, NOWHERE in a tree that was built in code. Spans do not
take part in equality.
"""

from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import TypeAlias

from acompass.diagnostics import Span

NOWHERE = Span(-1, -1)


def place_of(span: Span) -> Span | None:
    """The span, or None if either end is NOWHERE's."""
    return span if span.start >= 0 and span.end >= 0 else None


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
    """The name of a column; words are joined by one space."""

    text: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Number:
    """An exact number. Its scale is the exponent of the Decimal, so `3` and `3.0` have different scales."""

    value: Decimal
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class String:
    value: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A bare word in place of a constant (D5)."""

    name: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Constant: TypeAlias = Number | String | Parameter


@dataclass(frozen=True, slots=True)
class Comparison:
    name: Name
    operator: Operator
    constant: Constant
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Not:
    operand: "Condition"
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class And:
    """Two or more operands."""

    operands: tuple["Condition", ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Or:
    """Two or more operands."""

    operands: tuple["Condition", ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Condition: TypeAlias = Comparison | Not | And | Or


@dataclass(frozen=True, slots=True)
class Aggregate:
    """`column` is None for COUNT(*), and only there."""

    function: Function
    column: Name | None = None
    span: Span = field(default=NOWHERE, compare=False, repr=False)

    def __post_init__(self) -> None:
        if (self.function is Function.COUNT) != (self.column is None):
            raise ValueError("COUNT takes no column; every other function takes one")


@dataclass(frozen=True, slots=True)
class Result:
    """`RESULT` (or `RECORD`, D1)."""

    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Filter:
    condition: Condition
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Process:
    aggregate: Aggregate
    alias: Name
    where: Condition | None = None
    group_by: tuple[Name, ...] = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)


ResultForm: TypeAlias = Result | Filter | Process


@dataclass(frozen=True, slots=True)
class Assertion:
    quantifier: Quantifier
    result: ResultForm
    condition: Condition
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Reject:
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Replace:
    name: Name
    constant: Constant
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Random:
    name: Name
    lower: Number | Parameter
    upper: Number | Parameter
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Action: TypeAlias = Reject | Replace | Random


@dataclass(frozen=True, slots=True)
class Requirement:
    """`action` is None if the requirement only checks (D6). The span includes the semicolon."""

    assertion: Assertion
    action: Action | None = None
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Comment:
    """`text` includes the delimiters. `follows_code`: a token of a requirement is before it on its line."""

    text: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)
    follows_code: bool = field(default=False, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Program:
    requirements: tuple[Requirement, ...]
    comments: tuple[Comment, ...] = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)
