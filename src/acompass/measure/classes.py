"""The single pass over the table, which yields the equivalence classes."""

from collections.abc import Sequence

import duckdb

from acompass.measure.view import View

#: one row per equivalence class and combination of sensitive values: class, size, s0, s1, …, n
CELLS = "measure_cells"
#: one row per equivalence class: q0, q1, …, size, class
CLASSES = "measure_classes"


def group(
    con: duckdb.DuckDBPyConnection, view: View, quasi_identifiers: Sequence[int], sensitive: Sequence[int]
) -> None:
    """Scan the table once. All measures are computed from the two small tables that this creates."""
    keys = [f"q{i}" for i in range(len(quasi_identifiers))]
    attributes = [f"s{i}" for i in range(len(sensitive))]
    columns = [view.values(quasi_identifiers, "q"), *([view.values(sensitive, "s")] if sensitive else [])]
    con.execute(f"""
        CREATE OR REPLACE TEMP TABLE measure_groups AS
        SELECT {", ".join(columns)}, {view.count} AS n FROM {view.relation} GROUP BY ALL
    """)
    con.execute(f"""
        CREATE OR REPLACE TEMP TABLE {CLASSES} AS
        SELECT {", ".join(keys)}, sum(n)::BIGINT AS size, row_number() OVER () AS class
        FROM measure_groups GROUP BY {", ".join(keys)}
    """)
    if attributes:
        con.execute(f"""
            CREATE OR REPLACE TEMP TABLE {CELLS} AS
            SELECT class, size, {", ".join(f"g.{name}" for name in attributes)}, n
            FROM measure_groups AS g JOIN {CLASSES} AS c
              ON {" AND ".join(f"g.{key} IS NOT DISTINCT FROM c.{key}" for key in keys)}
        """)
    con.execute("DROP TABLE measure_groups")


def class_sizes(con: duckdb.DuckDBPyConnection) -> tuple[tuple[int, int], ...]:
    """Pairs (size in units, number of classes) in ascending order of size."""
    rows = con.execute(f"SELECT size, count(*) FROM {CLASSES} GROUP BY size ORDER BY size").fetchall()
    return tuple((size, classes) for size, classes in rows)
