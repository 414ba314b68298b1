"""An overview of a table, or of a table before and after: measures, risk and distributions."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from acompass.measure.columns import Positions, Roles, positions
from acompass.measure.distribution import distributions
from acompass.measure.flow import measure_view
from acompass.measure.opening import open_tables
from acompass.measures import Overview
from acompass.options import DatesArgument
from acompass.tables.file_format import FileFormat

_DEFAULT = FileFormat()


def overview(
    tables: Sequence[Any],
    roles: Roles | None,
    file_format: FileFormat = _DEFAULT,
    memory_limit: str | None = None,
    with_columns: bool = True,
    dates: DatesArgument = (),
    drawn: frozenset[str] = frozenset(),
) -> Overview:
    """`tables` is one table, or the table before and the table after; `dates` are the formats of the first.
    `drawn` are columns, by their names without case, of which the first table's distribution is not shown.

    Without roles, there are no measures; without `with_columns`, no distributions.
    """
    find = _nothing if roles is None else partial(positions, roles)
    with open_tables(file_format, memory_limit) as opened:
        views = [
            opened.open(table, find, every_column=True, dates=() if place else dates)
            for place, table in enumerate(tables)
        ]
        measures = () if roles is None else tuple(measure_view(opened.con, *view) for view in views)
        columns = distributions(opened.con, [view for view, _ in views], drawn) if with_columns else ()
        return Overview(measures, columns)


def _nothing(_names: Sequence[str]) -> Positions:
    return Positions((), (), None)
