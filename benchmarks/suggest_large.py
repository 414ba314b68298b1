"""Suggest policies for 10 million records with a million combinations, which each engine counts and the search reads.
One goal also needs the values of `disease` in each combination."""

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb

from benchmarks.data import many_combinations
from benchmarks.process_memory import Peaks

RECORDS = 10_000_000
COLUMNS = ("age", "zip", "sex")
GOALS = {"k = 10": ("--k", "10"), "k = 10, l = 3": ("--k", "10", "--sensitive", "disease", "--l", "3")}
_CREATE = "CREATE TABLE people (id bigint, age bigint, zip text, aec bigint, sex text, disease text)"


@dataclass(frozen=True)
class Place:
    """A table in an engine."""

    table: str
    engine: tuple[str, ...] = ()  # options of the command
    server: int | None = None  # process id
    program: str | None = None  # name of the engine's processes; None if it runs in the command's process


@dataclass(frozen=True)
class SuggestRun:
    policy: str
    seconds: float
    peak: float  # GiB of the command
    engine_peak: float | None  # GiB of the engine's largest process


@contextmanager
def in_duckdb(file: str, _folder: Path) -> Iterator[Place]:
    yield Place(file)


@contextmanager
def in_spark(file: str, _folder: Path) -> Iterator[Place]:
    """In a Java process with two threads and Spark's default memory."""
    yield Place(file, ("--engine", "local[2]"), program="java")


@contextmanager
def in_postgres(file: str, folder: Path) -> Iterator[Place]:
    """In a new server, which is removed at the end."""
    import psycopg

    from tests.engines.postgres_server import running_server

    csv = folder / "people.csv"
    with duckdb.connect() as embedded:
        embedded.execute(f"COPY (FROM '{file}') TO '{csv}' (HEADER false)")
    with running_server() as server:
        with psycopg.connect(server.url("plain")) as con:
            con.execute(_CREATE)
            with con.cursor().copy("COPY people FROM STDIN (FORMAT csv)") as copy, csv.open("rb") as rows:
                while block := rows.read(1 << 20):
                    copy.write(block)
        csv.unlink()
        yield Place("people", ("--engine", server.url("plain")), server.pid, "postgres")


ENGINES: dict[str, Callable[[str, Path], AbstractContextManager[Place]]] = {
    "duckdb": in_duckdb,
    "postgres": in_postgres,
    "spark": in_spark,
}


def ask_engines(folder: Path, engines: list[str]) -> Iterator[tuple[str, str, SuggestRun]]:
    """Ask every engine for every goal. All engines must give the same policies."""
    file, policies = many_combinations(folder, RECORDS), dict[str, str]()
    for engine in engines:
        if engine == "spark" and shutil.which("java") is None:
            print("skipped: Spark needs Java", file=sys.stderr)
            continue
        with ENGINES[engine](file, folder) as place:
            for name, goal in GOALS.items():
                answer = _ask(place, goal, folder / "large.acp")
                assert policies.setdefault(name, answer.policy) == answer.policy, f"{engine} gives another policy"
                yield engine, name, answer


def size(folder: Path) -> str:
    """Describe the numbers of records and combinations."""
    file, columns = many_combinations(folder, RECORDS), ", ".join(COLUMNS)
    with duckdb.connect() as con:
        (found,) = con.execute(f"SELECT count(*) FROM (SELECT DISTINCT {columns} FROM '{file}')").fetchall()
    return f"{RECORDS:,} records, {found[0]:,} combinations"


def _ask(place: Place, goal: tuple[str, ...], policy: Path) -> SuggestRun:
    command = ("suggest", place.table, *place.engine, "--qi", ",".join(COLUMNS), *goal, "--lines", "15")
    started = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "acompass", *command, "-o", str(policy), "--json"],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        peaks = Peaks([process.pid, *([] if place.server is None else [place.server])])
        while process.poll() is None:
            peaks.update()
            time.sleep(0.1)
        assert process.stdout is not None
        report = process.stdout.read()
    seconds = time.perf_counter() - started
    assert process.returncode == 0, report
    assert json.loads(report)["records_in"] == RECORDS
    engine_peak = None if place.program is None else peaks.largest(place.program)
    return SuggestRun(policy.read_text(), seconds, peaks.largest("python"), engine_peak)
