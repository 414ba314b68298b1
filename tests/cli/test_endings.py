"""However a command ends, it has an exit code and one or two lines on standard error, never a traceback."""

import os
import pkgutil
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from acompass import api
from acompass.cli.app import COMMANDS
from acompass.version import __version__
from tests.waiting import PATIENCE, wait_until

POLICY = "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;"


def run_command(*arguments: str, **options):
    command = [sys.executable, "-m", "acompass", *arguments]
    return subprocess.run(command, capture_output=True, text=True, **options)


def test_the_installed_script_and_the_module_are_the_same_command():
    script = Path(sys.executable).with_name("acompass")
    if '"' in str(script):
        pytest.skip("the scripts that pip installs do not work in a folder with a double quote")
    said = subprocess.run([script, "--version"], capture_output=True, text=True, check=True).stdout
    assert said == run_command("--version").stdout == f"acompass {__version__}\n"


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_shows_examples(acompass, command):
    said = acompass(command, "--help")
    assert said.exit_code == 0
    assert f"acompass {command} " in said.stdout.partition("Examples")[2]


@pytest.mark.parametrize("arguments", [["frobnicate"], ["check"], ["run", "a", "b", "-o", "c", "--frob"]])
def test_a_wrong_call_exits_with_2(acompass, arguments):
    ran = acompass(*arguments)
    assert (ran.exit_code, ran.stdout) == (2, "")


def test_without_a_command_the_help_is_shown(acompass):
    ran = acompass()
    assert (ran.exit_code, ran.stderr) == (2, "")
    assert ran.stdout == acompass("--help").stdout
    assert [command for command in COMMANDS if f"\n  {command} " not in ran.stdout] == ["plan", "check-all"]
    titles = [line for line in ran.stdout.splitlines() if line.endswith(":") and not line.startswith(" ")]
    groups = ["Release a table:", "Understand a table or a policy:", "Write a policy:", "Tools:"]
    assert titles == ["Options:", *groups]


@pytest.mark.parametrize(
    ("arguments", "meant"), [(["chekc"], "check"), (["check", "a", "b", "--formt", "json"], "--format")]
)
def test_a_mistyped_name_gets_a_suggestion(acompass, arguments, meant):
    said = acompass(*arguments).stderr
    assert "Did you mean" in said
    assert f"'{meant}'" in said


def test_policy_and_table_cannot_both_be_standard_input(acompass):
    ran = acompass("check", "-", "-", given=POLICY)
    assert ran.exit_code == 2
    assert "both" in ran.stderr


@pytest.mark.parametrize("missing", [("none.acp", "people.csv"), ("policy.acp", "none.csv")])
def test_a_missing_file_exits_with_2_and_is_named(acompass, policy, missing):
    policy(POLICY)
    ran = acompass("check", *missing)
    assert ran.exit_code == 2
    assert ran.stderr.startswith("error[AC")
    assert "`none." in ran.stderr


def test_errors_of_a_policy_are_shown_with_their_position(acompass, policy):
    ran = acompass("check", policy("EACH RESULT : Aeg <= 80;"), "people.csv")
    assert ran.exit_code == 2
    assert "policy.acp:1:15" in ran.stderr
    assert "did you mean `Age`?" in ran.stderr


def test_a_trace_that_cannot_be_read_exits_with_2(acompass, policy):
    ran = acompass("run", policy(POLICY), "people.csv", "-o", "out.csv", "--trace", "none.txt")
    assert ran.exit_code == 2
    assert "error[AC492]" in ran.stderr


def test_an_internal_error_shows_no_value(acompass, policy, monkeypatch):
    def fail(*_arguments, **_options):
        raise ValueError("Ada is 36")

    monkeypatch.setattr(api, "check", fail)
    monkeypatch.delenv("ACOMPASS_DEBUG", raising=False)
    path = policy(POLICY)
    ran = acompass("check", path, "people.csv")
    assert ran.exit_code == 2
    assert "error[AC901]: internal error: `ValueError`" in ran.stderr
    assert "Ada" not in ran.output
    assert "Traceback" not in ran.output
    monkeypatch.setenv("ACOMPASS_DEBUG", "1")
    debugged = acompass("check", path, "people.csv")
    assert debugged.exit_code == 2
    assert "Ada is 36" in debugged.stderr


