"""Does the full policy stay within its memory limit on a table that does not fit in memory? Needs BIG=1."""

import resource
import subprocess
import sys

from benchmarks.data import people
from benchmarks.policies import full
from benchmarks.question import Answer, Question, Setting, at_most

RECORDS = 100_000_000
LIMIT = "2GiB"


def _ask(setting: Setting) -> Answer | None:
    if not setting.big:
        return None
    table = people(setting.folder, RECORDS)
    policy = setting.folder / "full.acp"
    policy.write_text(full())
    command = [
        *(sys.executable, "-m", "acompass", "run", str(policy), table),
        *(
            "-o",
            str(setting.folder / "ours.parquet"),
            "--seed",
            "benchmark",
            "--memory-limit",
            LIMIT,
            "--quiet",
        ),
    ]
    subprocess.run(command, check=True)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
    return Answer(peak, "GiB", f"peak of `acompass run --memory-limit {LIMIT}`, {RECORDS:,} records")


QUESTION = Question(
    "memory",
    f"peak memory of the full policy at {RECORDS:,} records under {LIMIT}",
    "≤ 3 GiB",
    at_most(3),
    _ask,
)
