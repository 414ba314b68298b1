"""t-closeness: the largest earth mover's distance between a class's distribution and the table's."""

from fractions import Fraction

import duckdb

from acompass.measure.exact import largest_ratio
from acompass.measure.values import Counts


def equal_distance(con: duckdb.DuckDBPyConnection, counts: Counts) -> Fraction:
    """½ Σ|q − p| = Σ max(0, q − p): a value that a class lacks adds nothing to the second sum."""
    return largest_ratio(con, counts.summaries, "gained", "size") / counts.records


def ordered_distance(con: duckdb.DuckDBPyConnection, counts: Counts) -> Fraction:
    """(1/(m−1)) Σᵢ |Qᵢ − Pᵢ|, where Qᵢ and Pᵢ are cumulative shares.

    Between two consecutive values of a class, Qᵢ is constant and Pᵢ grows. The sum over such a step is
    therefore the difference of two areas, split where Pᵢ overtakes Qᵢ, and the cost of a class depends on
    the number of its own values only.
    """
    if counts.distinct == 1:
        return Fraction(0)
    return largest_ratio(con, _moved(counts), "moved", "size") / (counts.records * (counts.distinct - 1))


def _moved(counts: Counts) -> str:
    """SQL for rows (size, moved), one per class: Σᵢ |Qᵢ − Pᵢ| times size · records."""
    return f"""(
        WITH steps AS ({_steps(counts)}), crossed AS ({_crossed(counts)}),
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


def _steps(counts: Counts) -> str:
    """From each value of a class to its next: positions and areas at both ends, and the records held."""
    return f"""
        SELECT class, size, position AS low, v.area - v.reached AS low_area,
               sum(n) OVER steps AS held,
               lead(position, 1, {counts.distinct}) OVER steps AS high,
               lead(v.area - v.reached, 1, {counts.area}) OVER steps AS high_area,
               row_number() OVER steps = 1 AS is_first
        FROM {counts.counts} JOIN {counts.values} AS v USING (position)
        WINDOW steps AS (PARTITION BY class ORDER BY position)"""


def _crossed(counts: Counts) -> str:
    """The steps, each with the position and the area where Pᵢ overtakes Qᵢ."""
    return f"""
        SELECT steps.*, coalesce(v.position + 1, 0) AS crossing, coalesce(v.area, 0) AS crossing_area
        FROM (SELECT *, (held * {counts.records} // size)::HUGEINT AS level FROM steps) AS steps
        ASOF LEFT JOIN {counts.values} AS v ON steps.level >= v.reached"""
