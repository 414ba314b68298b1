"""Compare `measure` with pycanon on its nine models: values and time.

    python benchmarks/measure_pycanon.py [--students PATH] [--sizes 10000,100000,1000000] [--limit SECONDS]

Print two Markdown tables. Times are CPU times, which other work on the machine hardly affects.
pycanon runs in a separate environment, .venv-pycanon, which is created if it does not exist.
Exit with 1 if a value differs for a reason that docs/pycanon.md does not give. Each of those reasons is
checked by computing pycanon's number with its own formula.
"""

import argparse
import csv
import gzip
import json
import math
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import venv
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
ADULT = ROOT / "examples" / "adult" / "adult.csv.gz"
ENVIRONMENT = ROOT / ".venv-pycanon"
PEER = "pycanon==1.3.6"
SEED = 20240607


@dataclass(frozen=True)
class Case:
    table: str
    qi: tuple[str, ...]
    sensitive: tuple[str, ...]


ADULT_CASES = (
    Case("Adult", ("age", "sex", "race"), ("income",)),
    Case("Adult", ("sex", "race"), ("income",)),
    Case("Adult", ("sex", "marital-status"), ("hours-per-week",)),
    Case("Adult", ("sex", "race"), ("income", "education-num")),
)
#: two classes of ten values each, every value once per class: entropy 10-diverse
BALANCED_CASES = (Case("balanced", ("class",), ("value",)), Case("balanced", ("class",), ("half",)))
STUDENT_CASES = (
    Case("students", ("Gender", "Ethnic"), ("Freeredu",)),
    Case("students", ("Gender", "Freeredu"), ("Score",)),
    Case("students", ("Teacher",), ("Gender", "Ethnic")),
)
#: a table with many small classes, and one with a few large ones
TIMED = (
    Case("Adult resampled", ("age", "sex", "race"), ("income",)),
    Case("synthetic", ("a", "b", "c"), ("s",)),
)


# --- pycanon, in a separate interpreter, so this part imports nothing from the project


def peer(path: str, qi: str, sensitive: str) -> None:
    import pandas
    from pycanon import anonymity

    data = pandas.read_csv(path, keep_default_na=False)
    columns = (data, qi.split(","), sensitive.split(","))
    started = time.process_time()
    found = {
        "k": anonymity.k_anonymity(*columns[:2]),
        "α": anonymity.alpha_k_anonymity(*columns)[0],
        "distinct l": anonymity.l_diversity(*columns),
        "entropy l": anonymity.entropy_l_diversity(*columns),
        "recursive c": anonymity.recursive_c_l_diversity(*columns)[0],
        "t": anonymity.t_closeness(*columns),
        "basic β": anonymity.basic_beta_likeness(*columns),
        "enhanced β": anonymity.enhanced_beta_likeness(*columns),
        "δ": anonymity.delta_disclosure(*columns),
    }
    seconds = time.process_time() - started
    json.dump({"seconds": seconds, "found": {model: float(value) for model, value in found.items()}}, sys.stdout)


def ask_peer(path: Path, case: Case, limit: int | None = None) -> dict[str, Any] | None:
    """None if pycanon takes more CPU time than the limit."""
    command = [
        ENVIRONMENT / "bin" / "python",
        __file__,
        "--peer",
        path,
        ",".join(case.qi),
        ",".join(case.sensitive),
    ]
    end = None if limit is None else partial(resource.setrlimit, resource.RLIMIT_CPU, (limit, limit))
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, preexec_fn=end)
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return None
    done.check_returncode()
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def make_environment() -> None:
    if not ENVIRONMENT.exists():
        venv.create(ENVIRONMENT, with_pip=True)
        subprocess.run([ENVIRONMENT / "bin" / "pip", "install", "-qq", PEER], check=True)


# --- agreement


def our_measures(path: Path, case: Case) -> dict[str, float | None]:
    """The worst value over the sensitive columns, as pycanon reports it."""
    from acompass import measure

    measures = measure(path, case.qi, case.sensitive)
    each = measures.sensitive
    enhanced = [column.enhanced_beta for column in each]
    return {
        "k": measures.k,
        "α": float(max(column.alpha for column in each)),
        "distinct l": min(column.distinct_l for column in each),
        "entropy l": min(column.entropy_l for column in each),
        "recursive c": float(max(column.recursive_c for column in each)),
        "t": float(max(column.t for column in each)),
        "basic β": float(max(column.basic_beta for column in each)),
        "enhanced β": None if None in enhanced else float(max(b for b in enhanced if b is not None)),
        "δ": max(column.delta for column in each),
    }


def explanation(model: str, value: float | None, theirs: float, path: Path, case: Case) -> str:
    """Why the two differ, if pycanon's formula reproduces pycanon's number; otherwise empty."""
    if value is not None and math.isclose(value, theirs, rel_tol=1e-9):
        return "equal"
    match model:
        case "entropy l":
            return "rounded down by floats" if value == theirs + 1 else ""
        case "recursive c":
            return "rarest value first, rounded up" if _same(recursive_as_peer(path, case), theirs) else ""
        case "enhanced β":
            return "largest bound, not β" if _same(enhanced_as_peer(path, case), theirs) else ""
        case _:
            return ""


