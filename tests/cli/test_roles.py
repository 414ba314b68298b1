"""Roles act: identifiers are not released, every column has a role, and measures are by the declared
quasi-identifiers (D36). A policy without a check is not called good (D40)."""

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest
from click.testing import Result

import acompass as package
from acompass.errors.diagnostics import AcompassError, CallError, PolicyError
from tests.errors.pages import pages, require_error, run_fix

Acompass = Callable[..., Result]
Write = Callable[..., str]

PEOPLE = """\
name,age,zip,sex,ward,illness
Ann,31,21000,f,a,flu
Bob,31,21000,m,a,gout
Cid,31,21000,f,b,flu
Dan,42,21500,m,b,flu
Eve,42,21500,m,b,gout
"""
CLASSES = "EACH PROCESS COUNT(*) AS n GROUP BY age, zip : n >= 2 : REJECT;\n"
ROLES = """\
[table."people.csv"]
identifiers = ["name"]
quasi-identifiers = ["age", "zip", "sex"]
sensitive = ["illness"]
"""
COMPLETE = f'{ROLES}other = ["ward"]\n'
DROP = "ALWAYS : DROP name;\n"
GROUPING = (
    "the policy groups by `age`, `zip`; the quasi-identifiers are `age`, `zip`, `sex`: classes by all "
    "quasi-identifiers have at least 1 record"
)
NO_CHECK = "no check in this policy"


