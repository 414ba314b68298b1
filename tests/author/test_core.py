"""A policy rewritten in the core gives the same table, or a reason why it cannot be rewritten (X0)."""

import csv
import datetime
import random
from pathlib import Path
from typing import Any

import pyarrow
import pytest

import acompass
from acompass.author.core import core_policy
from acompass.errors.diagnostics import PolicyError
from acompass.language.mistakes.habits import beyond_paper
from acompass.tables.formats import Options
from tests.folding import folded
from tests.length import at_length

PARAMS = {"k": 2}
HIERARCHY = "flu;lung;*\nasthma;lung;*\nmeasles;skin;*\n30;low;*\n"
AREAS = "zip,age,people\n21201,30,5\n21201,31,6\n21202,30,7\n31201,29,0\n*,0,9\n"
HEADER = ("name", "age", "zip", "seen", "illness", "cost")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("illness.csv").write_text(HIERARCHY, encoding="utf-8")
    Path("areas.csv").write_text(AREAS, encoding="utf-8")
    return tmp_path


def _core(text: str, table: Any = None) -> str:
    return core_policy(acompass.parse(text), table, PARAMS if "k" in text.split() else {}, Options())


def _table(rows: list[tuple[object, ...]]) -> str:
    with open("table.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([HEADER, *rows])
    return "table.csv"


def _run(policy: str, table: Any) -> str | None:
    """The text that a run writes; None if it writes nothing."""
    out = Path("out.csv")
    out.unlink(missing_ok=True)
    params = PARAMS if "k" in policy.replace(";", " ").split() else {}
    try:
        acompass.run(policy, table, params=params, seed="s", order="canonical", output=out)
    except acompass.TableError as error:
        if [each.code for each in error.diagnostics] != ["AC237"]:  # a value without a label
            raise
    return out.read_text(encoding="utf-8") if out.exists() else None


def _assert_same(policy: str, table: Any) -> None:
    core = _core(policy, table)
    assert beyond_paper(acompass.parse(core).tree) == ()
    assert _run(core, table) == _run(policy, table)


LINES = (
    "ALWAYS : REPLACE name WITH '*';",
    "ALWAYS : RANDOM cost 1 3;",
    "ALWAYS : RANDOM cost FROM (1, 2, 3);",
    "EACH RESULT : age >= 40 : RANDOM age FROM (2 OF -1, 2 OF 0, 2 OF 1, 2 OF 2);",
    "EACH RESULT : zip != '41' : RANDOM zip FROM (7, 8);",
    "ALWAYS : GENERALIZE age TO BANDS OF 5 UP TO 40 THEN GENERALIZE age TO BANDS OF 20 UP TO 40;",
    "ALWAYS : GENERALIZE age TO BANDS OF 1;",
    "ALWAYS : GENERALIZE cost TO BANDS AT 0.5, 2;",
    "ALWAYS : GENERALIZE zip TO PREFIX OF 3;",
    "ALWAYS : GENERALIZE age TO NEAREST 5 THEN GENERALIZE age TO NEAREST 15;",
    "ALWAYS : GENERALIZE seen TO MONTH THEN GENERALIZE seen TO YEAR;",
    "ALWAYS : GENERALIZE illness TO LEVEL 1 OF 'illness.csv' ELSE 'other';",
    "ALWAYS : GENERALIZE illness TO LEVEL 2 OF 'illness.csv';",
    "ALWAYS : GENERALIZE age TO LEVEL 1 OF 'illness.csv' ELSE 'x';",
    "EACH RESULT : age BETWEEN 30 AND 45 OR zip LIKE '21%' : REPLACE name WITH 'old' THEN REJECT;",
    "EACH FILTER zip NOT IN ('21201', '31201') : illness != 'flu' : REPLACE illness WITH 'measles';",
    "EACH PROCESS COUNT(*) AS n, COUNT DISTINCT(illness) AS d GROUP BY zip : n >= k AND d > 1 : REJECT;",
    "EACH PROCESS COUNT(*) AS n, MAX(cost) AS m WHERE age > 30 GROUP BY zip : n <> 3 AND m <= 2;",
    "EACH PROCESS SUM(people) IN 'areas.csv' AS p GROUP BY zip : p >= 7 OR zip = '*' : REPLACE zip WITH '*';",
    "EACH PROCESS COUNT(*) IN 'areas.csv' AS p WHERE age > 30 GROUP BY zip, age : NOT p = 0 : REJECT;",
    "EACH PROCESS COUNT(*) IN 'areas.csv' AS p GROUP BY zip : p < 2 AND p >= 0 : REPLACE zip WITH 'x' THEN REJECT;",
    "EACH PROCESS COUNT(*) AS n, SUM(people) IN 'areas.csv' AS p GROUP BY zip : n >= k OR p > 6 : REJECT;",
    "SOME PROCESS COUNT(*) IN 'areas.csv' AS p GROUP BY zip : p > 99 : REPLACE name WITH '*';",
    "EACH PROCESS COUNT(*) IN 'areas.csv' AS p : p BETWEEN 5 AND 6 : REPLACE name WITH 'no';",
    "EACH PROCESS COUNT(*) IN 'areas.csv' AS p : p > 5 : REPLACE name WITH 'small';",
    "EACH RESULT : age >= 30 : RANDOM age 31 33;",
    "EACH RESULT : age < 40 : REPLACE age WITH '*';",
    "EACH PROCESS COUNT(*) AS n GROUP BY age, zip : n >= k : REJECT;",
)


def _random_table(source: random.Random) -> list[tuple[object, ...]]:
    return [
        (
            source.choice("abc"),
            source.choice([29, 30, 31, 33, 38, 44, 45]),
            source.choice(["21201", "21202", "31201", "41"]),
            source.choice(["2018-03-01", "2018-03-09", "2019-12-31"]),
            source.choice(["flu", "asthma", "measles", "gout"][: source.choice((3, 4))]),
            source.choice(["0.25", "0.5", "1.75", "2.5", "3"]),
        )
        for _ in range(source.randint(1, 12))
    ]


@pytest.mark.campaign
@folded("seed", range(at_length(4)))
@pytest.mark.slow
def test_the_core_gives_the_same_table(seed: int) -> None:
    source = random.Random(seed)
    table = _table(_random_table(source))
    _assert_same(_random_policy(source, table), table)


def _random_policy(source: random.Random, table: str) -> str:
    """Random lines that run together on this table."""
    while True:
        policy = "\n".join(source.sample(LINES, source.randint(1, 4)))
        try:
            _run(policy, table)
        except PolicyError:
            continue
        return policy


@pytest.mark.parametrize("line", LINES)
def test_each_line_alone_gives_the_same_table(line: str) -> None:
    _assert_same(line, _table(_random_table(random.Random(line))))


def test_a_large_reference_table_is_not_written() -> None:
    Path("large.csv").write_text("a\n" + "".join(f"x{number}\n" for number in range(1_001)), encoding="utf-8")
    with pytest.raises(PolicyError) as raised:
        _core("EACH PROCESS COUNT(*) IN 'large.csv' AS n GROUP BY a : n > 5 : REJECT;")
    (found,) = raised.value.diagnostics
    assert found.code == "AC061"
    assert found.message.endswith("`large.csv` cannot be written in the core: the file has more than 1,000 classes")


def test_typed_columns_are_compared_by_their_original_type() -> None:
    table = pyarrow.table(
        {
            "age": pyarrow.array([30, 31, 44], pyarrow.int64()),
            "seen": [datetime.date(2018, 3, 1), datetime.date(2018, 4, 1), datetime.date(2019, 4, 1)],
            "cost": pyarrow.array(["0.50", "1.50", "2.00"]).cast(pyarrow.decimal128(5, 2)),
        }
    )
    policy = (
        "ALWAYS : GENERALIZE age TO BANDS OF 10; ALWAYS : GENERALIZE seen TO YEAR;"
        "ALWAYS : GENERALIZE cost TO BANDS OF 1.0;"
    )
    core = _core(policy, table)
    assert "NOT (age = 30 OR age = 31)" in core
    expected = acompass.run(policy, table).table.to_pylist()
    assert acompass.run(core, table).table.to_pylist() == expected


def test_a_value_without_a_label_prevents_the_release() -> None:
    table = _table([("a", 30, "21201", "2018-03-01", "flu", 1), ("b", 31, "21201", "unknown", "flu", 1)])
    policy = "ALWAYS : GENERALIZE seen TO YEAR;"
    assert "NOT (seen = 'unknown');" in _core(policy, table)
    _assert_same(policy, table)
    _assert_same(f"EACH RESULT : seen != 'unknown' : REJECT; {policy}", table)


def test_a_hierarchy_needs_no_table() -> None:
    core = _core("ALWAYS : GENERALIZE illness TO LEVEL 1 OF 'illness.csv' ELSE 'other';")
    assert core.count("REPLACE") == 4
    assert core == _core(
        "ALWAYS : GENERALIZE illness TO LEVEL 1 OF 'illness.csv' ELSE 'other';",
        _table([("a", 30, "21201", "2018-03-01", "flu", 1)]),
    )


def test_a_core_policy_is_formatted_with_its_comments() -> None:
    text = "-- who\nEACH RESULT\n   : a = 1\n   : REJECT;\n\n-- end\n"
    assert _core(text) == text


def test_comments_stay_with_their_requirement_and_allows_are_repeated() -> None:
    text = (
        "-- all\nALWAYS : REPLACE a WITH '*'; -- behind\n"
        "-- allow AC503: decided\nEACH RESULT : a <> '1' : REPLACE a WITH '2' THEN REJECT;\n/* end */"
    )
    assert _core(text) == (
        "-- all\n-- behind\nEACH PROCESS COUNT(*) AS Records\n   : Records < 1\n   : REPLACE a WITH '*';\n\n"
        "-- allow AC503: decided\nEACH RESULT\n   : NOT (a = '1')\n   : REPLACE a WITH '2';\n\n"
        "-- allow AC503: decided\nEACH RESULT\n   : NOT (a = '1')\n   : REJECT;\n\n"
        "/* end */\n"
    )


def test_like_with_digits_allows_what_d24_would_reject() -> None:
    table = _table([("a", 30, zip_, "2018-03-01", "flu", 1) for zip_ in ("3", "21", "211", "22")])
    policy = "EACH RESULT : zip LIKE '21%' : REJECT;"
    assert "-- allow AC231" in _core(policy)
    _assert_same(policy, table)
    assert "allow" not in _core("EACH RESULT : zip LIKE 'ab%' : REJECT;")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("ALWAYS : DROP a;", "no action of the paper removes a column"),
        (
            "EACH RESULT : a = '1' : GENERALIZE a TO YEAR;",
            "a REPLACE for one label can change which records violate the assertion",
        ),
        ("ALWAYS : GENERALIZE a TO PREFIX OF 3;", "the column's values are unknown"),
        ("ALWAYS : GENERALIZE a TO NEAREST 3;", "the column's values are unknown"),
        ("ALWAYS : PSEUDONYM a;", "no action of the paper has a key"),
        ("ALWAYS : SHIFT a BY b WITHIN 3 DAYS;", "no action of the paper has a key"),
        ("ALWAYS : ADD RANDOM 1 2 TO a;", "what the paper draws does not depend on the value before"),
        (
            "ALWAYS : MICROAGGREGATE a BY 3;",
            "what an action of the paper writes does not depend on other records",
        ),
        (
            "EACH PROCESS SHARE OF MODE (a) AS s : s <= 0.5 : REJECT;",
            "no aggregate of the paper is a share",
        ),
        (
            "EACH RESULT : a > 1 : WITH PROBABILITY 0.5 REJECT;",
            "every action of the paper is performed on the whole affected bag",
        ),
        *(
            (
                f"ALWAYS : RANDOM a FROM ({values});",
                "the paper draws integers between two bounds, each with the same probability",
            )
            for values in ("'a', 'b'", "1, 3", "2, 1", "2 OF 1, 2", "1, k", "1, 2.0", "9223372036854775808")
        ),
        (
            "SOME PROCESS COUNT(*) AS n, SUM(b) AS s : n > 1 AND s > 2;",
            "after `SOME`, a single class must satisfy the whole condition",
        ),
        (
            "EACH PROCESS COUNT(*) AS n, SUM(b) AS s : n > 1 OR s > 2;",
            "a part of the condition uses two of them",
        ),
        (
            "EACH PROCESS COUNT(*) AS n, SUM(b) AS s : n > 1 AND s > 2 : REPLACE b WITH 1;",
            "the action for one of them would change the classes of the next",
        ),
    ],
)
def test_a_policy_that_cannot_be_rewritten_has_a_reason(text: str, reason: str) -> None:
    with pytest.raises(PolicyError) as raised:
        _core(text)
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.code == "AC061"
    assert diagnostic.message.endswith(f"cannot be written in the core: {reason}")
    assert diagnostic.labels


