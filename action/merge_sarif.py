"""Merge the SARIF files in a folder into one log with one run, and print it.

Code scanning rejects an upload with several runs of one tool. Duplicate results are removed.
"""

import json
import sys
from pathlib import Path
from typing import Any

from acompass.report.findings import log


def merge_logs(logs: list[dict[str, Any]]) -> dict[str, Any]:
    runs = [run for each in logs for run in each["runs"]]
    rules = {rule["id"]: rule for run in runs for rule in run["tool"]["driver"]["rules"]}
    results = {json.dumps(result, sort_keys=True): result for run in runs for result in run["results"]}
    return log(list(rules.values()), list(results.values()))


def main() -> None:
    files = sorted(Path(sys.argv[1]).glob("*.sarif"))
    logs = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    sys.stdout.write(json.dumps(merge_logs(logs), indent=2) + "\n")


if __name__ == "__main__":
    main()
