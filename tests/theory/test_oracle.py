"""The interpreter that is extracted from the theory gives the results of `semantics`."""

import datetime
import struct
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from acompass.language.program.types import DATE, FLOAT, INTEGER, TEXT, TIMESTAMP, Column, decimal
from acompass.semantics import core
from acompass.semantics.values import total
from acompass.testing.conformance.cases import Case
from tests.length import at_length
from tests.theory.building import needs
from tests.theory.oracle import differences, random_cases

#: `python -m tests.theory.campaign` runs any number
CASES = at_length(40)

pytestmark = [pytest.mark.slow, needs("make", "coqc", "ocamlfind")]


@pytest.mark.campaign
def test_no_case_differs() -> None:
    assert differences(random_cases(f"suite {number}" for number in range(CASES))) == []


def _float_case(values: list[float]) -> Case:
    """A case that compares the sum with that of `semantics`, and turns all values into text."""
    added = Decimal(repr(total(values)))
    policy = f"""EACH PROCESS SUM(x) AS s : s = {added:f} : REJECT;
        EACH RESULT : x <= 0 OR x > 0 : REPLACE x WITH 'never';"""
    return Case(policy, (Column("x", FLOAT),), [(value,) for value in values], [], {})


def test_sums_of_floats_are_rounded_alike() -> None:
    """Many of these sums differ if the values are not added in sorted order."""
    rng = Random("sums")
    lists = [[rng.uniform(-1, 1) * 2 ** rng.randint(-9, 9) for _ in range(9)] for _ in range(40)]
    assert any(sum(values) != total(values) for values in lists)
    assert differences([_float_case(values) for values in lists]) == []


def test_a_negative_zero_comes_before_zero() -> None:
    """In canonical order, which assigns the trace values. As values, they are equal."""
    schema = (Column("x", FLOAT), Column("n", INTEGER))
    cases = [
        Case("ALWAYS : RANDOM n 0 99;", schema, [(0.0, 0), (-0.0, 1)], [Fraction(1, 4), Fraction(3, 4)], {}),
        Case("EACH PROCESS COUNT(*) AS c GROUP BY x : c < 2 : REJECT;", schema, [(0.0, 0), (-0.0, 1)], [], {}),
    ]
    drawn = core.run_program(cases[0].program(), cases[0].records, core.trace_of_values(cases[0].trace))
    assert {repr(x): n for x, n in drawn.records} == {"-0.0": 25, "0.0": 75}
    assert differences(cases) == []


def test_floats_of_all_patterns_have_the_same_text() -> None:
    rng = Random("texts")
    patterns = [rng.getrandbits(52) | rng.randrange(2047) << 52 for _ in range(60)]
    powers = [exponent << 52 for exponent in range(0, 2047, 89)]
    floats = [struct.unpack(">d", struct.pack(">Q", bits))[0] for bits in (*patterns, *powers, 1, 2**52 - 1)]
    assert differences([_float_case([value]) for value in floats]) == []


#: policies with the words of published rules (X12 to X18)
PUBLISHED = (
    "ALWAYS : GENERALIZE n TO NEAREST 5;",
    "ALWAYS : GENERALIZE n TO NEAREST 0.25;",
    "EACH RESULT : n > 3 : GENERALIZE d TO NEAREST 5;",
    "ALWAYS : GENERALIZE d TO NEAREST 0.5;",
    "ALWAYS : GENERALIZE d TO NEAREST 0.125;",
    "ALWAYS : GENERALIZE x TO NEAREST 0.1 THEN GENERALIZE x TO NEAREST 0.3;",
    "ALWAYS : GENERALIZE n TO NEAREST 2 THEN GENERALIZE n TO NEAREST 6; EACH RESULT : n < 6 : REJECT;",
    *(f"EACH PROCESS SHARE OF LARGEST {n} (n) AS s GROUP BY t : s <= 0.{n}7 : REJECT;" for n in (1, 2, 3)),
    "EACH PROCESS SHARE OF LARGEST 1 (x) AS s : s = 0.5 : REJECT;",
    "EACH PROCESS SHARE OF LARGEST 2 (d) AS s WHERE n > 0 GROUP BY t, n : s < 1 : REPLACE d WITH 0;",
    "EACH PROCESS SHARE OF MODE (t) AS a : a <= 0.5 : REJECT;",
    "EACH PROCESS SHARE OF MODE (x) AS a, SHARE OF LARGEST 1 (n) AS s GROUP BY t : a <= 0.5 AND s < 0.4 : REJECT;",
    "SOME PROCESS SHARE OF MODE (d) AS a GROUP BY t : a = 1 : REJECT;",
    *(f"ALWAYS : PSEUDONYM {column};" for column in ("n", "d", "x", "t", "day", "at")),
    "EACH RESULT : n > 3 : PSEUDONYM d; EACH PROCESS COUNT(*) AS c GROUP BY d : c > 1 : REJECT;",
    "EACH RESULT : n > 3 : PSEUDONYM t THEN PSEUDONYM t;",
    *(f"ALWAYS : SHIFT day, at BY {person} WITHIN 3650 DAYS;" for person in ("n", "d", "x", "t", "day", "at")),
    "EACH RESULT : n > 3 : SHIFT at BY t WITHIN 1 DAYS; EACH RESULT : at > '2000-01-01' : REJECT;",
    "ALWAYS : REPLACE day WITH '2024-02-29 10:00' THEN SHIFT day BY t WITHIN 400 DAYS;",
    *(f"EACH RESULT : n > 3 : ADD RANDOM -3 4 TO {column};" for column in ("n", "d", "x")),
    "ALWAYS : WITH PROBABILITY 0.5 ADD RANDOM -1 1 TO n THEN ADD RANDOM 0 9 TO d;",
    *(f"ALWAYS : MICROAGGREGATE {column} BY {size};" for column in ("n", "d", "x") for size in (2, 3, 5)),
    "EACH RESULT : n > 3 : MICROAGGREGATE n BY 2; EACH PROCESS COUNT(*) AS c GROUP BY n : c >= 2 : REJECT;",
    "ALWAYS : WITH PROBABILITY 0.5 MICROAGGREGATE d BY 2;",
)


