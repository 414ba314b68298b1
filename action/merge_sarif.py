"""Print the SARIF files of a folder as one log with one run.

Code scanning refuses an upload with several runs of one tool. A problem that several questions meet is shown once.
"""

import json
import sys
from pathlib import Path
from typing import Any


def merged(logs: list[dict[str, Any]]) -> dict[str, Any]:
    """The rules of all logs, and their results without repetitions."""
    runs = [run for log in logs for run in log["runs"]]
    rules = {rule["id"]: rule for run in runs for rule in run["tool"]["driver"]["rules"]}
    results = {json.dumps(result, sort_keys=True): result for run in runs for result in run["results"]}
    first = logs[0]
    driver = {**runs[0]["tool"]["driver"], "rules": list(rules.values())}
    run = {**runs[0], "tool": {"driver": driver}, "results": list(results.values())}
    return {**first, "runs": [run]}


def main() -> None:
    files = sorted(Path(sys.argv[1]).glob("*.sarif"))
    logs = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    sys.stdout.write(json.dumps(merged(logs), indent=2) + "\n")


if __name__ == "__main__":
    main()
