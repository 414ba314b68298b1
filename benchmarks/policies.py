"""The policies that the benchmarks run."""

import random

K_CHECK = "EACH PROCESS COUNT(*) AS n GROUP BY age, zip, sex : n >= 3;"

K_L_REJECT = """
EACH PROCESS COUNT(*) AS n GROUP BY age, zip : n >= 3 : REJECT;
EACH PROCESS COUNT DISTINCT disease AS d GROUP BY age, zip : d >= 3 : REJECT;
"""

_CLASSES = "EACH PROCESS COUNT(*) AS n GROUP BY age, zip, sex : n >= 20"

K_REJECT = f"{_CLASSES} : REJECT;"

CASCADE = f"""
{_CLASSES}
   : GENERALIZE zip TO PREFIX OF 4
     THEN GENERALIZE age TO BANDS OF 5
     THEN GENERALIZE zip TO PREFIX OF 3
     THEN GENERALIZE age TO BANDS OF 10
     THEN GENERALIZE zip TO PREFIX OF 2
     THEN GENERALIZE age TO BANDS OF 20
     THEN GENERALIZE zip TO PREFIX OF 1
     THEN REPLACE sex WITH '*'
     THEN REPLACE age WITH '*'
     THEN REJECT;
"""

ZIPS = range(10_000, 15_000)


def bounds(count: int) -> list[tuple[str, str, str]]:
    """(first zip, last zip, group) for each of `count` generalization rules, which cover all zips."""
    step = len(ZIPS) // count
    return [(str(low), str(low + step - 1), f"g{low // 50}") for low in ZIPS[::step]]


def rules(count: int) -> str:
    return "\n".join(
        f"EACH FILTER zip >= '{low}' AND zip <= '{high}' : zip = '{group}' : REPLACE zip WITH '{group}';"
        for low, high, group in bounds(count)
    )


def full(count: int = 100) -> str:
    """Top coding, generalization rules, RANDOM on outliers, k-anonymity and l-diversity."""
    return "\n".join(
        (
            "EACH RESULT : age <= 80 : REPLACE age WITH 80;",
            rules(count),
            "EACH RESULT : aec >= 600 : RANDOM aec 600 1000;",
            K_L_REJECT,
        )
    )


TANGLED_COLUMNS = "ABCDEFGH"


def tangled_rules(count: int) -> list[tuple[str, str, str, int]]:
    """(filter, condition, column, value) for each of `count` requirements. Each reads columns that others write."""
    rng = random.Random("tangled")
    columns = (TANGLED_COLUMNS[i % len(TANGLED_COLUMNS)] for i in range(count))
    return [(_either(rng), _either(rng), column, rng.randrange(1000)) for column in columns]


def _either(rng: random.Random) -> str:
    return f"({_all_of_four(rng)}) OR ({_all_of_four(rng)})"


def _all_of_four(rng: random.Random) -> str:
    columns = rng.sample(TANGLED_COLUMNS, 4)
    return " AND ".join(f"{rng.choice(('', 'NOT '))}{column} >= {rng.randrange(1000)}" for column in columns)


def tangled(count: int) -> str:
    return "\n".join(
        f"EACH FILTER {selected} : {condition} : REPLACE {column} WITH {value};"
        for selected, condition, column, value in tangled_rules(count)
    )
