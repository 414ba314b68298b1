"""The differential test at any length: `python -m tests.laws.differential --engine postgres --cases 20000`.

An engine is `duckdb`, `postgres` (a server of our own, whose database orders text as dictionaries do), or
what `--engine` of the commands takes. Half of the cases run without the rewrites of the plan.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from acompass.conformance.literate import literate
from acompass.conformance.run import Report, conform
from tests.engines.postgres_server import running_server


def main() -> int:
    options = _options()
    started = time.monotonic()
    with _url(options.engine) as url:
        half = options.cases // 2
        reports = [conform(url, options.cases - half, options.seed)]
        if half:
            reports.append(conform(url, half, options.seed + 1, rewrites=()))
    print(_summary(options.engine, reports, time.monotonic() - started))
    return 0 if all(report.ok for report in reports) else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", default="duckdb")
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


@contextmanager
def _url(engine: str) -> Iterator[str]:
    if engine != "postgres":
        yield engine
        return
    with running_server() as server:
        yield server.url("english")


def _summary(engine: str, reports: list[Report], seconds: float) -> str:
    cases, differing = sum(r.cases for r in reports), sum(r.disagreements for r in reports)
    lines = [f"{engine}: {cases:,} cases, {differing:,} disagreements, {seconds:.0f} s"]
    lines += [literate(report.smallest) for report in reports if report.smallest is not None]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
