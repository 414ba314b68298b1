"""The differential test at any length: `python -m tests.laws.differential --engine postgres --cases 20000`.

An engine is `duckdb`, `postgres` (starts a server whose databases collate text in dictionary order), `spark` (one in
each process), or any other value of `--engine` of the commands. Prints progress to standard error.

The cases are run in shares of 250, with consecutive seeds from `--seed`; every second share runs without rewrites of
the plan. So a campaign can be split: `--cases 10000 --seed 40` continues after `--cases 10000 --seed 0`."""

import argparse
import gc
import multiprocessing
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from multiprocessing.util import Finalize

from acompass.plan.planner import REWRITES
from acompass.testing.conformance.comparison import write_literate_test
from acompass.testing.conformance.differential import Report, conform
from tests.engines.postgres_server import running_server
from tests.engines.spark_sessions import local_spark

#: the number of cases that share a seed
_SHARE = 250
_HOTSPOT = "-XX:+UseSerialGC"


def main() -> int:
    options = _options()
    started = time.monotonic()
    reports = []
    with _shares(options) as shares:
        for share in as_completed(shares):
            reports.append(share.result())
            print(_summary(options.engine, reports, time.monotonic() - started), file=sys.stderr)
            if reports[-1].smallest is not None:
                print(write_literate_test(reports[-1].smallest), flush=True)
    print(_summary(options.engine, reports, time.monotonic() - started))
    return 0 if all(report.ok for report in reports) else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", default="duckdb")
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1, help="number of processes")
    return parser.parse_args()


@contextmanager
def _shares(options: argparse.Namespace) -> Iterator[list["Future[Report]"]]:
    # a fork would share the server's and Spark's connections
    processes, is_spark = multiprocessing.get_context("spawn"), options.engine == "spark"
    with (
        _url(options.engine) as url,
        # Spark keeps something of every query
        ProcessPoolExecutor(
            options.workers, processes, _prepare, (options.engine,), max_tasks_per_child=1 if is_spark else None
        ) as pool,
    ):
        starts = range(0, options.cases, _SHARE)
        yield [
            pool.submit(_share, url, min(_SHARE, options.cases - start), seed)
            for seed, start in enumerate(starts, options.seed)
        ]


@contextmanager
def _url(engine: str) -> Iterator[str]:
    if engine == "postgres":
        with running_server() as server:
            yield server.url("english")
    else:
        yield "local[2]" if engine == "spark" else engine


def _prepare(engine: str) -> None:
    gc.set_threshold(50_000, 20, 100)
    if engine == "spark":
        opened = ExitStack()
        opened.enter_context(local_spark(_HOTSPOT))
        Finalize(None, opened.close, exitpriority=1)


def _share(url: str, cases: int, seed: int) -> Report:
    return conform(url, cases, seed, rewrites=() if seed % 2 else REWRITES)


def _summary(engine: str, reports: list[Report], seconds: float) -> str:
    cases, differing = sum(r.cases for r in reports), sum(r.disagreements for r in reports)
    return f"{engine}: {cases:,} cases, {differing:,} disagreements, {seconds:.0f} s"


if __name__ == "__main__":
    sys.exit(main())
