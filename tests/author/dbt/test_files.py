"""The files of `acompass dbt`: names, templates, notes, variables, and the Python model."""

import ast
import re
import sys
import traceback
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pyarrow
import pyarrow.parquet
import pytest

import acompass
from acompass.author.dbt import files
from acompass.author.dbt.templates import escape_jinja
from acompass.dbt import NotReleased, release
from acompass.errors.catalog import CODES
from acompass.errors.diagnostics import CallError
from tests.author.dbt.rendering import CompilerError, render
from tests.engines.postgres_server import Server
from tests.errors.pages import FOLDER, Page, read_page, require_error, run_blocks, run_fix

#: names and constants with a meaning in Jinja, SQL or Python
HOSTILE = (
    "{{ ref('secrets') }}",
    "{% raw %}{% endraw %}",
    "{# hidden",
    "{{{%{#}}%}#}",
    "'; DROP TABLE people; --",
    '"""\' + exit() + \'',
    "a\\nb\n--",
    "{",
    "🙂{{",
)
PEOPLE = pyarrow.table({"Age": [34, 36, 71, 93], "Zip": ["21201", "21202", "21209", "21201"]})
POLICY = "EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= k : GENERALIZE Zip TO PREFIX OF 3 THEN REJECT;"


def failures(template: str, table: Any, **variables: Any) -> list[tuple[Any, ...]]:
    connection = duckdb.connect()
    connection.register("people", table)
    return connection.execute(render(template, variables)).fetchall()


@pytest.mark.parametrize("text", HOSTILE)
def test_an_escaped_text_renders_to_itself(text: str) -> None:
    assert render(escape_jinja(text)) == text


@pytest.mark.parametrize("text", HOSTILE)
def test_names_and_constants_are_never_code(text: str) -> None:
    quoted, spelled = text.replace('"', '""'), text.replace("'", "''")
    policy = f"EACH RESULT : \"{quoted}\" = '{spelled}';"
    written = acompass.dbt(policy, "people", source=True)
    kept, other = pyarrow.table({text: [text, text]}), pyarrow.table({text: [text, "another"]})
    line, columns = (template for path, template in written.files.items())
    assert failures(line, kept) == failures(columns, kept) == failures(columns, other) == []
    assert [row[1:] for row in failures(line, other)] == [("violated", 1)]


@pytest.mark.parametrize("text", HOSTILE)
def test_the_model_has_the_exact_policy_and_no_template(text: str) -> None:
    spelled = text.replace("'", "''")
    policy = (
        f"-- {text}\nALWAYS : REPLACE Zip WITH '{spelled}';"
        if "\n" not in text
        else (f"ALWAYS : REPLACE Zip WITH '{spelled}';")
    )
    python = acompass.dbt(policy, "people").files["models/people_released.py"]
    assert render(python).rstrip("\n") == python.rstrip("\n")
    assert _constants(python)["POLICY"] == policy


def test_the_name_of_a_test_contains_the_policy_the_model_and_the_line() -> None:
    policy = acompass.parse("SOME RESULT : Age > 1; SOME RESULT : Age > 2;\n\n" + POLICY, "out/My policy.acp")
    written = acompass.dbt(policy, "people", params={"k": 2})
    assert written.tests == (
        "my_policy_people_released_line_1",
        "my_policy_people_released_line_1_2",
        "my_policy_people_released_line_3",
        "my_policy_people_released_columns",
    )
    assert [*written.files][-2:] == ["models/people_released.py", "models/people_released.yml"]


def test_a_row_has_counts_and_shows_values_only_on_request() -> None:
    policy = (
        "EACH PROCESS MAX(Age) AS oldest, COUNT DISTINCT(Age) AS ages GROUP BY Zip : ages >= 2;\n"
        "EACH RESULT : Age < 90;"
    )
    plain = acompass.dbt(policy, "people", source=True).files.values()
    rows = [failures(template, PEOPLE) for template in plain]
    assert sorted(rows[0]) == [(1, "violated", 1, 1), (1, "violated", 1, 1)]
    assert rows[1:] == [[(2, "violated", 1)], []]
    shown = acompass.dbt(policy, "people", source=True, show_records=True).files.values()
    rows = [failures(template, PEOPLE) for template in shown]
    assert sorted(rows[0]) == [(1, "violated", 1, "21202", 36, 1), (1, "violated", 1, "21209", 71, 1)]
    assert rows[1:] == [[(2, "violated", 1, 93)], []]


