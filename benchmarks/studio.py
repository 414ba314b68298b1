"""How long does the studio take to answer?

    python -m benchmarks.studio

Start the command as a user does, and send the page's requests in the page's order: after each edit the verdicts, and
then at the same time what the other panels show. Print a Markdown table; exit with 1 if a target is missed.
"""

import math
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle, islice
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
#: how often each edit is made and each page of rows is read
EDITS = 20
#: records that the grid asks for at once
PAGE = 100
#: seconds until the studio opens a table, and until all controls of a column are known after an edit
OPENED, CONTROLLED, PAGED, DETECTED = 5.0, 1.0, 0.3, 1.0


@dataclass(frozen=True)
class Row:
    table: str
    what: str
    seconds: list[float]
    target: float

    @property
    def percentile(self) -> float:
        """The 95th percentile: the shortest time that 95 of 100 answers do not exceed."""
        return sorted(self.seconds)[math.ceil(0.95 * len(self.seconds)) - 1]

    @property
    def is_met(self) -> bool:
        return self.percentile <= self.target

    def __str__(self) -> str:
        seconds = (f"{each:.2f} s" for each in (statistics.median(self.seconds), self.percentile, self.target))
        cells = (self.table, self.what, str(len(self.seconds)), *seconds, "yes" if self.is_met else "no")
        return f"| {' | '.join(cells)} |"


HEAD = """\
| table | answer | times | median | 95th percentile | target | met |
| --- | --- | --- | --- | --- | --- | --- |"""


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

    def edit(self, text: str, params: dict[str, str]) -> tuple[float, float]:
        """The seconds from an edit to its verdicts, and to the controls; the next edit is made after both."""
        edited = {"text": text, "params": params}
        with ThreadPoolExecutor(2) as others:
            start = time.perf_counter()
            found = self.ask("verdicts", **edited)
            judged = time.perf_counter() - start
            for name in ("diagnose", "proofs"):
                others.submit(self.ask, name, **edited)
            self.ask("refine/controls", **edited)
            controlled = time.perf_counter() - start
        assert found["verdicts"] is not None, found["diagnostics"]
        return judged, controlled

    def seconds_to_verdicts(self, text: str, params: dict[str, str] = PARAMS) -> float:
        return self.edit(text, params)[0]


@contextmanager
def start_studio(policy: Path, table: Path) -> Iterator[Page]:
    command = [sys.executable, "-m", "acompass", "studio", str(policy), str(table), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            yield Page(process.stdout.readline().strip())
        finally:
            process.send_signal(signal.SIGINT)


def measure_opening(policy: Path, file: Path, table: str) -> Row:
    """From the command to the page's first answer, with the start of Python and without that of the browser."""

    def open_once() -> None:
        with start_studio(policy, file) as page:
            page.ask("open")

    return Row(table, "the studio opens", [_seconds(open_once) for _ in range(3)], OPENED)


def _seconds(ask: Callable[[], Any]) -> float:
    start = time.perf_counter()
    ask()
    return time.perf_counter() - start


def measure_reading(page: Page, table: str) -> Iterator[Row]:
    records = page.ask("open")["opened"]["table"]["records"]
    seconds = [_seconds(lambda: page.ask("detect", reading={})) for _ in range(EDITS)]
    yield Row(table, "how the table can be read", seconds, DETECTED)
    for where, first in (("first", 0), ("deep", records - EDITS * PAGE)):
        pages = [first + number * PAGE for number in range(EDITS)]
        seconds = [_seconds(lambda at=at: page.ask("rows", first=at, count=PAGE)) for at in pages]
        yield Row(table, f"{PAGE} of its {where} rows", seconds, PAGED)


def measure_edits(page: Page, table: str, bound: tuple[str, str], target: float) -> Iterator[Row]:
    text = page.ask("open")["opened"]["policy"]["text"]
    page.edit(text, PARAMS)
    added = [text + f"EACH RESULT : sex != '{number}';\n" for number in range(200, 200 + EDITS)]
    changed = [text.replace(bound[0], f"{bound[1]}{number}") for number in range(40, 40 + EDITS)]
    assert changed[0] != text
    yield Row(table, "a line added", [page.seconds_to_verdicts(each) for each in added], target)
    yield Row(table, "a bound changed", [page.seconds_to_verdicts(each) for each in changed], target)
    params = [{**PARAMS, "k": str(number)} for number in range(6, 6 + EDITS)]
    yield Row(table, "k changed", [page.seconds_to_verdicts(text, each) for each in params], target)
    yield from measure_controls(page, table, text, target)


def measure_controls(page: Page, table: str, text: str, target: float) -> Iterator[Row]:
    """Move each control to each of its choices; each move starts from the policy as it was opened."""
    controls = page.ask("refine/controls", text=text, params=PARAMS)["controls"]
    choices = possible_choices(controls)
    moves = list(islice(cycle(choices), max(EDITS, len(choices))))
    seconds = [page.edit(apply_choice(text, controls, column, key), PARAMS) for column, key in moves]
    yield Row(table, "a control moved", [judged for judged, _ in seconds], target)
    yield Row(table, "then all controls known", [controlled for _, controlled in seconds], CONTROLLED)


def possible_choices(controls: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(control["column"], each["key"]) for control in controls for each in control["choices"] if each["edits"]]


def apply_choice(text: str, controls: list[dict[str, Any]], column: str, key: str) -> str:
    """The policies of this benchmark have no characters beyond the basic plane, so offsets are Python's."""
    (control,) = (each for each in controls if each["column"] == column)
    (choice,) = (each for each in control["choices"] if each["key"] == key)
    for edit in sorted(choice["edits"], key=lambda edit: -int(edit["from"])):
        text = text[: edit["from"]] + edit["insert"] + text[edit["to"] :]
    return text


def adult(folder: Path) -> Iterator[Row]:
    shutil.copytree(ADULT, folder / "adult")
    name, files = "Adult, 14 steps", (folder / "adult" / "policy.acp", folder / "adult" / "adult.csv.gz")
    yield measure_opening(*files, name)
    with start_studio(*files) as page:
        yield from measure_reading(page, name)
        yield from measure_edits(page, name, ("hours-per-week <= 60", "hours-per-week <= "), 0.3)


def million(folder: Path) -> Iterator[Row]:
    table, policy = Path(people(folder, MILLION)), folder / "people.acp"
    policy.write_text(PEOPLE, encoding="utf-8")
    csv = table.with_suffix(".csv")
    duckdb.sql(f"COPY (FROM '{table}') TO '{csv}'")
    for file in (table, csv):
        name = f"1M records, {file.suffix[1:]}, 5 steps"
        yield measure_opening(policy, file, name)
        with start_studio(policy, file) as page:
            yield from measure_reading(page, name)
            yield from measure_edits(page, name, ("age <= 80", "age <= "), 1.0)


def main() -> int:
    print(HEAD)
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
