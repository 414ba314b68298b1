"""Every Spark column type and every kind of constant behave as in `semantics`."""

import datetime
import math
import random
import struct
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from sqlglot import exp

import acompass
from acompass.errors.diagnostics import AcompassError
from acompass.plan.lowering.spark import SPARK
from tests.promise.key_search import KEY, found_key

COUNT = "EACH PROCESS COUNT(*) AS n : n >= 0;"


def _rows(result: Any) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in result.table.collect()]


def _floats() -> list[float]:
    chosen = random.Random(0)
    drawn = (struct.unpack("d", chosen.randbytes(8))[0] for _ in range(1500))
    plain = [chosen.randrange(10**6) / 10 ** chosen.randrange(8) for _ in range(500)]
    edges = [
        0.0,
        1.0,
        0.1,
        1e15,
        1e16,
        1e17,
        123456789012345678.0,
        1e22,
        1e23,
        9007199254740993.0,
        1e-4,
        1e-5,
    ]
    tiny = [5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 2.0**-44, float("inf"), -1e23, -0.001]
    return [value for value in (*drawn, *plain, *edges, *tiny) if not math.isnan(value)]


def test_floats_are_written_as_python_writes_them(spark: Any) -> None:
    from acompass.engines.spark.session import PlanSession, own_session

    session = PlanSession(own_session(spark))
    floats = _floats()
    table = session.upload((("v", "DOUBLE"),), [(value,) for value in floats])
    column = exp.column("v", table="t")
    query = exp.select(column, SPARK.float_text(column)).from_(exp.to_table(table).as_("t"))
    rows = session.fetch(query)
    session.clear()
    assert len(rows) == len(floats)
    assert [(value, text) for value, text in rows if text != repr(value)] == []


@pytest.mark.parametrize(
    "text", ["back\\slash", "\\n", "it''s", "100%_", "${spark.master}", '"', "`", "é😀", "--", "tab\there"]
)
def test_constants_reach_spark_unchanged(spark: Any, text: str) -> None:
    meant = text.replace("''", "'")
    table = spark.createDataFrame([(meant, 1), ("other", 1)], "name string, n int")
    policy = f"EACH RESULT : name = '{text}' : REPLACE name WITH '{text}!';"
    assert sorted(_rows(acompass.run(policy, table))) == sorted([(meant, 1), (f"{meant}!", 1)])


def test_sums_are_exact_beyond_64_bits(spark: Any) -> None:
    most, least = 2**63 - 1, -(2**63)
    table = spark.createDataFrame([("a", most)] * 3 + [("b", least)] * 3 + [("c", -1)], "g string, n bigint")
    policy = (
        f"EACH PROCESS SUM(n) AS s GROUP BY g : s >= {3 * least} AND s <= {3 * most}; "
        f"EACH PROCESS SUM(n) AS s WHERE g = 'a' GROUP BY g : s = {3 * most}; "
        f"EACH PROCESS SUM(n) AS s WHERE g = 'b' GROUP BY g : s = {3 * least}; "
        "EACH PROCESS SUM(n) AS s WHERE g = 'c' GROUP BY g : s = -1;"
    )
    assert acompass.check(policy, table).ok


def test_a_tiny_decimal_is_shown_with_the_digits_of_its_type(spark: Any) -> None:
    """Spark returns it as `1.00E-10`."""
    frame = spark.sql("SELECT CAST('0.0000000001' AS DECIMAL(38, 10)) AS x")
    (outcome,) = acompass.check("EACH RESULT : x > 1;", frame, show=1).requirements
    assert outcome.sample is not None
    assert str(outcome.sample.rows[0][0]) == "1E-10"


def test_a_decimal_sum_that_does_not_fit_is_an_error_without_values(spark: Any, capfd: Any) -> None:
    most = Decimal("9" * 38)
    table = spark.createDataFrame([(most,), (most,)], "n decimal(38, 0)")
    with pytest.raises(AcompassError) as raised:
        acompass.check("EACH PROCESS SUM(n) AS s : s > 0;", table)
    printed = "".join(capfd.readouterr())
    assert "99999" not in str(raised.value)
    assert "99999" not in printed
    assert raised.value.__suppress_context__


