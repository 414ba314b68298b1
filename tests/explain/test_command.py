"""`acompass explain`: its output and its exit codes."""

import json
import os
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import assume, given
from hypothesis import strategies as st

import acompass
from acompass.cli.app import app
from acompass.explain.counterfactual import Literal, Relation, Target, distance, holds, nearest_target
from acompass.language.program.types import DATE, FLOAT, INTEGER, TEXT, Type, decimal
from acompass.language.text import tree
from tests.errors.pages import Page, pages

PEOPLE = """\
Name,Age,Zip,Disease
Ada,36,21101,flu
Bob,82,21102,flu
Eve,45,21101,asthma
Joe,45,21101,flu
Kim,36,21101,flu
"""
POLICY = """\
EACH RESULT : Age <= 80 : REPLACE Age WITH 80;
EACH PROCESS COUNT(*) AS Size GROUP BY Age, Zip : Size >= k : REJECT;
EACH PROCESS COUNT DISTINCT Disease AS Kinds GROUP BY Age, Zip : Kinds > 1;
"""

#: of the first stay
DATES = {"In": "2020-01-05", "Out": "2020-02-01"}

Explain = Callable[..., Result]


@pytest.fixture
def explain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Explain:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(PEOPLE, encoding="utf-8")
    Path("policy.acp").write_text(POLICY, encoding="utf-8")
    Path("noise.acp").write_text("EACH RESULT : Age <= 40 : RANDOM Age 20 30;", encoding="utf-8")
    Path("seed.txt").write_text("f3b1c2d4e5a69788\n", encoding="utf-8")
    Path("trace.txt").write_text("0\n0.99\n", encoding="utf-8")

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(app, ["explain", *arguments])

    return run


def test_a_dropped_column_is_not_released(explain: Explain) -> None:
    Path("drop.acp").write_text("ALWAYS : DROP Name, Zip;", encoding="utf-8")
    ran = explain("drop.acp", "people.csv", "--record", "2")
    assert ran.exit_code == 0, ran.stderr
    assert ran.stdout == (
        "record 2: Name 'Bob', Age '82', Zip 21102, Disease 'flu'\n"
        "\n"
        "line 1: ALWAYS : DROP Name, Zip\n"
        "  affected: columns dropped\n"
        "\n"
        "released as: Age '82', Disease 'flu'\n"
    )


def test_a_shift_changes_several_columns_in_one_step(explain: Explain) -> None:
    """With the key of the run, the values are those that a run writes."""
    Path("stays.csv").write_text("Id,In,Out,Age\nA,2020-01-05,2020-02-01,33\nB,2020-01-05,2020-01-06,31\n")
    Path("stays.acp").write_text(
        "ALWAYS : SHIFT In, Out BY Id WITHIN 30 DAYS;\nALWAYS : PSEUDONYM Id;\nALWAYS : MICROAGGREGATE Age BY 2;",
        encoding="utf-8",
    )
    key = "0123456789abcdef" * 2
    Path("key.txt").write_text(key, encoding="utf-8")
    Path("key.txt").chmod(0o600)
    released = acompass.run(acompass.load("stays.acp"), "stays.csv", key=key).table.to_pylist()[0]
    ran = explain("stays.acp", "stays.csv", "--record", "1", "--key-file", "key.txt")
    assert ran.exit_code == 0, ran.stderr
    shifted = (f"{name} was '{before}' and became '{released[name]}'" for name, before in DATES.items())
    assert f"  affected: {', '.join(shifted)}\n" in ran.stdout
    assert f"  affected: Id was 'A' and became '{released['Id']}'\n" in ran.stdout
    assert "  affected: Age was 33 and became 32\n" in ran.stdout
    data = json.loads(explain("stays.acp", "stays.csv", "--record", "1", "--key-file", "key.txt", "--json").stdout)
    first, second, _ = data["records"][0]["requirements"]
    assert first["change"] == {"column": "In", "before": "2020-01-05", "after": released["In"]}
    assert first["other_changes"] == [{"column": "Out", "before": "2020-02-01", "after": released["Out"]}]
    assert "other_changes" not in second
    assert key not in ran.stdout


