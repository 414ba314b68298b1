"""Formats of local dates (D28): their directives, the tables that they read, and the errors."""

from datetime import date, datetime
from pathlib import Path
from typing import Any

import duckdb
import pandas
import polars
import pyarrow.parquet
import pytest

import acompass
from acompass.errors.diagnostics import TableError, spelled_by
from acompass.options import command_line_spelling
from acompass.tables.formats import parse_date_format
from tests.tables.tables import csv_file


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
        ("%m/%d/%Y %H:%M:%S", "9/30/1990 0:00:00", datetime(1990, 9, 30)),
        ("%m/%d/%Y 0:00:00", "9/30/1990 0:00:00", date(1990, 9, 30)),
        ("%d.%m.%Y %H:%M", "1.2.2020 9:05", datetime(2020, 2, 1, 9, 5)),
        ("%d.%m.%Y %H", "1.2.2020 23", datetime(2020, 2, 1, 23)),
        ("%d.%m.%y %I:%M %p", "1.2.70 12:05 am", datetime(1970, 2, 1, 0, 5)),
        ("%d.%m.%y %I:%M%p", "1.2.70 12:05PM", datetime(1970, 2, 1, 12, 5)),
        ("%d.%m.%y %I %p", "1.2.70 01 Pm", datetime(1970, 2, 1, 13)),
        ("%Y%m%dT%H%M%S.%f", "20200101T010203.5", datetime(2020, 1, 1, 1, 2, 3, 500_000)),
        ("%H:%M:%S,%f %d-%b-%Y", "23:59:59,000001 1-SEP-2020", datetime(2020, 9, 1, 23, 59, 59, 1)),
    ],
)
def test_a_format_reads_its_dates(text: str, value: str, read: date) -> None:
    assert parse_date_format(text).parse(value) == read


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
        ("%d.%m.%Y %H:%M", "1.2.2020 24:00"),
        ("%d.%m.%Y %H:%M", "1.2.2020 9:60"),
        ("%d.%m.%Y %H:%M:%S", "1.2.2020 9:05"),
        ("%d.%m.%Y %H:%M", "1.2.2020"),
        ("%d.%m.%Y %I:%M %p", "1.2.2020 0:05 AM"),
        ("%d.%m.%Y %I:%M %p", "1.2.2020 13:05 PM"),
        ("%d.%m.%Y %I:%M %p", "1.2.2020 1:05"),
        ("%Y%m%d%H%M", "20200101105"),
        ("%d.%m.%Y %H:%M:%S.%f", "1.2.2020 9:05:01.1234567"),
    ],
)
def test_values_that_do_not_fit_the_format_are_not_dates(text: str, value: str) -> None:
    assert parse_date_format(text).parse(value) is None


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
        ("%d.%m.%Y %U", "`%U` is not a directive"),
        ("%d.%m.%Y %H:%H", "it has more than one hour"),
        ("%d.%m.%Y %H %I %p", "it has more than one hour"),
        ("%d.%m.%Y %I:%M %p %p", "it has more than one AM or PM"),
        ("%d.%m.%Y %M", "it has a minute, but no hour"),
        ("%d.%m.%Y %H:%S", "it has a second, but no minute"),
        ("%d.%m.%Y %H:%M.%f", "it has a fraction, but no second"),
        ("%d.%m.%Y %I:%M", "`%I` is an hour from 1 to 12, which needs `%p` for AM or PM"),
        ("%d.%m.%Y %H:%M %p", "`%p` needs `%I`, an hour from 1 to 12"),
        ("%H:%M", "it has no day"),
        ("%e.%m.%Y", "`%e` is not a directive"),
        ("%-d.%m.%Y", "`%-` is not a directive"),
        ("%d.%m.%Y%", "`%` is not a directive"),
        ("%d.%m.%%Y", "it has no year"),
        ("%d\n%m.%Y", "it has a character that cannot be printed"),
        ("%d\0%m.%Y", "it has a character that cannot be printed"),
    ],
)
def test_an_invalid_format_is_rejected(text: str, why: str) -> None:
    with pytest.raises(TableError) as raised:
        parse_date_format(text)
    (found,) = raised.value.diagnostics
    assert (found.code, found.message) == ("AC235", f"invalid date format `{text}`: {why}")
    assert "`%d.%m.%Y`" in (found.help or "")


