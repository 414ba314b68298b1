"""The privacy models of one sensitive column: l-diversity, t-closeness, β-likeness and δ-disclosure.

Each is decided exactly: fractions are compared as integers, and logarithms without rounding. For entropy l-diversity, a
class of n records with counts n₁ … nₘ has exp(H) = n / Π nᵢ^(nᵢ/n), so exp(H) ≥ l if and only if nⁿ ≥ lⁿ · Π nᵢ^nᵢ.
"""

import math
from collections.abc import Iterable
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import TypeAlias

import duckdb

from acompass.measure.answer import Sensitive
from acompass.measure.classes import Counts, Grouping, Order, count_values, one_row

#: pairs (count, number of values in the class that have this count)
Profile: TypeAlias = tuple[tuple[int, int], ...]

#: bounds the relative error of a quotient of two integers below 2^100 in doubles
DOUBLE_MARGIN = 1e-12
#: far more digits than a double has
DIGITS = 60
#: far above the error of compensated summation, far below any printed difference
_ENTROPY_MARGIN = 1e-9
#: SQL whose quotient is the share of a value in its class over that in the table, divided by the number of records
_SHARE, _EXPECTED = "n", "size::HUGEINT * total"


def measure_column(
    con: duckdb.DuckDBPyConnection, grouping: Grouping, index: int, name: str, order: Order
) -> Sensitive:
    """`index` is the column's position among the sensitive columns. The table must not be empty."""
    counts = count_values(con, grouping, index, order)
    persons, worst, pairs = counts.persons, counts.worst, counts.pairs
    (diversity, single_valued), (kinds, _) = (_fewest_values(con, each) for each in (worst, persons))
    whole, effective = entropy_l(con, worst) if diversity > 1 else (1, 1.0)
    beta, delta = _likeness(con, persons)
    (rarest,) = one_row(con, f"SELECT min(total) FROM {persons.values}")
    surprise = float(natural_log(Fraction(persons.records, rarest)))
    return Sensitive(
        column=name,
        values=persons.distinct,
        alpha=largest_ratio(con, worst.summaries, "most", "size"),
        distinct_l=diversity,
        single_valued=single_valued,
        entropy_l=whole,
        entropy_effective=effective,
        recursive_c=_recursive_c(con, worst, diversity),
        t_equal=equal_distance(con, pairs),
        t_ordered=ordered_distance(con, pairs) if pairs.has_order else None,
        basic_beta=beta,
        enhanced_beta=beta if _never_above_logarithm(con, persons) else None,
        enhanced_beta_bound=min(float(beta), surprise),
        delta=delta,
        delta_every_value=delta if kinds == persons.distinct else None,
    )


def _fewest_values(con: duckdb.DuckDBPyConnection, counts: Counts) -> tuple[int, int]:
    """The fewest values of a class, and the number of classes with only one."""
    kinds, alike = one_row(con, f"SELECT min(kinds), count(*) FILTER (kinds = 1) FROM {counts.summaries}")
    return int(kinds), int(alike)


def _recursive_c(con: duckdb.DuckDBPyConnection, counts: Counts, l_: int) -> Fraction:
    """The largest r₁ / (r_l + … + r_m) of a class, where r₁ ≥ r₂ ≥ … are its counts."""
    if l_ <= 2:
        return largest_ratio(con, counts.summaries, "most", "size" if l_ == 1 else "size - most")
    classes = f"""(
        SELECT max(n) AS most, list_sum(list(n ORDER BY n DESC)[{l_}:]) AS rest
        FROM {counts.counts} GROUP BY class)"""
    return largest_ratio(con, classes, "most", "rest")


def entropy_l(con: duckdb.DuckDBPyConnection, counts: Counts) -> tuple[int, float]:
    """The largest l that every class reaches, and the least exp(H)."""
    profiles = _least_diverse(con, counts)
    return min(map(whole_l, profiles)), float(min(map(effective_values, profiles)))


