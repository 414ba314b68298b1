"""dbt-core and dbt-duckdb run everything on the page about dbt, and names with a meaning in Jinja."""

import json
import subprocess
from pathlib import Path

import pytest

import acompass
from acompass.author.dbt.templates import escape_jinja
from tests.author.dbt.environment import NotInstalled, dbt_environment
from tests.docs.pages import blocks
from tests.docs.running import run_console
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
            assert run_console(block.content, lambda text: bash(text, tmp_path, environment)) == block.content
            ran += block.content.count("$ dbt ")
    assert ran >= 6
    assert "Zoe" not in artifacts(tmp_path)


NAME, VALUE = '{{ odd }} "it\'s"', "{% raw %} {# '"
IDENTIFIER, LITERAL = NAME.replace('"', '""'), VALUE.replace("'", "''")
ODD = {
    "dbt_project.yml": "name: odd\nprofile: odd\nversion: '1.0'\n",
    "profiles.yml": "odd: {target: dev, outputs: {dev: {type: duckdb, path: odd.duckdb}}}\n",
    "models/people.sql": escape_jinja(
        f"SELECT * FROM (VALUES ('a', '{LITERAL}', 1), ('b', 'x', 2)) AS t(\"Code\", \"{IDENTIFIER}\", \"Pay\")"
    ),
    "policies/levels.csv": "a;x{{;*\nb;x{{;*\n",
    "policies/odd.acp": f"""\
ALWAYS : GENERALIZE Code TO LEVEL 1 OF 'levels.csv';
EACH RESULT : "{IDENTIFIER}" = '{LITERAL}' : REPLACE "{IDENTIFIER}" WITH '{LITERAL}';
EACH RESULT : Code = 'x{{{{';
ALWAYS : RANDOM Pay 0 1000000;
""",
}
SEED = "a secret seed"


def test_hostile_names_and_constants_pass_through_dbt(tmp_path: Path, environment: dict[str, str]) -> None:
    """The model contains its hierarchy, and no artifact of dbt contains the seed."""
    for path, text in ODD.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    seeded = {**environment, "ACOMPASS_SEED": SEED}
    wrote = bash("acompass dbt policies/odd.acp --model people --json", tmp_path, seeded)
    lines = [f"odd_people_released_{each}" for each in ("line_2", "line_3", "columns")]
    assert json.loads(wrote)["tests"] == lines
    assert "PASS=5 WARN=0 ERROR=0" in bash("dbt build", tmp_path, seeded)
    query = "select * from {{ ref('people_released') }}"
    shown = json.loads(bash(f'dbt -q show --inline "{query}" --output json', tmp_path, seeded))["show"]
    table = [{"Code": "a", NAME: VALUE, "Pay": 1}, {"Code": "b", NAME: "x", "Pay": 2}]
    assert shown == acompass.run(acompass.load(tmp_path / "policies/odd.acp"), table, seed=SEED).table
    assert {row["Code"] for row in shown} == {"x{{"}
    assert SEED not in artifacts(tmp_path)


def artifacts(project: Path) -> str:
    """Everything that dbt has written, except the database."""
    paths = [*(project / "target").rglob("*"), *(project / "logs").rglob("*")]
    return "".join(path.read_text(encoding="utf-8", errors="replace") for path in paths if path.is_file())
