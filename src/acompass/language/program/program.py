"""A checked program: names are positions, constants are typed values, and the schema is known at every step.

It runs on every complete table of its schema (invariant 2): no later stage reports an error about the policy. Nodes
have the span of text that they come from, None if the tree was built in code. Spans do not take part in equality."""

from fractions import Fraction
from itertools import accumulate
from typing import TypeAlias

from acompass.dataclasses import dataclass, field
from acompass.errors.diagnostics import Span
from acompass.language.program.label_maps import Map
from acompass.language.program.types import Schema, Type, Value
from acompass.language.text.tree import Function, Operator, Quantifier


@dataclass(frozen=True, slots=True)
class Comparison:
    column: int  # a position in the schema that the condition sees (D15)
    operator: Operator
    #: of the column's type, except for size and scale: an integer column is compared with an int of any size or an
    #: exact Decimal, a decimal column with a Decimal of any scale
    value: Value
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Not:
    operand: "Condition"


@dataclass(frozen=True, slots=True)
class And:
    operands: tuple["Condition", ...]


@dataclass(frozen=True, slots=True)
class Or:
    operands: tuple["Condition", ...]


Condition: TypeAlias = Comparison | Not | And | Or

#: the condition of ALWAYS: an Or without operands is false
NEVER = Or(())


@dataclass(frozen=True, slots=True)
class Result:
    """RESULT: the table itself."""

    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Filter:
    condition: Condition
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Aggregate:
    function: Function
    column: int | None  # None for COUNT(*)
    name: str  # C, the name after AS
    type: Type  # of the aggregate value


@dataclass(frozen=True, slots=True)
class Process:
    aggregates: tuple[Aggregate, ...]  # at least one (X11)
    where: Condition | None
    group_by: tuple[int, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


ResultForm: TypeAlias = Result | Filter | Process


@dataclass(frozen=True, slots=True)
class Assertion:
    """ALWAYS is EACH RESULT with a condition that no record satisfies (X1), so every record is affected."""

    quantifier: Quantifier
    result: ResultForm
    condition: Condition
    #: the schema that the condition sees (D15), l(result) of Figure 2. After PROCESS it is (G1, …, Gm, C1, …, Cn):
    #: first the columns of `group_by`, then the aggregates
    schema: Schema = field(compare=False, repr=False)
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Reject:
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Replace:
    column: int
    value: Value  # has the column's type in the requirement's `after`
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Random:
    """Draws an integer in [lower, upper] and converts it to the column's type (in a text column, to digits)."""

    column: int
    lower: int
    upper: int
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class WeightedValue:
    value: Value
    weight: int


@dataclass(frozen=True, slots=True)
class Draw:
    """Draws one of the values, with a probability in proportion to its weight (X6)."""

    column: int
    #: values are distinct and have the column's type in the requirement's `after`; weights are positive
    values: tuple[WeightedValue, ...]
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def total(self) -> int:
        return sum(each.weight for each in self.values)

    @property
    def cuts(self) -> tuple[Fraction, ...]:
        """The cumulative probabilities: the j-th value is drawn if cut j-1 ≤ ρ < cut j, where cut 0 is 0."""
        sums = list(accumulate(each.weight for each in self.values))
        return tuple(Fraction(each, sums[-1]) for each in sums)


@dataclass(frozen=True, slots=True)
class Generalize:
    """Maps the text of each affected value. The column is text in the requirement's `after` (X2)."""

    column: int
    map: Map
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Drop:
    """Removes columns. They keep their positions in the schema, but have no values from here on (X3)."""

    columns: tuple[int, ...]
    absent: tuple[str, ...] = ()  # names of columns that a released table no longer has (D32)
    span: Span | None = field(default=None, compare=False, repr=False)


#: an action that is performed on the whole affected bag
Plain: TypeAlias = Reject | Replace | Random | Draw | Generalize | Drop


@dataclass(frozen=True, slots=True)
class Sometimes:
    """Performs an action on each affected record with a probability, independently of the others (X5)."""

    probability: Fraction
    action: Plain  # not DROP
    span: Span | None = field(default=None, compare=False, repr=False)


Action: TypeAlias = Plain | Sometimes


@dataclass(frozen=True, slots=True)
class Requirement:
    """The assertion sees `before`. If a column's type differs in `after`, the values of all records, affected or not,
    are converted between the evaluation of the assertion and the action (D12, retyping)."""

    index: int
    line: int
    text: str
    assertion: Assertion
    action: Action | None
    before: Schema
    after: Schema
    span: Span | None = field(default=None, compare=False, repr=False)
    #: False if the assertion has no verdict: a released table has labels in place of the numbers it compares (D32)
    judged: bool = True


@dataclass(frozen=True, slots=True)
class Program:
    schema: Schema  # of the input table
    requirements: tuple[Requirement, ...]
    named: frozenset[int]  # the positions of the columns that the policy names (D11)

    @property
    def final_schema(self) -> Schema:
        """Dropped columns included."""
        return self.requirements[-1].after if self.requirements else self.schema


@dataclass(frozen=True, slots=True)
class Verdict:
    holds: bool
    affected: int  # |V|
    records: int  # of the table
    selects_none: bool = False  # whether the assertion has a FILTER or WHERE that no record satisfies (D29)