@pytest.mark.parametrize("value", [None, "forty", "040", "1e3"])
def test_an_invalid_value_is_a_failure_that_does_not_show_it(value: str | None) -> None:
    table = pyarrow.table({"Age": ["34", value]})
    line, columns = acompass.dbt("EACH RESULT : Age < 90;", "people", source=True).files.values()
    ((number, problem, records),) = failures(line, table)
    assert (number, problem[:10], records) == (1, "no verdict", 1)
    assert failures(columns, table) == [("Age", "missing, or not decimal(9)", 1)]


def test_a_number_with_too_many_places_is_a_failure() -> None:
    """Numbers that the type cannot hold exactly are not rounded."""
    types = {"Age": "decimal(1)"}
    line, columns = acompass.dbt("EACH RESULT : Age < 0.45;", "people", source=True, types=types).files.values()
    assert failures(line, pyarrow.table({"Age": [0.4]})) == []
    assert len(failures(line, pyarrow.table({"Age": [0.44]}))) == 1
    assert len(failures(columns, pyarrow.table({"Age": [0.44]}))) == 1


def test_the_released_model_is_compared_by_its_own_types() -> None:
    """The integers of line 1 may become decimals, between 2 and the constant."""
    policy = "EACH PROCESS MIN(Rate) AS least : least >= 2.5;\nEACH RESULT : Rate < 100 : REPLACE Rate WITH 2.25;"
    written = acompass.dbt(policy, "rates", released="people", types={"Rate": "integer"})
    line = written.files["tests/acompass/people/policy_people_line_1.sql"]
    assert failures(line, pyarrow.table({"Rate": [3.0, 2.5]})) == []
    assert [row[1:] for row in failures(line, pyarrow.table({"Rate": [3.0, 2.25]}))] == [("violated", 2)]


def test_the_policy_is_checked_with_types_that_fit_it() -> None:
    """`30-39` is a label of bands of integers, though tables may have decimals."""
    policy = "EACH RESULT : Age < 30 : REPLACE Age WITH '30-39';\nALWAYS : GENERALIZE Age TO BANDS OF 10;"
    line, _ = acompass.dbt(policy, "people", source=True).files.values()
    assert failures(line, pyarrow.table({"Age": [29.75]})) == []
    assert len(failures(line, pyarrow.table({"Age": [30.25]}))) == 1


def test_a_column_that_is_only_drawn_may_have_any_type() -> None:
    written = acompass.dbt("EACH FILTER Zip = '2' : Zip = '3' : RANDOM Pay 1 9;", "rates", released="people")
    columns = written.files["tests/acompass/people/policy_people_columns.sql"]
    for values in ([1.5, 2.0], ["a", "b"], [1, 2]):
        assert failures(columns, pyarrow.table({"Zip": ["1", "2"], "Pay": values})) == []
    incomplete = pyarrow.table({"Zip": ["1", "2"], "Pay": [1, None]})
    assert failures(columns, incomplete) == [("Pay", "missing", 1)]


def test_lines_about_values_that_were_not_released_get_a_note_instead_of_a_test() -> None:
    policy = (
        "EACH RESULT : Age <= 120;\nEACH RESULT : Name != '';\nEACH RESULT : Seen >= '2020-01-01';\n"
        "ALWAYS : GENERALIZE Age TO BANDS OF 10;\nALWAYS : DROP Name;\nALWAYS : GENERALIZE Seen TO YEAR;\n"
        "EACH PROCESS COUNT(*) AS n GROUP BY Age, Seen : n >= 2;\n"
    )
    written = acompass.dbt(policy, "people", types={"Seen": "date"})
    assert [note.line for note in written.notes] == [1, 2, 3]
    assert written.tests == ("policy_people_released_line_7", "policy_people_released_columns")
    assert "Name" not in "".join(text for path, text in written.files.items() if path.endswith(".sql"))


