"""An overview of a table, or of a table before and after: measures, loss and distributions."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from acompass.measure.columns import Positions, Roles, positions
from acompass.measure.distribution import Showing, distributions
from acompass.measure.flow import measure_view
from acompass.measure.opening import open_tables
from acompass.measure.policy_loss import PolicyLevels, policy_loss
from acompass.measure.view import View
from acompass.measures import THRESHOLDS, Overview
from acompass.options import DatesArgument
from acompass.tables.file_format import FileFormat

_DEFAULT = FileFormat()


def overviews(
    tables: Sequence[Any],
    roles: Roles | None,
    showings: Sequence[Showing | None],
    file_format: FileFormat = _DEFAULT,
    memory_limit: str | None = None,
    dates: DatesArgument = (),
    levels: PolicyLevels | None = None,
    below: Sequence[int] = THRESHOLDS,
) -> list[Overview]:
    """An overview for each showing; without distributions where it is None.

    `tables` is one table, or the table before and the table after; `dates` are the formats of the first.
    Without roles, there are no measures. `levels` are those by which the loss is measured, `below` the
    thresholds of the measures.
    """
    find = _nothing if roles is None else partial(positions, roles)
    with open_tables(file_format, memory_limit) as opened:
        loaded = [
            opened.open(table, find, every_column=True, dates=() if place else dates)
            for place, table in enumerate(tables)
        ]
        con, views = opened.con, [View(records) for records, _ in loaded]
        measures = () if roles is None else tuple(measure_view(con, *each, below) for each in loaded)
        loss = None
        if roles is not None and len(loaded) > 1:
            loss = policy_loss(con, *loaded[1], *loaded[0], levels or PolicyLevels(None))
        return [
            Overview(measures, () if showing is None else distributions(con, views, showing), loss)
            for showing in showings
        ]


def _nothing(_names: Sequence[str]) -> Positions:
    return Positions((), (), None)
