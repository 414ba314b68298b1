"""The single pass over the table, which yields the equivalence classes."""

from collections.abc import Sequence

import duckdb

from acompass.measure.coded import bring_groups
from acompass.measure.records import Records
from acompass.measure.values import CELLS, Order, order_of
from acompass.measure.view import View

#: one row per equivalence class: q0, q1, …, size, class
CLASSES = "measure_classes"
_GROUPS = "measure_groups"


def group(
    con: duckdb.DuckDBPyConnection,
    records: Records,
    quasi_identifiers: Sequence[int],
    sensitive: Sequence[int],
) -> list[Order]:
    """Scan the table once. All measures are computed from the two small tables that this creates, and from
    the orders of the sensitive columns that it returns.

    In DuckDB, the tables have the values themselves. Another engine sends numbers for them.
    """
    keys = [f"q{i}" for i in range(len(quasi_identifiers))]
    attributes = [f"s{i}" for i in range(len(sensitive))]
    orders = []
    if records.relation is None:
        orders = bring_groups(con, records, quasi_identifiers, sensitive, _GROUPS)
    else:
        _scan(con, View(records), quasi_identifiers, sensitive)
    con.execute(f"""
        CREATE OR REPLACE TEMP TABLE {CLASSES} AS
        SELECT {", ".join(keys)}, sum(n)::BIGINT AS size, row_number() OVER () AS class
        FROM {_GROUPS} GROUP BY {", ".join(keys)}
    """)
    if attributes:
        con.execute(f"""
            CREATE OR REPLACE TEMP TABLE {CELLS} AS
            SELECT class, size, {", ".join(f"g.{name}" for name in attributes)}, n
            FROM {_GROUPS} AS g JOIN {CLASSES} AS c
              ON {" AND ".join(f"g.{key} IS NOT DISTINCT FROM c.{key}" for key in keys)}
        """)
    con.execute(f"DROP TABLE {_GROUPS}")
    types = [records.schema[position].type for position in sensitive]
    return orders or [order_of(con, index, type_) for index, type_ in enumerate(types)]


def _scan(
    con: duckdb.DuckDBPyConnection, view: View, quasi_identifiers: Sequence[int], sensitive: Sequence[int]
) -> None:
    columns = [view.values(quasi_identifiers, "q"), *([view.values(sensitive, "s")] if sensitive else [])]
    con.execute(f"""
        CREATE OR REPLACE TEMP TABLE {_GROUPS} AS
        SELECT {", ".join(columns)}, {view.count} AS n FROM {view.relation} GROUP BY ALL
    """)


def class_sizes(con: duckdb.DuckDBPyConnection) -> tuple[tuple[int, int], ...]:
    """Pairs (size in units, number of classes) in ascending order of size."""
    rows = con.execute(f"SELECT size, count(*) FROM {CLASSES} GROUP BY size ORDER BY size").fetchall()
    return tuple((size, classes) for size, classes in rows)
