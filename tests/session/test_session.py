"""The methods of a session return the same as the functions with the same names, and read the table once.

A closed session says so, and answers can be compared, hashed, pickled and copied."""

import copy
import inspect
import pickle
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any
from unittest.mock import patch

import duckdb
import pandas
import pytest

import acompass
from acompass.arguments import declared_options
from acompass.author.rules.library import find_rule
from acompass.author.rules.matching import match_columns
from acompass.author.suggest import flow
from acompass.author.suggest.search_problem import Found, Problem, evaluate
from acompass.engines.duckdb import input as duckdb_csv
from acompass.engines.duckdb import table as duckdb_read
from acompass.options import RuleCheckOptions
from acompass.policy import TableRoles
from tests.waiting import PATIENCE

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
#: a policy that gives the same columns other types: Age is text, Zip a number
OTHER = "EACH RESULT : Age >= '36' : REJECT; EACH RESULT : Zip >= 21202 : REPLACE Zip WITH 0;"
RANDOM = "EACH RESULT : Age <= 53 : RANDOM Age 1 50;"


@pytest.fixture
def people(tmp_path: Path) -> str:
    path = tmp_path / "people.csv"
    path.write_text(TABLE, encoding="utf-8")
    return str(path)


@pytest.fixture(params=["csv", "parquet", "pandas", "dicts"])
def table(request: pytest.FixtureRequest, people: str, tmp_path: Path) -> Any:
    frame = pandas.read_csv(people, dtype={"Zip": str, "Age": str} if request.param == "dicts" else {"Zip": str})
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
            assert session.plan(POLICY, params={"k": 2}).stages == acompass.plan(POLICY, table, params={"k": 2}).stages


def _records(table: Any) -> list[Any]:
    if isinstance(table, list):
        return table
    frame = table if isinstance(table, pandas.DataFrame) else table.to_pandas()
    return [tuple(None if value != value else value for value in row) for row in frame.itertuples(index=False)]


def test_each_policy_infers_the_types_again(session: acompass.Session, people: str) -> None:
    for policy, params in ((POLICY, {"k": 2}), (OTHER, {}), (POLICY, {"k": 1}), (OTHER, {})):
        expected = acompass.run(policy, people, params=params)
        found = session.run(policy, params=params)
        assert (found.requirements, found.table) == (expected.requirements, expected.table)


def test_the_file_is_read_once(people: str, monkeypatch: pytest.MonkeyPatch) -> None:
    times: list[str] = []
    read = duckdb_csv.read_text

    def record_path(con: Any, csv: Any) -> str:
        times.append(csv.source.paths[0])
        return read(con, csv)

    monkeypatch.setattr(duckdb_read, "read_text", record_path)
    with acompass.open(people) as session:
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


def test_no_table_is_kept_between_calls(people: str) -> None:
    with acompass.open(people) as session:
        con = session._source.duckdb_table.con
        session.run(POLICY, params={"k": 2}, seed="s")
        before = con.execute("SELECT count(*) FROM duckdb_tables()").fetchone()
        for _ in range(5):
            session.run(POLICY, params={"k": 2}, seed="s")
        assert con.execute("SELECT count(*) FROM duckdb_tables()").fetchone() == before


def test_columns_are_known_without_a_policy(session: acompass.Session) -> None:
    assert session.columns == ("Name", "Age", "Zip", "Pay")


