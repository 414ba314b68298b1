"""The policy of examples/admissions is proved and reaches k and l; the table is the one of its script."""

import importlib.util
import io
import shutil
from pathlib import Path

import acompass
from tests.repo.sources import ROOT

ADMISSIONS = ROOT / "examples" / "admissions"
TABLE = ADMISSIONS / "admissions.csv"
POLICY = ADMISSIONS / "policy.acp"
PARAMS = {"k": 3, "l": 2}


def test_the_script_makes_the_table() -> None:
    spec = importlib.util.spec_from_file_location("make_table", ADMISSIONS / "make_table.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    made = io.StringIO(newline="")
    script.write(made)
    assert made.getvalue() == TABLE.read_text(encoding="utf-8")


def test_every_claim_is_proved() -> None:
    assert acompass.prove(acompass.load(POLICY), table=TABLE, params=PARAMS).ok


def test_lint_is_silent() -> None:
    assert acompass.lint(acompass.load(POLICY), table=TABLE, params=PARAMS) == ()


def test_k_and_l_are_reached_and_every_form_does_something(tmp_path: Path) -> None:
    policy, output = acompass.load(POLICY), tmp_path / "released.csv"
    result = acompass.run(policy, TABLE, params=PARAMS, output=output)
    assert all(outcome.affected for outcome in result.requirements)
    assert result.records_in * 0.9 < result.records_out < result.records_in
    measured = acompass.measure(output, policy=policy)
    (diagnosis,) = measured.sensitive
    assert measured.k >= PARAMS["k"]
    assert diagnosis.distinct_l >= PARAMS["l"]


def test_the_released_table_can_be_checked_and_generalized_again(tmp_path: Path) -> None:
    policy, output, again = acompass.load(POLICY), tmp_path / "released.csv", tmp_path / "again.csv"
    acompass.run(policy, TABLE, params=PARAMS, output=output)
    assert acompass.check(policy, output, params=PARAMS).ok
    acompass.run(_without_drop(tmp_path), output, params=PARAMS, output=again)
    assert again.read_bytes() == output.read_bytes()


def _without_drop(folder: Path) -> acompass.Policy:
    """The policy for a table that no longer has the dropped columns."""
    shutil.copy(ADMISSIONS / "education.csv", folder)
    lines = POLICY.read_text(encoding="utf-8").splitlines(keepends=True)
    path = folder / "policy.acp"
    path.write_text("".join(line for line in lines if "DROP" not in line), encoding="utf-8")
    return acompass.load(path)
