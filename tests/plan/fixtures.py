"""Realistic policies; each rewrite applies to some of them."""

import random
from collections.abc import Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import duckdb

from acompass.engines.duckdb.session import DuckDBSession
from acompass.language.program.types import INTEGER, TEXT, Column, Schema
from acompass.plan.planner import Rewrite
from acompass.testing.conformance.cases import Case
from acompass.testing.conformance.comparison import Observation, observe_session
from benchmarks.policies import TANGLED_COLUMNS

SCHEMA = (
    Column("Age", INTEGER),
    Column("Zip", TEXT),
    Column("Pay", INTEGER),
    Column("Illness", TEXT),
)

RECORDS = [
    (age, zip_, pay, illness)
    for age in (17, 18, 30, 31, 80, 86)
    for zip_ in ("21101", "21102", "21410", "3")
    for pay, illness in ((100, "flu"), (2500, "flu"), (2500, "cold"))
    if (age + len(zip_) + pay) % 4
]

DEPENDENT_SCHEMA = tuple(Column(name, INTEGER) for name in TANGLED_COLUMNS)
_rng = random.Random("records")
DEPENDENT_RECORDS = [tuple(_rng.randrange(1000) for _ in DEPENDENT_SCHEMA) for _ in range(150)]

DISJOINT = """
EACH RESULT : Age <= 80 : REPLACE Age WITH 80;
EACH FILTER Zip > '211' AND Zip < '212' : Zip = '211**' : REPLACE Zip WITH '211**';
EACH RESULT : Pay >= 1000 : REPLACE Pay WITH 1000;
EACH RESULT : Age >= 18 : REPLACE Age WITH 18;
SOME RESULT : Zip = '214**' : REPLACE Illness WITH '*';
EACH RESULT : Pay < 2000;
"""

CHAIN = """
EACH RESULT : Age <= 80 : REPLACE Age WITH 79;
EACH RESULT : NOT (Age = 79) : REPLACE Age WITH 31;
EACH FILTER Age > 17 AND Age < 40 : Age = 30 OR Age = 18 : REPLACE Age WITH 40;
EACH RESULT : Age = 40 OR Age < 30 : REJECT;
SOME RESULT : Age > 40 : REPLACE Age WITH 17;
EACH RESULT : Age > 17 : REPLACE Age WITH 'child';
EACH RESULT : Age = 'child';
"""

LONG_CHAIN = "\n".join(
    f"EACH FILTER Zip >= '{low}' AND Zip < '{low}~' : Zip = '{low[:3]}' : REPLACE Zip WITH '{low[:3]}';"
    for low in ("21101", "21102", "21410", "3", "211", "9", "0")
)

MIXED_COLUMNS = """
EACH FILTER Age >= 80 : Zip = '*' : REPLACE Zip WITH '*';
EACH FILTER Zip = '*' : Age = 80 : REPLACE Age WITH 80;
EACH FILTER Zip = '3' OR Age < 18 : Pay < 1000 : REJECT;
EACH FILTER Pay > 1000 : Zip > '2' : REPLACE Pay WITH 0;
"""

CHECKS = """
EACH RESULT : Age <= 80;
EACH FILTER Zip > '214' : Pay > 100 AND Illness = 'cold';
SOME FILTER Age > 100 : Pay > 100;
SOME RESULT : Illness = 'flu' AND Pay = 2500;
EACH FILTER Illness = 'plague' : Pay = 0;
"""

INDEPENDENT = """
EACH RESULT : Illness = 'flu' : REPLACE Illness WITH '*';
EACH RESULT : Age <= 80 OR Age = 85 : RANDOM Pay 1 9;
EACH FILTER Zip > '21' : Age > 17 : REPLACE Illness WITH '-';
SOME RESULT : Age > 99 : REPLACE Pay WITH 'none';
EACH FILTER Zip = '3' : Age > 17 AND Age < 86 : REJECT;
EACH RESULT : Illness = '-';
"""

ALTERNATING = """
EACH RESULT : Age <= 80 : REPLACE Age WITH 80;
EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= 2 : REJECT;
EACH RESULT : Pay >= 1000 : REPLACE Pay WITH 1000;
EACH PROCESS MAX(Pay) AS top WHERE Age > 18 GROUP BY Zip : top < 2000 : REPLACE Zip WITH '*';
EACH RESULT : Zip = '*' OR Age > 18 : RANDOM Pay 5 9;
EACH PROCESS SUM(Pay) AS total : total < 100 : REPLACE Illness WITH '-';
EACH RESULT : Illness = '-';
"""