def _published_case(policy: str, rng: Random) -> Case:
    def record() -> tuple[object, ...]:
        day = datetime.date(1990, 1, 1) + datetime.timedelta(rng.randrange(20_000))
        clock = datetime.time(rng.randrange(24), 30, microsecond=rng.choice((0, 250)))
        return (
            rng.randint(-9, 9),
            Decimal(rng.randint(-999, 999)).scaleb(-2),
            rng.choice((-0.0, 0.0, 0.1, -2.5, 1e300, 5e-324, 1 / 3, rng.uniform(-9, 9))),
            rng.choice("ab"),
            day,
            datetime.datetime.combine(day, clock),
        )

    types = {"n": INTEGER, "d": decimal(2), "x": FLOAT, "t": TEXT, "day": DATE, "at": TIMESTAMP}
    schema = tuple(Column(name, type_) for name, type_ in types.items())
    trace = [Fraction(rng.randrange(100), 100) for _ in range(60)]
    return Case(policy, schema, [record() for _ in range(rng.randint(0, 9))], trace, {})


@pytest.mark.parametrize("policy", PUBLISHED)
def test_published_rules_mean_the_same(policy: str) -> None:
    rng = Random(policy)
    assert differences([_published_case(policy, rng) for _ in range(8)]) == []


#: policies with a reference table at the path `file`; the last one groups by two columns, one of which has fractions
WITH_REFERENCE = (
    "EACH PROCESS SUM(people) IN '{file}' AS residents GROUP BY t : residents > 9 : REPLACE t WITH '*';",
    "EACH PROCESS COUNT(*) IN '{file}' AS c, COUNT(*) AS own GROUP BY n : c > 1 AND own < 3 : REJECT;",
    "SOME PROCESS SUM(share) IN '{file}' AS s WHERE n > 0 GROUP BY t : s > 1 : REJECT;",
    "EACH PROCESS SUM(people) IN '{file}' AS residents : residents > 40 : REJECT;",
    "EACH PROCESS SUM(share) IN '{file}' AS s GROUP BY d, t : s < 0.5 OR s > 1.25 : REJECT;",
)


def _reference_case(policy: str, rng: Random, folder: Path, suffix: str) -> Case:
    """A table of few values, and a file that has some of them and others."""
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    lines = [
        {
            "n": rng.randint(-2, 4),
            "d": rng.choice((0.0, 0.5, 2.25)),
            "t": rng.choice("abc"),
            "people": rng.randint(0, 9),
        }
        for _ in range(rng.randint(1, 12))
    ]
    table = pa.Table.from_pylist([each | {"share": rng.choice((0.25, 0.5))} for each in lines])
    file = folder / f"{rng.getrandbits(64)}{suffix}"
    pyarrow.csv.write_csv(table, file) if suffix == ".csv" else pyarrow.parquet.write_table(table, file)
    types = {"n": INTEGER, "d": decimal(2), "t": TEXT}
    schema = tuple(Column(name, type_) for name, type_ in types.items())
    values = [(rng.randint(-2, 4), Decimal(rng.choice(("0.00", "0.50", "2.25"))), rng.choice("abd")) for _ in range(9)]
    return Case(policy.format(file=file), schema, values, [], {})


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("policy", WITH_REFERENCE)
def test_reference_tables_mean_the_same(policy: str, suffix: str, tmp_path: Path) -> None:
    rng = Random(policy)
    cases = [_reference_case(policy, rng, tmp_path, suffix) for _ in range(12)]
    assert differences(cases) == []
