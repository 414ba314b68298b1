"""Entropy l-diversity: the largest integer l with exp(H) ≥ l in every class, decided without rounding.

A class of n records with counts n₁ … nₘ has exp(H) = n / Π nᵢ^(nᵢ/n). Therefore exp(H) ≥ l if and only if
nⁿ ≥ lⁿ · Π nᵢ^nᵢ.
"""

from decimal import Context, Decimal, localcontext
from typing import TypeAlias

import duckdb

from acompass.measure.exact import sign_of_product
from acompass.measure.values import Counts

#: pairs (count, number of values in the class that have this count)
Profile: TypeAlias = tuple[tuple[int, int], ...]

#: far above the error of compensated summation, far below any printed difference
_MARGIN = 1e-9


def entropy_l(con: duckdb.DuckDBPyConnection, counts: Counts) -> tuple[int, float]:
    """The largest l that every class reaches, and the least exp(H)."""
    profiles = _least_diverse(con, counts)
    return min(map(whole_l, profiles)), float(min(map(effective_values, profiles)))


def _least_diverse(con: duckdb.DuckDBPyConnection, counts: Counts) -> list[Profile]:
    """The profiles of the classes that may have the least entropy."""
    rows = con.execute(f"""
        WITH least AS (SELECT class FROM {counts.summaries}
                       WHERE entropy <= (SELECT min(entropy) FROM {counts.summaries}) + {_MARGIN}),
             profile AS (SELECT class, n, count(*) AS times
                         FROM {counts.counts} SEMI JOIN least USING (class) GROUP BY class, n)
        SELECT DISTINCT list([n, times] ORDER BY n) FROM profile GROUP BY class
    """).fetchall()
    return [tuple((n, times) for n, times in profile) for (profile,) in rows]


def effective_values(profile: Profile) -> Decimal:
    """exp(H), to more digits than a double can represent."""
    if len(profile) == 1:
        return Decimal(profile[0][1])
    size = _size(profile)
    with localcontext(Context(prec=60)):
        weighted = sum((times * n * Decimal(n).ln() for n, times in profile), Decimal(0))
        return (Decimal(size).ln() - weighted / size).exp()


def whole_l(profile: Profile) -> int:
    """⌊exp(H)⌋, exactly."""
    nearest = int(effective_values(profile).to_integral_value())
    return nearest if _reaches(profile, nearest) else nearest - 1


def _reaches(profile: Profile, l_: int) -> bool:
    size = _size(profile)
    return sign_of_product([(size, size), (l_, -size), *((n, -n * times) for n, times in profile)]) >= 0


def _size(profile: Profile) -> int:
    return sum(n * times for n, times in profile)
