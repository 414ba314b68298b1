"""Risk by quasi-identifier: the classes by each column alone, and by all other columns."""

from collections.abc import Iterator, Sequence

import duckdb

from acompass.measure.classes import CLASSES
from acompass.measure.view import View
from acompass.measures import Classes, QuasiIdentifier


def risk_by_quasi_identifier(
    con: duckdb.DuckDBPyConnection, view: View, quasi_identifiers: Sequence[int]
) -> tuple[QuasiIdentifier, ...]:
    """From the classes that `group` created: the records are not read again. Empty for an empty table."""
    wanted = list(_groupings(len(quasi_identifiers)))
    queries = (_sizes(place, keys) for place, keys in enumerate(wanted))
    sizes: list[list[tuple[int, int]]] = [[] for _ in wanted]
    for place, size, classes in con.execute(f"{' UNION ALL '.join(queries)} ORDER BY place, size").fetchall():
        sizes[place].append((size, classes))
    found = [Classes(tuple((view.persons(size), n) for size, n in each)) for each in sizes]
    columns = [view.schema[position].name for position in quasi_identifiers]
    pairs = zip(columns, found[::2], found[1::2], strict=True)
    return tuple(QuasiIdentifier(*pair) for pair in pairs) if found[0].sizes else ()


def _groupings(columns: int) -> Iterator[list[str]]:
    """For each column, itself and then all others."""
    keys = [f"q{i}" for i in range(columns)]
    for key in keys:
        yield [key]
        yield [other for other in keys if other != key]


def _sizes(place: int, keys: Sequence[str]) -> str:
    """SQL for the number of classes by size. Without keys, all records form one class, if there are any."""
    by = f"GROUP BY {', '.join(keys)}" if keys else "HAVING count(*) > 0"
    return f"""
        SELECT {place} AS place, size, count(*) AS classes
        FROM (SELECT sum(size)::BIGINT AS size FROM {CLASSES} {by}) AS grouped GROUP BY size
    """