def test_an_integer_parameter_is_a_variable_of_the_tests_and_the_model() -> None:
    written = acompass.dbt(POLICY, "people", params={"k": 2}, source=True)
    assert written.variables == {"policy_k": 2}
    template = next(iter(written.files.values()))
    assert [row[2] for row in failures(template, PEOPLE)] == [1, 1]
    assert len(failures(template, PEOPLE, policy_k=3)) == 3
    assert failures(template, PEOPLE, policy_k=1) == []
    for wrong in ("3", "3 OR TRUE", True, 2.5, 10**18):
        with pytest.raises(CompilerError):
            failures(template, PEOPLE, policy_k=wrong)
    released = acompass.dbt(POLICY, "people", params={"k": 2}).files
    assert '"k": "{{ var(\'policy_k\', 2) }}"' in released["models/people_released.yml"]


def test_parameters_that_the_sql_does_not_contain_verbatim_are_not_variables() -> None:
    policy = "EACH RESULT : Zip = z;\nEACH RESULT : Age >= low : RANDOM Age low 90;\nEACH RESULT : Rate < most;"
    written = acompass.dbt(
        policy, "people", params={"z": "2", "low": 18, "most": 3}, source=True, types={"Rate": "float"}
    )
    assert written.variables == {}


def test_the_model_runs_the_embedded_policy_with_its_hierarchies(tmp_path: Path) -> None:
    (tmp_path / "zip.csv").write_text("21201;212;*\n21202;212;*\n21209;212;*\n", encoding="utf-8")
    (tmp_path / "p.acp").write_text("ALWAYS : GENERALIZE Zip TO LEVEL 1 OF 'zip.csv';", encoding="utf-8")
    constants = _constants(acompass.dbt(acompass.load(tmp_path / "p.acp"), "people").files["models/people_released.py"])
    (tmp_path / "zip.csv").unlink()
    table = release(PEOPLE, constants["POLICY"], constants["NAME"], constants["HIERARCHIES"], {}, {})
    assert table.column("Zip").to_pylist() == ["212"] * 4


REFERENCE = "EACH PROCESS SUM(people) IN 'zip.csv' AS n GROUP BY Zip : n >= 10 : REPLACE Zip WITH '*';"


def test_the_model_contains_the_reference_tables_of_its_policy(tmp_path: Path) -> None:
    (tmp_path / "zip.csv").write_text("Zip,people\n21201,10\n21202,9\n*,10\n", encoding="utf-8")
    (tmp_path / "p.acp").write_text(REFERENCE, encoding="utf-8")
    constants = _constants(acompass.dbt(acompass.load(tmp_path / "p.acp"), "people").files["models/people_released.py"])
    (tmp_path / "zip.csv").unlink()
    table = release(PEOPLE, constants["POLICY"], constants["NAME"], constants["HIERARCHIES"], {}, {})
    assert set(table.column("Zip").to_pylist()) == {"21201", "*"}


def test_the_tests_contain_the_totals_of_small_reference_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "zip.csv").write_text("Zip,people\n21201,10\n21202,9\n*,10\n", encoding="utf-8")
    (tmp_path / "p.acp").write_text(REFERENCE, encoding="utf-8")
    policy = acompass.load(tmp_path / "p.acp")
    (text,) = (text for name, text in acompass.dbt(policy, "people", source=True).files.items() if "line_1" in name)
    assert failures(text, PEOPLE) == [(1, "violated", 1), (1, "violated", 1)]
    monkeypatch.setattr(files, "_MOST_CLASSES", 2)
    (note,) = acompass.dbt(policy, "people", source=True).notes
    assert note.text == "no test: reference table `zip.csv` has more than 2 classes"


