"""Names and constants of a policy or a table reach an engine as identifiers and literals, never as SQL."""

import csv

import pytest

import acompass

HOSTILE = [
    "'; DROP TABLE t; --",
    "\"; COPY (SELECT 1) TO 'stolen.csv'; --",
    "') UNION SELECT current_setting('secret_directory') --",
    "c0",
    "t.c0 = t.c0 OR 1=1",
    "\\'; DELETE FROM kept0; --",
    "$1",
    "{0}%s\n--",
    "*/ SELECT 1 /*",
]


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("engine", ["duckdb", "reference"])
def test_hostile_text_is_only_text(hostile, engine, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = tmp_path / "table.csv"
    with table.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([[hostile, "Age"], ["a", "1"], [hostile, "2"], ["b", "2"]])
    name, value = quoted(hostile), text(hostile)
    policy = (
        f"EACH RESULT : NOT ({name} = {value}) : REPLACE {name} WITH 'found';"
        f"EACH FILTER {name} = 'a' : {name} = {value} : REPLACE {name} WITH {value};"
        f"EACH PROCESS COUNT(*) AS {quoted(hostile + '!')} GROUP BY {name} : {quoted(hostile + '!')} >= 1;"
    )
    result = acompass.run(policy, table, engine=engine, output=tmp_path / "out.csv")
    assert [each.affected for each in result.requirements] == [1, 1, 0]
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8") as file:
        assert list(csv.reader(file)) == [[hostile, "Age"], [hostile, "1"], ["found", "2"], ["b", "2"]]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.csv", "table.csv"]
