"""A signal ends a command whatever the engine does, and leaves no files (invariant 5)."""

import os
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest

from tests.waiting import PATIENCE, is_running, wait_until

#: each test starts a process
pytestmark = pytest.mark.slow

POLICY = "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;"

#: the command, with an engine that runs `{step}` forever while it writes
COMMAND = '''
import ctypes, logging, os, signal, sys, time
for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # background jobs ignore some
    signal.signal(each, signal.default_int_handler)
from acompass.cli import main
from acompass.engines.duckdb import output

def deadlock(library):
    """Acquire the same lock twice; unlike a sleep, no signal interrupts this."""
    lock = ctypes.create_string_buffer(256)
    library.pthread_mutex_init(lock, None)
    library.pthread_mutex_lock(lock)
    library.pthread_mutex_lock(lock)

def sleep_on():
    try:
        time.sleep(600)
    except KeyboardInterrupt:
        pass

def log_interrupt():
    try:
        time.sleep(600)
    except KeyboardInterrupt:
        logging.exception("as py4j does")
        raise

def stuck(con, output, part, path):
    with open(part, "w") as file:
        file.write("Age\\n36\\n")
    print(os.getpid(), flush=True)
    while True:
        {step}

def stuck_in_a_folder(part, path):
    os.mkdir(os.path.join(part, "Age=36"))
    stuck(None, None, os.path.join(part, "Age=36", "data_0.parquet"), path)

output._write = stuck
output.report_write_failures = stuck_in_a_folder
sys.argv = ["acompass", "run", "policy.acp", "-", *{output}]
main()
'''

WITHOUT_PYTHONS_LOCK = "deadlock(ctypes.CDLL(None))"
WITH_PYTHONS_LOCK = "deadlock(ctypes.PyDLL(None))"
SWALLOWING = "sleep_on()"
LOGGING = "log_interrupt()"
SLEEPING = "time.sleep(600)"


@contextmanager
def stuck_command(folder, step, output=("-o", "out.csv")):
    """Start a command that writes records to a hidden file and a temporary folder; yields it and its worker's id."""
    (folder / "policy.acp").write_text(POLICY)
    (folder / "temporary").mkdir()
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", COMMAND.format(step=step, output=output)],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder / "temporary")},
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
    ) as ran:
        try:
            ran.stdin.write(b"Age\n36\n")
            ran.stdin.close()
            worker = int(ran.stdout.readline())
            assert len(names(folder)) >= 5
            yield ran, worker
        finally:
            ran.kill()


def names(folder):
    return sorted(path.name for path in folder.rglob("*"))


@pytest.mark.parametrize("step", [WITHOUT_PYTHONS_LOCK, WITH_PYTHONS_LOCK, SWALLOWING, LOGGING])
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_stuck_engine(tmp_path, sign, step):
    with stuck_command(tmp_path, step) as (ran, _):
        ran.send_signal(sign)
        assert ran.wait(timeout=PATIENCE) == 128 + sign
        assert ran.stderr.read() == b"interrupted\n"
    assert names(tmp_path) == ["policy.acp", "temporary"]


@pytest.mark.parametrize("step", [WITHOUT_PYTHONS_LOCK, SLEEPING])
def test_unfinished_partitions_are_removed(tmp_path, step):
    with stuck_command(tmp_path, step, ("-o", "out/", "--partition", "Age")) as (ran, _):
        ran.send_signal(signal.SIGINT)
        assert ran.wait(timeout=PATIENCE) == 130
    assert names(tmp_path) == ["policy.acp", "temporary"]


def test_ctrl_c_in_both_processes_is_one_interrupt(tmp_path):
    with stuck_command(tmp_path, SLEEPING) as (ran, worker):
        os.kill(worker, signal.SIGINT)
        ran.send_signal(signal.SIGINT)
        assert ran.wait(timeout=PATIENCE) == 130
        assert ran.stderr.read() == b"interrupted\n"
    assert names(tmp_path) == ["policy.acp", "temporary"]


WHY = {
    signal.SIGKILL: "the command was killed, for example because the system ran out of memory; its temporary files "
    "were removed\nhelp: if memory ran out, set a limit such as `--memory-limit 2GiB`\n",
    signal.SIGSEGV: "the command crashed with SIGSEGV; its temporary files were removed\n",
}


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGSEGV])
def test_a_crash_leaves_nothing_behind(tmp_path, sign):
    with stuck_command(tmp_path, WITHOUT_PYTHONS_LOCK) as (ran, worker):
        os.kill(worker, sign)
        assert ran.wait(timeout=PATIENCE) == 128 + sign
        assert ran.stderr.read().decode() == WHY[sign]
    assert names(tmp_path) == ["policy.acp", "temporary"]


@pytest.mark.parametrize("step", [WITHOUT_PYTHONS_LOCK, SLEEPING])
def test_the_next_start_removes_what_is_left_if_both_processes_are_killed(tmp_path, step):
    """Of a copy of standard input and a hidden output: a start removes the copy, a start that writes there the rest."""
    with stuck_command(tmp_path, step) as (ran, worker):
        os.kill(ran.pid, signal.SIGSTOP)
        os.kill(worker, signal.SIGKILL)
        ran.kill()
        ran.wait(timeout=PATIENCE)
    assert len(names(tmp_path)) >= 5
    environment = {**os.environ, "TMPDIR": str(tmp_path / "temporary")}
    run = [sys.executable, "-m", "acompass", "run", "policy.acp", "-", "-o", "other.csv", "--quiet"]
    subprocess.run(run, cwd=tmp_path, env=environment, input=b"Age\n36\n", check=True)
    assert names(tmp_path) == ["other.csv", "policy.acp", "temporary"]


def test_killing_the_supervisor_of_a_stuck_command_ends_it(tmp_path):
    with stuck_command(tmp_path, WITHOUT_PYTHONS_LOCK) as (ran, worker):
        ran.kill()
        ran.wait(timeout=PATIENCE)
        wait_until(lambda: not is_running(worker))


def test_killing_the_supervisor_ends_its_command(tmp_path):
    with stuck_command(tmp_path, SLEEPING) as (ran, _):
        ran.kill()
        ran.wait(timeout=PATIENCE)
        wait_until(lambda: names(tmp_path) == ["policy.acp", "temporary"], lambda: str(names(tmp_path)))


def test_an_ignored_signal_stays_ignored(tmp_path):
    command = [sys.executable, "-m", "acompass", "run", "policy.acp", "-", "-o", "out.csv"]
    (tmp_path / "policy.acp").write_text(POLICY)
    (tmp_path / "temporary").mkdir()
    environment = {**os.environ, "TMPDIR": str(tmp_path / "temporary")}
    with subprocess.Popen(
        ["nohup", *command], cwd=tmp_path, env=environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    ) as ran:
        wait_until(lambda: any((tmp_path / "temporary").glob("acompass-*")))
        ran.send_signal(signal.SIGHUP)
        ran.communicate(b"Age\n36\n", timeout=PATIENCE)
    assert ran.returncode == 0
    assert (tmp_path / "out.csv").read_text() == "Age\n36\n"
