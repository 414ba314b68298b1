"""Spark shows the key of PSEUDONYM and SHIFT neither in a plan nor in an event log (X15)."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import acompass
from acompass.language.program.keys import Key
from tests.engines.spark_sessions import require_spark
from tests.promise.key_search import KEY, NEEDLES

POLICY = "ALWAYS : SHIFT day BY name WITHIN 30 DAYS; ALWAYS : PSEUDONYM name;"


def test_the_key_is_in_no_plan(spark: Any) -> None:
    table = spark.createDataFrame([("Ann", "2024-03-01"), ("Bob", "2024-04-01")], "name string, day string")
    result = acompass.run(POLICY, table, key=KEY)
    assert {row["name"] for row in result.table.collect()} == {
        Key(KEY.encode()).pseudonym(name) for name in ("Ann", "Bob")
    }
    execution = result.table._jdf.queryExecution()
    shown = execution.toString() + execution.stringWithStats() + execution.analyzed().toJSON()
    assert "inner_pad" in shown
    assert [needle for needle in NEEDLES if needle in shown] == []


def test_the_key_is_in_no_event_log(tmp_path: Path) -> None:
    require_spark()
    (tmp_path / "events").mkdir()
    settings = {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": (tmp_path / "events").as_uri(),
        "spark.eventLog.compress": "false",
        "spark.local.dir": str(tmp_path / "local"),
        "spark.sql.maxMetadataStringLength": "100000",
        "spark.sql.debug.maxToStringFields": "1000",
    }
    (tmp_path / "spark-defaults.conf").write_text("".join(f"{name} {value}\n" for name, value in settings.items()))
    (tmp_path / "policy.acp").write_text(POLICY)
    (tmp_path / "people.csv").write_text("name,day\nAnn,2024-03-01\nBob,2024-04-01\n")
    call = [
        sys.executable,
        "-m",
        "acompass",
        "run",
        "policy.acp",
        "people.csv",
        "-o",
        "out.csv",
        "--engine",
        "local[1]",
    ]
    environment = {**os.environ, "ACOMPASS_KEY": KEY, "SPARK_CONF_DIR": str(tmp_path)}
    ran = subprocess.run(call, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert Key(KEY.encode()).pseudonym("Ann") in (tmp_path / "out.csv").read_text()
    events = "".join(path.read_text() for path in (tmp_path / "events").rglob("*") if path.is_file())
    assert "inner_pad" in events, "the log has the plans of the run"
    assert [needle for needle in NEEDLES if needle in events + ran.stdout + ran.stderr] == []
