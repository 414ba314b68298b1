"""A checked program: names are positions, constants are typed values, the schema is known at every step.

It runs on every complete table of its schema (invariant 2): no later stage reports an error about the policy.
Nodes have the span of text that they come from, None if the tree was built in code. Spans do not take part in
equality.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate
from typing import TypeAlias

from acompass.checked.maps.map import Map
from acompass.checked.types import Schema, Type, Value
from acompass.diagnostics import Span
from acompass.syntax.tree import Function as Function
from acompass.syntax.tree import Operator as Operator
from acompass.syntax.tree import Quantifier as Quantifier


@dataclass(frozen=True, slots=True)
class Comparison:
    """`column` is a position in the schema that the condition sees (D15); `value` has that column's type.

    For an integer column, an integral constant is an int of any size and another is an exact Decimal. For a
    decimal column, it is the Decimal of the policy, of any scale.
    """

    column: int
    operator: Operator
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
    """`column` is None for COUNT(*); `name` is the name C of the aggregate value, `type` its type."""

    function: Function
    column: int | None
    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class Process:
    """One aggregate or more (X11)."""

    aggregates: tuple[Aggregate, ...]
    where: Condition | None
    group_by: tuple[int, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


ResultForm: TypeAlias = Result | Filter | Process


@dataclass(frozen=True, slots=True)
class Assertion:
    """`schema` is the schema that the condition sees (D15), l(result) of Figure 2.

    After PROCESS it is (G1, …, Gm, C1, …, Cn): positions 0…m-1 are `group_by`, the others the aggregates.
    ALWAYS is EACH RESULT with a condition that no record satisfies (X1), so every record is affected.
    """

    quantifier: Quantifier
    result: ResultForm
    condition: Condition
    schema: Schema = field(compare=False, repr=False)
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Reject:
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Replace:
    """`value` has the column's type in the requirement's `after`."""

    column: int
    value: Value
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Random:
    """Draws an integer in [lower, upper], which is written as the column's type (digits in text)."""

    column: int
    lower: int
    upper: int
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Ball:
    value: Value
    weight: int


@dataclass(frozen=True, slots=True)
class Draw:
    """Draws one of the values, with a probability in proportion to its weight (X6). Weights are positive and
    no value is there twice. The values have the column's type in the requirement's `after`."""

    column: int
    balls: tuple[Ball, ...]
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def total(self) -> int:
        return sum(ball.weight for ball in self.balls)

    @property
    def cuts(self) -> tuple[Fraction, ...]:
        """The cumulative probabilities: the j-th value is drawn where ρ is below the j-th cut, but not below
        the one before."""
        sums = list(accumulate(ball.weight for ball in self.balls))
        return tuple(Fraction(each, sums[-1]) for each in sums)


@dataclass(frozen=True, slots=True)
class Generalize:
    """Maps the text of each affected value. The column is text in the requirement's `after` (X2)."""

    column: int
    map: Map
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Drop:
    """The columns have no values and no names from here on; they keep their positions (X3).

    `absent` are the names of columns that a released table no longer has (D32).
    """

    columns: tuple[int, ...]
    absent: tuple[str, ...] = ()
    span: Span | None = field(default=None, compare=False, repr=False)


#: an action that is performed on the whole affected bag
Plain: TypeAlias = Reject | Replace | Random | Draw | Generalize | Drop


@dataclass(frozen=True, slots=True)
class Sometimes:
    """Performs an action on each affected record with a probability, independently of the others (X5). The
    action is not DROP."""

    probability: Fraction
    action: Plain
    span: Span | None = field(default=None, compare=False, repr=False)


Action: TypeAlias = Plain | Sometimes


@dataclass(frozen=True, slots=True)
class Requirement:
    """The assertion sees `before`. If a column's type differs in `after`, the values of all records are
    converted between the evaluation of the assertion and the action, affected or not (D12).

    `judged` is False where the assertion has no verdict, because a released table has labels in place of the
    numbers that it compares (D32).
    """

    index: int
    line: int
    text: str
    assertion: Assertion
    action: Action | None
    before: Schema
    after: Schema
    span: Span | None = field(default=None, compare=False, repr=False)
    judged: bool = True


@dataclass(frozen=True, slots=True)
class Program:
    """`schema` is the input table's; `named` are the positions of the policy's columns (D11)."""

    schema: Schema
    requirements: tuple[Requirement, ...]
    named: frozenset[int]

    @property
    def final_schema(self) -> Schema:
        """Dropped columns included."""
        return self.requirements[-1].after if self.requirements else self.schema