@pytest.fixture
def people(acompass: Acompass, tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    return tmp_path


@pytest.fixture
def release(acompass: Acompass, people: Path, policy: Write) -> Callable[..., Result]:
    """Run a policy with these settings; `released.csv` exists only if it succeeds."""

    def run(text: str, toml: str = COMPLETE, *arguments: str) -> Result:
        (people / "acompass.toml").write_text(toml, encoding="utf-8")
        (people / "released.csv").unlink(missing_ok=True)
        done = acompass("run", policy(text), "people.csv", "-o", "released.csv", *arguments)
        assert (people / "released.csv").exists() == (done.exit_code == 0 and "--dry-run" not in arguments)
        return done

    return run


def notes(result: Result) -> list[str]:
    return [note["text"] for note in json.loads(result.stdout)["notes"]]


@pytest.mark.parametrize(
    "gone",
    [
        DROP,
        "ALWAYS : DROP NAME;\n",
        "ALWAYS : REPLACE name WITH '*';\n",
        "ALWAYS : RANDOM name 1 9999;\n",
        "ALWAYS : RANDOM name FROM ('a', 'b');\n",
        "ALWAYS : GENERALIZE name TO PREFIX OF 1 THEN REPLACE name WITH '*';\n",
        "ALWAYS : REPLACE name WITH '*';\nALWAYS : GENERALIZE name TO PREFIX OF 1;\n",
    ],
)
def test_an_identifier_that_is_gone_is_not_an_error(release, gone: str) -> None:
    assert release(CLASSES + gone).exit_code == 0


@pytest.mark.parametrize(
    ("kept", "why"),
    [
        ("", None),
        ("EACH RESULT : age <= 40 : REPLACE name WITH '*';\n", "records that satisfy the assertion keep their value"),
        ("EACH RESULT : name = '*' : REPLACE name WITH '*';\n", "records that satisfy the assertion keep their value"),
        ("ALWAYS : WITH PROBABILITY 0.5 REPLACE name WITH '*';\n", "some records keep their value, by chance"),
        ("ALWAYS : GENERALIZE name TO PREFIX OF 1;\n", "the label depends on the value"),
        ("ALWAYS : DROP ward;\n", None),
    ],
)
@pytest.mark.parametrize("arguments", [(), ("--force",), ("--dry-run",)])
def test_an_identifier_that_would_be_released_is_an_error(release, kept: str, why: str | None, arguments) -> None:
    done = release(CLASSES + kept, COMPLETE, *arguments)
    assert done.exit_code == 2
    assert "error[AC413]: identifier `name` would be released: no `ALWAYS` line drops or overwrites it" in done.stderr
    assert "help: add `ALWAYS : DROP name;`" in done.stderr
    assert why is None or why in done.stderr
    assert not re.search("Ann|Bob|Eve", done.stderr + done.stdout)


def test_all_identifiers_are_named_at_once_with_one_line_that_drops_them(release) -> None:
    roles = COMPLETE.replace('["name"]', '["name", "WARD"]').replace('other = ["ward"]\n', "")
    done = release(CLASSES, roles)
    assert "identifiers `name`, `ward` would be released" in done.stderr
    assert release(f"{CLASSES}ALWAYS : DROP name, ward;\n", roles).exit_code == 0


@pytest.mark.parametrize("text", [CLASSES, CLASSES.rstrip(), f"{CLASSES}-- the end"])
@pytest.mark.parametrize("name", ["name", "to be", 'the "name"', "DROP"])
def test_the_fix_drops_the_identifiers(people: Path, text: str, name: str) -> None:
    table = [{name: "Ann", "age": 31, "zip": 1}, {name: "Bob", "age": 31, "zip": 1}]
    roles = {"identifiers": [name], "quasi_identifiers": ["age", "zip"]}
    with pytest.raises(PolicyError) as raised:
        package.run(text, table, roles=roles)
    (problem,) = raised.value.diagnostics
    (fix,) = problem.fixes
    (edit,) = fix.edits
    fixed = text[: edit.span.start] + edit.text + text[edit.span.end :]
    assert package.run(fixed, table, roles=roles).table == [{"age": 31, "zip": 1}] * 2


def test_lint_finds_released_identifiers_and_fixes_them(acompass, people: Path, policy: Write) -> None:
    (people / "acompass.toml").write_text(COMPLETE, encoding="utf-8")
    path = policy(CLASSES)
    found = acompass("lint", path, "--table", "people.csv", "--json")
    assert found.exit_code == 1
    assert [each["code"] for each in json.loads(found.stdout)["diagnostics"]] == ["AC413"]
    assert acompass("lint", path, "--table", "people.csv", "--fix").exit_code == 0
    assert (people / path).read_text(encoding="utf-8") == CLASSES + DROP
    assert acompass("run", path, "people.csv", "-o", "released.csv").exit_code == 0


@pytest.mark.parametrize("arguments", [(), ("--force",), ("--dry-run",)])
def test_columns_without_a_role_are_an_error_of_run(release, people: Path, arguments) -> None:
    done = release(CLASSES + DROP, ROLES, *arguments)
    assert done.exit_code == 2
    assert "error[AC414]: column `ward` has no role" in done.stderr
    (line,) = re.findall(r"for example `(other = .*)`", done.stderr)
    assert release(CLASSES + DROP, f"{ROLES}{line}\n").exit_code == 0


def test_the_line_to_paste_has_the_columns_that_were_other_before(release) -> None:
    toml = ROLES.replace('sensitive = ["illness"]\n', 'other = ["illness"]\n')
    done = release(CLASSES + DROP, toml)
    assert 'other = ["illness", "ward"]' in done.stderr


def test_the_column_of_the_persons_is_proposed_as_an_identifier(release) -> None:
    toml = COMPLETE.replace('identifiers = ["name"]\n', 'person = "name"\n')
    done = release(CLASSES, toml)
    assert 'for example `identifiers = ["name"]`' in done.stderr


def test_all_problems_with_roles_are_reported_at_once(release) -> None:
    done = release(CLASSES, ROLES)
    assert re.findall(r"error\[(AC\d+)\]", done.stderr) == ["AC413", "AC414"]


def test_in_python_the_help_is_a_complete_argument(people: Path) -> None:
    roles = {"identifiers": ["name"], "quasi_identifiers": ["age", "zip", "sex"]}
    with pytest.raises(CallError) as raised:
        package.run(CLASSES + DROP, "people.csv", roles=roles)
    (problem,) = raised.value.diagnostics
    (argument,) = re.findall("`roles=(.*)`", str(problem.help))
    assert package.run(CLASSES + DROP, "people.csv", roles=eval(argument)).ok


@pytest.mark.parametrize("role", ["identifiers", "quasi-identifiers", "sensitive", "other"])
@pytest.mark.parametrize("command", ["run", "check", "measure", "suggest"])
def test_an_unknown_column_with_a_role_is_an_error(acompass, people: Path, policy: Write, role: str, command) -> None:
    toml = COMPLETE.replace(f'\n{role} = ["', f'\n{role} = ["wrad", "')
    (people / "acompass.toml").write_text(toml, encoding="utf-8")
    path = policy(CLASSES + DROP)
    arguments = {
        "run": ("run", path, "people.csv", "-o", "released.csv"),
        "check": ("check", path, "people.csv"),
        "measure": ("measure", "people.csv"),
        "suggest": ("suggest", "people.csv", "--k", "2", "-o", "found.acp"),
    }
    done = acompass(*arguments[command])
    assert done.exit_code == 2
    assert "error[AC602]: unknown column `wrad`" in done.stderr
    assert "did you mean `ward`?" in done.stderr
    assert not (people / "released.csv").exists()


def test_a_column_has_one_role_whatever_its_case(release) -> None:
    done = release(CLASSES + DROP, COMPLETE.replace('["ward"]', '["ward", "Sex"]'))
    assert "error[AC604]: column `sex` is named twice" in done.stderr


def test_a_check_and_a_measurement_note_columns_without_a_role(acompass, people: Path, policy: Write) -> None:
    (people / "acompass.toml").write_text(ROLES, encoding="utf-8")
    path = policy(CLASSES)
    expected = ["column without a role, which `run` would refuse: `ward`", GROUPING]
    assert notes(acompass("check", path, "people.csv", "--json")) == expected
    assert notes(acompass("measure", "people.csv", "--policy", path, "--json")) == expected
    assert notes(acompass("measure", "people.csv", "--json")) == expected[:1]
    assert f"note: {expected[0]}" in acompass("measure", "people.csv").stdout


def test_without_roles_nothing_is_required(release) -> None:
    done = release(CLASSES, "", "--json")
    assert (done.exit_code, notes(done)) == (0, [])
    assert json.loads(done.stdout)["unnamed"] == ["name", "sex", "ward", "illness"]
    assert release(CLASSES, '[table."people.csv"]\nperson = "name"\n').exit_code == 0


@pytest.mark.parametrize("by", ["age, zip, sex", "SEX, zip, age"])
def test_a_policy_that_groups_by_all_quasi_identifiers_needs_no_note(release, by: str) -> None:
    done = release(CLASSES.replace("age, zip", by) + DROP, COMPLETE, "--json")
    assert notes(done) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (CLASSES, GROUPING),
        (
            "EACH RESULT : age <= 40 : REJECT;\n",
            "the policy has no GROUP BY; the quasi-identifiers are `age`, `zip`, `sex`: classes by all "
            "quasi-identifiers have at least 1 record",
        ),
        (
            f"{CLASSES}EACH PROCESS COUNT(*) AS n GROUP BY ward : n >= 2;\n",
            "the policy groups by `age`, `zip` and by `ward`; the quasi-identifiers are `age`, `zip`, `sex`: classes "
            "by all quasi-identifiers have at least 1 record",
        ),
        (
            f"{CLASSES}ALWAYS : DROP sex, age;\n",
            "the policy groups by `age`, `zip`; the quasi-identifier is `zip`: classes by all quasi-identifiers have "
            "at least 2 records",
        ),
        (f"{CLASSES}ALWAYS : DROP sex;\n", None),
    ],
)
def test_a_release_whose_policy_groups_otherwise_has_the_size_of_the_smallest_class(
    release, people: Path, text: str, expected: str | None
) -> None:
    done = release(text + DROP, COMPLETE, "--json")
    assert notes(done) == ([] if expected is None else [expected])


