"""A checked program: names are positions, constants are typed values, and the schema is known at every step.

It runs on every complete table of its schema (invariant 2): no later stage reports an error about the policy. Nodes
have the span of text that they come from, None if the tree was built in code. Spans do not take part in equality."""

from fractions import Fraction
from typing import TypeAlias

from acompass.dataclasses import dataclass, field
from acompass.errors.diagnostics import Span
from acompass.language.program.aggregates import REFERENCED, AggregateFacts, facts_about
from acompass.language.program.kernels import ONE, Kernel
from acompass.language.program.references import Reference
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
    column: int | None  # None for COUNT(*), and for every aggregate over a reference table
    name: str  # C, the name after AS
    type: Type  # of the aggregate value
    largest: int = 0  # how many values SHARE OF LARGEST adds
    reference: Reference | None = None  # the table after IN (X14)

    @property
    def facts(self) -> AggregateFacts:
        return facts_about(self.function) if self.reference is None else REFERENCED


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
class Remove:
    """REJECT: the affected records leave the table."""


@dataclass(frozen=True, slots=True)
class Write:
    """Writes into columns of the affected records: REPLACE, RANDOM, GENERALIZE, PSEUDONYM and so on."""

    columns: tuple[int, ...]  # one, except for SHIFT, which reads all before it writes any (X16)
    kernel: Kernel  # what it writes

    @property
    def column(self) -> int:
        """The only column of an action other than SHIFT."""
        (column,) = self.columns
        return column


@dataclass(frozen=True, slots=True)
class Project:
    """DROP: columns leave the table. They keep their positions in the schema, but have no values from here on (X3)."""

    columns: tuple[int, ...]
    absent: tuple[str, ...] = ()  # names of columns that a released table no longer has (D32)


#: closed: a new action of the language is a new kernel
Effect: TypeAlias = Remove | Write | Project


@dataclass(frozen=True, slots=True)
class Action:
    effect: Effect
    #: that it is performed on an affected record, independently of the others (X5); 1 for Project
    probability: Fraction = ONE
    span: Span | None = field(default=None, compare=False, repr=False)


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
