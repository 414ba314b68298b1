"""A checked program: names are positions, constants are typed values, the schema is known at every step.

Whatever has this form runs on every complete table of its schema (invariant 2): nothing after it reports an
error about the policy.
"""

from dataclasses import dataclass
from typing import TypeAlias, assert_never

from acompass.checked.types import Column, Schema, Type, Value
from acompass.syntax.tree import Function as Function
from acompass.syntax.tree import Operator as Operator
from acompass.syntax.tree import Quantifier as Quantifier


@dataclass(frozen=True, slots=True)
class Comparison:
    """`column` is a position in the schema the condition sees (D15); `value` is of that column's type.

    An integer column's value is an int where the constant is integral, of any size, else an exact Decimal; a
    decimal column's is the Decimal as written, of any scale.
    """

    column: int
    operator: Operator
    value: Value


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


@dataclass(frozen=True, slots=True)
class Result:
    """RESULT: the table itself."""


@dataclass(frozen=True, slots=True)
class Filter:
    condition: Condition


@dataclass(frozen=True, slots=True)
class Process:
    """`column` is None for COUNT(*); `type` is that of the aggregate value, `name` its C."""

    function: Function
    column: int | None
    name: str
    type: Type
    where: Condition | None
    group_by: tuple[int, ...]


ResultForm: TypeAlias = Result | Filter | Process


@dataclass(frozen=True, slots=True)
class Assertion:
    """After PROCESS the condition sees (G1, …, Gm, C): positions 0…m-1 are `group_by`, m is the aggregate."""

    quantifier: Quantifier
    result: ResultForm
    condition: Condition


@dataclass(frozen=True, slots=True)
class Reject:
    pass


@dataclass(frozen=True, slots=True)
class Replace:
    """`value` is of the column's type in the requirement's `after`."""

    column: int
    value: Value


@dataclass(frozen=True, slots=True)
class Random:
    """Draws an integer in [lower, upper]; written as the column's type in `after` (digits in text)."""

    column: int
    lower: int
    upper: int


Action: TypeAlias = Reject | Replace | Random


@dataclass(frozen=True, slots=True)
class Requirement:
    """The assertion sees `before`. Where a column's type in `after` differs, every record's value is
    converted once the assertion has been evaluated, affected or not (D12); the action sees `after`."""

    index: int
    line: int
    text: str
    assertion: Assertion
    action: Action | None
    before: Schema
    after: Schema


@dataclass(frozen=True, slots=True)
class Program:
    """`schema` is that of the table as given; `named` are the positions of the policy's columns (D11)."""

    schema: Schema
    requirements: tuple[Requirement, ...]
    named: frozenset[int]

    @property
    def final_schema(self) -> Schema:
        return self.requirements[-1].after if self.requirements else self.schema


def seen_schema(requirement: Requirement) -> Schema:
    """The schema that the assertion's condition sees: the paper's l(result), Figure 2."""
    result = requirement.assertion.result
    match result:
        case Result() | Filter():
            return requirement.before
        case Process():
            groups = tuple(requirement.before[g] for g in result.group_by)
            return (*groups, Column(result.name, result.type))
        case _:
            assert_never(result)
