"""Law: the image of a region under a map contains the region of every label (docs/prove.md, section 7)."""

import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acompass.checked.convert import to_text
from acompass.checked.effects import generalize_of
from acompass.checked.from_syntax import check
from acompass.checked.types import DATE, FLOAT, INTEGER, TEXT, TIMESTAMP, Column, Type, Value, decimal
from acompass.prove.clauses import clauses
from acompass.prove.variables import Variables
from acompass.syntax.parse import parse
from tests.prove.replaying import checked

JOBS = Path(__file__).with_name("jobs.csv")
BANDS = (
    *("BANDS OF 5", "BANDS OF 5 UP TO 90", "BANDS OF 10 FROM 0 UP TO 40", "BANDS AT 18, 65", "BANDS OF 1"),
    *("BANDS OF 7 FROM -14", "BANDS AT 0"),
)
FRACTIONS = ("BANDS OF 0.5", "BANDS AT 0.1, 1, 2.50", "BANDS OF 0.25 FROM -1 UP TO 2.5")
DATES = ("MONTH", "QUARTER", "YEAR", "DECADE")
PREFIXES = ("PREFIX OF 1", "PREFIX OF 2", "PREFIX OF 3")
LEVELS = (f"LEVEL 1 OF '{JOBS}'", f"LEVEL 1 OF '{JOBS}' ELSE 'other'", f"LEVEL 2 OF '{JOBS}'")

#: texts as they are found in columns and after maps
WORDS = (
    *("nurse", "doctor", "health", "school", "other", "*", "", "a", "ab", "abc", "21201", "212**", "21", "2"),
    *("2018", "2018-03", "2018-Q1", "2010s", "2018-03-05", "2018-03-05T10:00", "2018-13-05", "2019-01-31"),
    *("30-34", "-5 to -1", "<0", "90+", "[0.5,1.0)", "0", "7", "34", "-3", "2.5", "0000s", "9999-12-31"),
)
TEXTS = st.sampled_from(WORDS) | st.text("ab*+-Q0129s[,)<", max_size=5)
DAYS = st.dates() | st.dates(datetime.date(2017, 1, 1), datetime.date(2020, 1, 1))
COLUMNS: list[tuple[Type, st.SearchStrategy[Value], tuple[str, ...]]] = [
    (INTEGER, st.integers(-30, 100) | st.integers(), (*BANDS, *PREFIXES, *LEVELS)),
    (decimal(2), st.decimals(-30, 100, places=2), (*BANDS, *FRACTIONS, *PREFIXES)),
    (FLOAT, st.floats(-30, 100) | st.floats(allow_nan=False), (*BANDS, *FRACTIONS)),
    (TEXT, TEXTS, (*DATES, *PREFIXES, *LEVELS)),
    (DATE, DAYS, (*DATES, *PREFIXES)),
    (
        TIMESTAMP,
        st.datetimes() | DAYS.map(lambda day: datetime.datetime(day.year, day.month, day.day)),
        DATES,
    ),
]


@st.composite
def cases(draw: st.DrawFn) -> tuple[Type, str, list[str], list[Value]]:
    """A type, a map, texts to compare the column with after the map, and values of the column."""
    type_, values, maps = draw(st.sampled_from(COLUMNS))
    texts = draw(st.lists(TEXTS, max_size=6))
    return type_, draw(st.sampled_from(maps)), texts, draw(st.lists(values, min_size=1, max_size=8))


@settings(max_examples=300)
@given(cases())
def test_every_label_is_in_the_image(case: tuple[Type, str, list[str], list[Value]]) -> None:
    type_, map_, texts, values = case
    program = checked(f"ALWAYS : GENERALIZE A TO {map_};", (Column("A", type_),))
    action = generalize_of(program.requirements[0].action)
    assert action is not None
    listed = ", ".join("'" + text.replace("'", "''") + "'" for text in ("*", *texts))
    claim = checked(f"EACH RESULT : A IN ({listed});", program.final_schema).requirements[0].assertion
    variables = Variables(program, [claim])
    before, after = variables.column(0, 0), variables.column(1, 0)
    for value in values:
        label = action.map.label(to_text(value, type_))
        if label is not None:
            image = variables.labels(action.map, variables.regions(before).region_of(value), before, after)
            assert image >> variables.regions(after).region_of(label) & 1, (value, label)


@settings(max_examples=200)
@given(
    st.lists(st.sampled_from(BANDS), min_size=2, max_size=3),
    st.lists(TEXTS, max_size=6),
    st.lists(st.integers(-30, 100), min_size=1, max_size=8),
)
def test_every_label_of_a_cascade_is_in_the_image(
    maps: list[str], texts: list[str], values: list[int]
) -> None:
    """Numbers that became text: only some records were recoded before."""
    lines = (f"EACH PROCESS COUNT(*) AS n : n > 1 : GENERALIZE A TO {map_};" for map_ in maps)
    policy = "\n".join(lines)
    program, _ = check(parse(policy)[0], policy, (Column("A", INTEGER),))
    if program is None:  # the maps cannot be cut from each other
        return
    listed = ", ".join("'" + text + "'" for text in ("*", *texts))
    claim = checked(f"EACH RESULT : A IN ({listed});", program.final_schema).requirements[0].assertion
    variables = Variables(program, [claim])
    last = len(maps) - 1
    variable = variables.column(last, 0)
    earlier = [each.map for r in program.requirements[:last] if (each := generalize_of(r.action)) is not None]
    action = generalize_of(program.requirements[last].action)
    assert action is not None
    for value in values:
        found = [str(value), *(map_.label(str(value)) for map_ in earlier)]
        for text in (each for each in found if each is not None):
            label = action.map.label(text)
            assert label is not None
            image = variables.labels(
                action.map, variables.regions(variable).region_of(text), variable, variable
            )
            assert image >> variables.regions(variable).region_of(label) & 1, (text, label)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("a = '*' OR (n >= 5 AND d >= 2)", 2),
        ("n >= 5 AND d >= 2", 2),
        ("NOT (n < 5 OR d < 2)", 2),
        ("n >= 5 OR d >= 2", 1),
        ("(n >= 5 AND d >= 2) OR (n >= 9 AND d >= 1)", 4),
    ],
)
def test_a_condition_is_a_conjunction_of_clauses(condition: str, expected: int) -> None:
    text = f"EACH PROCESS COUNT(*) AS n, COUNT DISTINCT(b) AS d GROUP BY a : {condition};"
    program = checked(text, (Column("a", TEXT), Column("b", TEXT)))
    found = clauses(program.requirements[0].assertion.condition)
    assert found is not None
    assert len(found) == expected
