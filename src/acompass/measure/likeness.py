"""β-likeness and δ-disclosure: how far a value's share in a class differs from its share in the table."""

from dataclasses import dataclass
from fractions import Fraction

import duckdb

from acompass.measure.exact import DOUBLE_MARGIN, exceeds_log, largest_ratio, log_of
from acompass.measure.query import one_row
from acompass.measure.values import Counts

_SHARE, _EXPECTED = "n", "size::HUGEINT * total"


@dataclass(frozen=True, slots=True)
class Likeness:
    basic_beta: Fraction
    enhanced_beta: Fraction | None
    enhanced_beta_bound: float
    delta: float
    delta_every_value: float | None


def likeness(con: duckdb.DuckDBPyConnection, counts: Counts, distinct_l: int) -> Likeness:
    most = largest_ratio(con, counts.counts, _SHARE, _EXPECTED) * counts.records
    least = 1 / largest_ratio(con, counts.counts, _EXPECTED, _SHARE) * counts.records
    beta, delta = most - 1, float(max(log_of(most), -log_of(least)))
    return Likeness(
        basic_beta=beta,
        enhanced_beta=beta if _never_above_logarithm(con, counts) else None,
        enhanced_beta_bound=min(float(beta), float(_rarest_surprise(con, counts))),
        delta=delta,
        delta_every_value=delta if distinct_l == counts.distinct else None,
    )


def _never_above_logarithm(con: duckdb.DuckDBPyConnection, counts: Counts) -> bool:
    """Whether every gain (q − p)/p is at most −ln p, which enhanced β-likeness requires for every β."""
    doubtful = con.execute(f"""
        WITH gains AS (SELECT DISTINCT n, size, total,
                              n::DOUBLE * {counts.records} / (size::DOUBLE * total) - 1 AS gain,
                              ln({counts.records} / total::DOUBLE) AS surprise
                       FROM {counts.counts})
        SELECT n, size, total FROM gains WHERE gain - surprise > -{DOUBLE_MARGIN} * (1 + gain + surprise)
        ORDER BY gain - surprise DESC
    """)
    while (row := doubtful.fetchone()) is not None:
        n, size, total = row
        if exceeds_log(Fraction(n * counts.records, size * total) - 1, Fraction(counts.records, total)):
            return False
    return True


def _rarest_surprise(con: duckdb.DuckDBPyConnection, counts: Counts) -> float:
    (rarest,) = one_row(con, f"SELECT min(total) FROM {counts.values}")
    return float(log_of(Fraction(counts.records, rarest)))