FORMAT = "%d.%m.%Y"
DATES = {"Admission": FORMAT, "Left": "%Y%m%d"}
POLICY = "EACH RESULT : Admission >= '2018-04-01' : REPLACE Admission WITH '2018-04-01';"
CHECK = "EACH RESULT : Admission >= '2018-01-01' : REJECT;"
COLUMNS = {"Admission": ["31.03.2018", "24.12.2018"], "Left": ["20180401", None], "Age": [5, 6]}
REPLACED = {"Admission": ["2018-04-01", "2018-12-24"], "Left": ["2018-04-01", None], "Age": [5, 6]}
KEPT = REPLACED | {"Admission": ["2018-03-31", "2018-12-24"]}


def _dicts(columns: dict[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(columns, record, strict=True)) for record in zip(*columns.values(), strict=True)]


@pytest.mark.parametrize(("policy", "expected"), [(POLICY, REPLACED), (CHECK, KEPT)])
@pytest.mark.parametrize("engine", ["duckdb", "reference"])
def test_text_stays_text(policy: str, expected: dict[str, Any], engine: str) -> None:
    table = acompass.run(policy, pyarrow.table(COLUMNS), dates=DATES, engine=engine).table
    assert table.to_pydict() == expected
    assert table.schema.types == [pyarrow.string(), pyarrow.string(), pyarrow.int64()]


@pytest.mark.parametrize(("policy", "expected"), [(POLICY, REPLACED), (CHECK, KEPT)])
def test_every_kind_of_frame_is_read(policy: str, expected: dict[str, Any]) -> None:
    records = _dicts(expected)
    assert acompass.run(policy, _dicts(COLUMNS), dates=DATES).table == records
    assert acompass.run(policy, polars.DataFrame(COLUMNS), dates=DATES).table.to_dicts() == records
    frame = acompass.run(policy, pandas.DataFrame(COLUMNS), dates=DATES).table
    assert frame.astype(object).where(frame.notna(), None).to_dict("records") == records


@pytest.mark.parametrize("policy", [POLICY, CHECK])
def test_categories_are_those_of_the_iso_dates(policy: str) -> None:
    admission = ["31.03.2018", "24.12.2018"]
    frame = pandas.DataFrame({"Admission": pandas.Categorical(admission)})
    left = acompass.run(policy, frame, dates={"Admission": FORMAT}).table["Admission"].tolist()
    assert left == (REPLACED if policy == POLICY else KEPT)["Admission"]
    series = polars.DataFrame({"Admission": polars.Series(admission, dtype=polars.Enum(admission))})
    assert acompass.run(policy, series, dates={"Admission": FORMAT}).table["Admission"].to_list() == left


def test_files_are_read_and_written(tmp_path: Path) -> None:
    source, output = str(tmp_path / "table.parquet"), str(tmp_path / "out.parquet")
    pyarrow.parquet.write_table(pyarrow.table(COLUMNS), source)
    acompass.run(POLICY, source, dates=DATES, output=output)
    assert pyarrow.parquet.read_table(output).to_pydict() == REPLACED
    csv = csv_file(tmp_path, "Admission,Left,Age\n31.03.2018,20180401,5\n24.12.2018,,6\n")
    acompass.run(POLICY, csv, dates=DATES, output=output)
    rows = duckdb.sql(f"FROM '{output}'")
    assert [str(type_) for type_ in rows.types] == ["DATE", "DATE", "VARCHAR"]
    assert rows.fetchall()[1] == (date(2018, 12, 24), None, "6")


