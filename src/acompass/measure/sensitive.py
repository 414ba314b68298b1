"""All models of one sensitive column."""

from fractions import Fraction

import duckdb

from acompass.measure.closeness import equal_distance, ordered_distance
from acompass.measure.entropy import entropy_l
from acompass.measure.exact import largest_ratio
from acompass.measure.likeness import likeness
from acompass.measure.query import one_row
from acompass.measure.values import Counts, Order, count_values
from acompass.measures import Sensitive


def measure_column(con: duckdb.DuckDBPyConnection, index: int, name: str, order: Order) -> Sensitive:
    """`index` is the column's position among the sensitive columns. The table must not be empty."""
    counts = count_values(con, index, order)
    diversity = _distinct_l(con, counts)
    whole, effective = entropy_l(con, counts) if diversity > 1 else (1, 1.0)
    like = likeness(con, counts, diversity)
    return Sensitive(
        column=name,
        values=counts.distinct,
        alpha=largest_ratio(con, counts.summaries, "most", "size"),
        distinct_l=diversity,
        entropy_l=whole,
        entropy_effective=effective,
        recursive_c=_recursive_c(con, counts, diversity),
        t_equal=equal_distance(con, counts),
        t_ordered=ordered_distance(con, counts) if counts.has_order else None,
        basic_beta=like.basic_beta,
        enhanced_beta=like.enhanced_beta,
        enhanced_beta_bound=like.enhanced_beta_bound,
        delta=like.delta,
        delta_every_value=like.delta_every_value,
    )


def _distinct_l(con: duckdb.DuckDBPyConnection, counts: Counts) -> int:
    (least,) = one_row(con, f"SELECT min(kinds) FROM {counts.summaries}")
    return int(least)


def _recursive_c(con: duckdb.DuckDBPyConnection, counts: Counts, l_: int) -> Fraction:
    """The largest r₁ / (r_l + … + r_m) over all classes, where r₁ ≥ r₂ ≥ … are the counts of a class."""
    if l_ <= 2:
        return largest_ratio(con, counts.summaries, "most", "size" if l_ == 1 else "size - most")
    classes = f"""(
        SELECT max(n) AS most, list_sum(list(n ORDER BY n DESC)[{l_}:]) AS rest
        FROM {counts.counts} GROUP BY class)"""
    return largest_ratio(con, classes, "most", "rest")
