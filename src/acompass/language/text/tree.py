"""The syntax tree: a frozen node for each production of the paper's Figure 1 and for each form beyond the paper.

Each node has the span of text that it was parsed from, NOWHERE in a tree that was built in code. Spans do not take part
in equality."""

from collections.abc import Mapping
from decimal import Decimal
from enum import StrEnum
from typing import TypeAlias

from acompass.dataclasses import dataclass, field
from acompass.errors.diagnostics import Span

NOWHERE = Span(-1, -1)


def place_of(span: Span) -> Span | None:
    """The span, or None if its start or its end is that of NOWHERE."""
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


class Inequality(StrEnum):
    """The two spellings of "unequal" (X4)."""

    SQL = "<>"
    C = "!="


class DateUnit(StrEnum):
    """Units of time, from fine to coarse (X2)."""

    MONTH = "MONTH"
    QUARTER = "QUARTER"
    YEAR = "YEAR"
    DECADE = "DECADE"


class Function(StrEnum):
    SUM = "SUM"
    MIN = "MIN"
    MAX = "MAX"
    COUNT = "COUNT"
    COUNT_DISTINCT = "COUNT DISTINCT"
    SHARE_OF_LARGEST = "SHARE OF LARGEST"
    SHARE_OF_MODE = "SHARE OF MODE"


@dataclass(frozen=True, slots=True)
class Name:
    """The name of a column."""

    text: str  # words are joined by one space
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Number:
    value: Decimal  # with the scale of the text: `3` and `3.0` differ
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
class Unequal:
    """`name != constant` or `name <> constant` (X4)."""

    name: Name
    sign: Inequality
    constant: Constant
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class In:
    """`name IN (…)` or `name NOT IN (…)`, with at least one constant (X4)."""

    name: Name
    constants: tuple[Constant, ...]
    negated: bool = False
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Between:
    """`name BETWEEN lower AND upper`, both ends included, or `NOT BETWEEN` (X4)."""

    name: Name
    lower: Constant
    upper: Constant
    negated: bool = False
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Like:
    """`name LIKE 'abc%'` or `NOT LIKE`; the pattern ends in its only `%` (X4)."""

    name: Name
    pattern: String
    negated: bool = False
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


Condition: TypeAlias = Comparison | Unequal | In | Between | Like | Not | And | Or


@dataclass(frozen=True, slots=True)
class Aggregate:
    """`MAX(name)`, `SHARE OF LARGEST 2 (name)` (X13), `SUM(name) IN 'file'` (X14)."""

    function: Function
    column: Name | None = None  # None for COUNT(*) only; a column of the file if there is one
    span: Span = field(default=NOWHERE, compare=False, repr=False)
    largest: "Number | Parameter | None" = None  # the number of values of SHARE OF LARGEST
    file: String | None = None  # the reference table after IN; only COUNT and SUM have one

    def __post_init__(self) -> None:
        if (self.function is Function.COUNT) != (self.column is None):
            raise ValueError("COUNT takes no column; every other function takes one")
        if (self.function is Function.SHARE_OF_LARGEST) != (self.largest is not None):
            raise ValueError("SHARE OF LARGEST takes a number; no other function does")
        if self.file is not None and self.function not in (Function.COUNT, Function.SUM):
            raise ValueError("only COUNT and SUM are taken over a file")

    @property
    def is_share(self) -> bool:
        return self.function in (Function.SHARE_OF_LARGEST, Function.SHARE_OF_MODE)


@dataclass(frozen=True, slots=True)
class Result:
    """`RESULT` (or `RECORD`, D1)."""

    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Filter:
    condition: Condition
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class NamedAggregate:
    aggregate: Aggregate
    alias: Name  # after AS


@dataclass(frozen=True, slots=True)
class Process:
    aggregate: Aggregate
    alias: Name
    where: Condition | None = None
    group_by: tuple[Name, ...] = ()
    others: tuple[NamedAggregate, ...] = ()  # after the first (X11)
    span: Span = field(default=NOWHERE, compare=False, repr=False)

    @property
    def aggregates(self) -> tuple[NamedAggregate, ...]:
        return (NamedAggregate(self.aggregate, self.alias), *self.others)