def test_random_draws_from_all_integers(spark: Any) -> None:
    table = spark.createDataFrame([(i,) for i in range(50)], "n bigint")
    policy = f"EACH RESULT : n < 0 : RANDOM n {-(2**63)} {2**63 - 1};"
    drawn = _rows(acompass.run(policy, table, seed="s"))
    expected = acompass.run(policy, [{"n": i} for i in range(50)], seed="s", engine="reference").table
    assert sorted(drawn) == sorted((record["n"],) for record in expected)


def test_the_seed_is_in_no_plan(spark: Any) -> None:
    """The web pages and event logs of Spark show plans (D20)."""
    table = spark.createDataFrame([(i,) for i in range(9)], "n bigint")
    result = acompass.run("EACH RESULT : n < 0 : RANDOM n 0 5;", table, seed="a great secret")
    assert result.table.count() == 9
    assert "secret" not in result.table._jdf.queryExecution().toString()


def test_the_key_is_in_no_plan(spark: Any) -> None:
    table = spark.createDataFrame([(f"p{i}", datetime.date(2024, 3, i + 1)) for i in range(9)], "name string, day date")
    policy = "ALWAYS : SHIFT day BY name WITHIN 9 DAYS; ALWAYS : PSEUDONYM name;"
    released = acompass.run(policy, table, key=KEY).table
    assert released.count() == 9
    assert found_key(released._jdf.queryExecution().toString()) == []
    assert found_key("".join(acompass.plan(policy, table, key=KEY).statements)) == []


def test_types_are_preserved(spark: Any) -> None:
    schema = (
        "a tinyint, b int, c bigint, d decimal(12,3), e float, f double, g string, h boolean, i date, "
        "j timestamp, k timestamp_ntz, l array<int>, m binary"
    )
    noon = datetime.datetime(2000, 2, 29, 12, 0, 0, 1)
    record = (1, 2, 3, Decimal("1.500"), 0.1, 0.1, "x", True, noon.date(), noon, noon, [1], bytearray(b"x"))
    table = spark.createDataFrame([record], schema)
    policy = (
        "EACH RESULT : a = 1 AND b = 2 AND c = 3 AND d = 1.5 AND f = 0.1 AND g = 'x' AND h = 'true' "
        "AND i = '2000-02-29' AND k = '2000-02-29T12:00:00.000001' AND e < 1;"
    )
    result = acompass.run(policy, table)
    assert result.ok
    assert result.table.schema.simpleString() == table.schema.simpleString()
    assert result.table.collect() == table.collect()


def test_the_settings_of_the_session_neither_matter_nor_change(spark: Any) -> None:
    other = spark.newSession()
    settings = {"spark.sql.ansi.enabled": "false", "spark.sql.session.timeZone": "Asia/Tokyo"}
    for name, value in settings.items():
        other.conf.set(name, value)
    table = other.sql("SELECT timestamp_ltz '2000-01-01 00:00:00+00:00' AS t, 1 AS n")
    result = acompass.run("EACH RESULT : t = '2000-01-01T00:00:00'; EACH RESULT : n = 2 : REPLACE n WITH 2;", table)
    assert result.ok
    assert [row["n"] for row in result.table.collect()] == [2]
    assert {name: other.conf.get(name) for name in settings} == settings


def test_text_is_compared_by_code_point_whatever_its_collation(spark: Any) -> None:
    table = spark.sql("SELECT collate(v, 'UTF8_LCASE') AS v FROM VALUES ('a'), ('A'), ('Z') AS t(v)")
    result = acompass.run("EACH RESULT : v >= 'a' : REPLACE v WITH 'low';", table, order="canonical")
    assert _rows(result) == [("a",), ("low",), ("low",)]
    assert acompass.check("EACH PROCESS COUNT DISTINCT v AS n : n = 3;", table).ok


