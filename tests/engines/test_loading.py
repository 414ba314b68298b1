"""Tables on engines: text read as dates stays text (D28), dropped records, decimal commas, partitions."""

import csv
import datetime
import random
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas
import psycopg
import pyarrow.parquet
import pytest

import acompass
from acompass.engines.registry import open_session
from acompass.language.program.types import INTEGER, Column
from acompass.testing.conformance.cases import Case
from acompass.testing.conformance.comparison import compare, observe_session
from benchmarks.policies import TANGLED_COLUMNS, tangled
from tests.engines.postgres_server import Server, query_all, table_types
from tests.tables.tables import workbook

DATES = {"written": "%Y%m%d", "fixed": "%Y%m%d", "listed": "%d.%m.%Y"}
POLICY = """
    EACH RESULT : written >= '2018-04-01' : REPLACE written WITH '2018-04-01';
    EACH RESULT : fixed <= '2018-03-31' : REJECT;
"""
STAYS = """
    DROP TABLE IF EXISTS stays, released;
    DROP TYPE IF EXISTS listed_date;
    CREATE TYPE listed_date AS ENUM ('31.03.2018', '1.4.2018');
    CREATE TABLE stays (written varchar(8), fixed char(8), listed listed_date, born date);
    INSERT INTO stays VALUES
        ('20180331', '20180331', '31.03.2018', '2000-02-29'),
        ('20180501', '20180301', NULL, NULL), ('20180501', '20180401', '1.4.2018', NULL)
"""
BORN = datetime.date(2000, 2, 29)
LEFT: list[tuple[Any, ...]] = [
    ("2018-04-01", "2018-03-31", "2018-03-31", BORN),
    ("2018-05-01", "2018-03-01", None, None),
]


@pytest.fixture
def url(postgres: Server) -> str:
    url = postgres.url("english")
    with psycopg.connect(url) as con:
        con.execute(STAYS)
    return url


