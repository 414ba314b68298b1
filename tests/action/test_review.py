"""The steps of the action, run on repositories with a base branch and a change."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from tests.action.runner import JobResult, Runner, prepare_environment
from tests.git_repositories import Repository, copy_this_repository, require_packages
from tests.report.sarif_rules import results

pytestmark = pytest.mark.slow

FIVE = """\
-- every class has enough records
EACH PROCESS COUNT(*) AS Size GROUP BY Age, Zip
   : Size >= 5
   : REJECT;
"""
THREE = FIVE.replace("5", "3")
BY_PARAMETER = FIVE.replace("5", "k")
CAP = "EACH RESULT\n   : Age <= 80;\n"
JOBS = "ALWAYS : GENERALIZE Job TO LEVEL 1 OF 'lists/jobs.csv' ELSE 'other';\n"
GUARANTEE = "EACH PROCESS COUNT(*) AS Size GROUP BY Age, Zip : Size >= 5"
FAILING = "Fail if a check failed"

#: every check is off, because each starts a process
NOTHING = dict.fromkeys(("fmt", "lint", "prove", "compare", "check"), "false")


RunnerFor = Callable[..., Runner]


def settings(**sections: str) -> str:
    return "".join(f'[policy."{name}.acp"]\n{said}\n' for name, said in sections.items())


@pytest.fixture(scope="module")
def runner_for(tmp_path_factory: pytest.TempPathFactory) -> RunnerFor:
    """A runner with acompass already installed."""

    def make(workspace: Path, base_ref: str = "") -> Runner:
        temporary = tmp_path_factory.mktemp("runner")
        prepare_environment(temporary)
        return Runner(workspace, temporary, base_ref)

    return make


def overview(ran: JobResult) -> dict[str, list[str]]:
    """The cells of each policy: fmt, lint, prove, compare, check."""
    rows = [line.strip("| ").split(" | ") for line in ran.summary.splitlines() if line.startswith("| `")]
    return {name.strip("`"): cells for name, *cells in rows if len(cells) == 5}


def findings(ran: JobResult) -> set[tuple[str, str, int]]:
    """The rule, the file and the line of each result of the SARIF file, which is valid."""
    found = results(json.loads(Path(ran.outputs["sarif"]).read_text(encoding="utf-8")))
    return {(result["ruleId"], *_place(result)) for result in found}


def _place(result: dict[str, Any]) -> tuple[str, int]:
    place = result["locations"][0]["physicalLocation"]
    return unquote(place["artifactLocation"]["uri"]), place["region"]["startLine"]


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory, runner_for: RunnerFor) -> JobResult:
    """A pull request that changes each of many policies in a different way."""
    repository = Repository.create(tmp_path_factory.mktemp("busy"))
    table = 'table = "people.csv"'
    repository.commit(
        {
            "loosened.acp": FIVE,
            "by a setting.acp": BY_PARAMETER,
            "violated.acp": CAP,
            "broken.acp": CAP,
            "deleted.acp": JOBS.replace("other", "none"),
            "jobs.acp": JOBS,
            "lists/jobs.csv": "nurse,health\nbaker,food\n",
            "moved.acp": CAP.replace("80", "90"),
            "repaired.acp": "EACH RESULT : Age <= 80",
            "people.csv": "Age,Zip\n34,21201\n80,21401\n",
            "acompass.toml": settings(violated=table, **{"by a setting": "params = { k = 5 }"}),
        }
    )
    repository.git("switch", "--quiet", "--create", "change")
    repository.git("rm", "--quiet", "deleted.acp")
    (repository.folder / "inside").mkdir()
    repository.git("mv", "moved.acp", "inside/moved.acp")
    repository.commit(
        {
            "loosened.acp": THREE,
            "broken.acp": CAP.replace("80", ""),
            "new.acp": FIVE.replace("Age, Zip", "Zip"),
            "repaired.acp": CAP.replace("80", "70"),
            "people.csv": "Age,Zip\n34,21201\n8191,21401\n",
            "acompass.toml": settings(violated=table, **{"by a setting": "params = { k = 3 }"}),
        }
    )
    # later commits on the base branch are not changes of this branch
    repository.git("switch", "--quiet", "main")
    repository.commit({"later.acp": FIVE, "jobs.acp": JOBS.replace("other", "unknown")})
    repository.git("switch", "--quiet", "change")
    return runner_for(repository.folder, "main").run({"lint": "false", "prove": "false", "upload-sarif": "true"})


def test_each_change_has_its_verdict(busy: JobResult) -> None:
    assert overview(busy) == {
        "by\\ a\\ setting.acp": ["✅", "–", "–", "❌", "no table"],
        "broken.acp": ["–", "⚠️ error", "–", "–", "–"],
        "deleted.acp": ["–", "–", "–", "❌ deleted", "–"],
        "inside/moved.acp": ["✅", "–", "–", "✅", "no table"],
        "jobs.acp": ["✅", "–", "–", "✅", "no table"],
        "loosened.acp": ["✅", "–", "–", "❌", "no table"],
        "new.acp": ["✅", "–", "–", "new", "no table"],
        "repaired.acp": ["✅", "–", "–", "unreadable before", "no table"],
        "violated.acp": ["✅", "–", "–", "✅", "❌"],
    }


def test_the_job_fails_after_the_reports(busy: JobResult) -> None:
    assert busy.failed == FAILING
    assert busy.outputs["ok"] == "false"
    (uploaded,) = (given for action, given in busy.used.items() if "upload-sarif" in action)
    assert uploaded["sarif_file"] == busy.outputs["sarif"]


def test_the_summary_names_the_lost_guarantee(busy: JobResult) -> None:
    _, _, details = busy.summary.partition("## `loosened.acp`")
    assert f"❌ refuted | `{GUARANTEE}`" in details


def test_the_sarif_file_has_the_place_of_each_finding(busy: JobResult) -> None:
    assert findings(busy) == {
        ("guarantee-lost", "loosened.acp", 3),
        ("guarantee-lost", "by a setting.acp", 2),
        ("more-released", "loosened.acp", 3),
        ("more-released", "by a setting.acp", 1),
        ("requirement-violated", "violated.acp", 1),
        ("AC015", "broken.acp", 2),
    }


def test_no_record_value_is_shown(busy: JobResult) -> None:
    written = [path.read_text(encoding="utf-8") for path in Path(busy.outputs["junit"]).glob("*.xml")]
    assert len(written) == 7
    shown = [busy.log, busy.summary, Path(busy.outputs["sarif"]).read_text(encoding="utf-8"), *written]
    assert not [text for text in shown if "8191" in text or "21401" in text]


def test_a_good_pull_request_passes(tmp_path: Path, runner_for: RunnerFor) -> None:
    """Only the server has the base branch, as after a shallow checkout."""
    server = Repository.create(tmp_path / "server")
    server.commit({"data/policy.acp": BY_PARAMETER, "data/people.csv": "Age,Zip\n" + "34,21201\n" * 7})
    server.git("switch", "--quiet", "--create", "change")
    server.commit({"data/policy.acp": BY_PARAMETER.replace("enough", "sufficient")})
    address = f"file://{server.folder}"
    clone = ["git", "clone", "--quiet", "--depth=1", "--branch=change", address, tmp_path / "checkout"]
    subprocess.run(clone, check=True)
    ran = runner_for(tmp_path / "checkout", "main").run(
        {
            "working-directory": "data",
            "policies": "*.acp",
            "table": "people.csv",
            "params": "k=5\n",
            "types": "Age=integer\nZip=text\n",
            "junit-artifact": "anonymity",
        }
    )
    assert overview(ran) == {"data/policy.acp": ["✅"] * 5}, ran.log
    assert (ran.failed, ran.outputs["ok"], findings(ran)) == (None, "true", set())
    assert {path.name[5:] for path in Path(ran.outputs["junit"]).iterdir()} == {
        "lint.xml",
        "prove.xml",
        "compare.xml",
        "check.xml",
    }
    assert [given for action, given in ran.used.items() if "upload-artifact" in action] == [
        {"name": "anonymity", "path": ran.outputs["junit"]}
    ]


def test_a_policy_without_a_check_has_no_good_verdict(tmp_path: Path, runner_for: RunnerFor) -> None:
    repository = Repository.create(tmp_path / "repository")
    files = {"policy.acp": "ALWAYS : REPLACE Zip WITH '*';\n", "people.csv": "Age,Zip\n34,21201\n"}
    repository.commit(files)
    ran = runner_for(repository.folder).run({**NOTHING, "check": "true", "table": "people.csv"})
    assert overview(ran)["policy.acp"][4] == "no check", ran.log
    assert "no check in this policy" in ran.summary


def test_names_of_files_and_branches_are_never_code(tmp_path: Path, runner_for: RunnerFor) -> None:
    names = [
        '-rf it\'s "quoted".acp',
        "$(touch pwned)`touch pwned`|.acp",
        "two\n::error::pwned\nlines ${{ github.token }}.acp",
    ]
    branch = "x';$(touch${IFS}pwned);'"
    repository = Repository.create(tmp_path / "repository")
    repository.commit(dict.fromkeys(names, FIVE))
    repository.git("branch", "--move", branch)
    repository.git("switch", "--quiet", "--create", "change")
    repository.commit(dict.fromkeys(names, THREE))
    ran = runner_for(repository.folder, branch).run({**NOTHING, "compare": "true"})
    assert [cells[3] for cells in overview(ran).values()] == ["❌"] * len(names), ran.log
    assert findings(ran) == {(rule, name, 3) for rule in ("guarantee-lost", "more-released") for name in names}
    assert not list(tmp_path.rglob("pwned"))
    commands = [line for line in ran.log.splitlines() if line.startswith("::")]
    token = commands[0].removeprefix("::stop-commands::")
    assert commands[1] == f"::{token}::"
    assert commands[2:] == ["::error title=acompass::a check failed; see the job summary"]


@pytest.mark.parametrize(
    ("fail_on", "policy", "failed"),
    [("error", FIVE, None), ("error", "EACH", FAILING), ("never", "EACH", None)],
)
def test_fail_on_decides_what_fails_the_job(
    tmp_path: Path, runner_for: RunnerFor, fail_on: str, policy: str, failed: str | None
) -> None:
    repository = Repository.create(tmp_path / "repository")
    repository.commit({"policy.acp": policy, "people.csv": "Age,Zip\n34,21201\n"})
    given = {**NOTHING, "check": "true", "table": "people.csv", "fail-on": fail_on}
    ran = runner_for(repository.folder).run(given)
    assert (ran.failed, ran.outputs["ok"]) == (failed, "false")


def test_without_a_pull_request_nothing_is_compared(tmp_path: Path, runner_for: RunnerFor) -> None:
    repository = Repository.create(tmp_path / "repository")
    first = repository.commit({"policy.acp": FIVE})
    repository.commit({"policy.acp": THREE})
    runner = runner_for(repository.folder)
    compared = {**NOTHING, "compare": "true"}
    ran = runner.run(compared)
    assert (ran.failed, overview(ran)) == (None, {"policy.acp": ["–"] * 5})
    assert "Not compared: this is not a pull request" in ran.summary
    assert overview(runner.run({**compared, "base": first}))["policy.acp"][3] == "❌"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"check": "yes"}, "check must be true or false"),
        ({"fail-on": "always"}, "fail-on must be finding, error or never"),
        ({"policies": "*.policy"}, "no policy matches"),
        ({"policies": ""}, "the input policies is empty"),
        ({"working-directory": "none"}, "working-directory does not exist"),
        ({"base": "none", "compare": "true"}, "the base branch cannot be fetched"),
        ({"base": "--help", "compare": "true"}, "the base branch cannot be fetched"),
        ({"base": "a b", "compare": "true"}, "base is not the name"),
    ],
)
def test_a_wrong_call_stops_and_says_why(
    tmp_path: Path, runner_for: RunnerFor, given: dict[str, str], said: str
) -> None:
    repository = Repository.create(tmp_path / "repository")
    repository.commit({"policy.acp": FIVE})
    ran = runner_for(repository.folder).run({**NOTHING, **given})
    assert ran.failed == "Review the policies"
    assert f"::error title=acompass::{said}" in ran.log
    assert said in ran.summary


def test_the_action_installs_itself(tmp_path: Path) -> None:
    require_packages(tmp_path / "download")
    repository = Repository.create(tmp_path / "repository")
    repository.commit({"policy.acp": FIVE, "people.csv": "Age,Zip\n34,21201\n"})
    (tmp_path / "runner").mkdir()
    action = copy_this_repository(tmp_path / "action").folder
    ran = Runner(repository.folder, tmp_path / "runner", action=action).run(
        {**NOTHING, "check": "true", "table": "people.csv"}
    )
    assert overview(ran) == {"policy.acp": ["–", "–", "–", "–", "❌"]}, ran.log
    assert findings(ran) == {("requirement-violated", "policy.acp", 2)}
    assert (tmp_path / "runner" / "acompass" / "bin" / "acompass").exists()