def test_columns_of_dates_have_the_type_and_order_of_dates(tmp_path: Path) -> None:
    csv = csv_file(tmp_path, "Left,Admission\n2.1.2020,31.03.2018\n10.1.2019,24.12.2018\n")
    dates = {"Left": FORMAT, "admission": FORMAT}
    with acompass.open(csv, dates=dates) as session:
        assert [str(column.type) for column in session.schema(POLICY)] == ["date", "date"]
        left = session.run(CHECK, order="canonical").table.to_pydict()["Left"]
        assert left == [date(2019, 1, 10), date(2020, 1, 2)]
        with pytest.raises(acompass.TableError, match="no ISO date"):
            session.check(CHECK, dates={})
        assert session.check(CHECK, dates={"Admission": FORMAT}).ok
    claim = ["EACH RESULT : Admission >= '2018-04-01'"]
    assert acompass.prove(POLICY, claim, table=csv, dates=dates).ok


def _error(table: Any, dates: Any, policy: str = CHECK) -> tuple[str, str, str]:
    with pytest.raises(acompass.TableError) as raised:
        acompass.check(policy, table, dates=dates)
    (found,) = raised.value.diagnostics
    return found.code, found.message, found.help or ""


@pytest.mark.parametrize(
    ("dates", "message"),
    [
        ({"Discharge": FORMAT}, "`dates` names the column `Discharge`, which the table does not have"),
        ({"Age": FORMAT}, "`dates` names the column `Age`, which is not text"),
        ({"Left": FORMAT, "left": FORMAT}, "`dates` gives two formats for column `Left`"),
        ((FORMAT,), "`dates %d.%m.%Y` has no `=` between a column and a format"),
        (("=%d.%m.%Y",), "`dates` names the column ``, which the table does not have"),
    ],
)
def test_columns_that_cannot_be_dates_are_rejected(dates: Any, message: str) -> None:
    assert _error(pyarrow.table(COLUMNS), dates)[:2] == ("AC236", message)


def test_a_name_that_matches_two_columns_is_rejected() -> None:
    table = pyarrow.table({"a": ["x"], "A": ["x"], "Admission": ["x"]})
    assert _error(table, {"a": FORMAT})[0] == "AC234"
    other = pyarrow.table({"Ab": ["x"], "AB": ["x"], "Admission": ["x"]})
    assert _error(other, {"ab": FORMAT})[1] == "`dates` names `ab`, which could be `Ab`, `AB`"


def test_a_column_name_may_contain_an_equals_sign() -> None:
    table = pyarrow.table({"a=b": ["=1.2.2020"], "Admission": ["2018-01-01"]})
    assert acompass.run(CHECK, table, dates=("a=b==%d.%m.%Y",)).table.to_pydict()["a=b"] == ["2020-02-01"]


def test_a_filled_date_is_an_iso_date() -> None:
    table = pyarrow.table({"Admission": ["31.03.2018", None]})
    dates = {"Admission": FORMAT}
    left = acompass.run(POLICY, table, dates=dates, missing="2020-01-01").table
    assert left.to_pydict() == {"Admission": ["2018-04-01", "2020-01-01"]}
    with pytest.raises(acompass.TableError, match="cannot fill missing values of column `Admission`"):
        acompass.run(POLICY, table, dates=dates, missing="1.1.2020")
    assert acompass.run(POLICY, table, dates=dates, missing="drop").dropped == 1


def test_dropped_records_are_read_too() -> None:
    table = pyarrow.table({"Admission": ["31.03.2018", "x"], "Age": [1, None]})
    policy = f"{CHECK} EACH RESULT : Age > 0;"
    with pytest.raises(acompass.TableError, match="1 value is not a valid date"):
        acompass.run(policy, table, dates={"Admission": FORMAT}, missing="drop")


def test_a_column_of_dates_may_have_no_values() -> None:
    table = pyarrow.table({"Admission": ["31.03.2018"], "Left": pyarrow.nulls(1)})
    left = acompass.run(CHECK, table, dates=DATES).table
    assert left.to_pydict() == {"Admission": ["2018-03-31"], "Left": [None]}


