"""Files in a dbt project are written completely or not at all, never replace others' files, and leave none outdated."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from acompass.cli.app import app

POLICY = "SOME RESULT : Age > 1;\nEACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= k : REJECT;\n"
MODEL = "models/people_released.py"
LINE_1 = "tests/acompass/people_released/policy_people_released_line_1.sql"
LINE_2 = "tests/acompass/people_released/policy_people_released_line_2.sql"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "dbt_project.yml").write_text("name: hospital\n", encoding="utf-8")
    (tmp_path / "policy.acp").write_text(POLICY, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def dbt(*further: str) -> Result:
    return CliRunner().invoke(app, ["dbt", "policy.acp", "--model", "people", "--set", "k=2", *further])


def files(project: Path) -> dict[str, str]:
    paths = (path for path in project.rglob("*") if path.is_file())
    return {path.relative_to(project).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def test_a_second_call_changes_nothing(project: Path) -> None:
    assert dbt().exit_code == 0
    written = files(project)
    again = dbt()
    assert (again.exit_code, files(project)) == (0, written)
    assert "written" not in again.stdout
    assert dbt("--check").exit_code == 0


def test_check_writes_nothing_and_lists_outdated_files(project: Path) -> None:
    before = files(project)
    stale = dbt("--check")
    assert (stale.exit_code, files(project)) == (1, before)
    assert f"would write {MODEL}" in stale.stdout
    dbt()
    assert dbt("--check", "--released", "other").exit_code == 1


def test_tests_of_removed_lines_are_deleted_and_others_are_kept(project: Path) -> None:
    dbt()
    dbt("--source")
    (project / "tests/acompass/people_released/own.sql").write_text("SELECT 1", encoding="utf-8")
    (project / "policy.acp").write_text(POLICY.splitlines()[1].replace("k", "2"), encoding="utf-8")
    ran = CliRunner().invoke(app, ["dbt", "policy.acp", "--model", "people"])
    assert f"removed {LINE_2}" in ran.stdout
    left = {path for path in files(project) if path.startswith("tests/")}
    assert LINE_1 in left
    assert {
        "tests/acompass/people_released/own.sql",
        "tests/acompass/people/policy_people_line_2.sql",
    } <= left


def test_a_foreign_file_is_replaced_only_on_request(project: Path) -> None:
    (project / "models").mkdir()
    (project / MODEL).write_text("def model(dbt, session): ...", encoding="utf-8")
    before = files(project)
    refused = dbt()
    assert (refused.exit_code, files(project)) == (2, before)
    assert "AC643" in refused.stderr
    assert dbt("--force").exit_code == 0
    assert files(project)[MODEL] != before[MODEL]


def test_a_file_of_another_policy_is_a_foreign_file(project: Path) -> None:
    dbt()
    (project / "policy.acp").rename(project / "other.acp")
    refused = CliRunner().invoke(app, ["dbt", "other.acp", "--model", "people", "--set", "k=2"])
    assert (refused.exit_code, "AC643" in refused.stderr) == (2, True)


def test_files_of_an_earlier_call_for_another_model_are_listed(project: Path) -> None:
    dbt()
    ran = dbt("--released", "anonymous")
    assert ["left", MODEL] in [line.split() for line in ran.stdout.splitlines()]
    assert files(project)[MODEL]


def test_nothing_is_written_if_one_file_cannot_be(project: Path) -> None:
    (project / "tests").write_text("a file", encoding="utf-8")
    before = files(project)
    assert dbt().exit_code == 2
    assert files(project) == before


def test_nothing_is_written_if_a_folder_has_the_name_of_a_file(project: Path) -> None:
    (project / MODEL).mkdir(parents=True)
    refused = dbt("--force")
    assert refused.exit_code == 2
    assert "AC643" in refused.stderr
    assert set(files(project)) == {"dbt_project.yml", "policy.acp"}


def test_the_folders_of_the_project_are_used(project: Path) -> None:
    settings = "name: hospital\nmodel-paths: [transform, more]\ntest-paths: ['checks']\n"
    (project / "dbt_project.yml").write_text(settings, encoding="utf-8")
    dbt()
    written = set(files(project)) - {"dbt_project.yml", "policy.acp"}
    assert {path.split("/")[0] for path in written} == {"transform", "checks"}


@pytest.mark.parametrize("settings", [None, "- a list", "name: [", "\x00"])
def test_a_folder_that_is_not_a_project_is_an_error(project: Path, settings: str | None) -> None:
    (project / "dbt_project.yml").unlink()
    if settings is not None:
        (project / "dbt_project.yml").write_text(settings, encoding="utf-8")
    refused = dbt()
    assert refused.exit_code == 2
    assert "AC641" in refused.stderr


def test_json_is_one_object(project: Path) -> None:
    found = json.loads(dbt("--json").stdout)
    assert found["tested"] == "people_released"
    assert found["tests"] == [
        "policy_people_released_line_1",
        "policy_people_released_line_2",
        "policy_people_released_columns",
    ]
    assert found["changed"] == found["files"]
    assert (found["removed"], found["notes"], found["variables"]) == ([], [], {"policy_k": 2})


def test_the_types_can_come_from_a_table(project: Path) -> None:
    (project / "people.csv").write_text("Age,Zip\n34,21201\n", encoding="utf-8")
    assert dbt("--table", "people.csv").exit_code == 0
    assert "BIGINT" in files(project)[LINE_1]
