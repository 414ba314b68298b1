"""Many SARIF logs become one, as code scanning requires."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from acompass.report.findings import log, result, rule
from tests.repo.sources import ROOT
from tests.report.sarif_rules import results


def merge(folder: Path, *logs: dict[str, Any]) -> dict[str, Any]:
    for at, each in enumerate(logs):
        (folder / f"{at}.sarif").write_text(json.dumps(each), encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, str(ROOT / "action" / "merge_sarif.py"), str(folder)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        check=True,
    )
    document: dict[str, Any] = json.loads(ran.stdout)
    return document


def at(rule_id: str, policy: str) -> dict[str, Any]:
    return result(rule_id, "error", "wrong", policy, {"startLine": 1})


def test_results_are_kept_once_with_all_rules(tmp_path: Path) -> None:
    one, two = rule("one", "the first", "help"), rule("two", "the second", "help")
    found = merge(
        tmp_path,
        log([one], [at("one", "a.acp"), at("one", "b.acp")]),
        log([one, two], [at("one", "a.acp"), at("two", "a.acp")]),
    )
    assert results(found) == [at("one", "a.acp"), at("one", "b.acp"), at("two", "a.acp")]
    assert [each["id"] for each in found["runs"][0]["tool"]["driver"]["rules"]] == ["one", "two"]


def test_merging_no_logs_gives_a_valid_log(tmp_path: Path) -> None:
    assert results(merge(tmp_path)) == []
