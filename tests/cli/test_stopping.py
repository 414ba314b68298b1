"""Ctrl-C during a search writes the best policy so far; a second one ends the command."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.waiting import PATIENCE

#: each test starts a process
pytestmark = pytest.mark.slow

TABLE = "Age\n" + "31\n32\n33\n" * 4

#: the command, with a search that runs until `{until}`
COMMAND = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs ignore it
from acompass.cli import main
from acompass.author.suggest import flow
from acompass.author.suggest.search_problem import Found, Step, evaluate

def search(problem, style, lines, seconds, stopped, progress):
    stopped()
    print(os.getpid(), flush=True)
    while not ({until}):
        time.sleep(0.01)
    steps = (Step(0, len(problem.ladders[0].maps)),)
    return Found((), steps, evaluate(problem, (), steps), False, problem.k)

sys.modules["acompass.author.suggest.flow"].search = search
sys.argv = "acompass suggest people.csv --qi Age --k 6 -o out.acp --max-lost 100%".split()
main()
"""


@contextmanager
def start_search(folder: Path, until: str) -> Iterator[tuple["subprocess.Popen[bytes]", int]]:
    """Start a command that is searching; yields it and its worker's id."""
    (folder / "people.csv").write_text(TABLE)
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", COMMAND.format(until=until)], cwd=folder, stdout=pipe, stderr=pipe
    ) as ran:
        try:
            assert ran.stdout is not None
            yield ran, int(ran.stdout.readline())
        finally:
            ran.kill()


def _errors(ran: "subprocess.Popen[bytes]") -> str:
    assert ran.stderr is not None
    return ran.stderr.read().decode()


def test_ctrl_c_ends_the_search_and_writes_what_it_found(tmp_path: Path) -> None:
    """A terminal sends the signal to both processes for one key press."""
    with start_search(tmp_path, "stopped()") as (ran, worker):
        os.kill(worker, signal.SIGINT)
        ran.send_signal(signal.SIGINT)
        assert ran.wait(timeout=PATIENCE) == 0
        assert _errors(ran) == "the search ended early; this is the best policy it had found\n"
    assert "REPLACE Age WITH '*'" in (tmp_path / "out.acp").read_text()
    assert sorted(os.listdir(tmp_path)) == ["out.acp", "people.csv"]


def test_a_second_ctrl_c_ends_the_command(tmp_path: Path) -> None:
    with start_search(tmp_path, "stopped() and print('asked', flush=True)") as (ran, _):
        ran.send_signal(signal.SIGINT)
        assert ran.stdout is not None
        assert ran.stdout.readline() == b"asked\n"
        ran.send_signal(signal.SIGINT)
        assert ran.wait(timeout=PATIENCE) == 130
        assert _errors(ran) == "interrupted\n"
    assert os.listdir(tmp_path) == ["people.csv"]


def test_another_signal_ends_the_search_at_once(tmp_path: Path) -> None:
    with start_search(tmp_path, "stopped()") as (ran, _):
        ran.send_signal(signal.SIGTERM)
        assert ran.wait(timeout=PATIENCE) == 143
    assert os.listdir(tmp_path) == ["people.csv"]