def test_the_explanation_of_a_dropped_record_names_every_step(explain: Explain) -> None:
    ran = explain("policy.acp", "people.csv", "--set", "k=2", "--record", "2")
    assert ran.exit_code == 0, ran.stderr
    assert ran.stdout == (
        "record 2: Name 'Bob', Age 82, Zip 21102, Disease 'flu'\n"
        "\n"
        "line 1: EACH RESULT : Age <= 80 : REPLACE Age WITH 80\n"
        "  affected: Age was 82 and became 80\n"
        "  not affected with `Age` of 80 (2 less), or `Age <= 82` in the policy\n"
        "\n"
        "line 2: EACH PROCESS COUNT(*) AS Size GROUP BY Age, Zip : Size >= k : REJECT\n"
        "  its class (Age 80, Zip 21102) has 1 record, Size is 1\n"
        "  affected: dropped\n"
        "  not affected with 1 more record in its class, or `k` of 1\n"
        "\n"
        "dropped by line 2\n"
    )


def test_records_are_chosen_by_condition_in_order_up_to_a_limit(explain: Explain) -> None:
    ran = explain("policy.acp", "people.csv", "--set", "k=2", "--where", "Name > 'B'", "--limit", "2", "--json")
    lives = json.loads(ran.stdout)["records"]
    assert [life["record"] for life in lives] == [2, 3]
    assert [life["dropped_by"] for life in lives] == [2, None]
    assert lives[1]["left"] == {"Name": "Eve", "Age": 45, "Zip": 21101, "Disease": "asthma"}
    assert lives[1]["requirements"][2]["class"] == {
        "key": {"Age": 45, "Zip": 21101}, "records": 2, "aggregate": "Kinds", "value": 2,
    }  # fmt: skip


def test_a_violated_check_shows_the_change_that_is_needed(explain: Explain) -> None:
    ran = explain("policy.acp", "people.csv", "--set", "k=2", "--record", "1")
    nearest = "1 more distinct value of `Disease` in its class, or `Kinds > 0` in the policy"
    assert f"not affected with {nearest}\n" in ran.stdout
    assert ran.stdout.endswith("not affected by line 1\nunchanged\n")


def test_a_run_is_explained_exactly_with_its_seed(explain: Explain, tmp_path: Path) -> None:
    released = CliRunner().invoke(app, ["run", "noise.acp", "people.csv", "-o", "out.csv", "--seed", "s3cr3t"])
    assert released.exit_code == 0
    written = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()[2].split(",")[1]
    ran = explain("noise.acp", "people.csv", "--record", "2", "--seed", "s3cr3t")
    assert f"Age was 82 and became {written}\n" in ran.stdout
    assert "s3cr3t" not in ran.output


SAMPLED = """\
EACH RESULT : Age <= 40 : WITH PROBABILITY 0.5 REPLACE Age WITH 40;
ALWAYS : WITH PROBABILITY 0.5 REJECT;
"""


@pytest.fixture
def explain_sampled(explain: Explain) -> Explain:
    """The trace first draws Bob and Joe of Bob, Eve and Joe, then only Joe."""
    Path("sampled.acp").write_text(SAMPLED, encoding="utf-8")
    Path("drawn.txt").write_text("0.1\n0.5\n0.4\n0.9\n0.8\n0.7\n0.3\n0.6\n", encoding="utf-8")
    return lambda *options: explain("sampled.acp", "people.csv", "--trace", "drawn.txt", *options)


