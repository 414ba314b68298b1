"""Kill real runs at random moments, or let the disk run full, and search what is left for records of the input.

After each run, the output is the old one, a whole new one or none. After the next start, which writes another file to
the same folder, no value of the input is in the temporary, the output or the working folder, and no temporary file is
left. Every record of the input has a planted name, which no output contains.

python -m tests.promise.kills --runs 2000 --workers 2"""

import argparse
import csv
import gzip
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import openpyxl
import pyarrow.parquet

from tests.waiting import PATIENCE, is_running

PLANTED = "Zebulon Pike"
POLICY = "ALWAYS : DROP Name; EACH RESULT : Age <= 80 : REJECT;"
OLD_POLICY = "ALWAYS : DROP Name; EACH RESULT : Age <= 40 : REJECT;"
COMMAND = [sys.executable, "-m", "acompass"]
#: how the input is read: from a copy in UTF-8, of a sheet or of standard input, or directly
INPUTS = {
    "cp1252": ("people-cp1252.csv", "--encoding", "cp1252"),
    "workbook": ("people.xlsx",),
    "standard input": ("-",),
    "file": ("people.csv",),
}
OUTPUTS = ("out.csv", "out.csv.gz", "out.parquet", "out")
#: the bytes of the small file system: more than a run needs; a file leaves only some of it free
_DISK = 8 << 20
_FULL = "disk full"


@dataclass(frozen=True)
class Case:
    """One run: what it reads and writes, and how it is killed."""

    input: str
    output: str
    kill: str
    has_old: bool
    part: float  # how much of the usual time passes, or of the usual space is free, until it is killed

    def arguments(self, policy: str = "policy.acp") -> list[str]:
        table, *reading = INPUTS[self.input]
        partition = ["--partition", "Age"] if self.output == "out" else []
        return ["run", policy, table, *reading, "-o", f"output/{self.output}", "--replace", "--quiet", *partition]


def _kill_child(run: subprocess.Popen[bytes]) -> None:
    for child in _children(run.pid):
        os.kill(child, signal.SIGKILL)


def _kill_group(run: subprocess.Popen[bytes]) -> None:
    os.killpg(run.pid, signal.SIGKILL)


def _interrupt_group(run: subprocess.Popen[bytes]) -> None:
    """As Ctrl-C in a terminal does."""
    os.killpg(run.pid, signal.SIGINT)


KILLS: dict[str, Callable[[subprocess.Popen[bytes]], None]] = {
    "SIGKILL child": _kill_child,
    "SIGKILL parent": lambda run: run.send_signal(signal.SIGKILL),
    "SIGKILL group": _kill_group,
    "SIGTERM": lambda run: run.send_signal(signal.SIGTERM),
    "SIGINT": lambda run: run.send_signal(signal.SIGINT),
    "Ctrl-C": _interrupt_group,
    _FULL: lambda run: None,
}