SAME_GROUPS = """
EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= 2 : REJECT;
EACH PROCESS COUNT DISTINCT Illness AS d GROUP BY Age, Zip : d >= 2 : REJECT;
EACH PROCESS MIN(Pay) AS low GROUP BY Age, Zip : low < 1000;
EACH PROCESS SUM(Pay) AS total GROUP BY Age, Zip : total < 7000 : REJECT;
"""

K_AND_L = """
EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= 2 : REJECT;
EACH PROCESS COUNT DISTINCT Illness AS d GROUP BY Age, Zip : d >= 2 : REJECT;
EACH PROCESS COUNT DISTINCT Pay AS d WHERE Age < 80 GROUP BY Zip : d >= 2 : REPLACE Zip WITH '*';
"""

CASCADE = """
EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= 4 : GENERALIZE Zip TO PREFIX OF 3;
EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= 4 : GENERALIZE Age TO BANDS OF 10;
EACH PROCESS COUNT(*) AS n, COUNT DISTINCT(Illness) AS d GROUP BY Age, Zip : n >= 4 AND d >= 2
   : REPLACE Zip WITH '*'
   THEN REJECT;
EACH RESULT : Zip LIKE '2%' OR Zip = '*' : REPLACE Zip WITH '*';
"""

CASCADE_OF_REPLACES = """
EACH RESULT : Age <= 80 : REPLACE Age WITH 80;
EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= 3 : REPLACE Zip WITH '211**';
EACH FILTER Zip = '211**' : Age > 17 : REPLACE Age WITH 18;
EACH PROCESS MAX(Age) AS oldest WHERE Age > 18 GROUP BY Zip : oldest < 80 : REPLACE Age WITH 'old';
SOME PROCESS COUNT DISTINCT Age AS ages GROUP BY Zip : ages > 9 : REPLACE Zip WITH '*';
EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= 7 : REJECT;
EACH RESULT : Pay >= 1000 : RANDOM Pay 1 9;
"""

EVERYDAY = """
ALWAYS : DROP Pay;
ALWAYS : GENERALIZE Age TO BANDS OF 5 UP TO 80;
ALWAYS : GENERALIZE Zip TO PREFIX OF 3;
ALWAYS : REPLACE Illness WITH '*';
EACH RESULT : Age != '80+' : GENERALIZE Zip TO PREFIX OF 1;
EACH PROCESS COUNT(*) AS n, COUNT DISTINCT(Age) AS a GROUP BY Zip : n >= 5 AND a > 2 : REJECT;
"""

SAMPLED = """
EACH RESULT : Age <= 80 : REPLACE Age WITH 80;
EACH RESULT : Zip < '214' : WITH PROBABILITY 0.5 REPLACE Zip WITH '*';
EACH RESULT : Age >= 18 : REPLACE Age WITH 18;
EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= 4 : WITH PROBABILITY 0.7 GENERALIZE Zip TO PREFIX OF 3
    THEN GENERALIZE Zip TO PREFIX OF 1
    THEN RANDOM Illness FROM ('flu', 2 OF 'cold')
    THEN WITH PROBABILITY 0.3 REJECT;
ALWAYS : WITH PROBABILITY 0.4 RANDOM Pay FROM (0, 1000, 2.5);
ALWAYS : WITH PROBABILITY 0.6 RANDOM Pay 1 9;
EACH RESULT : Pay > 5 : REPLACE Pay WITH 5;
SOME RESULT : Age > 80 : WITH PROBABILITY 0.5 REPLACE Age WITH 'old';
EACH RESULT : Age != 'old' : REPLACE Illness WITH '*';
"""

ALL = {
    "cascade": CASCADE,
    "cascade of REPLACEs": CASCADE_OF_REPLACES,
    "everyday forms": EVERYDAY,
    "disjoint columns": DISJOINT,
    "one column": CHAIN,
    "many constants": LONG_CHAIN,
    "columns that depend on each other": MIXED_COLUMNS,
    "requirements without actions": CHECKS,
    "columns that no other requirement reads": INDEPENDENT,
    "records and groups in turn": ALTERNATING,
    "the same groups": SAME_GROUPS,
    "counts of classes and of values": K_AND_L,
    "random outcomes": SAMPLED,
}


@contextmanager
def duckdb_session():
    with duckdb.connect() as con:
        yield DuckDBSession(con)


def make_case(policy: str, schema: Schema, records: Sequence[tuple[Any, ...]]) -> Case:
    trace = [Fraction(i % 7, 7) for i in range(len(records) * 20)]
    return Case(policy, schema, list(records), trace, {})


def observe(case: Case, rewrites: Sequence[Rewrite]) -> Observation:
    with duckdb_session() as session:
        return observe_session(session, rewrites)(case, case.program())
