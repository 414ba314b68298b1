"""The methods of a session return the same as the functions of the same name, and read the table once."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas
import pytest

import acompass
from acompass.engines.duckdb import csv as duckdb_csv
from acompass.engines.duckdb import read as duckdb_read

TABLE = """\
Name,Age,Zip,Pay
Ada,54,21201,2200.5
Ben,54,21209,7400
Cai,82,21410,10500
Dee,86,21433,
Eve,36,21201,8600
"""
POLICY = """\
EACH RESULT : Age <= 80 : REPLACE Age WITH 80;
EACH FILTER Zip >= '21200' AND Zip <= '21299' : Zip = '212**' : REPLACE Zip WITH '212**';
EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= k : REJECT;
"""
#: the same columns with other types: Age is text here, Zip a number
OTHER = "EACH RESULT : Age >= '36' : REJECT; EACH RESULT : Zip >= 21202 : REPLACE Zip WITH 0;"
RANDOM = "EACH RESULT : Age <= 53 : RANDOM Age 1 50;"


@pytest.fixture
def people(tmp_path: Path) -> str:
    path = tmp_path / "people.csv"
    path.write_text(TABLE, encoding="utf-8")
    return str(path)


@pytest.fixture(params=["csv", "parquet", "pandas", "dicts"])
def table(request: pytest.FixtureRequest, people: str, tmp_path: Path) -> Any:
    frame = pandas.read_csv(
        people, dtype={"Zip": str, "Age": str} if request.param == "dicts" else {"Zip": str}
    )
    match request.param:
        case "csv":
            return people
        case "parquet":
            frame.to_parquet(tmp_path / "people.parquet")
            return str(tmp_path / "people.parquet")
        case "pandas":
            return frame
        case _:
            return [{"Age": 54, "Zip": "21201"}, {"Age": 54, "Zip": "21209"}, {"Age": 36, "Zip": "21410"}]


@pytest.fixture
def session(people: str) -> Iterator[acompass.Session]:
    with acompass.open(people) as opened:
        yield opened


def test_methods_return_the_same_as_the_functions(table: Any) -> None:
    with acompass.open(table) as session:
        for _ in range(2):
            assert session.check(POLICY, params={"k": 2}) == acompass.check(POLICY, table, params={"k": 2})
            ours = session.run(POLICY, params={"k": 2})
            alone = acompass.run(POLICY, table, params={"k": 2})
            assert ours.requirements == alone.requirements
            assert _records(ours.table) == _records(alone.table)
            assert (
                session.plan(POLICY, params={"k": 2}).stages
                == acompass.plan(POLICY, table, params={"k": 2}).stages
            )


def _records(table: Any) -> list[Any]:
    if isinstance(table, list):
        return table
    frame = table if isinstance(table, pandas.DataFrame) else table.to_pandas()
    return [
        tuple(None if value != value else value for value in row) for row in frame.itertuples(index=False)
    ]


def test_each_policy_types_the_columns_again(session: acompass.Session, people: str) -> None:
    for policy, params in ((POLICY, {"k": 2}), (OTHER, {}), (POLICY, {"k": 1}), (OTHER, {})):
        expected = acompass.run(policy, people, params=params)
        found = session.run(policy, params=params)
        assert (found.requirements, found.table) == (expected.requirements, expected.table)


def test_the_file_is_read_once(session: acompass.Session, monkeypatch: pytest.MonkeyPatch) -> None:
    times: list[str] = []
    read = duckdb_csv.read_text

    def counted(con: Any, csv: Any) -> str:
        times.append(csv.source.paths[0])
        return read(con, csv)

    monkeypatch.setattr(duckdb_read, "read_text", counted)
    session.check(POLICY, params={"k": 2})
    session.check(OTHER)
    session.explain(POLICY, params={"k": 2}, record=3)
    session.measure(qi=["Age", "Zip"])
    assert len(times) == 1


def test_each_call_chooses_how_to_treat_missing_values(session: acompass.Session) -> None:
    policy = "EACH RESULT : Pay >= 3000 : REJECT;"
    with pytest.raises(acompass.TableError, match="AC212"):
        session.check(policy)
    assert session.check(policy, missing="drop").records_in == 5
    assert session.check(policy, missing="drop").dropped == 1
    assert session.check(policy, missing="0").requirements[0].affected == 2
    with pytest.raises(acompass.TableError, match="AC212"):
        session.check(policy)


def test_the_session_stays_usable_after_writing_a_file(session: acompass.Session, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    session.run(POLICY, params={"k": 2}, output=out)
    first = out.read_bytes()
    session.run(POLICY, params={"k": 2}, output=out)
    assert out.read_bytes() == first == b"Name,Age,Zip,Pay\nAda,54,212**,2200.5\nBen,54,212**,7400\n"


def test_an_error_leaves_the_session_usable(session: acompass.Session) -> None:
    with pytest.raises(acompass.PolicyError):
        session.check("EACH RESULT : Agee > 3;")
    with pytest.raises(acompass.CallError, match="AC405"):
        session.run(RANDOM, trace=[0.5])
    assert session.run(RANDOM, seed="s").trace_used == 4


def test_explanations_and_measures_equal_the_functions(session: acompass.Session, people: str) -> None:
    explained = session.explain(POLICY, params={"k": 2}, where="Age = 86")
    assert explained == acompass.explain(POLICY, people, params={"k": 2}, where="Age = 86")
    assert session.measure(qi=["Age", "Zip"]) == acompass.measure(people, qi=["Age", "Zip"])
    assert session.check(POLICY, params={"k": 2}).ok is False


def test_nothing_is_kept_between_calls(people: str) -> None:
    with acompass.open(people) as session:
        con = session._source.duckdb_table.con
        session.run(POLICY, params={"k": 2}, seed="s")
        before = con.execute("SELECT count(*) FROM duckdb_tables()").fetchone()
        for _ in range(5):
            session.run(POLICY, params={"k": 2}, seed="s")
        assert con.execute("SELECT count(*) FROM duckdb_tables()").fetchone() == before


def test_columns_are_known_without_a_policy(session: acompass.Session) -> None:
    assert session.columns == ("Name", "Age", "Zip", "Pay")


def test_progress_is_told_for_every_call(session: acompass.Session) -> None:
    seen: list[tuple[int, int]] = []
    session.check(POLICY, params={"k": 2}, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (3, 3)


def test_the_reference_is_a_session_too(people: str) -> None:
    with acompass.open(people, engine="reference") as reference, acompass.open(people) as ours:
        for _ in range(2):
            expected = reference.run(RANDOM, seed="s", order="canonical")
            found = ours.run(RANDOM, seed="s", order="canonical")
            assert (found.table, found.requirements) == (expected.table, expected.requirements)


def test_the_reference_runs_the_stages_that_it_shows(people: str) -> None:
    stages = acompass.plan(POLICY, people, params={"k": 2}, engine="reference").stages
    assert [stage.split(":")[0] for stage in stages] == ["requirement 1", "requirement 2", "requirement 3"]
