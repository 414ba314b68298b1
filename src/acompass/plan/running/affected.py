"""An affected bag."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from acompass.plan.lowering.sql import Sql


@dataclass(frozen=True)
class Affected:
    """The affected bag: the `count` records of the state, called `t`, that satisfy `predicate` after
    `joins`. No join multiplies records.

    `distinct` has queries for the distinct values of columns with their numbers of records, where a query of
    the classes is enough.
    """

    predicate: Sql
    count: int
    joins: list[exp.Join] = field(default_factory=list)
    distinct: Mapping[int, exp.Select] = field(default_factory=dict)