def _children(process: int) -> list[int]:
    try:
        return [int(each) for each in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except OSError:
        return []


class Place:
    """A working folder with inputs, an output folder and a temporary folder, on a small disk if the system allows."""

    def __init__(self, folder: Path, records: int, stack: ExitStack):
        self.folder = folder
        self.output, self.temporary = folder / "output", folder / "temporary"
        self.has_disk = stack.enter_context(_small_disk(folder / "disk"))
        _write_inputs(folder, records)
        self._clean()
        self.seconds: dict[tuple[str, str], float] = {}
        self.expected = {each: self._rows(each, "policy.acp") for each in OUTPUTS}
        self.old = {each: self._keep_old(each) for each in OUTPUTS}
        for name in INPUTS:
            for output in OUTPUTS:
                start = time.monotonic()
                self._finish(Case(name, output, "", False, 0.0))
                self.seconds[name, output] = time.monotonic() - start

    def _rows(self, output: str, policy: str) -> list[tuple[str, ...]]:
        self._finish(Case("file", output, "", False, 0.0), policy)
        return read_rows(self.output / output)

    def _keep_old(self, output: str) -> list[tuple[str, ...]]:
        rows = self._rows(output, "old.acp")
        _move(self.output / output, self.folder / "old" / output)
        return rows

    def _finish(self, case: Case, policy: str = "policy.acp") -> None:
        with self._started(case, policy) as run:
            assert run.wait(PATIENCE) == 0, case

    @contextmanager
    def _started(self, case: Case, policy: str = "policy.acp") -> Iterator[subprocess.Popen[bytes]]:
        """A run in a session of its own, so that its group can be killed."""
        limit = None
        if case.kill == _FULL and not self.has_disk:
            size = int(case.part * (self.folder / "people.csv").stat().st_size)
            limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))  # noqa: E731
        with (
            open(self.folder / "people.csv", "rb") as given,
            subprocess.Popen(
                [*COMMAND, *case.arguments(policy)],
                cwd=self.folder,
                env={**os.environ, "TMPDIR": str(self.temporary), "TEMP": "", "TMP": ""},
                stdin=given,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                start_new_session=True,
                preexec_fn=limit,
            ) as run,
        ):
            yield run

    def kill(self, case: Case) -> tuple[str, list[str]]:
        """What became of the output, and the faults."""
        self._clean()
        if case.has_old:
            copy = shutil.copytree if case.output == "out" else shutil.copy
            copy(self.folder / "old" / case.output, self.output / case.output)
        if case.kill == _FULL and self.has_disk:
            self._fill_disk(case)
        with self._started(case) as run:
            if case.kill != _FULL:
                time.sleep(case.part * self.seconds[case.input, case.output])
            children = _children(run.pid)
            KILLS[case.kill](run)
            code, hung = _wait(run, children)
            assert run.stderr is not None
            said = b"" if hung else run.stderr.read()
        faults = ["hung"] * hung + ["record in a message"] * (PLANTED.encode() in said)
        was_killed = case.kill == "SIGKILL child" and code == 128 + signal.SIGKILL
        faults += ["no reason given"] * ((was_killed or (case.kill == _FULL and code != 0)) and not said)
        outcome = self._outcome(case, code)
        (self.folder / "disk" / "filler").unlink(missing_ok=True)
        faults += ["damaged output"] * (outcome == "damaged") + self._faults_after_next_start(case)
        return outcome, faults

    def _fill_disk(self, case: Case) -> None:
        """Leave only a part of what the copy of the input and the output need."""
        needed = 2 * (self.folder / "people.csv").stat().st_size
        free = shutil.disk_usage(self.folder / "disk").free
        with open(self.folder / "disk" / "filler", "wb") as file:
            file.write(b"\0" * max(0, free - int(case.part * needed)))

    def _outcome(self, case: Case, code: int) -> str:
        path = self.output / case.output
        if not path.exists():
            return "damaged" if case.has_old or code == 0 else "none"
        try:
            rows = read_rows(path)
        except Exception:  # a damaged file may fail in any way
            return "damaged"
        if rows == self.expected[case.output]:
            return "new"
        return "old" if case.has_old and code != 0 and rows == self.old[case.output] else "damaged"

    def _faults_after_next_start(self, case: Case) -> list[str]:
        """Start once more, and write another file to the same folder."""
        run = ["run", "policy.acp", "few.csv", "-o", "output/next.csv", "--quiet"]
        environment = {**os.environ, "TMPDIR": str(self.temporary), "TEMP": "", "TMP": ""}
        subprocess.run([*COMMAND, *run], cwd=self.folder, env=environment, check=True, timeout=PATIENCE)
        found = []
        for path in self.folder.rglob("*"):
            kept = path.relative_to(self.folder).parts[0]
            if kept in ("output", "temporary", "disk") and path.is_file() and PLANTED.encode() in _plain_bytes(path):
                found.append("record left")
        allowed = {self.output / "next.csv", self.output / case.output}
        left = [*self.temporary.iterdir(), *(each for each in self.output.iterdir() if each not in allowed)]
        left += [each for each in self.folder.iterdir() if each.name not in KEPT]
        for path in left:
            print(f"left: {path.name}", flush=True)  # names have an owner and no value
        return found + ["file left"] * bool(left)

    def _clean(self) -> None:
        """Empty the folders. They are on the small disk, so that either can be full."""
        for path in (self.output, self.temporary):
            path.unlink(missing_ok=True)
            target = self.folder / "disk" / path.name
            shutil.rmtree(target, ignore_errors=True)
            target.mkdir()
            path.symlink_to(target)


KEPT = {
    *("disk", "few.csv", "old", "old.acp", "output", "people-cp1252.csv", "people.csv", "people.xlsx", "policy.acp"),
    "temporary",
}


def _move(path: Path, target: Path) -> None:
    target.parent.mkdir(exist_ok=True)
    shutil.move(path, target)