def test_a_record_may_be_affected_but_not_drawn(explain_sampled: Explain) -> None:
    ran = explain_sampled("--record", "3")
    assert ran.exit_code == 0, ran.stderr
    assert ran.stdout == (
        "record 3: Name 'Eve', Age 45, Zip '21101', Disease 'asthma'\n"
        "\n"
        "line 1: EACH RESULT : Age <= 40 : WITH PROBABILITY 0.5 REPLACE Age WITH 40\n"
        "  affected: not drawn, so unchanged\n"
        "  not affected with `Age` of 40 (5 less), or `Age <= 45` in the policy\n"
        "\n"
        "line 2: ALWAYS : WITH PROBABILITY 0.5 REJECT\n"
        "  affected: not drawn, so unchanged\n"
        "\n"
        "unchanged\n"
    )


def test_json_says_which_records_are_drawn(explain_sampled: Explain) -> None:
    ran = explain_sampled("--where", "Name >= 'B'", "--json")
    lives = json.loads(ran.stdout)["records"]
    steps = {life["given"]["Name"]: life["requirements"] for life in lives}
    assert {name: [step["drawn"] for step in of] for name, of in steps.items()} == {
        "Bob": [True, False], "Eve": [False, False], "Joe": [True, True], "Kim": [None, False],
    }  # fmt: skip
    assert steps["Bob"][0]["change"] == {"column": "Age", "before": 82, "after": 40}
    assert steps["Eve"][0]["change"] is None
    assert [life["dropped_by"] for life in lives] == [None, None, 2, None]


def test_a_sample_is_not_explained_without_its_seed(explain_sampled: Explain, explain: Explain) -> None:
    ran = explain("sampled.acp", "people.csv", "--record", "1")
    assert ran.exit_code == 2
    assert "WITH PROBABILITY on line 1 cannot be explained without the seed" in ran.stderr


def test_a_condition_never_changes_what_the_policy_sees(explain: Explain) -> None:
    """With `Id` as text, 10 would precede 9 in canonical order, and RANDOM would draw other values."""
    Path("ids.csv").write_text("Id,Age\n9,50\n10,50\n", encoding="utf-8")
    by_place = explain("noise.acp", "ids.csv", "--record", "1", "--trace", "trace.txt")
    by_text = explain("noise.acp", "ids.csv", "--where", "Id = '9'", "--trace", "trace.txt")
    assert "Age was 50 and became 20\n" in by_place.stdout, by_place.stderr
    assert by_text.stdout == by_place.stdout


def test_records_keep_their_numbers_when_incomplete_ones_are_dropped(explain: Explain) -> None:
    Path("gaps.csv").write_text("Name,Age\nAda,\nBob,82\n", encoding="utf-8")
    Path("top.acp").write_text("EACH RESULT : Age <= 80 : REPLACE Age WITH 80;", encoding="utf-8")
    first = explain("top.acp", "gaps.csv", "--missing", "drop", "--record", "1")
    second = explain("top.acp", "gaps.csv", "--missing", "drop", "--record", "2")
    assert first.stdout == "record 1 is incomplete and was dropped before the first requirement\n"
    assert second.stdout.startswith("record 2: Name 'Bob', Age 82\n")


def test_a_condition_may_select_no_record(explain: Explain) -> None:
    ran = explain("policy.acp", "people.csv", "--set", "k=2", "--where", "Age = 99")
    assert (ran.exit_code, ran.stdout) == (0, "no record satisfies the condition\n")


def test_the_policy_as_algebra_needs_no_table(explain: Explain) -> None:
    ran = explain("policy.acp", "--algebra", "--set", "k=3")
    assert ran.exit_code == 0, ran.stderr
    assert "  V₁ = σ[¬(Age ≤ 80)](R₀)\n  R₁ = (R₀ − V₁) ∪ π[80 → Age, …](V₁)\n" in ran.stdout
    assert "R₂ = R₁ − V₂ = R₁ ▷ σ[¬(Size ≥ 3)](γ[Age, Zip; COUNT(*) → Size](R₁))" in ran.stdout


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "spark"])
def test_the_policy_as_sql_parses_in_its_dialect(explain: Explain, dialect: str) -> None:
    import sqlglot

    for policy, arguments in (("policy.acp", ("--set", "k=3")), ("noise.acp", ("people.csv",))):
        ran = explain(policy, *arguments, "--sql", "--dialect", dialect)
        assert ran.exit_code == 0, ran.stderr
        statements = sqlglot.parse(ran.stdout, read=dialect)
        assert sum(statement is not None for statement in statements) >= 3


