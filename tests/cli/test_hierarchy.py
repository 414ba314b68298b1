"""`acompass hierarchy` writes a hierarchy from the values of a column, and checks hierarchy files."""

import datetime
from decimal import Decimal

import duckdb
import pytest

TABLE = """\
Age,Zip,Admission,Education,Rate
34,21201,2018-03-01,Bachelors,0.5
9,21202,2018-04-30,Masters,1.25
,02139,2019-12-31,"a;b",0.75
34,21201,2018-03-02,"",0.5
"""


@pytest.fixture(autouse=True)
def table(tmp_path):
    (tmp_path / "visits.csv").write_text(TABLE, encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        (["Age", "--bands", "5, 10, 20"], ["9;5-9;0-9;0-19;*", "34;30-34;30-39;20-39;*"]),
        (["Rate", "--bands", "0.5"], ["0.5;[0.5,1.0);*", "0.75;[0.5,1.0);*", "1.25;[1.0,1.5);*"]),
        (["Zip", "--prefix", "3,2"], ["02139;021**;02***;*", "21201;212**;21***;*", "21202;212**;21***;*"]),
        (["Education", "--from-values"], ["Bachelors;*", "Masters;*", '"a;b";*']),
        (
            ["admission", "--dates"],
            [
                "2018-03-01;2018-03;2018-Q1;2018;2010s;*",
                "2018-03-02;2018-03;2018-Q1;2018;2010s;*",
                "2018-04-30;2018-04;2018-Q2;2018;2010s;*",
                "2019-12-31;2019-12;2019-Q4;2019;2010s;*",
            ],
        ),
    ],
)
def test_the_requested_levels_are_written(acompass, arguments, lines):
    ran = acompass("hierarchy", "visits.csv", *arguments)
    assert (ran.exit_code, ran.stdout.splitlines()) == (0, lines)


def test_records_without_a_value_are_left_out_and_counted(acompass):
    assert acompass("hierarchy", "visits.csv", "Age", "--bands", "5").stderr == "1 record without a value left out\n"
    ran = acompass("hierarchy", "visits.csv", "Education", "--from-values")
    assert ran.stderr == "1 record with an empty string left out; a hierarchy cannot contain it\n"


def test_without_an_option_the_values_decide_and_the_command_says_so(acompass):
    ran = acompass("hierarchy", "visits.csv", "Admission")
    assert ran.stdout.startswith("2018-03-01;2018-03;2018-Q1;2018;2010s;*\n")
    assert ran.stderr == "`Admission`: dates, month, quarter, year and decade\n"


def test_a_typed_table_gives_the_texts_that_a_policy_sees(acompass, tmp_path):
    values = [(1, 0.1, Decimal("2.50"), datetime.date(2018, 3, 1), True)]
    with duckdb.connect() as con:
        con.execute("CREATE TABLE t (i INTEGER, f DOUBLE, d DECIMAL(9, 2), day DATE, b BOOLEAN)")
        con.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", values)
        con.execute(f"COPY t TO '{tmp_path}/typed.parquet' (FORMAT parquet)")
    found = [acompass("hierarchy", "typed.parquet", name, "--from-values").stdout for name in "ifdb"]
    assert found == ["1;*\n", "0.1;*\n", "2.50;*\n", "true;*\n"]
    assert acompass("hierarchy", "typed.parquet", "day").stdout == "2018-03-01;2018-03;2018-Q1;2018;2010s;*\n"


def test_a_written_hierarchy_has_no_problems(acompass):
    assert acompass("hierarchy", "visits.csv", "Zip", "--prefix", "3,2", "-o", "zip.csv").stdout == ""
    ran = acompass("hierarchy", "zip.csv", "--check")
    assert (ran.exit_code, ran.stdout) == (0, "`zip.csv`: 3 values, 3 levels, no problems\n")


def test_check_lists_every_problem(acompass, tmp_path):
    (tmp_path / "bad.csv").write_text("a;x;y\nb;x;z\nb;;y\nc;y\n")
    ran = acompass("hierarchy", "bad.csv", "--check")
    assert ran.exit_code == 1
    assert ran.stdout.splitlines() == [
        "lines 1 and 2: `x` of level 1 has two parents, `y` and `z`",
        "line 3: level 1 is empty",
        "lines 2 and 3: duplicate value `b`",
        "line 4: the row has 2 cells where most have 3",
    ]


def test_check_prints_at_most_max_errors_problems(acompass):
    ran = acompass("hierarchy", "-", "--check", "--max-errors", "1", given="a;*\na;*\na;*\n")
    assert ran.stdout.splitlines() == ["lines 1 and 2: duplicate value `a`", "and 1 more"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["visits.csv", "Age", "--bands", "5,7"], "AC610"),
        (["visits.csv", "Age", "--bands", "10,5"], "AC610"),
        (["visits.csv", "Age", "--bands", "0"], "AC610"),
        (["visits.csv", "Age", "--bands", "0.5"], "AC610"),
        (["visits.csv", "Zip", "--prefix", "2,3"], "AC610"),
        (["visits.csv", "Zip", "--prefix", "0"], "AC610"),
        (["visits.csv", "Education", "--bands", "5"], "AC611"),
        (["visits.csv", "Education", "--dates"], "AC611"),
        (["visits.csv", "Absent"], "AC602"),
        (["none.csv", "Age"], "AC201"),
        (["none.csv", "--check"], "AC613"),
        (["visits.csv", "Age", "-o", "visits.csv"], "AC220"),
        (["visits.csv", "Age", "-o", "none/age.csv"], "AC221"),
        (["visits.csv", "Age", "--delimiter", "x"], "AC225"),
    ],
)
def test_a_wrong_call_is_an_error_without_values(acompass, tmp_path, arguments, code):
    ran = acompass("hierarchy", *arguments)
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert f"error[{code}]" in ran.stderr
    assert not any(value in ran.stderr for value in ("Bachelors", "Masters", "21201", "02139"))
    assert (tmp_path / "visits.csv").read_text() == TABLE


def test_a_column_without_values_is_an_error(acompass, tmp_path):
    (tmp_path / "empty.csv").write_text("Age\n")
    assert "error[AC612]" in acompass("hierarchy", "empty.csv", "Age").stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["visits.csv"], "missing argument 'COLUMN'"),
        (["visits.csv", "Age", "--check"], "--check takes only a file"),
        (["visits.csv", "Age", "--dates", "--from-values"], "exclude each other"),
        (["visits.csv", "Age", "--bands", "5,x"], "expected numbers between commas, found '5,x'"),
        (["visits.csv", "Zip", "--prefix", "2.5"], "expected integers between commas, found '2.5'"),
    ],
)
def test_arguments_that_exclude_each_other_are_rejected(acompass, arguments, message):
    ran = acompass("hierarchy", *arguments)
    assert ran.exit_code == 2
    assert message in ran.stderr
