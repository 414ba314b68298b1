"""t-closeness: the largest earth mover's distance between a class's distribution and the table's."""

from fractions import Fraction

import duckdb

from acompass.measure.exact import largest_ratio
from acompass.measure.values import Counts


def equal_distance(con: duckdb.DuckDBPyConnection, counts: Counts) -> Fraction:
    """½ Σ|q − p| = Σ max(0, q − p): only values that a class has can gain, so absent ones cost nothing."""
    return largest_ratio(con, counts.summaries, "gained", "size") / counts.records


def ordered_distance(con: duckdb.DuckDBPyConnection, counts: Counts) -> Fraction:
    """(1/(m−1)) Σᵢ |Qᵢ − Pᵢ| over cumulative shares.

    Between two values that a class has, Qᵢ stands still and Pᵢ grows: the sum is two differences of areas,
    split where Pᵢ overtakes Qᵢ. So a class costs as many steps as it has values itself.
    """
    if counts.distinct == 1:
        return Fraction(0)
    moved = f"""(
        WITH steps AS (
            SELECT class, size, position AS low, v.area - v.reached AS low_area,
                   sum(n) OVER steps AS held,
                   lead(position, 1, {counts.distinct}) OVER steps AS high,
                   lead(v.area - v.reached, 1, {counts.area}) OVER steps AS high_area,
                   row_number() OVER steps = 1 AS is_first
            FROM {counts.counts} JOIN {counts.values} AS v USING (position)
            WINDOW steps AS (PARTITION BY class ORDER BY position)),
        crossed AS (
            SELECT steps.*, coalesce(v.position + 1, 0) AS crossing, coalesce(v.area, 0) AS crossing_area
            FROM (SELECT *, (held * {counts.records} // size)::HUGEINT AS level FROM steps) AS steps
            ASOF LEFT JOIN {counts.values} AS v ON steps.level >= v.reached),
        split AS (
            SELECT class, size, held * {counts.records} AS held, low, high, low_area, high_area, is_first,
                   greatest(low, least(high, crossing)) AS middle,
                   greatest(low_area, least(high_area, crossing_area)) AS middle_area
            FROM crossed)
        SELECT any_value(size) AS size, sum(
            held * (middle - low) - size * (middle_area - low_area)
            + size * (high_area - middle_area) - held * (high - middle)
            + CASE WHEN is_first THEN size * low_area ELSE 0 END) AS moved
        FROM split GROUP BY class)"""
    return largest_ratio(con, moved, "moved", "size") / (counts.records * (counts.distinct - 1))
