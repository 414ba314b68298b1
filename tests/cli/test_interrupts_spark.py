"""A signal also ends the Java process that a command has started."""

import os
import signal
import subprocess
import sys

from tests.engines.spark_sessions import require_spark
from tests.waiting import PATIENCE, is_running, wait_until

COMMAND = """
import ctypes, os, sys
from pyspark import SparkContext
from acompass.cli import main
from acompass.engines.spark import output

def stuck(frame, parts, line_end):
    os.mkdir(parts)
    print(SparkContext._gateway.proc.pid, flush=True)
    lock, library = ctypes.create_string_buffer(256), ctypes.PyDLL(None)
    while True:  # the second call waits forever, and no signal interrupts it
        library.pthread_mutex_lock(lock)

output._write_text = stuck
sys.argv = ["acompass", "run", "policy.acp", "people.csv", "-o", "out.csv", "--engine", "local[1]"]
main()
"""


def test_java_ends_with_a_stuck_command(tmp_path):
    require_spark()
    (tmp_path / "policy.acp").write_text("EACH RESULT : Age <= 80 : REPLACE Age WITH 80;")
    (tmp_path / "people.csv").write_text("Age\n36\n")
    (tmp_path / "temporary").mkdir()
    environment = {**os.environ, "TMPDIR": str(tmp_path / "temporary")}
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", COMMAND], cwd=tmp_path, env=environment, stdout=pipe, stderr=pipe
    ) as ran:
        java = int(ran.stdout.readline())
        assert is_running(java)
        ran.send_signal(signal.SIGINT)
        assert ran.wait(timeout=PATIENCE) == 130
        assert ran.stderr.read() == b"interrupted\n"
    wait_until(lambda: not is_running(java))  # a killed process takes a moment to end
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["people.csv", "policy.acp", "temporary"]
