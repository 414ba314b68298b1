"""A real cluster gives the same result as the embedded engine, even if a worker is lost during the run."""

import json
import random
from pathlib import Path

import acompass
from tests.engines.spark_sessions import Cluster

POLICY = """
    EACH RESULT : Age <= 80 : REPLACE Age WITH 80;
    EACH PROCESS COUNT(*) AS Class Size GROUP BY Age, Zip : Class Size >= 4 : REJECT;
    EACH FILTER Zip = '7' : Income > 900000 : RANDOM Income 0 1000000;
    EACH PROCESS SUM(Income) AS Total GROUP BY Zip : Total < 99999999999;
    EACH RESULT : Income >= 0 : RANDOM Age 0 9;
    EACH RESULT : Income >= 20000 : REPLACE Income WITH 20000;
"""

#: after the first requirement, waits for a line of input, with intermediate results on both workers
DRIVER = """
import json, sys
import acompass
url, policy, table, output = sys.argv[1:]
def executors():
    from pyspark import SparkContext
    return SparkContext.getOrCreate()._jsc.sc().getExecutorMemoryStatus().size() - 1
asked = []
def progress(done, total):
    if not asked:
        asked.append(done)
        print(executors(), flush=True)
        sys.stdin.readline()
options = {"seed": "s", "order": "canonical", "output": output, "force": True, "progress": progress}
result = acompass.run(policy, table, engine=url, **options)
print(executors(), json.dumps([r.affected for r in result.requirements]), flush=True)
"""


def _table(folder: Path) -> str:
    chosen = random.Random(0)
    lines = [f"{chosen.randrange(100)},{chosen.randrange(30)},{chosen.randrange(10**6)}\n" for _ in range(20_000)]
    path = folder / "table.csv"
    path.write_text("Age,Zip,Income\n" + "".join(lines), encoding="utf-8")
    return str(path)


def test_a_lost_worker_changes_nothing(cluster: Cluster) -> None:
    table, expected, output = (
        _table(cluster.folder),
        cluster.folder / "expected.csv",
        cluster.folder / "out.csv",
    )
    alone = acompass.run(POLICY, table, seed="s", order="canonical", output=expected, force=True)
    affected = [requirement.affected for requirement in alone.requirements]
    assert all(count > 0 for count in affected[:3])
    driver = cluster.driver(DRIVER, POLICY, table, str(output))
    assert driver.stdin is not None
    assert driver.stdout is not None
    with driver:
        assert driver.stdout.readline() == "2\n", cluster.log("driver")
        cluster.lose(0)
        print(file=driver.stdin, flush=True)
        assert driver.stdout.readline() == f"1 {json.dumps(affected)}\n", cluster.log("driver")
    assert output.read_bytes() == expected.read_bytes()
