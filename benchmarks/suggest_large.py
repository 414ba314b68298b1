"""10 million records with a million combinations: the engine counts them where the table is, the search is
here. The search also reads `disease`, so that it is asked for pairs of combinations and values too."""

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
    """A table where an engine finds it. `server` is the process of a server; `program` is the name of the
    processes that work for the engine, None where there are only ours."""

    table: str
    engine: tuple[str, ...] = ()
    server: int | None = None
    program: str | None = None


@dataclass(frozen=True)
class Asked:
    """Seconds and GiB of the command; `elsewhere` are GiB of the largest process of the engine."""

    policy: str
    seconds: float
    peak: float
    elsewhere: float | None


@contextmanager
def in_duckdb(file: str, _folder: Path) -> Iterator[Place]:
    yield Place(file)


@contextmanager
def in_spark(file: str, _folder: Path) -> Iterator[Place]:
    """In a Java process of two threads, with the memory that Spark takes if nobody says otherwise."""
    yield Place(file, ("--engine", "local[2]"), program="java")


@contextmanager
def in_postgres(file: str, folder: Path) -> Iterator[Place]:
    """In a server of its own, which is removed at the end."""
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


def asked(folder: Path, engines: list[str]) -> Iterator[tuple[str, str, Asked]]:
    """Every engine and goal. The policies must be the same for all engines."""
    file, policies = many_combinations(folder, RECORDS), dict[str, str]()
    for engine in engines:
        if engine == "spark" and shutil.which("java") is None:
            print("skipped: Spark needs Java", file=sys.stderr)
            continue
        with ENGINES[engine](file, folder) as place:
            for name, goal in GOALS.items():
                answer = _asked(place, goal, folder / "large.acp")
                assert policies.setdefault(name, answer.policy) == answer.policy, f"another policy: {engine}"
                yield engine, name, answer


def size(folder: Path) -> str:
    """How many records and combinations there are."""
    file, columns = many_combinations(folder, RECORDS), ", ".join(COLUMNS)
    with duckdb.connect() as con:
        (found,) = con.execute(f"SELECT count(*) FROM (SELECT DISTINCT {columns} FROM '{file}')").fetchall()
    return f"{RECORDS:,} records, {found[0]:,} combinations"


def _asked(place: Place, goal: tuple[str, ...], policy: Path) -> Asked:
    command = ("suggest", place.table, *place.engine, "--qi", ",".join(COLUMNS), *goal, "--lines", "15")
    started = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "acompass", *command, "-o", str(policy), "--json"],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        peaks = Peaks([process.pid, *([] if place.server is None else [place.server])])
        while process.poll() is None:
            peaks.look()
            time.sleep(0.1)
        assert process.stdout is not None
        said = process.stdout.read()
    seconds = time.perf_counter() - started
    assert process.returncode == 0, said
    assert json.loads(said)["records_in"] == RECORDS
    elsewhere = None if place.program is None else peaks.largest(place.program)
    return Asked(policy.read_text(), seconds, peaks.largest("python"), elsewhere)