def test_the_sql_says_that_numbers_with_a_spelling_are_stored_as_text(explain: Explain) -> None:
    Path("doses.csv").write_text("dose\n2.0\n7\n", encoding="utf-8")
    Path("doses.acp").write_text("EACH RESULT : dose <= 5 : REPLACE dose WITH 5.0;", encoding="utf-8")
    assert "c0 is dose, decimal(1) as text\n" in explain("doses.acp", "doses.csv", "--sql").stdout


def test_the_sql_of_duckdb_gives_the_table_of_a_run(explain: Explain) -> None:
    import duckdb

    con = duckdb.connect()
    columns = "Age AS c0, Zip AS c1, Disease AS c2, row_number() OVER () AS rk"
    con.execute(f"CREATE TABLE records AS SELECT {columns} FROM read_csv('people.csv')")
    con.execute(explain("policy.acp", "--sql", "--set", "k=2").stdout)
    left = con.execute("SELECT c0, c1 FROM records_2 ORDER BY rk").fetchall()
    assert left == [(36, 21101), (45, 21101), (45, 21101), (36, 21101)]


@pytest.mark.parametrize(
    "arguments",
    [[], ["--record", "1", "--algebra"], ["--record", "0"], ["--where", "Age !"], ["--where", "Absent = 1"]],
)
def test_invalid_calls_exit_with_2(explain: Explain, arguments: list[str]) -> None:
    ran = explain("policy.acp", "people.csv", "--set", "k=2", *arguments)
    assert ran.exit_code == 2
    assert ran.stderr


def test_help_warns_about_personal_data(explain: Explain) -> None:
    assert "personal data" in explain("--help").stdout


NEAREST_PEOPLE = [{"Age": 86, "Zip": "21000", "Income": 1200}, {"Age": 30, "Zip": "21000", "Income": 800}]


def nearest(policy: str, **params: int) -> tuple[str, ...]:
    (life,) = acompass.explain(policy, NEAREST_PEOPLE, record=1, params=params, seed="s").lives
    return life.steps[-1].nearest


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("EACH RESULT : Age < 80 : REJECT;", ("`Age` of 79 (7 less)", "`Age < 87` in the policy")),
        ("EACH RESULT : NOT (Age > 80) : REJECT;", ("`Age` of 80 (6 less)", "`Age > 86` in the policy")),
        (
            "EACH RESULT : Age < 20 OR Age > 90 : REJECT;",
            ("`Age` of 91 (5 more)", "`Age > 85` in the policy"),
        ),
        ("EACH RESULT : Age <= 80 AND Zip = 'x' : REJECT;", ("`Age` of 80 (6 less) and `Zip` of 'x'",)),
        ("EACH RESULT : NOT (Zip = '21000') : REJECT;", ("any other `Zip`",)),
        ("EACH RESULT : Zip > '21000' : REJECT;", ("`Zip` above '21000'",)),
        ("EACH FILTER Age >= 86 : Age = 0 : REJECT;", ("`Age` of 85 (1 less)", "`Age >= 87` in the policy")),
        ("EACH RESULT : Age < 80 AND Age > 79 : REJECT;", ()),
        ("SOME RESULT : Age > 90 : REJECT;", ("one record with Age > 90",)),
        ("SOME PROCESS COUNT(*) AS N GROUP BY Age : N > 1 : REJECT;", ("one class with N > 1",)),
        (
            "EACH PROCESS SUM(Income) AS S GROUP BY Zip : S >= 3000 : REJECT;",
            ("a sum of `Income` in its class of 3000 (1,000 more)", "`S >= 2000` in the policy"),
        ),
        (
            "EACH PROCESS MAX(Age) AS Oldest : Oldest <= 80 : REJECT;",
            ("a maximum `Age` in the table of 80 (6 less)", "`Oldest <= 86` in the policy"),
        ),
        ("EACH PROCESS COUNT(*) AS N GROUP BY Age : Age < 80 AND N > 1 : REJECT;", ()),
    ],
)
def test_the_nearest_change_is_put_into_words(policy: str, expected: tuple[str, ...]) -> None:
    assert nearest(policy) == expected