def test_progress_is_reported_for_every_call(session: acompass.Session) -> None:
    seen: list[tuple[int, int]] = []
    session.check(POLICY, params={"k": 2}, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (3, 3)


def test_the_reference_engine_has_sessions_too(people: str) -> None:
    with acompass.open(people, engine="reference") as reference, acompass.open(people) as ours:
        for _ in range(2):
            expected = reference.run(RANDOM, seed="s", order="canonical")
            found = ours.run(RANDOM, seed="s", order="canonical")
            assert (found.table, found.requirements) == (expected.table, expected.requirements)


def test_the_reference_plans_a_stage_for_each_requirement(people: str) -> None:
    stages = acompass.plan(POLICY, people, params={"k": 2}, engine="reference").stages
    assert [stage.split(":")[0] for stage in stages] == ["requirement 1", "requirement 2", "requirement 3"]


#: slow enough to be canceled in the middle: every distinct value of a large table, again and again
SLOW = "EACH PROCESS SUM(b) AS s GROUP BY a : s >= 1.5 : REPLACE b WITH 0.5;\n" * 30


@pytest.fixture
def large(tmp_path: Path) -> str:
    path = tmp_path / "large.parquet"
    query = "SELECT hash(range) % 1000000 AS a, (hash(range * 7) % 1000)::DOUBLE AS b FROM range(2000000)"
    duckdb.sql(f"COPY (SELECT a::BIGINT AS a, b FROM ({query})) TO '{path}'")
    return str(path)


def run_and_cancel(session: acompass.Session, **call: object) -> acompass.AcompassError | None:
    """Cancel a call after its first requirement, and return its error."""
    under_way, errors = Event(), []

    def run() -> None:
        try:
            session.run(SLOW, progress=lambda _done, _total: under_way.set(), **call)
        except acompass.AcompassError as error:
            errors.append(error)

    thread = Thread(target=run)
    thread.start()
    assert under_way.wait(PATIENCE)
    session.cancel()
    thread.join(PATIENCE)
    assert not thread.is_alive(), "the canceled call has not ended"
    return errors[0] if errors else None


@pytest.mark.slow
def test_a_call_can_be_canceled(large: str, tmp_path: Path) -> None:
    with acompass.open(large) as session:
        error = run_and_cancel(session, output=tmp_path / "out.parquet")
        assert isinstance(error, acompass.Canceled)
        assert error.diagnostics[0].code == "AC327"
        assert [path.name for path in tmp_path.iterdir()] == ["large.parquet"]
        assert session.check("EACH RESULT : a >= 0;").ok


def test_without_a_call_nothing_is_canceled(large: str) -> None:
    with acompass.open(large) as session:
        session.cancel()
        assert session.check("EACH RESULT : a >= 0;").ok


SUGGEST_TABLE = [{"Age": age} for age in (31, 32, 33) * 4]


def _until_stopped(problem: Problem, style: str, lines: int, seconds: Any, stopped: Any, progress: Any) -> Found:
    progress(0.5, 0.1)
    while not stopped():
        pass
    return Found((), (), evaluate(problem, (), ()), False, problem.k)


def test_the_caller_can_stop_a_search() -> None:
    reports: list[tuple[float, float]] = []
    with acompass.open(SUGGEST_TABLE) as session, patch.object(flow, "search", _until_stopped):
        found = session.suggest(["Age"], 2, stopped=lambda: bool(reports), progress=lambda *part: reports.append(part))
    assert not found.finished
    assert reports == [(0.5, 0.1)]
    assert found.policy.tree.requirements


def test_a_search_can_be_canceled() -> None:
    with acompass.open(SUGGEST_TABLE) as session, patch.object(flow, "search", _until_stopped):

        def cancel(*_: float) -> None:
            session.cancel()

        with pytest.raises(acompass.Canceled):
            session.suggest(["Age"], 2, progress=cancel)
        assert session.check("EACH RESULT : Age > 30;").ok


NAMES = ("Ada", "Ben", "Cai")
PEOPLE = [{"Name": name, "Age": age} for name, age in zip(NAMES, (71234, 72345, 83456), strict=True)]
REPR_POLICY = """\
EACH PROCESS COUNT(*) AS n GROUP BY Name, Age : n >= 2;
EACH RESULT : Age <= 80000 : REPLACE Age WITH 80000;
EACH PROCESS MAX(Age) AS m GROUP BY Name : m <= 72000 : REJECT;
"""
VALUES = (*NAMES, "71234", "72345", "83456")


def _hides_values(shown: Any) -> bool:
    return not any(value in repr(shown) for value in VALUES)


@pytest.mark.parametrize("kind", ["dicts", "pandas", "polars", "pyarrow"])
def test_the_repr_of_a_result_shows_no_value(kind: str) -> None:
    result = acompass.run(REPR_POLICY, _table(kind))
    assert result.table is not None
    assert _hides_values(result)
    assert "records_in=3" in repr(result)


def _table(kind: str) -> Any:
    if kind == "dicts":
        return PEOPLE
    library = pytest.importorskip(kind)
    return library.Table.from_pylist(PEOPLE) if kind == "pyarrow" else library.DataFrame(PEOPLE)


def test_the_repr_of_a_sample_shows_no_value() -> None:
    result = acompass.check(REPR_POLICY, PEOPLE, show=3)
    sample = result.requirements[0].sample
    assert sample is not None
    assert len(sample.rows) == 3
    assert _hides_values(result)
    assert _hides_values(sample)


def test_the_repr_of_a_plan_shows_no_value() -> None:
    assert _hides_values(acompass.plan(REPR_POLICY, PEOPLE))


def test_the_repr_of_an_explanation_shows_no_value() -> None:
    explanation = acompass.explain(REPR_POLICY, PEOPLE, where="Age > 0")
    assert len(explanation.lives) == 3
    steps = [step for life in explanation.lives for step in life.steps]
    assert any(step.seen for step in steps)
    assert any(step.change for step in steps)
    assert _hides_values(explanation)


def test_the_repr_of_a_session_shows_no_value() -> None:
    with acompass.open(PEOPLE) as session:
        assert _hides_values(session)


def _check_rule(session: acompass.Session) -> object:
    rule = find_rule("cms-cell-size")
    matching = match_columns(rule, ["Name", "Age", "Zip", "Pay"], TableRoles(), {"count": ["Age"]})
    options: Any = {name: option.default for name, option in declared_options(RuleCheckOptions).items()}
    return session.check_rule(rule, matching, options)


def _call_every_member(session: acompass.Session, folder: Path) -> dict[str, Callable[[], object]]:
    return {
        "__enter__": session.__enter__,
        "check": lambda: session.check(POLICY, params={"k": 2}),
        "check_rule": lambda: _check_rule(session),
        "checked": lambda: session.checked(POLICY, params={"k": 2}),
        "column_effects": lambda: session.column_effects(POLICY, params={"k": 2}),
        "column_facts": session.column_facts,
        "column_texts": lambda: session.column_texts("Zip"),
        "counted_texts": lambda: session.counted_texts(10),
        "doubts": lambda: session.doubts(POLICY, params={"k": 2}),
        "columns": lambda: session.columns,
        "estimate": lambda: session.estimate("EACH RESULT : Age <= 80;", "Zip"),
        "explain": lambda: session.explain(POLICY, params={"k": 2}, record=1),
        "first_values": lambda: session.first_values(2),
        "rows": lambda: session.rows(0, 2),
        "rarest_values": lambda: session.rarest_values(session.columns[0], 2),
        "first_records": lambda: session.first_records(2),
        "is_local": lambda: session.is_local,
        "measure": lambda: session.measure(["Age"]),
        "occurs": lambda: session.occurs("Zip", ["21201"]),
        "pairs": lambda: session.pairs(acompass.parse(POLICY), 0, 2, {"k": 2}, "seed", 16 * "key"),
        "plan": lambda: session.plan(POLICY, params={"k": 2}),
        "pram": lambda: session.pram("Zip", "0.8"),
        "preview": lambda: session.preview(POLICY, params={"k": 2}),
        "question": session.question,
        "records": session.records,
        "run": lambda: session.run(POLICY, params={"k": 2}, output=folder / "out.csv", report=folder / "out.html"),
        "sample": lambda: session.sample(2, "seed"),
        "schema": lambda: session.schema(POLICY, params={"k": 2}),
        "suggest": lambda: session.suggest(["Age"], 2, max_lost="100%"),
    }


def test_every_member_of_a_closed_session_says_so(people: str, tmp_path: Path) -> None:
    with acompass.open(people) as session:
        for call in _call_every_member(session, tmp_path).values():
            call()
    (tmp_path / "out.csv").unlink()
    calls = _call_every_member(session, tmp_path)
    public = {name for name, _ in inspect.getmembers(acompass.Session) if not name.startswith("_")}
    assert public | {"__enter__"} == {*calls, "close", "cancel"}
    for name, call in calls.items():
        with pytest.raises(acompass.CallError) as raised:
            call()
        assert [found.code for found in raised.value.diagnostics] == ["AC412"], name
    assert not (tmp_path / "out.csv").exists()
    session.close()
    session.cancel()


def test_a_sample_closes_with_its_table(people: str) -> None:
    with acompass.open(people) as session:
        one, other = session.sample(2, "a"), session.sample(2, "b")
        one.close()
        assert other.check(POLICY, params={"k": 1}).records_in == 2
    for sample in (one, other):
        with pytest.raises(acompass.CallError, match="AC412"):
            sample.check(POLICY, params={"k": 1})
        sample.close()


def test_close_waits_for_the_call_of_another_thread(people: str) -> None:
    session = acompass.open(people)
    under_way, go_on, ended = Event(), Event(), []

    def wait(_done: int, _total: int) -> None:
        under_way.set()
        assert go_on.wait(PATIENCE)

    def run() -> None:
        ended.append(session.run(POLICY, params={"k": 2}, progress=wait).records_out)

    def close() -> None:
        session.close()
        ended.append("closed")

    running, closing = Thread(target=run), Thread(target=close)
    running.start()
    assert under_way.wait(PATIENCE)
    closing.start()
    go_on.set()
    for thread in (running, closing):
        thread.join(PATIENCE)
    assert ended == [2, "closed"]
    with pytest.raises(acompass.CallError, match="AC412"):
        session.records()


def _answers(folder: Path) -> dict[str, Any]:
    path = folder / "policy.acp"
    path.write_text(f"{POLICY} ALWAYS : GENERALIZE Name TO PREFIX OF 1;", encoding="utf-8")
    policy, table = acompass.load(path), pandas.DataFrame(SUGGEST_TABLE)
    pram = acompass.pram(PEOPLE, "Name", "0.8")
    people = [{"Name": "Ada", "Age": 82, "Zip": "21201"}, {"Name": "Ben", "Age": 54, "Zip": "21209"}]
    types = {"Age": "integer", "Zip": "text", "Name": "text"}
    claims = ["EACH RESULT : Age <= 80", "EACH RESULT : Age <= 70"]
    return {
        "check": acompass.check(policy, people, params={"k": 2}, show=2),
        "compare": acompass.compare("EACH RESULT : Age <= 8 : REJECT;", "EACH RESULT : Age <= 9 : REJECT;"),
        "dbt": acompass.dbt(policy, "people", params={"k": 2}),
        "estimate": acompass.estimate(PEOPLE, pram, "Name"),
        "explain": acompass.explain(policy, people, record=1, params={"k": 2}),
        "lint": acompass.lint("EACH RESULT : Age <= 80 : REJECT; EACH RESULT : Age <= 80 : REJECT;"),
        "measure": acompass.measure(people, ["Zip"], ["Age"], against=people, hierarchies={"Zip": "prefix:3"}),
        "plan": acompass.plan(policy, people, params={"k": 2}),
        "policy": policy,
        "pram": pram,
        "prove": acompass.prove(policy, claims, types, params={"k": 2}, privacy=True),
        "run": acompass.run(policy, people, params={"k": 2}),
        "run on a frame": acompass.run("EACH RESULT : Age <= 31 : REJECT;", table),
        "suggest": acompass.suggest(table, ["Age"], 2),
    }


def test_answers_are_equal_to_their_copies_and_have_a_hash(tmp_path: Path) -> None:
    for name, answer in _answers(tmp_path).items():
        copies = [pickle.loads(pickle.dumps(answer, protocol)) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
        for each in (*copies, copy.copy(answer), copy.deepcopy(answer)):
            assert type(each) is type(answer)
            assert (each == answer, hash(each)) == (True, hash(answer)), name
            with suppress(TypeError):  # slots instead of a __dict__
                assert vars(each) == vars(answer), name


def test_a_second_call_gives_an_equal_answer_for_every_kind_of_table() -> None:
    frame = pandas.DataFrame(PEOPLE)
    for table in (frame, duckdb.sql("SELECT * FROM frame").pl(), duckdb.sql("SELECT * FROM frame"), PEOPLE):
        one, other = (acompass.run("EACH RESULT : Age <= 72000 : REJECT;", table) for _ in range(2))
        assert one == other
        assert len({one, other}) == 1
        assert one != acompass.run("EACH RESULT : Age <= 71000 : REJECT;", table)
        assert one == one.with_table(None), "the table takes no part"


def test_a_pickled_policy_keeps_its_text_name_folder_and_hierarchies(tmp_path: Path) -> None:
    (tmp_path / "areas.csv").write_text("Zip;Area\n21201;Baltimore\n21410;Annapolis\n", encoding="utf-8")
    path = tmp_path / "policy.acp"
    path.write_text("ALWAYS : GENERALIZE Zip TO LEVEL 1 OF 'areas.csv';", encoding="utf-8")
    policy = acompass.load(path)
    for again in (pickle.loads(pickle.dumps(policy)), copy.copy(policy), copy.deepcopy(policy)):
        assert (again.text, again.name, again.tree.folder) == (policy.text, str(path), str(tmp_path))
        assert again.hierarchies == policy.hierarchies == (tmp_path / "areas.csv",)
        assert acompass.run(again, {"Zip": ["21410"]}).table == {"Zip": ["Annapolis"]}
