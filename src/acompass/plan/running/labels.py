"""The labels of GENERALIZE, looked up by distinct value (X2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from acompass.checked.convert import to_text
from acompass.checked.maps.map import Unlabelled
from acompass.checked.program import Generalize, Requirement
from acompass.checked.types import TEXT
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import State
from acompass.plan.running.affected import Affected
from acompass.plan.running.column_texts import PLAIN, text_key
from acompass.plan.running.context import Context


@dataclass(frozen=True)
class Labels:
    """`rows` are the distinct values of the affected records with their labels. `value` is the value of a
    record of the state, called `t`, and `type` its SQL type."""

    rows: Sequence[tuple[Any, str]]
    value: Sql
    type: str
    changes: bool

    def joined(self, context: Context) -> exp.Join:
        """A join with the labels, called `m`."""
        columns = (("value", self.type), ("label", sql.type_name(TEXT)))
        table = context.session.upload(columns, self.rows)
        on = exp.EQ(this=self.value.copy(), expression=exp.column("value", table="m"))
        return exp.Join(this=sql.table(table, "m"), on=on, side="LEFT")


def label() -> Sql:
    return exp.column("label", table="m")


def look_up(
    context: Context, state: State, requirement: Requirement, action: Generalize, affected: Affected
) -> Labels:
    """The labels of the affected values. A value without one ends the run."""
    type_ = state.schema[action.column].type
    value, key_type = text_key(context.session.dialect, sql.column(action.column, "t"), type_)
    texts = [
        (fetched, to_text(fetched, key_type), int(count))
        for fetched, count in context.session.fetch(_distinct(state, action.column, value, affected))
    ]
    labels = [action.map.label(text) for _, text, _ in texts]
    without = sum(count for (_, _, count), found in zip(texts, labels, strict=True) if found is None)
    if without:
        raise Unlabelled(requirement.index, without)
    rows = [
        (fetched, found) for (fetched, _, _), found in zip(texts, labels, strict=True) if found is not None
    ]
    # a session without an engine finds no values, but the labels may differ from them
    changes = not texts or any(text != found for (_, text, _), found in zip(texts, labels, strict=True))
    return Labels(rows, value, sql.type_name(key_type), changes)


def _distinct(state: State, column: int, value: Sql, affected: Affected) -> exp.Select:
    """The distinct values of the affected records, with the number of records."""
    if column in affected.distinct and state.schema[column].type.kind in PLAIN:
        return affected.distinct[column]
    columns = [sql.named(value.copy(), "value"), state.count()]
    where = None if affected.predicate == sql.TRUE else affected.predicate.copy()
    select = sql.query(columns, state.source(), where)
    for join in affected.joins:
        select.append("joins", join.copy())
    return select.group_by(value.copy(), copy=False)