def test_rounded_numbers_keep_the_type_of_their_column() -> None:
    table = pyarrow.table({"cost": pyarrow.array(["0.37", "1.12", "2.00"]).cast(pyarrow.decimal128(5, 2))})
    policy = "ALWAYS : GENERALIZE cost TO NEAREST 0.25;"
    core = _core(policy, table)
    assert "NOT (cost = 0.37)" in core
    assert "2.00" not in core
    assert acompass.run(core, table).table.to_pylist() == acompass.run(policy, table).table.to_pylist()


@pytest.mark.parametrize(
    ("policy", "reason"),
    [
        ("ALWAYS : GENERALIZE age TO NEAREST 0.5;", "it changes how the column's numbers are spelled (D26)"),
        ("ALWAYS : GENERALIZE cost TO NEAREST 0.5;", "it changes how the column's numbers are spelled (D26)"),
    ],
)
def test_numbers_whose_spelling_would_change_are_not_rounded(policy: str, reason: str) -> None:
    table = _table([("a", 30, "21201", "2018-03-01", "flu", 1.5)])
    with pytest.raises(PolicyError) as raised:
        _core(policy, table)
    assert raised.value.diagnostics[0].message.endswith(reason)


def test_a_drawn_value_has_its_label() -> None:
    policy = "ALWAYS : RANDOM age FROM (101, 102); ALWAYS : GENERALIZE age TO BANDS OF 5;"
    table = _table([("a", 30, "21201", "2018-03-01", "flu", "1")])
    assert "'100-104'" in _core(policy, table)
    _assert_same(policy, table)


def test_all_reasons_are_given_at_once() -> None:
    with pytest.raises(PolicyError) as raised:
        _core("ALWAYS : DROP a; ALWAYS : DROP b THEN DROP c;")
    assert len(raised.value.diagnostics) == 3


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("n > 1", ["COUNT(*) AS n"]),
        ("S > 1 OR s < 0", ["SUM(b) AS s"]),
        ("g = 'x'", ["COUNT(*) AS n"]),
        ("n > 1 AND (g = 'x' AND s > 2)", ["COUNT(*) AS n", "SUM(b) AS s"]),
        ("s BETWEEN 1 AND 2 AND n > 1", ["COUNT(*) AS n", "SUM(b) AS s"]),
    ],
)
def test_one_requirement_for_each_aggregate_that_is_compared(condition: str, expected: list[str]) -> None:
    core = _core(f"EACH PROCESS COUNT(*) AS n, SUM(b) AS s GROUP BY g : {condition} : REJECT;")
    found = [line.split("PROCESS ")[1].split(" GROUP")[0] for line in core.splitlines() if "PROCESS" in line]
    assert found == expected