def _read_released(url: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    return table_types(url, "released"), query_all(url, "TABLE released ORDER BY 1")


def test_dates_in_a_table_of_postgres_stay_text(url: str, tmp_path: Path) -> None:
    acompass.run(POLICY, "stays", engine=url, dates=DATES, output="released")
    assert _read_released(url) == (["text", "text", "text", "date"], LEFT)
    table = acompass.run(POLICY, "stays", engine=url, dates=DATES).table
    assert [str(type_) for type_ in table.schema.types] == ["string", "string", "string", "date32[day]"]
    assert sorted(tuple(record.values()) for record in table.to_pylist()) == LEFT
    output = tmp_path / "released.csv"
    acompass.run(POLICY, "stays", engine=url, dates=DATES, output=output, order="canonical")
    assert output.read_text() == (
        "written,fixed,listed,born\n2018-04-01,2018-03-31,2018-03-31,2000-02-29\n2018-05-01,2018-03-01,,\n"
    )


def test_dates_in_an_uploaded_file_keep_their_type(url: str, tmp_path: Path) -> None:
    columns = {
        "written": ["20180331", "20180501"],
        "fixed": ["20180331", "20180301"],
        "listed": ["31.03.2018", None],
    }
    path, csv = tmp_path / "stays.parquet", tmp_path / "stays.csv"
    pyarrow.parquet.write_table(pyarrow.table(columns), path)
    acompass.run(POLICY, path, engine=url, dates=DATES, output="released")
    expected = [record[:3] for record in LEFT]
    assert _read_released(url) == (["text"] * 3, expected)
    csv.write_text("written,fixed,listed\n20180331,20180331,31.03.2018\n20180501,20180301,\n")
    acompass.run(POLICY, csv, engine=url, dates=DATES, output="released", replace=True)
    types, records = _read_released(url)
    assert types == ["date"] * 3
    assert [tuple(value and str(value) for value in record) for record in records] == expected
    for table in (path, csv):
        output = tmp_path / "released.parquet"
        acompass.run(POLICY, table, engine=url, dates=DATES, output=output)
        names = {str(type_) for type_ in pyarrow.parquet.read_schema(output).types}
        assert names == {"string" if table == path else "date32[day]"}


def test_dates_in_a_frame_of_spark_stay_text(spark: Any) -> None:
    frame = spark.createDataFrame(
        [("20180331", "20180331", "31.03.2018", BORN), ("20180501", "20180301", None, None)],
        "written string, fixed string, listed string, born date",
    )
    released = acompass.run(POLICY, frame, dates=DATES).table
    assert [field.dataType.simpleString() for field in released.schema] == ["string"] * 3 + ["date"]
    assert sorted(tuple(row) for row in released.collect()) == LEFT
    with pytest.raises(acompass.TableError, match="`dates` names the column `born`, which is not text"):
        acompass.check(POLICY, frame, dates={"born": "%d.%m.%Y"})


TIMED = {"seen": "%m/%d/%Y %H:%M:%S", "left": "%d.%m.%Y %I:%M %p"}
TIMED_POLICY = """
    EACH RESULT : seen >= '2018-01-01' : REPLACE seen WITH '2018-01-01';
    EACH RESULT : age <= 80 : REPLACE age WITH 80;
"""
TIMED_RECORDS = [("9/30/2018 0:00:00", "1.2.2020 1:05 PM", "99", "NA"), ("1/2/2017 23:59:59", None, "7", "x")]
TIMED_LEFT = [("2018-01-01T00:00:00", None, "7", "x"), ("2018-09-30T00:00:00", "2020-02-01T13:05:00", "80", "NA")]


def test_times_and_words_for_missing_values_in_a_table_of_postgres(url: str) -> None:
    with psycopg.connect(url) as con:
        con.execute("DROP TABLE IF EXISTS timed, released; CREATE TYPE note AS ENUM ('NA', 'x')")
        con.execute('CREATE TABLE timed (seen varchar, "left" char(20), age text, note note)')
        records = [*TIMED_RECORDS, ("NA", "NA", "1", "x"), ("1/2/2018 0:00:00", "NA", "NA", "x")]
        con.cursor().executemany("INSERT INTO timed VALUES (%s, %s, %s, %s)", records)
    options: dict[str, Any] = {"engine": url, "dates": {"seen": TIMED["seen"]}, "na": ["NA"], "missing": "drop"}
    assert acompass.run(TIMED_POLICY, "timed", output="released", **options).dropped == 2
    left = [(seen, age, note) for seen, _, age, note in TIMED_LEFT]
    assert query_all(url, "SELECT seen, age, note::text FROM released ORDER BY 1") == left
    table = acompass.run(TIMED_POLICY, "timed", **options).table.to_pylist()
    assert sorted((each["seen"], each["age"], each["note"]) for each in table) == left


def test_times_and_words_for_missing_values_in_a_frame_of_spark(spark: Any) -> None:
    records = [*TIMED_RECORDS, ("NA", "NA", "1", "x"), ("1/2/2018 0:00:00", "NA", "NA", "x")]
    frame = spark.createDataFrame(records, "seen string, left string, age string, note string")
    released = acompass.run(TIMED_POLICY, frame, dates=TIMED, na=["NA"], missing="drop")
    assert released.dropped == 2
    assert [field.dataType.simpleString() for field in released.table.schema] == ["string"] * 4
    assert sorted(tuple(row) for row in released.table.collect()) == TIMED_LEFT


DROPPED_POLICY = "EACH RESULT : a > 0 AND b > 0; EACH RESULT : a < 9 : REJECT;"
TABLE = pandas.DataFrame({"a": [1, None, 3, None, 9], "b": [1.5, 2.5, None, None, 5.5]})


def _write_table(kind: str, folder: Path) -> Any:
    if kind == "csv":
        TABLE.to_csv(folder / "table.csv", index=False)
    elif kind == "parquet":
        TABLE.to_parquet(folder / "table.parquet")
    return TABLE if kind == "frame" else folder / f"table.{kind}"


@pytest.mark.parametrize("engine", ["duckdb", "reference"])
@pytest.mark.parametrize("kind", ["csv", "parquet", "frame"])
def test_dropped_records_count_as_input(tmp_path: Path, kind: str, engine: str) -> None:
    table = _write_table(kind, tmp_path)
    ran = acompass.run(DROPPED_POLICY, table, missing="drop", engine=engine)
    assert (ran.records_in, ran.dropped, ran.records_out) == (5, 3, 1)
    assert [each.records for each in ran.requirements] == [2, 2]
    checked = acompass.check(DROPPED_POLICY, table, missing="drop", engine=engine)
    assert (checked.records_in, checked.dropped) == (5, 3)
    assert acompass.check(DROPPED_POLICY, table, missing="1", engine=engine).dropped == 0


REQUIREMENTS = 20
#: characters: more than the 400 comparisons of one scan of `check` need; see tests/plan/test_statements.py
LONGEST = 15_000


@contextmanager
def session_with_short_statements(url):
    with open_session(url) as session:
        yield session
        assert max(map(len, session.statements)) < LONGEST


@pytest.mark.parametrize("engine", ["duckdb", "postgres", "spark"])
def test_dependent_requirements_agree_and_their_statements_stay_short(engine, engine_url):
    rng = random.Random("tangled")
    schema = tuple(Column(name, INTEGER) for name in TANGLED_COLUMNS)
    records = [tuple(rng.randrange(1000) for _ in schema) for _ in range(200)]
    case = Case(tangled(REQUIREMENTS), schema, records, [], {})
    with session_with_short_statements(engine_url) as session:
        assert compare(case, observe_session(session)) is None


STYLES_POLICY = """
EACH RESULT : Dose <= 5 : REPLACE Dose WITH 4.5;
ALWAYS : GENERALIZE Weight TO BANDS OF 0.5;
EACH PROCESS COUNT(*) AS n GROUP BY Other : n >= 2 : REPLACE Other WITH 2.50;
"""
LINES = ("Dose;Weight;Name;Other", "1,50;0,75;Zoë;1,5", "10,25;1;1,5;x.y", '3;-2,5;"a;""b""";')
EXPECTED = (
    "Dose;Weight;Name;Other",
    '1,50;"[0,5;1,0)";Zoë;2,50',
    '4,5;"[1,0;1,5)";1,5;2,50',
    '3;"[-2,5;-2,0)";"a;""b""";2,50',
)
ENGINES = ("duckdb", "reference", "postgres", "spark")


def run_to_csv(table: Path, engine: str, **options: Any) -> bytes:
    output = table.with_name("out.csv")
    options |= {"engine": engine, "output": output, "decimal": ",", "missing": "7,5"}
    acompass.run(STYLES_POLICY, table, seed="s", **options)
    return output.read_bytes()


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_writes_the_same_bytes(engine_url: str, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    for encoding in ("utf-8-sig", "cp1252"):
        table.write_bytes("".join(f"{line}\r\n" for line in LINES).encode(encoding))
        expected = "".join(f"{line}\r\n" for line in EXPECTED).encode(encoding)
        found = run_to_csv(table, engine_url, encoding=encoding)
        assert sorted(found.splitlines(keepends=True)) == sorted(expected.splitlines(keepends=True))


FORMULAS = ["=1+1", "+49 170", "-10--1", "@x", "\t=1", "\r=1", "-1.5\n", "=\u00e9"]
NO_FORMULAS = ["=", "-", "-1.5", "+1,5e-3", "1=1", "", "'=1"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("is_escaped", [False, True])
def test_every_engine_finds_and_escapes_formulas(
    engine: str, engine_url: str, tmp_path: Path, is_escaped: bool
) -> None:
    formulas = [text for text in FORMULAS if engine != "spark" or text.isprintable()]  # it reads no line ends in fields
    table, output = tmp_path / "table.csv", tmp_path / "out.csv"
    with table.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(
            [["=Name", "Age", "Gone"], *([text, "-1.5", "=x"] for text in (*formulas, *NO_FORMULAS))]
        )
    policy = "EACH RESULT : Age <= 80 : REJECT;\nALWAYS : DROP Gone;"
    options = {"engine": engine_url, "output": output, "escape_formulas": is_escaped}
    result = acompass.run(policy, table, **options)  # type: ignore[arg-type]
    escaped = [f"'{text}" if is_escaped else text for text in ("=Name", *formulas)]
    with output.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == [escaped[0], "Age"]
    assert sorted(rows) == sorted([text, "-1.5"] for text in (*escaped[1:], *NO_FORMULAS))
    done = "that begin like a formula have" if is_escaped else "begin like a formula, which a spreadsheet may run;"
    assert [note.text for note in result.notes if note.text.startswith(f"{len(escaped)} cells {done}")]


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_reads_a_workbook(engine_url: str, tmp_path: Path) -> None:
    table = workbook(tmp_path / "table.xlsx", S=[("Dose", "Weight", "Other"), (1.5, 0.75, "x"), (9, 1, "x")])
    found = run_to_csv(table, engine_url).decode().splitlines()
    assert found[0] == "Dose;Weight;Other"
    assert sorted(found[1:]) == ['1,5;"[0,5;1,0)";x', '4,5;"[1,0;1,5)";x']


@pytest.mark.parametrize("engine", ["postgres", "spark"])
def test_labels_in_a_table_of_the_engine_have_decimal_commas(engine_url: str, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    options: dict[str, Any] = {"engine": engine_url, "force": True}
    acompass.run(STYLES_POLICY, table, output="styled", decimal=",", missing="7,5", **options)
    output = tmp_path / "again.csv"
    acompass.run("EACH PROCESS COUNT(*) AS n : n = 3;", "styled", output=output, **options)
    assert "[0,5;1,0)" in output.read_text(encoding="utf-8")


@pytest.mark.parametrize("engine", ["postgres", "spark"])
def test_postgres_writes_partitions_and_spark_does_not(engine: str, engine_url: str, tmp_path: Path) -> None:
    table, output = tmp_path / "table.csv", tmp_path / "out"
    table.write_text("Age,Zip\n1,a\n2,b\n", encoding="utf-8")
    policy = "EACH RESULT : Age > 0;"
    if engine == "spark":
        with pytest.raises(acompass.TableError, match="Spark does not write partitions"):
            acompass.run(policy, table, output=output, partition=["Zip"], engine=engine_url)
        return
    acompass.run(policy, table, output=output, partition=["Zip"], engine=engine_url)
    assert sorted(each.name for each in output.iterdir()) == ["Zip=a", "Zip=b"]


def test_dicts_lists_and_readers_are_uploaded_to_postgres(postgres: Server) -> None:
    """Like data frames; the result of an upload is of the kind that came in."""
    url, policy = postgres.url("english"), "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;"
    lists = {"Age": [54, 82], "Zip": ["21201", "21410"]}
    assert acompass.run(policy, lists, engine=url, order="canonical").table == {"Age": [54, 80], "Zip": lists["Zip"]}
    for make in (lambda: iter([{"Age": 54}, {"Age": 82}]), pyarrow.table({"Age": [54, 82]}).to_reader):
        with acompass.open(make(), engine=url) as session:
            for _ in range(2):
                found = session.run(policy, order="canonical").table
                assert (found if isinstance(found, list) else found.to_pylist()) == [{"Age": 54}, {"Age": 80}]
