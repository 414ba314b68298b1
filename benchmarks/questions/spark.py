"""What does a cluster cost for a table that fits on one machine?

One master and two workers run on this machine, each worker with one core, so that Spark has as many cores as
DuckDB in one process, plus the cost of distributing the work. Both read the same Parquet file and write Parquet.
"""

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

import acompass
from benchmarks.data import people
from benchmarks.policies import full
from benchmarks.question import Answer, Question, Setting, at_most, seconds
from tests.engines.spark_sessions import Cluster

_DRIVER = """
import json, sys, time
import acompass
url, policy, table, output = sys.argv[1:]
acompass.check("EACH PROCESS COUNT(*) AS n : n >= 0;", table, engine=url)
for _ in range(2):
    start = time.perf_counter()
    result = acompass.run(policy, table, engine=url, seed="s", output=output)
    print(json.dumps([time.perf_counter() - start, result.records_out]), flush=True)
"""


def _ask(setting: Setting) -> Answer | None:
    if shutil.which("java") is None:
        return None
    table, policy = people(setting.folder, setting.records), full()
    alone = str(setting.folder / "alone.parquet")
    embedded = min(seconds(lambda: acompass.run(policy, table, seed="s", output=alone, force=True)) for _ in range(2))
    with tempfile.TemporaryDirectory(prefix="acompass-cluster-") as folder:
        cluster = Cluster(Path(folder), memory="3g", java="-XX:+UseParallelGC")
        try:
            output = str(setting.folder / "spread.parquet")
            driver = cluster.driver(_DRIVER, policy, table, output)
            printed, _ = driver.communicate()
            if driver.returncode:
                raise subprocess.CalledProcessError(driver.returncode, "driver", stderr=cluster.said("driver"))
        finally:
            cluster.stop()
    runs = [json.loads(line) for line in printed.splitlines()]
    assert len({records for _, records in runs}) == 1
    spread = min(taken for taken, _ in runs)
    note = f"{setting.records:,} records; {spread:.1f} s after start-up, {embedded:.1f} s"
    return Answer(spread / embedded, "×", f"Spark on two workers of one core, DuckDB, {note}")


QUESTION = Question(
    "spark",
    "the full policy on a two-worker Spark cluster / on DuckDB, same machine",
    "≤ 20",
    at_most(20),
    _ask,
)