def test_an_interrupt_exits_with_130_and_one_line(acompass, policy, monkeypatch):
    def interrupt(*_arguments, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(api, "run", interrupt)
    ran = acompass("run", policy(POLICY), "people.csv", "-o", "out.csv")
    assert (ran.exit_code, ran.stdout, ran.stderr) == (130, "", "interrupted\n")


def test_an_interrupt_that_an_engine_turns_into_its_own_error_is_still_an_interrupt(acompass, policy, monkeypatch):
    def interrupt(*_arguments, **_options):
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise RuntimeError("query interrupted") from None

    monkeypatch.setattr(api, "run", interrupt)
    ran = acompass("run", policy(POLICY), "people.csv", "-o", "out.csv")
    assert (ran.exit_code, ran.stdout, ran.stderr) == (130, "", "interrupted\n")


@pytest.mark.parametrize("arguments", [["--help"], ["check", "--help"], ["check", "policy.acp", "people.csv"]])
def test_an_interrupt_while_a_command_is_imported_ends_like_any_other(acompass, monkeypatch, arguments):
    def interrupt(_name):
        raise KeyboardInterrupt

    monkeypatch.setattr(pkgutil, "resolve_name", interrupt)
    ran = acompass(*arguments)
    assert (ran.exit_code, ran.stdout, ran.stderr) == (130, "", "interrupted\n")


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.slow
def test_a_real_interrupt_leaves_nothing_behind(tmp_path, sign):
    (tmp_path / "policy.acp").write_text(POLICY)
    (tmp_path / "temporary").mkdir()
    command = [sys.executable, "-m", "acompass", "run", "policy.acp", "-", "-o", "out.csv"]
    environment = {**os.environ, "TMPDIR": str(tmp_path / "temporary")}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdin=pipe, stdout=pipe, stderr=pipe) as ran:
        assert ran.stdin is not None
        ran.stdin.write(b"Age\n36\n")  # the input stays open, so the command waits for more
        ran.stdin.flush()
        # wait for our own folder: Python's tempfile first writes a test file here
        wait_until(lambda: any((tmp_path / "temporary").glob("acompass-*")))
        ran.send_signal(sign)
        assert ran.wait(timeout=PATIENCE) == 128 + sign
        assert (ran.stdout.read(), ran.stderr.read()) == (b"", b"interrupted\n")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["policy.acp", "temporary"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "policy.acp", "people.csv"],
        ["check", "policy.acp", "people.csv", "--format", "json"],
        ["run", "policy.acp", "people.csv", "-o", "-"],
        ["run", "policy.acp", "people.csv", "-o", "-", "--engine", "reference"],
        ["fmt", "-"],
        ["--help"],
        ["run", "--help"],
        ["--version"],
    ],
)
@pytest.mark.slow
def test_a_closed_pipe_is_neither_an_error_nor_a_failed_check(tmp_path, arguments):
    (tmp_path / "policy.acp").write_text(POLICY)
    (tmp_path / "people.csv").write_text("Age\n36\n")
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "acompass", *arguments]
    ran = subprocess.run(
        command, cwd=tmp_path, input=POLICY.encode(), stdout=writing, stderr=subprocess.PIPE, timeout=PATIENCE
    )
    os.close(writing)
    assert (ran.returncode, ran.stderr) == (141, b"")


@pytest.mark.slow
def test_the_reader_of_standard_output_may_stop_early(tmp_path):
    """There are more records than a pipe can buffer, so the command is still writing when `head` ends."""
    (tmp_path / "policy.acp").write_text(POLICY)
    (tmp_path / "people.csv").write_text("Age\n" + "36\n" * 100_000)
    command = f"{shlex.quote(sys.executable)} -m acompass run policy.acp people.csv -o - | head -n 2"
    shown = f"{command}; echo ${{PIPESTATUS[0]}}"
    ran = subprocess.run(["bash", "-c", shown], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE)
    assert (ran.stdout, ran.stderr) == ("Age\n36\n141\n", "")


@pytest.mark.slow
def test_no_color_reaches_a_pipe(tmp_path):
    (tmp_path / "policy.acp").write_text(POLICY)
    (tmp_path / "people.csv").write_text("Age\n86\n")
    ran = run_command("check", "policy.acp", "people.csv", cwd=tmp_path)
    assert ran.returncode == 1
    assert "\x1b" not in ran.stdout


@pytest.mark.slow
def test_a_name_that_the_terminal_cannot_show_is_escaped(tmp_path):
    (tmp_path / "policy.acp").write_text('EACH RESULT : "Âge ≤" <= 80;', encoding="utf-8")
    (tmp_path / "people.csv").write_text("Âge ≤\n86\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    ran = run_command("check", "policy.acp", "people.csv", cwd=tmp_path, env=environment)
    assert ran.returncode == 1, ran.stderr
    assert "\\xc2ge" in ran.stdout
