"""Formats of local dates (D28): their directives, and the errors for formats that are none."""

from datetime import date

import pytest

from acompass.diagnostics import TableError
from acompass.tables.date_format import date_format


@pytest.mark.parametrize(
    ("text", "value", "read"),
    [
        ("%d.%m.%Y", "31.12.2020", date(2020, 12, 31)),
        ("%d.%m.%Y", "1.2.0001", date(1, 2, 1)),
        ("%d.%m.%Y", "01.02.9999", date(9999, 2, 1)),
        ("%d.%m.%Y", "29.02.2000", date(2000, 2, 29)),
        ("%m/%d/%y", "1/2/68", date(2068, 1, 2)),
        ("%m/%d/%y", "1/2/69", date(1969, 1, 2)),
        ("%m/%d/%y", "1/2/99", date(1999, 1, 2)),
        ("%m/%d/%y", "1/2/00", date(2000, 1, 2)),
        ("%d-%b-%Y", "1-SEP-2020", date(2020, 9, 1)),
        ("%d%b%Y", "1may2020", date(2020, 5, 1)),
        ("%B %d, %Y", "aPRIL 5, 2020", date(2020, 4, 5)),
        ("%d %B %Y", "5   May 2020", date(2020, 5, 5)),
        ("%Y%m%d", "20200131", date(2020, 1, 31)),
        ("100%% %Y|%m\\%d $^.*", "100% 2020|1\\2 $^.*", date(2020, 1, 2)),
        ("%Y年%m月%d日", "2020年1月2日", date(2020, 1, 2)),
        ("%Y-%m-%d", "2020-01-02", date(2020, 1, 2)),
    ],
)
def test_dates(text: str, value: str, read: date) -> None:
    assert date_format(text).read(value) == read


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("%d.%m.%Y", "31.02.2020"),
        ("%d.%m.%Y", "29.02.1900"),
        ("%d.%m.%Y", "31.04.2020"),
        ("%d.%m.%Y", "01.01.0000"),
        ("%d.%m.%Y", "0.1.2020"),
        ("%d.%m.%Y", "001.1.2020"),
        ("%d.%m.%Y", "1.13.2020"),
        ("%d.%m.%Y", "1.1.20"),
        ("%d.%m.%Y", "1.1.20200"),
        ("%d.%m.%Y", " 1.1.2020"),
        ("%d.%m.%Y", "1.1.2020\n"),
        ("%d.%m.%Y", "1-1-2020"),
        ("%d.%m.%Y", "٣.1.2020"),
        ("%d.%m.%Y", ""),
        ("%m/%d/%y", "1/2/1999"),
        ("%Y%m%d", "2020131"),
        ("%Y1%m-%d", "202011-01"),
        ("%d-%b-%Y", "1-Sept-2020"),
        ("%d-%b-%Y", "1-September-2020"),
        ("%d-%B-%Y", "1-Sep-2020"),
        ("%d %B %Y", "5May2020"),
        ("%d%m%Y", "1112020"),
    ],
)
def test_other_values(text: str, value: str) -> None:
    assert date_format(text).read(value) is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it has no day"),
        ("%d.%m.", "it has no year"),
        ("%d.%Y", "it has no month"),
        ("%m/%Y", "it has no day"),
        ("%d.%m.%Y %d", "it has more than one day"),
        ("%d.%m.%b.%Y", "it has more than one month"),
        ("%d.%m.%Y %y", "it has more than one year"),
        ("%d.%m.%Y %H:%M", "`%H` is not a directive"),
        ("%e.%m.%Y", "`%e` is not a directive"),
        ("%-d.%m.%Y", "`%-` is not a directive"),
        ("%d.%m.%Y%", "`%` is not a directive"),
        ("%d.%m.%%Y", "it has no year"),
        ("%d\n%m.%Y", "it has a character that cannot be printed"),
        ("%d\0%m.%Y", "it has a character that cannot be printed"),
    ],
)
def test_invalid_formats(text: str, why: str) -> None:
    with pytest.raises(TableError) as raised:
        date_format(text)
    (found,) = raised.value.diagnostics
    assert (found.code, found.message) == ("AC235", f"invalid date format `{text}`: {why}")
    assert "`%d.%m.%Y`" in (found.help or "")
