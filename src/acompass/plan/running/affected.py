"""An affected bag."""

from dataclasses import dataclass, field

from sqlglot import exp

from acompass.plan.lowering.sql import Sql


@dataclass(frozen=True)
class Affected:
    """The affected bag: the `count` records of the state, called `t`, that satisfy `predicate` after
    `joins`. No join multiplies records."""

    predicate: Sql
    count: int
    joins: list[exp.Join] = field(default_factory=list)
