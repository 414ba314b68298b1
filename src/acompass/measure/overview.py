"""What a report shows of a table, or of one before and after: measures, risk and distributions, in one go."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any

from acompass.engines.duckdb import connection, failures
from acompass.measure.columns import Positions, Request, positions
from acompass.measure.distribution import Distribution, distributions
from acompass.measure.flow import measure_view, open_view
from acompass.measure.result import Measures


@dataclass(frozen=True, slots=True)
class Overview:
    """`measures` has one entry a table, in order; none where no quasi-identifiers are known."""

    measures: tuple[Measures, ...]
    columns: tuple[Distribution, ...]


def overview(
    tables: Sequence[Any],
    asked: Request | None,
    delimiter: str | None = None,
    memory_limit: str | None = None,
) -> Overview:
    """Of one table, or of the table before and the table after."""
    with ExitStack() as stack:
        stack.enter_context(failures())
        con = stack.enter_context(connection(memory_limit))
        find = _nothing if asked is None else partial(positions, asked)
        opened = [open_view(stack, con, table, find, delimiter, every_column=True) for table in tables]
        measures = () if asked is None else tuple(measure_view(con, view, found) for view, found in opened)
        return Overview(measures, distributions(con, [view for view, _ in opened]))


def _nothing(_names: Sequence[str]) -> Positions:
    return Positions((), (), None)