def test_the_nearest_change_of_a_parameter_names_it() -> None:
    policy = "EACH PROCESS COUNT(*) AS N GROUP BY Zip : N >= k : REJECT;"
    assert nearest(policy, k=5) == ("3 more records in its class", "`k` of 2")


VALUES = {
    INTEGER: st.integers(-20, 20),
    decimal(1): st.decimals(-20, 20, places=1),
    FLOAT: st.floats(-20, 20),
    TEXT: st.text("ab", max_size=3),
    DATE: st.dates(),
}


@st.composite
def targets(draw: st.DrawFn) -> tuple[object, Type, list[Literal]]:
    type_ = draw(st.sampled_from(list(VALUES)))
    values = VALUES[type_]
    relations = draw(st.lists(st.sampled_from(Relation), min_size=1, max_size=4))
    written = tree.Comparison(tree.Name("a", None), tree.Operator.EQ, tree.Parameter("b", None), None)  # type: ignore[arg-type]
    return draw(values), type_, [Literal(0, relation, draw(values), written) for relation in relations]


@given(targets(), st.data())
def test_no_value_is_nearer_than_the_target(wish: tuple[object, Type, list[Literal]], data: st.DataObject) -> None:
    value, type_, literals = wish
    assume(not all(holds(literal, Target(value)) for literal in literals))
    target = nearest_target(value, type_, literals)
    other = data.draw(VALUES[type_])
    satisfied = all(holds(literal, Target(other)) for literal in literals)
    if target is None:
        assert not satisfied
    else:
        assert all(holds(literal, target) for literal in literals)
        if satisfied:
            assert distance(value, target) <= distance(value, Target(other))


PAGES_PEOPLE = "Name,Age,Zip\nAda,36,21101\nBob,82,21102\nEve,45,21101\n"
CALLS = [page for page in pages() if page.code.startswith("AC7") and "python" not in page.example]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(PAGES_PEOPLE, encoding="utf-8")
    Path("policy.acp").write_text("EACH RESULT : Age <= 80 : REJECT;", encoding="utf-8")
    Path("adults.acp").write_text("EACH RESULT : Age >= 18;", encoding="utf-8")
    Path("noise.acp").write_text("EACH RESULT : Age <= 40 : RANDOM Age 20 30;", encoding="utf-8")
    Path("seed.txt").write_text("f3b1c2d4e5a69788\n", encoding="utf-8")


def _run(blocks: dict[str, str]) -> list[Result]:
    commands = [line[len("$ acompass ") :] for line in blocks["console"].splitlines() if line.startswith("$ ")]
    return [CliRunner().invoke(app, shlex.split(command)) for command in commands]


@pytest.mark.parametrize("page", CALLS, ids=lambda page: page.code)
def test_the_example_reports_the_error(page: Page) -> None:
    (ran,) = _run(page.example)
    assert ran.exit_code == 2
    assert ran.stderr.splitlines()[0] == page.example["console"].splitlines()[1]
    assert not set(os.listdir()) - {"people.csv", "policy.acp", "noise.acp", "adults.acp", "seed.txt"}


@pytest.mark.parametrize("page", CALLS, ids=lambda page: page.code)
def test_the_fix_succeeds(page: Page) -> None:
    assert [ran.exit_code for ran in _run(page.fix)] == [0] * len(_run(page.fix))


def test_the_example_in_python_reports_the_error() -> None:
    (page,) = [page for page in pages() if page.code == "AC701"]
    with pytest.raises(acompass.CallError, match="AC701"):
        exec(page.example["python"], {})
    exec(page.fix["python"], {})