def _least_diverse(con: duckdb.DuckDBPyConnection, counts: Counts) -> list[Profile]:
    """The profiles of the classes that may have the least entropy."""
    rows = con.execute(f"""
        WITH least AS (SELECT class FROM {counts.summaries}
                       WHERE entropy <= (SELECT min(entropy) FROM {counts.summaries}) + {_ENTROPY_MARGIN}),
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


def equal_distance(con: duckdb.DuckDBPyConnection, counts: Counts) -> Fraction:
    """½ Σ|q − p| = Σ max(0, q − p): a value that a class lacks adds nothing to the second sum."""
    return largest_ratio(con, counts.summaries, "gained", "size") / counts.records


def ordered_distance(con: duckdb.DuckDBPyConnection, counts: Counts) -> Fraction:
    """(1/(m−1)) Σᵢ |Qᵢ − Pᵢ|, where Qᵢ and Pᵢ are cumulative shares.

    Between two consecutive values of a class, Qᵢ is constant and Pᵢ grows. The sum over such a step is therefore the
    difference of two areas, split where Pᵢ overtakes Qᵢ, and the cost of a class depends only on the number of its own
    values.
    """
    if counts.distinct == 1:
        return Fraction(0)
    return largest_ratio(con, _moved_sql(counts), "moved", "size") / (counts.records * (counts.distinct - 1))


def _moved_sql(counts: Counts) -> str:
    """SQL for a row (size, moved) for each class, where moved is Σᵢ |Qᵢ − Pᵢ| times size · records."""
    return f"""(
        WITH steps AS ({_steps_sql(counts)}), crossed AS ({_crossings_sql(counts)}),
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


def _steps_sql(counts: Counts) -> str:
    """SQL for the steps from a value of a class to the next: positions and areas at both ends, and records so far."""
    return f"""
        SELECT class, size, position AS low, v.area - v.reached AS low_area,
               sum(n) OVER steps AS held,
               lead(position, 1, {counts.distinct}) OVER steps AS high,
               lead(v.area - v.reached, 1, {counts.area}) OVER steps AS high_area,
               row_number() OVER steps = 1 AS is_first
        FROM {counts.counts} JOIN {counts.values} AS v USING (position)
        WINDOW steps AS (PARTITION BY class ORDER BY position)"""


def _crossings_sql(counts: Counts) -> str:
    """SQL for the steps, with the position and the area where Pᵢ overtakes Qᵢ."""
    return f"""
        SELECT steps.*, coalesce(v.position + 1, 0) AS crossing, coalesce(v.area, 0) AS crossing_area
        FROM (SELECT *, (held * {counts.records} // size)::HUGEINT AS level FROM steps) AS steps
        ASOF LEFT JOIN {counts.values} AS v ON steps.level >= v.reached"""


def _likeness(con: duckdb.DuckDBPyConnection, counts: Counts) -> tuple[Fraction, float]:
    """The least β of basic β-likeness, and the least δ of δ-disclosure over the values that each class has."""
    most = largest_ratio(con, counts.counts, _SHARE, _EXPECTED) * counts.records
    least = 1 / largest_ratio(con, counts.counts, _EXPECTED, _SHARE) * counts.records
    return most - 1, float(max(natural_log(most), -natural_log(least)))


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


def largest_ratio(con: duckdb.DuckDBPyConnection, relation: str, numerator: str, denominator: str) -> Fraction:
    """The largest numerator/denominator in a relation. Doubles select candidates, integers decide."""
    candidates = con.execute(f"""
        WITH pairs AS (SELECT DISTINCT ({numerator})::HUGEINT AS a, ({denominator})::HUGEINT AS b
                       FROM {relation}),
             ratios AS (SELECT a, b, a::DOUBLE / b::DOUBLE AS ratio FROM pairs)
        SELECT a, b FROM ratios WHERE ratio >= (SELECT max(ratio) FROM ratios) * (1 - {DOUBLE_MARGIN})
    """).fetchall()
    return max(Fraction(a, b) for a, b in candidates)


def natural_log(ratio: Fraction) -> Decimal:
    """The natural logarithm of a positive fraction, accurate also near 1."""
    with localcontext(Context(prec=DIGITS)):
        return to_decimal(ratio).ln()


def to_decimal(ratio: Fraction) -> Decimal:
    with localcontext(Context(prec=DIGITS)):
        return Decimal(ratio.numerator) / ratio.denominator


def exceeds_log(value: Fraction, ratio: Fraction) -> bool:
    """Whether value > ln(ratio).

    The logarithm of a rational number other than 1 is irrational, so enough digits decide every other case.
    """
    if ratio == 1:
        return value > 0
    digits = DIGITS
    while True:
        with localcontext(Context(prec=digits)):
            logarithm = (Decimal(ratio.numerator) / ratio.denominator).ln()
            difference = Decimal(value.numerator) / value.denominator - logarithm
            if abs(difference) > (1 + abs(logarithm)).scaleb(10 - digits):
                return difference > 0
        digits *= 2


def sign_of_product(powers: Iterable[tuple[int, int]]) -> int:
    """The sign of ln Π baseᵉ, for positive bases and signed exponents.

    Enough digits decide, unless the product is 1, which is detected by factoring the bases into coprime ones.
    """
    factors = [(base, exponent) for base, exponent in powers if base > 1 and exponent]
    digits = DIGITS
    while True:
        with localcontext(Context(prec=digits)):
            terms = [Decimal(base).ln() * exponent for base, exponent in factors]
            total, size = sum(terms, Decimal(0)), sum(map(abs, terms), Decimal(1))
            if abs(total) > size.scaleb(20 - digits):
                return 1 if total > 0 else -1
        if digits == DIGITS and _is_one(factors):
            return 0
        digits *= 2


def _is_one(factors: list[tuple[int, int]]) -> bool:
    """Whether Π baseᵉ = 1. For pairwise coprime bases, this requires every exponent to be 0."""
    coprime: dict[int, int] = {}
    pending = list(factors)
    while pending:
        base, exponent = pending.pop()
        if base == 1:
            continue
        shared = next((other for other in coprime if math.gcd(base, other) > 1), None)
        if shared is None:
            coprime[base] = exponent
            continue
        divisor, power = math.gcd(base, shared), coprime.pop(shared)
        pending += [(divisor, exponent + power), (base // divisor, exponent), (shared // divisor, power)]
    return not any(coprime.values())
