"""Measure the size of the package: `python -m tests.repo.house [ROOT]`, for this checkout or another."""

import argparse
import ast
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.repo.sources import ROOT, module_name

#: run a command in this process and print how many of our modules were imported, and in how many a function ran
_TRACE = """
import inspect, json, os, sys, threading
files = set()
def note(frame, event, argument):
    code = frame.f_code
    # not the bodies of modules and classes, which run on import, nor the comprehensions in them
    if event == "call" and code.co_flags & inspect.CO_OPTIMIZED and not code.co_name.startswith("<"):
        files.add(code.co_filename)
threading.setprofile(note)
sys.setprofile(note)
from acompass.cli.app import app
try:
    app(json.loads(sys.argv[1]), standalone_mode=False)
except SystemExit:
    pass
sys.setprofile(None)
ours = {name for name in sys.modules if name.partition(".")[0] == "acompass"}
ran = {name for name in ours if getattr(sys.modules[name], "__file__", None) in files}
print("\\n" + json.dumps([len(ours), len(ran)]))
"""
_TABLE = "Age,Zip\n31,1000\n31,1000\n42,2000\n"
_ONE = "EACH PROCESS COUNT(*) AS n GROUP BY Age : n >= 2 : REJECT;\n"


@dataclass(frozen=True)
class House:
    files: int
    lines: int
    median_lines: int
    longest: int
    #: without `__init__.py`
    under_40_lines: int
    #: imported by exactly one other module
    single_importer: int
    test_files: int
    run_quiet_imports: int
    run_quiet_runs: int
    check_imports: int
    check_runs: int


def measure_house(root: Path = ROOT) -> House:
    package = root / "src" / "acompass"
    lengths = {path: path.read_text(encoding="utf-8").count("\n") for path in package.rglob("*.py")}
    run, check = trace_commands(root)
    return House(
        files=len(lengths),
        lines=sum(lengths.values()),
        median_lines=int(statistics.median(lengths.values())),
        longest=max(lengths.values()),
        under_40_lines=len(short_modules(lengths)),
        single_importer=sum(1 for count in count_importers(package).values() if count == 1),
        test_files=len(list((root / "tests").rglob("*.py"))),
        run_quiet_imports=run[0],
        run_quiet_runs=run[1],
        check_imports=check[0],
        check_runs=check[1],
    )


def short_modules(lengths: dict[Path, int]) -> list[Path]:
    return [path for path, length in lengths.items() if length < 40 and path.name != "__init__.py"]


def count_importers(package: Path) -> Counter[str]:
    """For each module, the number of modules that import it or one of its names."""
    names = {module_name(path, package.parent): path for path in package.rglob("*.py")}
    importers: Counter[str] = Counter()
    for name, path in names.items():
        importers.update(_imports(path, names) - {name})
    return importers


def _imports(path: Path, names: dict[str, Path]) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            full = [f"{node.module}.{alias.name}" for alias in node.names]
            found.update(name if name in names else str(node.module) for name in full)
    return found & set(names)


def trace_commands(root: Path) -> tuple[list[int], list[int]]:
    """The modules imported and run by `run --quiet` of one requirement, and by `check` of the paper's eight."""
    electricity = root / "examples" / "electricity"
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "table.csv").write_text(_TABLE, encoding="utf-8")
        (Path(folder) / "one.acp").write_text(_ONE, encoding="utf-8")
        run = ["run", "one.acp", "table.csv", "-o", "out.csv", "--quiet"]
        paper = [str(electricity / "policy.acp"), str(electricity / "table.csv"), "--set", "k=2", "--set", "l=1"]
        counts = _trace(root, folder, run), _trace(root, folder, ["check", *paper])
        assert (Path(folder) / "out.csv").exists(), "the run wrote nothing"
        return counts


def _trace(root: Path, folder: str, command: list[str]) -> list[int]:
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    ran = subprocess.run(
        [sys.executable, "-c", _TRACE, json.dumps(command)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    counts: list[int] = json.loads(ran.stdout.splitlines()[-1])
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", nargs="?", type=Path, default=ROOT, help="default: this checkout")
    for name, value in asdict(measure_house(parser.parse_args().root.resolve())).items():
        print(f"{name.replace('_', ' '):24}{value:8,}")


if __name__ == "__main__":
    main()
