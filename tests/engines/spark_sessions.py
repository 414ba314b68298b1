"""Real Spark for the tests: a session in this process, and a cluster of separate processes."""

import importlib.util
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import pytest

from tests.waiting import wait_until

#: on small tables, compiling and planning take most of the time; these settings reduce both
_QUICK = {
    "spark.default.parallelism": "2",
    "spark.driver.memory": "1g",
    "spark.log.level": "OFF",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
_LIGHT = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def require_spark() -> None:
    if importlib.util.find_spec("pyspark") is None:
        pytest.skip("pyspark is not installed; `make test-engines` installs it")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java 17 or later")


def _folders(folder: Path, java: str = _LIGHT) -> dict[str, str]:
    """Settings that keep Spark's files out of the folder in which the tests run."""
    return {
        "spark.driver.extraJavaOptions": f"-Djava.io.tmpdir={folder} {java}",
        "spark.local.dir": str(folder),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
    }


@contextmanager
def local_spark(java: str = _LIGHT) -> Iterator[Any]:
    """A session on `local[2]`; in this process, the engine `local[2]` then uses it."""
    from pyspark.sql import SparkSession

    folder = Path(tempfile.mkdtemp(prefix="acompass-spark-"))
    builder = SparkSession.builder.master("local[2]")
    for name, value in {**_QUICK, **_folders(folder, java)}.items():
        builder = builder.config(name, value)
    with warnings.catch_warnings():
        # pyspark warns about the newest pandas, but we do not use pandas with it
        warnings.simplefilter("ignore", FutureWarning)
        session = builder.getOrCreate()
    yield session
    session.stop()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    require_spark()
    with local_spark() as session:
        yield session


class Cluster:
    """One master and two workers on the loopback interface, each in a separate process."""

    def __init__(self, folder: Path, memory: str = "512m", java: str = _LIGHT):
        self.folder = folder
        self._memory = memory
        self._java = java
        self._processes: list[subprocess.Popen[Any]] = []
        self._logs: list[TextIO] = []
        self.url = self._start_master()
        self.workers = [self._start_worker(number) for number in (1, 2)]

    def _start(self, name: str, *command: str) -> subprocess.Popen[bytes]:
        import pyspark

        home = Path(pyspark.__file__).parent
        log = (self.folder / f"{name}.log").open("w")
        self._logs.append(log)
        environment = {
            **os.environ,
            "SPARK_HOME": str(home),
            "SPARK_LOCAL_DIRS": str(self.folder),
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": f"-Djava.io.tmpdir={self.folder} -XX:+UseSerialGC",
            "PYSPARK_PYTHON": sys.executable,
        }
        process = subprocess.Popen(
            [str(home / "bin" / "spark-class"), *command],
            stdout=log, stderr=log, env=environment, cwd=self.folder, start_new_session=True,
        )  # fmt: skip
        self._processes.append(process)
        return process

    def _start_master(self) -> str:
        port = _free_port()
        master = "org.apache.spark.deploy.master.Master"
        options = ("--host", "127.0.0.1", "--port", str(port), "--webui-port", str(_free_port()))
        self._start("master", master, *options)
        self._await("master", "I have been elected leader", 1)
        return f"spark://127.0.0.1:{port}"

    def _start_worker(self, number: int) -> subprocess.Popen[bytes]:
        worker = "org.apache.spark.deploy.worker.Worker"
        folder = str(self.folder / f"worker{number}")
        limits = ("--cores", "1", "--memory", "4g", "--work-dir", folder)
        options = ("--host", "127.0.0.1", "--webui-port", str(_free_port()))
        process = self._start(f"worker{number}", worker, *options, *limits, self.url)
        self._await("master", "Registering worker", number)
        return process

    def _await(self, name: str, words: str, times: int) -> None:
        wait_until(
            lambda: len(re.findall(words, self.log(name))) >= times,
            lambda: f"{name} does not start:\n{self.log(name)}",
        )

    def driver(self, script: str, *arguments: str) -> "subprocess.Popen[str]":
        """A Python process that uses the cluster. Its stderr is a file: a full pipe would block it."""
        settings = {
            **_folders(self.folder),
            "spark.driver.host": "127.0.0.1",
            "spark.driver.memory": "512m",
            "spark.executor.extraJavaOptions": f"-Djava.io.tmpdir={self.folder} {self._java}",
            "spark.executor.memory": self._memory,
            "spark.scheduler.minRegisteredResourcesRatio": "1.0",
            "spark.sql.shuffle.partitions": "4",
        }
        options = [word for name, value in settings.items() for word in ("--conf", f'"{name}={value}"')]
        log = (self.folder / "driver.log").open("w")
        self._logs.append(log)
        process = subprocess.Popen(
            [sys.executable, "-c", script, self.url, *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, cwd=self.folder,
            env={**os.environ, "PYSPARK_SUBMIT_ARGS": " ".join([*options, "pyspark-shell"])},
        )  # fmt: skip
        self._processes.append(process)
        return process

    def lose(self, worker: int) -> None:
        """Kill the worker; the processes that it started notice this and end."""
        self.workers[worker].kill()
        self.workers[worker].wait()

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def stop(self) -> None:
        for process in reversed(self._processes):
            process.kill()
            process.wait()
        for log in self._logs:
            log.close()


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    require_spark()
    folder = Path(tempfile.mkdtemp(prefix="acompass-cluster-"))
    running = Cluster(folder)
    yield running
    running.stop()
    shutil.rmtree(folder, ignore_errors=True)