def test_a_model_contains_no_parquet_file(tmp_path: Path) -> None:
    pyarrow.parquet.write_table(pyarrow.table({"Zip": ["1"], "people": [1]}), tmp_path / "zip.parquet")
    (tmp_path / "p.acp").write_text(REFERENCE.replace(".csv", ".parquet"), encoding="utf-8")
    with pytest.raises(CallError, match=r"cannot contain reference table `zip\.parquet`"):
        acompass.dbt(acompass.load(tmp_path / "p.acp"), "people")


def test_the_seed_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = "ALWAYS : RANDOM Age 0 1000000000;"
    monkeypatch.setenv("ACOMPASS_SEED", "graine")
    first, second = (release(PEOPLE, policy, "p.acp", {}, {}, {}) for _ in range(2))
    assert first.equals(second)
    assert first.equals(acompass.run(policy, PEOPLE, seed="graine").table)
    monkeypatch.delenv("ACOMPASS_SEED")
    assert not release(PEOPLE, policy, "p.acp", {}, {}, {}).equals(first)
    monkeypatch.setenv("ACOMPASS_SEED", "")
    with pytest.raises(NotReleased, match="the seed in `ACOMPASS_SEED` is empty"):
        release(PEOPLE, policy, "p.acp", {}, {}, {})


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ("EACH RESULT : Age < 90;", "nothing is released\nline 1 is violated: 1 record of 4"),
        ("EACH RESULT : Years < 90;", "unknown column `Years`"),
        ("EACH RESULT : Zip < 90;", "1 value is not a number"),
    ],
)
def test_a_model_that_fails_reveals_no_value(policy: str, message: str) -> None:
    table = PEOPLE.set_column(1, "Zip", pyarrow.array(["secret", "2", "3", "4"]))
    with pytest.raises(NotReleased) as raised:
        release(table, policy, "p.acp", {}, {}, {})
    assert message in str(raised.value)
    logged = "".join(traceback.format_exception(raised.value))  # as dbt-duckdb does
    assert "secret" not in logged
    assert "93" not in logged


def test_models_and_sources_are_read_with_dbts_functions() -> None:
    calls = {
        "people": "ref('people')",
        "hospital.people": "ref('hospital', 'people')",
        "source:raw.people": "source('raw', 'people')",
        "stg-people": "ref('stg-people')",
    }
    for model, call in calls.items():
        tests = acompass.dbt(POLICY, model, params={"k": 2}, source=True).files.values()
        assert all(f"FROM {{{{ {call} }}}}" in template for template in tests)
        python = acompass.dbt(POLICY, model, params={"k": 2}, released="out").files["models/out.py"]
        assert f"release(dbt.{call}, " in python


@pytest.mark.parametrize("model", ["", "people')", "a.b.c", "source:people", "{{ x }}", "pe ople"])
def test_an_invalid_model_name_is_an_error(model: str) -> None:
    with pytest.raises(CallError) as raised:
        acompass.dbt(POLICY, model, params={"k": 2})
    assert raised.value.diagnostics[0].code == "AC642"


def test_only_duckdb_has_a_python_model() -> None:
    with pytest.raises(CallError) as raised:
        acompass.dbt(POLICY, "people", params={"k": 2}, dialect="postgres")
    assert raised.value.diagnostics[0].code == "AC644"
    written = acompass.dbt(POLICY, "people", params={"k": 2}, dialect="postgres", python_model=False)
    assert all(path.endswith(".sql") for path in written.files)


def _constants(python: str) -> dict[str, Any]:
    """The constants that a Python file assigns at the top level."""
    assigned = (node for node in ast.parse(python).body if isinstance(node, ast.Assign))
    return {
        target.id: ast.literal_eval(node.value)
        for node in assigned
        for target in node.targets
        if isinstance(target, ast.Name) and target.id != "PARAMS"
    }