def _same(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-9) or (math.isnan(one) and math.isnan(other))


def read_records(path: Path) -> list[dict[str, str]]:
    open_ = gzip.open if path.suffix == ".gz" else open
    with open_(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def class_counts(path: Path, case: Case, column: str) -> list[Counter[str]]:
    classes: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for record in read_records(path):
        classes[tuple(record[name] for name in case.qi)][record[column]] += 1
    return list(classes.values())


def recursive_as_peer(path: Path, case: Case) -> float:
    """pycanon sorts counts ascending, so its r₁ is the rarest value; undefined (nan) for l = 1."""
    columns = [class_counts(path, case, column) for column in case.sensitive]
    l_ = min(len(counts) for classes in columns for counts in classes)
    if l_ == 1:
        return math.nan
    ascending = [sorted(counts.values()) for classes in columns for counts in classes]
    return max(math.floor(counts[0] / sum(counts[l_ - 1 :]) + 1) for counts in ascending)


def enhanced_as_peer(path: Path, case: Case) -> float:
    """The largest min(β, −ln p): the bound for the rarest value, whether or not the table satisfies it."""
    bounds = []
    for column in case.sensitive:
        classes = class_counts(path, case, column)
        totals: Counter[str] = sum(classes, Counter())
        records = totals.total()
        gains = (n * records / (c.total() * totals[value]) - 1 for c in classes for value, n in c.items())
        bounds.append(min(max(gains), -math.log(min(totals.values()) / records)))
    return max(bounds)


def agreement(paths: dict[str, Path], cases: list[Case]) -> bool:
    print("| table | quasi-identifiers | sensitive | model | acompass | pycanon | |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    agrees = True
    for case in cases:
        path = paths[case.table]
        answer = ask_peer(path, case)
        assert answer is not None
        for model, value in our_measures(path, case).items():
            theirs = answer["found"][model]
            why = explanation(model, value, theirs, path, case)
            agrees &= bool(why)
            shown = "none" if value is None else f"{value:.10g}"
            where = f"{case.table} | {', '.join(case.qi)} | {', '.join(case.sensitive)}"
            print(f"| {where} | {model} | {shown} | {theirs:.10g} | {why or 'UNEXPLAINED'} |", flush=True)
    return agrees


# --- time


def write_rows(path: Path, header: list[str], rows: Any) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def make_table(case: Case, size: int, path: Path) -> None:
    chance = random.Random(SEED)
    if case.table == "synthetic":
        rows = ([chance.randrange(n) for n in (20, 25, 20)] + ["vwxyz"[chance.randrange(5)]] for _ in range(size))
        write_rows(path, ["a", "b", "c", "s"], rows)
        return
    people = read_records(ADULT)
    names = [*case.qi, *case.sensitive]
    write_rows(path, names, ([person[name] for name in names] for person in chance.choices(people, k=size)))


def our_seconds(path: Path, case: Case) -> float:
    """CPU time of all threads, best of three, on a data frame in memory, as for pycanon."""
    import pandas

    from acompass import measure

    data = pandas.read_csv(path, keep_default_na=False)
    times = []
    for _ in range(3):
        started = time.process_time()
        measure(data, case.qi, case.sensitive)
        times.append(time.process_time() - started)
    return min(times)


def compare_times(sizes: list[int], limit: int) -> None:
    print("\n| table | records | acompass, every measure | pycanon, nine models | ratio |")
    print("| --- | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        for case in TIMED:
            for size in sizes:
                path = Path(folder, "table.csv")
                make_table(case, size, path)
                mine, answer = our_seconds(path, case), ask_peer(path, case, limit)
                theirs = limit if answer is None else answer["seconds"]
                more = "> " if answer is None else ""
                ratio = f"{more}{theirs / mine:.0f}"
                print(f"| {case.table} | {size:,} | {mine:.2f} s | {more}{theirs:.1f} s | {ratio} |", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--students", type=Path, help="a CSV of students' scores; without it, its cases are skipped")
    parser.add_argument("--sizes", default="10000,100000,1000000")
    parser.add_argument("--limit", type=int, default=600, help="CPU seconds for pycanon on one table")
    parser.add_argument("--peer", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.peer:
        peer(*arguments.peer)
        return 0
    make_environment()
    with tempfile.TemporaryDirectory() as folder:
        paths = {"Adult": ADULT, "students": arguments.students, "balanced": Path(folder, "balanced.csv")}
        rows = [(each, value, "ab"[value % 2]) for each in "xy" for value in range(10)]
        write_rows(paths["balanced"], ["class", "value", "half"], rows)
        students = STUDENT_CASES if arguments.students else ()
        agrees = agreement(paths, [*BALANCED_CASES, *ADULT_CASES, *students])
    sizes = [int(size) for size in arguments.sizes.split(",") if size]
    if sizes:
        compare_times(sizes, arguments.limit)
    return 0 if agrees else 1


if __name__ == "__main__":
    sys.exit(main())