@contextmanager
def _small_disk(folder: Path) -> Iterator[bool]:
    """Mount a file system of a few megabytes; False if that is not allowed, and runs limit the size of a file."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={_DISK}", "tmpfs", str(folder)]
    is_mounted = shutil.which("mount") is not None and subprocess.run(mount, capture_output=True).returncode == 0
    try:
        yield is_mounted
    finally:
        if is_mounted:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _write_inputs(folder: Path, records: int) -> None:
    (folder / "policy.acp").write_text(POLICY)
    (folder / "old.acp").write_text(OLD_POLICY)
    rows = [("Name", "Age", "City"), *((f"{PLANTED} {i}", str(i % 100), "Köln") for i in range(records))]
    for name, encoding in (("people.csv", "utf-8"), ("people-cp1252.csv", "cp1252")):
        with open(folder / name, "w", encoding=encoding, newline="") as file:
            csv.writer(file).writerows(rows)
    (folder / "few.csv").write_text("Name,Age,City\nAda,36,Bonn\n")
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    for row in rows:
        sheet.append(row)
    book.save(folder / "people.xlsx")


def _wait(run: subprocess.Popen[bytes], children: list[int]) -> tuple[int, bool]:
    """The exit code, and whether a process hangs. A child whose parent was killed ends by itself."""
    end = time.monotonic() + PATIENCE
    try:
        code = run.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, signal.SIGKILL)
        return run.wait(), True
    while not all(map(_has_ended, children)):
        if time.monotonic() > end:
            os.killpg(run.pid, signal.SIGKILL)
            return code, True
        time.sleep(0.01)
    return code, False


def _has_ended(process: int) -> bool:
    """Whether no thread is left. Until the last one has ended, the system keeps files open and locked, even if the
    first one already waits to be reaped."""
    try:
        threads = [int(each.name) for each in Path(f"/proc/{process}/task").iterdir()]
    except OSError:
        return True
    return not any(is_running(each) for each in threads)


def read_rows(path: Path) -> list[tuple[str, ...]]:
    """All records of an output, sorted, with the header first; raises if it is damaged."""
    if path.is_dir():
        files = sorted(path.rglob("*.parquet"))
        rows = [row for file in files for row in _parquet_rows(file)[1:]]
        return [*_parquet_rows(files[0])[:1], *sorted(rows)]
    if path.suffix == ".parquet":
        header, *rows = _parquet_rows(path)
    else:
        header, *rows = [tuple(row) for row in csv.reader(_text(path).splitlines())]
    return [header, *sorted(rows)]


def _parquet_rows(path: Path) -> list[tuple[str, ...]]:
    table = pyarrow.parquet.ParquetFile(path).read()
    columns = [map(str, column.to_pylist()) for column in table.columns]
    return [tuple(table.column_names), *zip(*columns, strict=True)]


def _text(path: Path) -> str:
    """The text of a CSV file, whose encoding is that of the input."""
    content = _plain_bytes(path)
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("cp1252")


def _plain_bytes(path: Path) -> bytes:
    content = path.read_bytes()
    try:
        return gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content
    except (EOFError, OSError):
        return content


def draw_case(chance: random.Random) -> Case:
    return Case(
        chance.choice(list(INPUTS)),
        chance.choice(OUTPUTS),
        chance.choice(list(KILLS)),
        chance.random() < 0.5,
        chance.random() * 1.1,
    )


def campaign(runs: int, seed: int = 0, records: int = 20_000, workers: int = 1, show: bool = False) -> Counter[str]:
    """Count what became of the outputs by the kind of kill, and the faults."""
    counts: Counter[str] = Counter()

    def work(worker: int) -> None:
        with ExitStack() as stack:
            place = Place(Path(stack.enter_context(tempfile.TemporaryDirectory())), records, stack)
            counts["small disk" if place.has_disk else "limited file size"] += 1
            chance = random.Random(f"{seed}:{worker}")
            for number in range(worker, runs, workers):
                case = draw_case(chance)
                outcome, faults = place.kill(case)
                counts[f"{case.kill}: {outcome}"] += 1
                for fault in faults:
                    counts[f"fault: {fault}"] += 1
                    print(f"run {number}: {fault}: {case}", flush=True)
                if show and number % 100 == 99:
                    print(f"{number + 1} runs", flush=True)

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(work, range(workers)))
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--records", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    for each in (signal.SIGINT, signal.SIGTERM):  # runs inherit ignored signals, as background jobs have them
        signal.signal(each, signal.default_int_handler)
    counts = campaign(options.runs, options.seed, options.records, options.workers, show=True)
    outcomes = ("none", "old", "new", "damaged")
    print("disk full:", "tmpfs" if counts["small disk"] else "RLIMIT_FSIZE")
    print(f"{'killed by':<15}", *(f"{each:>8}" for each in outcomes))
    for kill in KILLS:
        print(f"{kill:<15}", *(f"{counts[f'{kill}: {each}']:>8}" for each in outcomes))
    faults = {name: count for name, count in counts.items() if name.startswith("fault")}
    print("faults:", faults or 0)
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