#: AC640 needs an environment without PyYAML
PAGES = [read_page(FOLDER / f"{code}.md") for code in sorted(CODES) if "AC641" <= code < "AC65"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.code)
def test_the_example_gives_the_error_and_the_fix_works(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    require_error(page)
    ran = run_fix(page)
    assert ran.errors == ""
    assert "written" in ran.output


def test_a_missing_pyyaml_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "yaml", None)
    (ran,) = run_blocks(read_page(FOLDER / "AC641.md").sections["Example"])
    assert (ran.exit_code, re.findall(r"\[(AC\d{3})\]", ran.errors)) == (2, ["AC640"])


OTHER_DIALECTS_POLICY = """\
EACH RESULT : Age BETWEEN 18 AND 90;
EACH FILTER Zip LIKE '212%' : Rate < 0.5 AND Member = 'true';
EACH PROCESS COUNT(*) AS n, COUNT DISTINCT(Zip) AS zips GROUP BY Seen : n >= k AND zips >= 2;
EACH PROCESS SUM(Age) AS total, MAX(Rate) AS most : total = 165.5 AND most < 1;
SOME PROCESS MIN(Zip) AS first GROUP BY Age : first > 'a';
SOME RESULT : Seen >= '2024-02-29';
EACH RESULT : "it's {{ odd }}" IN ('é', '''', '\\z');
"""
#: the columns, with their types in the policy and in PostgreSQL
TYPES = {
    "Age": ("decimal(1)", "NUMERIC(5, 1)"),
    "Zip": ("text", "TEXT"),
    "Rate": ("float", "DOUBLE PRECISION"),
    "Member": ("boolean", "BOOLEAN"),
    "Seen": ("date", "DATE"),
    "it's {{ odd }}": ("text", "TEXT"),
}
ROWS = [
    ("34.5", "21201", "0.25", "true", "2024-02-29", "é"),
    ("60.0", "21202", "0.5", "true", "2024-02-29", "'"),
    ("71.0", "Åland", "0.001", "false", "2023-01-01", "\\z"),
]
#: the verdict of `check` on each line
HOLDS = [True, False, False, True, True, True, True]


def sql_queries(dialect: str) -> list[str]:
    types = {name: type_ for name, (type_, _) in TYPES.items()}
    found = acompass.dbt(OTHER_DIALECTS_POLICY, "people", source=True, dialect=dialect, types=types, params={"k": 2})
    return [render(template) for template in found.files.values()]


def test_check_gives_the_expected_verdicts() -> None:
    records = [dict(zip(TYPES, row, strict=True)) for row in ROWS]
    typed = [{**row, "Rate": float(row["Rate"]), "Member": row["Member"] == "true"} for row in records]
    result = acompass.check(OTHER_DIALECTS_POLICY, typed, params={"k": 2})
    assert [each.holds for each in result.requirements] == HOLDS


def test_postgres(postgres: Server) -> None:
    with psycopg.connect(postgres.url()) as connection:
        columns = ", ".join(f'"{name}" {stored}' for name, (_, stored) in TYPES.items())
        connection.execute(f"CREATE TEMPORARY TABLE people ({columns})")
        connection.cursor().executemany("INSERT INTO people VALUES (%s, %s, %s, %s, %s, %s)", ROWS)
        *lines, complete = sql_queries("postgres")
        assert [not connection.execute(line).fetchall() for line in lines] == HOLDS
        assert connection.execute(complete).fetchall() == []
        connection.execute("INSERT INTO people VALUES (NULL, 'x', 'NaN', NULL, NULL, NULL)")
        assert {row[0] for row in connection.execute(complete).fetchall()} == {*TYPES} - {"Zip"}


def test_spark(spark: Any) -> None:
    """All columns are text, as in a CSV file without a schema."""
    spark.createDataFrame(ROWS, list(TYPES)).createOrReplaceTempView("people")
    *lines, complete = (line.replace('"people"', "people") for line in sql_queries("spark"))
    assert [not spark.sql(line).collect() for line in lines] == HOLDS
    assert spark.sql(complete).collect() == []