def test_missing_values_are_counted_dropped_and_filled(spark: Any) -> None:
    table = spark.createDataFrame([(1, 0.5), (None, 1.5), (3, float("nan"))], "n int, f double")
    policy = "EACH RESULT : n >= 0 AND f >= 0;"
    with pytest.raises(AcompassError) as raised:
        acompass.run(policy, table)
    assert [finding.message for finding in raised.value.diagnostics] == [
        "column `n` has 1 missing value",
        "column `f` has 1 missing value",
    ]
    complete = acompass.run(policy, table, missing="drop")
    assert (complete.records_in, complete.dropped, _rows(complete)) == (3, 2, [(1, 0.5)])
    assert sorted(_rows(acompass.run(policy, table, missing="7"))) == [(1, 0.5), (3, 7.0), (7, 1.5)]


def test_negative_zero_is_zero(spark: Any) -> None:
    table = spark.createDataFrame([(-0.0, "a"), (0.0, "a")], "f double, g string")
    assert acompass.check("EACH PROCESS COUNT DISTINCT f AS n : n = 1;", table).ok
    drawn = acompass.run("EACH RESULT : g = 'b' : REPLACE f WITH 'x';", table)
    assert _rows(drawn) == [("x", "a"), ("x", "a")]


def test_a_year_that_other_engines_lack_is_an_error(spark: Any) -> None:
    table = spark.sql("SELECT make_date(12000, 1, 1) AS d")
    with pytest.raises(AcompassError, match="years range from 1 to 9999"):
        acompass.check("EACH RESULT : d > '2000-01-01';", table)


def test_records_in_python_are_for_another_engine(spark: Any) -> None:
    with pytest.raises(AcompassError, match="Spark cannot read a `list`"):
        acompass.check(COUNT, [{"a": 1}], engine=spark)


def test_a_memory_limit_is_an_error(spark: Any) -> None:
    with pytest.raises(AcompassError, match="does not apply to Spark"):
        acompass.check(COUNT, "table.csv", engine="local[2]", memory_limit="1GB")


def test_another_master_is_not_mistaken_for_the_running_one(spark: Any) -> None:
    with pytest.raises(AcompassError, match=r"running on `local\[2\]`"):
        acompass.check(COUNT, "table.csv", engine="spark://127.0.0.1:1")


def test_records_of_a_file_are_numbered_in_canonical_order(spark: Any, tmp_path: Path) -> None:
    """A column of integers is ordered as integers, even if no line of the policy names it (D10)."""
    people = tmp_path / "people.csv"
    people.write_text("id,age\n10,30\n9,91\n9,\n", encoding="utf-8")
    policy = "EACH RESULT : age <= 80 : REPLACE age WITH 80;"
    engine = spark.sparkContext.master
    found = acompass.explain(policy, people, where="id = 9", missing="drop", engine=engine)
    assert [(life.record, life.left) for life in found.lives] == [(1, None), (2, {"id": "9", "age": 80})]


def test_the_first_values_are_texts_without_nested_and_missing_ones(spark: Any, tmp_path: Path) -> None:
    types = "zip string, n int, born date, list array<int>, pairs map<string, int>, raw binary, missing string"
    record = ("02139", 5, datetime.date(1950, 1, 2), [1, 2], {"a": 1}, b"x", None)
    with acompass.open(spark.createDataFrame([record] * 3, types)) as session:
        found = session.first_values(2)
    nothing = {name: list[str]() for name in ("list", "pairs", "raw", "missing")}
    assert found == {"zip": ["02139"] * 2, "n": ["5"] * 2, "born": ["1950-01-02"] * 2} | nothing
    (tmp_path / "people.csv").write_text("zip,n\n02139,5\n,6\n")
    with acompass.open(tmp_path / "people.csv", engine=spark.sparkContext.master) as session:
        assert session.first_values(5) == {"zip": ["02139"], "n": ["5", "6"]}
