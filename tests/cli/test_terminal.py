"""Output to a terminal, tested with a real pseudo-terminal."""

import os
import pty
import subprocess
import sys

import pytest

from acompass.cli import command
from tests.cli.tables import PEOPLE
from tests.waiting import wait_until

#: each test starts a process
pytestmark = pytest.mark.slow

POLICY = "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;"


def run_in_terminal(folder, *arguments: str, typed: str | None = None, **environment: str) -> str:
    """The complete output of a command on a terminal of 80 columns."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "acompass", *arguments]
    settings = {**os.environ, "TERM": "xterm", "COLUMNS": "80", **environment}
    keys = None if typed is None else theirs
    with subprocess.Popen(command, cwd=folder, env=settings, stdin=keys, stdout=theirs, stderr=theirs):
        os.close(theirs)
        os.write(ours, (typed or "").encode())
        seen = _read_all(ours)
    os.close(ours)
    return seen.decode().replace("\r\n", "\n")


def _read_all(terminal: int) -> bytes:
    seen = b""
    while True:
        try:
            chunk = os.read(terminal, 65536)
        except OSError:  # Linux raises this when the other end is closed
            return seen
        if not chunk:
            return seen
        seen += chunk


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "policy.acp").write_text(POLICY)
    (tmp_path / "people.csv").write_text(PEOPLE)
    return tmp_path


def test_verdicts_are_colored_and_lines_are_cut(folder):
    (folder / "policy.acp").write_text(POLICY.replace("80 :", "80 AND Name < 'a very long name indeed' :"))
    seen = run_in_terminal(folder, "check", "policy.acp", "people.csv", "--no-progress", NO_COLOR="")
    assert "\x1b[31mviolated\x1b[0m" in seen
    assert "…" in seen


def test_no_color_is_respected(folder):
    assert "\x1b" not in run_in_terminal(folder, "check", "policy.acp", "people.csv", "--no-progress", NO_COLOR="1")


def test_errors_are_colored_too(folder):
    assert "\x1b[" in run_in_terminal(folder, "check", "policy.acp", "none.csv", "--no-progress", NO_COLOR="")
    assert "\x1b[" not in run_in_terminal(folder, "check", "policy.acp", "none.csv", "--no-progress", NO_COLOR="1")


class Terminal:
    def __init__(self):
        self.seen = ""

    def write(self, text):
        self.seen += text

    def flush(self):
        pass

    def isatty(self):
        return True


def replace_stderr(monkeypatch) -> Terminal:
    watching = Terminal()
    monkeypatch.setattr(sys, "stderr", watching)
    monkeypatch.setenv("TERM", "xterm")
    return watching


def test_a_long_command_shows_how_many_requirements_are_done(monkeypatch):
    terminal = replace_stderr(monkeypatch)
    monkeypatch.setattr(command, "_DELAY", 0.05)
    with command.progress_bar(True) as count:
        assert count is not None
        count(3, 7)
        wait_until(lambda: "3/7" in terminal.seen)


def test_a_short_command_shows_no_bar(monkeypatch):
    terminal = replace_stderr(monkeypatch)
    monkeypatch.setattr(command, "_DELAY", 60)
    with command.progress_bar(True) as count:
        count(3, 7)
    assert terminal.seen == ""


@pytest.mark.parametrize("wanted", [True, False])
def test_no_bar_without_a_terminal(wanted, capsys):  # with capsys, standard error is not a terminal
    with command.progress_bar(wanted) as count:
        assert count is None


AREAS = "home zip,work zip,sex,visit count\n02139,02140,f,3\n"


def test_a_column_that_is_in_doubt_is_asked_about(tmp_path):
    (tmp_path / "people.csv").write_text(AREAS)
    arguments = ("rules", "new", "cms-cell-size", "-o", "release.acp", "people.csv")
    seen = run_in_terminal(tmp_path, *arguments, typed="7\n1\n", NO_COLOR="1")
    assert "  1  visit count\n  0  none\n" in seen
    assert "unknown column `7`" in seen
    assert "wrote `release.acp`" in seen
    assert ": visit count = 0" in (tmp_path / "release.acp").read_text()


def test_nothing_is_written_if_a_question_is_not_answered(tmp_path):
    (tmp_path / "people.csv").write_text(AREAS)
    arguments = ("rules", "new", "cms-cell-size", "-o", "release.acp", "people.csv")
    seen = run_in_terminal(tmp_path, *arguments, typed="\x04", NO_COLOR="1")
    assert "Traceback" not in seen
    assert not (tmp_path / "release.acp").exists()


def test_nothing_is_asked_without_a_terminal(tmp_path):
    (tmp_path / "people.csv").write_text(AREAS)
    command = [sys.executable, "-m", "acompass", "rules", "new", "cms-cell-size", "-o", "release.acp", "people.csv"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    assert "AC652" in ended.stderr
    assert '--column "count=visit count"' in ended.stderr
    assert ended.returncode == 2