def test_the_smallest_class_is_counted_in_persons_if_the_table_has_them(people: Path) -> None:
    visits = [{"who": who, "age": 31, "sex": "f"} for who in ("a", "a", "a", "b")]
    roles = {"quasi_identifiers": ["age", "sex"], "identifiers": ["who"]}
    policy = "EACH PROCESS COUNT(*) AS n GROUP BY age : n >= 2;"
    found = package.check(policy, visits, roles=roles, person="who")
    assert found.notes[-1].text.endswith("have at least 2 persons")
    ran = package.run(f"{policy} ALWAYS : DROP who;", visits, roles=roles, person="who")
    assert ran.notes[-1].text.endswith("have at least 4 records")
    for table, size in ((visits, "2 persons"), ([{"age": 31, "sex": "f"}] * 4, "4 records")):
        measured = package.measure(table, policy=f"{policy} ALWAYS : DROP who;", roles=roles, person="who")
        assert measured.notes[-1].text.endswith(f"have at least {size}")


@pytest.mark.parametrize("engine", ["duckdb", "reference"])
def test_a_class_may_have_missing_values(engine: str) -> None:
    table = [{"age": 1, "w": value} for value in (1.5, float("nan"), float("nan"), 1.5)]
    roles = {"quasi_identifiers": ["age", "w"]}
    ran = package.run("EACH PROCESS COUNT(*) AS n GROUP BY age : n >= 2;", table, roles=roles, engine=engine)
    assert ran.notes[-1].text.endswith("have at least 2 records")