ResultForm: TypeAlias = Result | Filter | Process


@dataclass(frozen=True, slots=True)
class Assertion:
    quantifier: Quantifier
    result: ResultForm
    condition: Condition
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Always:
    """`ALWAYS` in place of an assertion: every record is affected (X1)."""

    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class BandsOf:
    """`BANDS OF width FROM start UP TO end` (X2)."""

    width: Number
    start: Number | None = None
    end: Number | None = None
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class BandsAt:
    """`BANDS AT 18, 25, 65` (X2)."""

    cuts: tuple[Number, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class PrefixOf:
    length: Number
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class DatePart:
    unit: DateUnit
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class LevelOf:
    """`LEVEL level OF 'file' ELSE otherwise` (X2)."""

    level: Number
    file: String
    otherwise: Constant | None = None
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Nearest:
    """`NEAREST number` (X12)."""

    number: Number
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Map: TypeAlias = BandsOf | BandsAt | PrefixOf | DatePart | LevelOf | Nearest


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


@dataclass(frozen=True, slots=True)
class WeightedValue:
    """`weight OF constant`, or `constant` with weight 1 (X6)."""

    constant: Constant
    weight: Number | None = None
    span: Span = field(default=NOWHERE, compare=False, repr=False)

    @property
    def times(self) -> Decimal:
        return Decimal(1) if self.weight is None else self.weight.value


@dataclass(frozen=True, slots=True)
class Draw:
    """`RANDOM name FROM (weight OF constant, …)`, with at least one value (X6)."""

    name: Name
    values: tuple[WeightedValue, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Generalize:
    """`GENERALIZE name TO map` (X2)."""

    name: Name
    map: Map
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Drop:
    """`DROP name, …` (X3)."""

    names: tuple[Name, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Pseudonym:
    """`PSEUDONYM name` (X15)."""

    name: Name
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Shift:
    """`SHIFT name, … BY person WITHIN days DAYS` (X16)."""

    names: tuple[Name, ...]
    person: Name
    days: Number | Parameter
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class AddRandom:
    """`ADD RANDOM lower upper TO name` (X17)."""

    lower: Number | Parameter
    upper: Number | Parameter
    name: Name
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Microaggregate:
    """`MICROAGGREGATE name BY size` (X18)."""

    name: Name
    size: Number | Parameter
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Plain: TypeAlias = Reject | Replace | Random | Draw | Generalize | Drop | Pseudonym | Shift | AddRandom | Microaggregate


@dataclass(frozen=True, slots=True)
class Sometimes:
    """`WITH PROBABILITY probability action` (X5)."""

    probability: Number
    action: Plain
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Step: TypeAlias = Plain | Sometimes


@dataclass(frozen=True, slots=True)
class Then:
    """`x THEN y THEN z`, with at least two steps (X10)."""

    steps: tuple[Step, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Action: TypeAlias = Step | Then


@dataclass(frozen=True, slots=True)
class Requirement:
    """The span includes the semicolon."""

    assertion: Assertion | Always
    action: Action | None = None  # None if the requirement only checks (D6)
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Comment:
    text: str  # with its delimiters
    span: Span = field(default=NOWHERE, compare=False, repr=False)
    #: whether a token precedes the comment on its line
    follows_code: bool = field(default=False, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Program:
    requirements: tuple[Requirement, ...]
    comments: tuple[Comment, ...] = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)
    #: the folder of the policy's file, where LEVEL looks for hierarchies (X2) and IN for reference tables (X14)
    folder: str = field(default="", compare=False, repr=False)
    #: the content of hierarchies and reference tables that came with the policy, by the name that it gives them
    hierarchies: Mapping[str, bytes] = field(default_factory=dict, compare=False, repr=False)
