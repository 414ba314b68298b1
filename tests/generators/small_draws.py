"""Small programs that draw, and tables of a few records, small enough for exact laws."""

from dataclasses import dataclass
from itertools import permutations

from hypothesis import strategies as st

from acompass.checked.program import Program
from acompass.checked.types import INTEGER, TEXT, Column, Schema
from acompass.semantics import Record
from tests.generators.programs import program_of

SCHEMA: Schema = (Column("a", INTEGER), Column("b", TEXT), Column("c", INTEGER))

#: whether a record is affected depends on this record alone
RECORD_LEVEL = (
    "ALWAYS",
    "EACH RESULT : a < 1",
    "EACH RESULT : b = 'xx' OR a = 2 AND c = 1",
    "EACH FILTER b = 'xx' : a > 0",
)
OTHERS = (
    "EACH PROCESS COUNT(*) AS n GROUP BY a : n >= 2",
    "EACH PROCESS COUNT DISTINCT b AS n WHERE c = 0 GROUP BY a : n > 1",
    "EACH PROCESS SUM(a) AS s : s <= 2",
    "SOME RESULT : a = 2",
    "SOME PROCESS MAX(a) AS m GROUP BY b : m < 1",
)
CERTAIN = ("REJECT", "REPLACE a WITH 1", "REPLACE b WITH 'xy'", "GENERALIZE b TO PREFIX OF 1")
DRAWN = ("RANDOM a 0 2", "RANDOM c 0 1", "RANDOM b FROM ('xx', 2 OF 'xy')", "RANDOM a FROM (5 OF 1, 0)")
PROBABILITIES = ("0.5", "0.25", "0.9", "0.333")


@dataclass(frozen=True, slots=True)
class SmallCase:
    """The program is that of the text on SCHEMA."""

    policy: str
    records: list[Record]

    def program(self, schema: Schema = SCHEMA) -> Program:
        return program_of(self.policy, schema)


@st.composite
def small_cases(
    draw: st.DrawFn,
    assertions: tuple[str, ...] = RECORD_LEVEL + OTHERS,
    *,
    most_records: int = 2,
    most: int = 3,
) -> SmallCase:
    count = draw(st.integers(1, most))
    requirements = [f"{draw(st.sampled_from(assertions))} : {draw(_actions())};" for _ in range(count)]
    record = st.tuples(st.integers(0, 2), st.sampled_from(("xx", "xy", "y")), st.integers(0, 1))
    return SmallCase("\n".join(requirements), draw(st.lists(record, max_size=most_records)))


def _actions() -> st.SearchStrategy[str]:
    plain = st.sampled_from(CERTAIN + DRAWN)
    sometimes = st.tuples(st.sampled_from(PROBABILITIES), plain)
    return st.one_of(plain, sometimes.map(lambda pair: f"WITH PROBABILITY {pair[0]} {pair[1]}"))


def orders_of_columns() -> st.SearchStrategy[tuple[int, ...]]:
    return st.sampled_from(list(permutations(range(len(SCHEMA)))))
