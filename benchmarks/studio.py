"""How long after an edit of the policy does the studio show its verdicts?

    python -m benchmarks.studio

Start the command as a user does, and send the page's requests: after each edit, diagnostics and verdicts at the
same time. Print a Markdown table; exit with 1 if a target is missed.
"""

import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import httpx

from benchmarks.data import people

ADULT = Path(__file__).parents[1] / "examples" / "adult"
PARAMS = {"k": "5", "l": "3"}
MILLION = 1_000_000
PEOPLE = """\
EACH RESULT : age <= 80 : REPLACE age WITH 80;
ALWAYS : GENERALIZE zip TO PREFIX OF 3;
EACH PROCESS COUNT(*) AS n GROUP BY age, zip, sex : n >= k : GENERALIZE age TO BANDS OF 10 THEN REJECT;
EACH PROCESS COUNT DISTINCT(disease) AS d GROUP BY age, zip, sex : d >= l : REJECT;
"""
#: repetitions of each edit: add a line at the end, change a bound, change a parameter
EDITS = 4


@dataclass(frozen=True)
class Row:
    table: str
    edit: str
    seconds: list[float]
    target: float

    @property
    def is_met(self) -> bool:
        return statistics.median(self.seconds) <= self.target

    def __str__(self) -> str:
        median, worst = statistics.median(self.seconds), max(self.seconds)
        verdict = "yes" if self.is_met else "no"
        cells = (self.table, self.edit, f"{median:.2f} s", f"{worst:.2f} s", f"{self.target} s", verdict)
        return f"| {' | '.join(cells)} |"


class Page:
    """Sends the page's requests, with its cookie."""

    def __init__(self, address: str):
        origin = address.partition("/?")[0]
        self._http = httpx.Client(base_url=origin, headers={"Origin": origin}, timeout=600)
        self._http.get(address)

    def ask(self, name: str, **body: Any) -> Any:
        answer = self._http.post(f"/api/{name}", json=body)
        answer.raise_for_status()
        return answer.json()

    def seconds_to_verdicts(self, text: str, params: dict[str, str]) -> float:
        """Also request diagnostics at the same time, as the page does."""
        with ThreadPoolExecutor(1) as other:
            start = time.perf_counter()
            other.submit(self.ask, "diagnose", text=text, params=params)
            found = self.ask("verdicts", text=text, params=params)
            seconds = time.perf_counter() - start
        assert found["verdicts"] is not None, found["diagnostics"]
        return seconds


@contextmanager
def start_studio(policy: Path, table: Path) -> Iterator[Page]:
    command = [sys.executable, "-m", "acompass", "studio", str(policy), str(table), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            yield Page(process.stdout.readline().strip())
        finally:
            process.send_signal(signal.SIGINT)


def measure_edits(page: Page, table: str, bound: tuple[str, str], target: float) -> Iterator[Row]:
    text = page.ask("open")["policy"]["text"]
    page.seconds_to_verdicts(text, PARAMS)
    added = [text + f"EACH RESULT : sex != '{number}';\n" for number in range(200, 200 + EDITS)]
    changed = [text.replace(bound[0], f"{bound[1]}{number}") for number in range(EDITS)]
    assert changed[0] != text
    yield Row(table, "a line added", [page.seconds_to_verdicts(each, PARAMS) for each in added], target)
    yield Row(table, "a bound changed", [page.seconds_to_verdicts(each, PARAMS) for each in changed], target)
    params = [{**PARAMS, "k": str(number)} for number in range(6, 6 + EDITS)]
    yield Row(table, "k changed", [page.seconds_to_verdicts(text, each) for each in params], target)


def adult(folder: Path) -> Iterator[Row]:
    shutil.copytree(ADULT, folder / "adult")
    with start_studio(folder / "adult" / "policy.acp", folder / "adult" / "adult.csv.gz") as page:
        yield from measure_edits(page, "Adult, 14 steps", ("hours-per-week <= 60", "hours-per-week <= 5"), 0.3)


def million(folder: Path) -> Iterator[Row]:
    table, policy = Path(people(folder, MILLION)), folder / "people.acp"
    policy.write_text(PEOPLE, encoding="utf-8")
    csv = table.with_suffix(".csv")
    duckdb.sql(f"COPY (FROM '{table}') TO '{csv}'")
    for file in (table, csv):
        with start_studio(policy, file) as page:
            yield from measure_edits(page, f"1M records, {file.suffix[1:]}, 5 steps", ("age <= 80", "age <= 7"), 1.0)


def main() -> int:
    print("| table | edit | median | worst | target | met |\n| --- | --- | --- | --- | --- | --- |")
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for question in (adult, million):
            rows += _print_rows(question(Path(folder)))
    return 0 if all(row.is_met for row in rows) else 1


def _print_rows(rows: Iterator[Row]) -> Sequence[Row]:
    found = []
    for row in rows:
        print(row, flush=True)
        found.append(row)
    return found


if __name__ == "__main__":
    sys.exit(main())
