"""MONTH, QUARTER, YEAR, DECADE (X2)."""

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acompass.language.program.label_maps import Dates, Prefix
from acompass.language.text.tree import DateUnit

UNITS = list(DateUnit)
FINER = [(earlier, later) for i, earlier in enumerate(UNITS) for later in UNITS[i:]]


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("2018-03-31", ["2018-03", "2018-Q1", "2018", "2010s"]),
        ("2020-02-29", ["2020-02", "2020-Q1", "2020", "2020s"]),
        ("2018-12-01T23:59:59.123456", ["2018-12", "2018-Q4", "2018", "2010s"]),
        ("2018-12-01 08:30", ["2018-12", "2018-Q4", "2018", "2010s"]),
        ("2018-12-01T08:30:00+02:00", ["2018-12", "2018-Q4", "2018", "2010s"]),
        ("0001-01-01", ["0001-01", "0001-Q1", "0001", "0000s"]),
        ("2018-07", ["2018-07", "2018-Q3", "2018", "2010s"]),
        ("2018-Q3", ["2018-Q3", "2018-Q3", "2018", "2010s"]),
        ("2018", ["2018", "2018", "2018", "2010s"]),
        ("2010s", ["2010s"] * 4),
        ("*", ["*"] * 4),
    ],
)
def test_a_text_has_these_labels(text: str, labels: list[str]) -> None:
    assert [Dates(unit).label(text) for unit in UNITS] == labels


@pytest.mark.parametrize(
    "text",
    [
        "2018-13-45",
        "2018-02-29",
        "1900-02-29",
        "2018-04-31",
        "0000-01-01",
        "0000",
        "2018-00",
        "2018-Q5",
        "2015s",
        "2018-1-1",
        "2018-W01-1",
        "2018W01-1-",
        "٢٠١٨-٠٣-٠١",
        "31.12.2018",
        "2018-12-01T25:00",
        "2018-12-01T",
        "2018-12-01T08:30 ",
        "٢٠١٨",
        "",
    ],
)
def test_a_text_that_is_not_a_date_has_no_label(text: str) -> None:
    assert [Dates(unit).label(text) for unit in UNITS] == [None] * 4


@given(st.dates() | st.datetimes(), st.sampled_from(FINER))
def test_coarser_units_follow_finer_ones(date: datetime.date, units: tuple[DateUnit, DateUnit]) -> None:
    earlier, later = map(Dates, units)
    assert later.follows(earlier)
    label = earlier.label(date.isoformat())
    assert label is not None
    assert later.label(label) == later.label(date.isoformat())
    assert earlier.follows(later) is (units[0] is units[1])


@given(st.from_regex(r"\A[0-9]{4}-[01][0-9]-[0-3][0-9]\Z"))
def test_a_date_has_a_label_exactly_if_it_exists(text: str) -> None:
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        assert Dates(DateUnit.MONTH).label(text) is None
    else:
        assert Dates(DateUnit.MONTH).label(text) == text[:7]


def test_dates_follow_no_other_kind() -> None:
    assert not Dates(DateUnit.YEAR).follows(Prefix(4))
    assert Dates(DateUnit.YEAR).labels() is None