@pytest.mark.parametrize(
    ("values", "formats"),
    [
        (["31.03.2018", "1.4.2018"], ["%d.%m.%Y"]),
        (["3/31/2018"], ["%m/%d/%Y"]),
        (["31/3/2018"], ["%d/%m/%Y"]),
        (["3/1/2018", None], ["%d/%m/%Y", "%m/%d/%Y"]),
        (["20180331"], ["%Y%m%d"]),
        (["31-MAR-2018"], ["%d-%b-%Y"]),
        (["31MAR2018"], ["%d%b%Y"]),
        (["31 May 2018"], ["%d %b %Y", "%d %B %Y"]),
        (["May 31, 2018", "June 1, 2018"], ["%B %d, %Y"]),
        (["9/30/1990 0:00:00", None], ["%m/%d/%Y %H:%M:%S"]),
        (["31.12.2018 9:05", "1.1.2019 23:59"], ["%d.%m.%Y %H:%M"]),
        (["1/2/2018 9:05 PM"], ["%d/%m/%Y %I:%M %p", "%m/%d/%Y %I:%M %p"]),
    ],
)
def test_the_error_for_local_dates_proposes_the_format(values: list[str | None], formats: list[str]) -> None:
    table = pyarrow.table({"Admission": values})
    code, message, help_ = _error(table, {})
    options = " or ".join(f'`dates={{"Admission": "{each}"}}`' for each in formats)
    assert (code, help_) == ("AC232", f"read the column as dates: {options}")
    assert not any(value in message + help_ for value in values if value)
    for each in formats:
        acompass.check(CHECK, table, dates={"Admission": each}, missing="drop")


def test_without_a_common_format_the_help_says_so() -> None:
    code, _, help_ = _error(pyarrow.table({"Admission": ["31.03.2018", "3/31/2018"]}), {})
    assert (code, help_) == (
        "AC232",
        'read the column as dates: `dates={"Admission": "%d.%m.%Y"}`, with the directives of its own format',
    )


def test_the_proposed_option_can_be_pasted() -> None:
    policy = """EACH RESULT : "it's $5" >= '2018-01-01' : REJECT;"""
    help_ = _error(pyarrow.table({"it's $5": ["31.03.2018"]}), {}, policy)[2]
    assert help_.endswith("""`dates={"it's $5": "%d.%m.%Y"}`""")
    with spelled_by(command_line_spelling):
        help_ = _error(pyarrow.table({"it's $5": ["31.03.2018"]}), {}, policy)[2]
    assert help_.endswith("""`--dates 'it'"'"'s $5=%d.%m.%Y'`""")


def test_values_with_a_time_name_the_format_that_fits() -> None:
    table = pyarrow.table({"Admission": ["9/30/1990 0:00:00", "12/31/2018 13:05:00"]})
    code, _, help_ = _error(table, {"Admission": "%m/%d/%Y"})
    assert (code, help_) == ("AC234", 'give the format of all values: `dates={"Admission": "%m/%d/%Y %H:%M:%S"}`')
    left = acompass.run(CHECK, table, dates={"Admission": "%m/%d/%Y %H:%M:%S"}).table
    assert left.to_pydict() == {"Admission": ["2018-12-31T13:05:00"]}


def test_a_column_of_dates_with_times_is_a_column_of_timestamps(tmp_path: Path) -> None:
    csv, output = csv_file(tmp_path, "Admission\n9/30/2018 0:00:00\n"), str(tmp_path / "out.parquet")
    dates = {"Admission": "%m/%d/%Y %H:%M:%S"}
    with acompass.open(csv, dates=dates) as session:
        assert [str(column.type) for column in session.schema(CHECK)] == ["timestamp"]
    acompass.run(CHECK, csv, dates=dates, output=output)
    assert duckdb.sql(f"FROM '{output}'").fetchall() == [(datetime(2018, 9, 30),)]