def test_a_released_table_may_lack_the_columns_that_the_policy_drops(people: Path) -> None:
    roles = {"identifiers": ["name"], "quasi_identifiers": ["age", "zip", "sex"], "other": ["ward", "illness"]}
    policy = f"{CLASSES}{DROP}ALWAYS : DROP sex;"
    released = package.run(policy, "people.csv", roles=roles, output="released.csv")
    assert released.ok
    assert package.check(policy, "released.csv", roles=roles).ok
    assert package.measure("released.csv", policy=policy, roles=roles).quasi_identifiers == ("age", "zip")
    with pytest.raises(AcompassError, match="AC602"):
        package.check(CLASSES, "released.csv", roles=roles)


def test_the_report_and_measure_are_about_the_declared_quasi_identifiers(release, acompass, people: Path) -> None:
    assert release(CLASSES + DROP, COMPLETE, "--report", "report.html").exit_code == 0
    page = (people / "report.html").read_text(encoding="utf-8")
    assert "Records with equal values in age, zip, sex form one equivalence class." in page
    (people / "acompass.toml").write_text(
        COMPLETE.replace("people", "released").replace('"name"', ""), encoding="utf-8"
    )
    measured = json.loads(acompass("measure", "released.csv", "--json").stdout)
    assert measured["risk"]["prosecutor"]["maximum"] == 1
    assert re.search(r"<dt>highest prosecutor risk</dt><dd>[^<]*100\N{NO-BREAK SPACE}%</dd>", page)


def test_a_suggested_policy_drops_the_identifiers(acompass, people: Path) -> None:
    (people / "acompass.toml").write_text(COMPLETE, encoding="utf-8")
    assert acompass("suggest", "people.csv", "--k", "2", "--max-lost", "50%", "-o", "found.acp").exit_code == 0
    assert (people / "found.acp").read_text(encoding="utf-8").endswith(f"\n\n{DROP}")
    assert acompass("fmt", "--check", "found.acp").exit_code == 0
    assert acompass("run", "found.acp", "people.csv", "-o", "released.csv").exit_code == 0
    with (people / "released.csv").open(encoding="utf-8", newline="") as file:
        assert next(csv.reader(file)) == ["age", "zip", "sex", "ward", "illness"]


