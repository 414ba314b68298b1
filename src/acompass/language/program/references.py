"""Reference tables (X14): files that come with a policy, aggregated over the columns that a requirement groups by."""

from collections.abc import Mapping
from decimal import Decimal
from typing import TypeAlias

from acompass.dataclasses import dataclass, field
from acompass.language.program.types import Value

#: the values of the columns of GROUP BY, in their order
Group: TypeAlias = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Reference:
    """A file and the columns of it that an aggregate uses. Equal references have the same content."""

    file: str  # as the policy names it
    digest: str  # of its content
    columns: tuple[str, ...]  # the names of the file's columns that stand for those of GROUP BY
    added: str | None  # the column of the file that SUM adds; None for COUNT(*)
    #: for each group that the file has, the number of its records or their sum; all other groups have 0
    totals: Mapping[Group, int | Decimal] = field(compare=False, repr=False)

    def total(self, group: Group) -> int | Decimal:
        return self.totals.get(group, 0)
