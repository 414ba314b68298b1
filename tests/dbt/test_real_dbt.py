"""dbt-core and dbt-duckdb run everything on the page about dbt, and names that mean something to Jinja."""

import json
import subprocess
from pathlib import Path

import pytest

import acompass
from tests.dbt.environment import NotInstalled, dbt_environment
from tests.docs.console import played
from tests.docs.pages import blocks
from tests.repo.sources import ROOT

PAGE = ROOT / "docs" / "how-to" / "dbt.md"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


@pytest.fixture(scope="module")
def environment() -> dict[str, str]:
    try:
        return dbt_environment()
    except NotInstalled as reason:
        pytest.skip(f"pip cannot install dbt: {reason}")


def bash(command: str, folder: Path, environment: dict[str, str]) -> str:
    ran = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True)
    return ran.stdout + ran.stderr


def test_the_page_shows_what_dbt_does(tmp_path: Path, environment: dict[str, str]) -> None:
    environment = {**environment, "COLUMNS": "96"}
    ran = 0
    for block in blocks(PAGE.read_text(encoding="utf-8")):
        if block.name:
            path = tmp_path / block.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.content, encoding="utf-8")
        elif block.language == "console" and "pip install" not in block.content:
            assert played(block.content, lambda text: bash(text, tmp_path, environment)) == block.content
            ran += block.content.count("$ dbt ")
    assert ran >= 6
    artefacts = [path for path in (tmp_path / "target").rglob("*") if path.is_file()]
    assert not [path for path in artefacts if b"Zoe" in path.read_bytes()]


def test_hostile_names_and_constants_pass_through_dbt(tmp_path: Path, environment: dict[str, str]) -> None:
    """Also: a source, a model that draws with a seed of the environment, a hierarchy beside the policy."""
    name, value = '{{ odd }} "it\'s"', "{% raw %} {# '"
    spelled, quoted = value.replace("'", "''"), name.replace('"', '""')
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies/levels.csv").write_text("a;x{{;*\nb;x{{;*\n", encoding="utf-8")
    (tmp_path / "policies/odd.acp").write_text(
        f"ALWAYS : GENERALIZE Code TO LEVEL 1 OF 'levels.csv';\n"
        f"EACH RESULT : \"{quoted}\" = '{spelled}' : REPLACE \"{quoted}\" WITH '{spelled}';\n"
        f"EACH RESULT : Code = 'x{{{{';\nALWAYS : RANDOM Pay 0 1000000;\n",
        encoding="utf-8",
    )
    (tmp_path / "dbt_project.yml").write_text("name: odd\nprofile: odd\nversion: '1.0'\n", encoding="utf-8")
    (tmp_path / "profiles.yml").write_text(
        "odd: {target: dev, outputs: {dev: {type: duckdb, path: odd.duckdb}}}\n", encoding="utf-8"
    )
    (tmp_path / "models").mkdir()
    escaped, constant = name.replace('"', '""'), value.replace("'", "''")
    (tmp_path / "models/people.sql").write_text(
        "{% raw %}"
        + f"SELECT * FROM (VALUES ('a', '' || '{constant}', 1), ('b', 'x', 2)) "
        f'AS t("Code", "{escaped}", "Pay")'.replace("{% raw %}", "{%' || ' raw %}")
        + "{% endraw %}",
        encoding="utf-8",
    )
    seeded = {**environment, "ACOMPASS_SEED": "a secret seed"}
    wrote = bash("acompass dbt policies/odd.acp --model people --json", tmp_path, seeded)
    assert json.loads(wrote)["tests"] == [
        "odd_people_released_line_2",
        "odd_people_released_line_3",
        "odd_people_released_columns",
    ]
    built = bash("dbt build", tmp_path, seeded)
    assert "PASS=5 WARN=0 ERROR=0" in built
    shown = json.loads(
        bash(
            "dbt -q show --inline \"select * from {{ ref('people_released') }}\" --output json",
            tmp_path,
            seeded,
        )
    )["show"]
    assert {row["Code"] for row in shown} == {"x{{"}
    policy = acompass.load(tmp_path / "policies/odd.acp")
    table = [{"Code": "a", name: value, "Pay": 1}, {"Code": "b", name: "x", "Pay": 2}]
    expected = acompass.run(policy, table, seed="a secret seed").table
    assert [row["Pay"] for row in shown] == [row["Pay"] for row in expected]
    assert "a secret seed" not in "".join(
        path.read_text(encoding="utf-8", errors="replace")
        for path in (tmp_path / "target").rglob("*")
        if path.is_file()
    )
