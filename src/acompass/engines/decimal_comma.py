"""SQL that exchanges decimal points and commas, as `tables.decimal_comma.swapped` does."""

from collections.abc import Collection, Mapping

from sqlglot import exp

from acompass.checked.uses import ColumnUse, Use
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialects.dialect import Dialect
from acompass.plan.lowering.sql import Sql
from acompass.tables.csv import Csv
from acompass.tables.decimal_comma import SWAPS


def comma_columns(csv: Csv, uses: Mapping[int, ColumnUse], dates: Collection[int]) -> frozenset[int]:
    """The columns in which a decimal comma is read: those that the policy names, but not as text or dates."""
    if not csv.source.has_comma:
        return frozenset()
    return frozenset(p for p, use in uses.items() if use.use is not Use.TEXT and p not in dates)


def swapped(value: Sql, dialect: Dialect) -> Sql:
    cases = [
        exp.If(
            this=exp.RegexpLike(
                this=value.copy(), expression=exp.Literal.string(f"^{pattern}{dialect.end_of_text}")
            ),
            true=sql.call("translate", value.copy(), exp.Literal.string(old), exp.Literal.string(new)),
        )
        for pattern, old, new in SWAPS
    ]
    return exp.Case(ifs=cases, default=value.copy())