@pytest.mark.parametrize("code", ["AC413", "AC414"])
def test_the_example_of_a_page_gives_its_code_and_the_fix_does_not(code: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (page,) = [each for each in pages() if each.code == code]
    require_error(page)
    run_fix(page)


#: policies that check nothing, with the words of `check`
UNCHECKED = {
    "suppression": "ALWAYS : REPLACE name WITH '*';",
    "dropping": "ALWAYS : DROP name; ALWAYS : GENERALIZE age TO BANDS OF 10;",
}
#: policies whose assertions only select records, or hold by chance
UNPROMISED = {
    "selection": "EACH RESULT : age <= 40 : REPLACE name WITH '*';",
    "chance": "EACH RESULT : age <= 40 : WITH PROBABILITY 0.5 REJECT;",
}


@pytest.mark.parametrize("text", UNCHECKED.values(), ids=UNCHECKED)
def test_a_check_of_nothing_is_not_called_good(acompass, people: Path, policy: Write, text: str) -> None:
    path = policy(text)
    done = acompass("check", path, "people.csv")
    assert done.exit_code == 0
    assert done.stdout.splitlines()[-1] == f"5 records, {NO_CHECK}"
    assert notes(acompass("check", path, "people.csv", "--json")) == [NO_CHECK]
    heading = acompass("check", path, "people.csv", "--format", "markdown").stdout.splitlines()[0]
    assert heading == f"## Check of `{path}`: {NO_CHECK}"
    sarif = json.loads(acompass("check", path, "people.csv", "--format", "sarif").stdout)
    assert [each["ruleId"] for each in sarif["runs"][0]["results"]] == ["nothing-checked"]
    suite = Xml.fromstring(acompass("check", path, "people.csv", "--format", "junit").stdout)[0]
    assert suite[-1].attrib["name"] == NO_CHECK
    assert all(case[0].tag == "skipped" for case in suite)


@pytest.mark.parametrize("text", {**UNCHECKED, **UNPROMISED}.values(), ids={**UNCHECKED, **UNPROMISED})
def test_a_run_that_promises_nothing_is_not_called_good(acompass, people: Path, policy: Write, text: str) -> None:
    path = policy(text)
    run = ("run", path, "people.csv", "-o", "released.csv", "--seed", "x")
    assert acompass(*run).stdout.splitlines()[-1].endswith(f"; {NO_CHECK}")
    assert NO_CHECK in notes(acompass(*run, "--json"))
    assert NO_CHECK in acompass(*run, "--format", "markdown").stdout.splitlines()[0]
    assert "✅" not in acompass(*run, "--format", "markdown").stdout.splitlines()[0]
    assert acompass(*run, "--dry-run").stdout.splitlines()[-1].endswith(f"; {NO_CHECK}")
    assert acompass(*run, "--report", "report.html").exit_code == 0
    page = (people / "report.html").read_text(encoding="utf-8")
    assert NO_CHECK in page
    assert "every check holds" not in page


@pytest.mark.parametrize(
    "text", [CLASSES, "EACH RESULT : age <= 99;", "EACH RESULT : age <= 40 : REPLACE age WITH 40;"]
)
def test_a_policy_with_a_check_does_not_lack_one(people: Path, text: str) -> None:
    for result in (package.check(text, "people.csv"), package.run(text, "people.csv")):
        assert not result.checks_nothing
        shown: dict[str, Any] = result.to_json()
        assert shown["notes"] == []


def test_a_check_without_verdicts_is_not_called_good(people: Path) -> None:
    """The labels of a later GENERALIZE have no order (D32)."""
    policy = "EACH RESULT : age <= 80 : REJECT; ALWAYS : GENERALIZE age TO BANDS OF 10;"
    assert package.run(policy, "people.csv", output="released.csv").ok
    found = package.check(policy, "released.csv")
    assert found.ok
    assert found.checks_nothing
