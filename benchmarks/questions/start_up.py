"""How long do short commands take, compared with a Python that does nothing, or that asks DuckDB for one row?

The times are wall-clock times of the console script, medians of runs that alternate with those of the peer.
"""

import compileall
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import acompass
from benchmarks.question import Answer, Question, Setting, at_most, median_ratio, seconds

_EXAMPLE = Path(__file__).parents[2] / "examples" / "electricity"
_POLICY, _TABLE = str(_EXAMPLE / "policy.acp"), str(_EXAMPLE / "table.csv")
_TEN_RECORDS = [_POLICY, _TABLE, "--set", "k=2", "--set", "l=1"]
_NOTHING = "pass"
_ONE_ROW = "import duckdb; duckdb.sql('select 1').fetchall()"
_TIMES = 25
_FEW, _MANY = 5_000, 50_000
_FOUR_RECORDS = "zip\n10000001\n10000002\n10000003\n1\n"


def _command(*arguments: str) -> list[str]:
    return [str(Path(sys.executable).with_name("acompass")), *arguments]


def _run(command: Sequence[str], folder: str | Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, check=False)
    assert done.returncode in (0, 1), command


def _compile() -> None:
    """As in a user's installation: pip compiles installed packages, but not an editable clone."""
    compileall.compile_dir(str(Path(acompass.__file__).parent), quiet=1)


def _compare(arguments: Sequence[str], peer: str) -> Answer:
    _compile()
    with tempfile.TemporaryDirectory() as folder:
        value = median_ratio(
            lambda: _run(_command(*arguments), folder),
            lambda: _run([sys.executable, "-c", peer], folder),
            _TIMES,
        )
    return Answer(value, "×", f'`python -c "{peer}"`, wall clock, medians of {_TIMES} runs')


CHECK = Question(
    "start-check",
    "`acompass check` of the paper's ten records / DuckDB's `select 1`",
    "≤ 2.0",
    at_most(2.0),
    lambda _: _compare(["check", *_TEN_RECORDS], _ONE_ROW),
)
RUN = Question(
    "start-run",
    "`acompass run` of the paper's ten records / DuckDB's `select 1`",
    "≤ 2.0",
    at_most(2.0),
    lambda _: _compare(["run", *_TEN_RECORDS, "-o", "released.csv", "--seed", "benchmark", "--force"], _ONE_ROW),
)
VERSION = Question(
    "start-version",
    "`acompass --version` / a Python that does nothing",
    "≤ 3",
    at_most(3),
    lambda _: _compare(["--version"], _NOTHING),
)
FMT = Question(
    "start-fmt",
    "`acompass fmt` of the paper's policy / a Python that does nothing",
    "≤ 8",
    at_most(8),
    lambda _: _compare(["fmt", "--check", _POLICY], _NOTHING),
)


def _ask_constants(_setting: Setting) -> Answer:
    _compile()
    with tempfile.TemporaryDirectory() as folder:
        for number in (_FEW, _MANY):
            constants = ", ".join(f"'{10_000_000 + each}'" for each in range(number))
            Path(folder, f"{number}.acp").write_text(f"EACH RESULT : zip IN ({constants});\n", encoding="utf-8")
        Path(folder, "table.csv").write_text(_FOUR_RECORDS, encoding="utf-8")
        few, many = (_command("check", f"{number}.acp", "table.csv", "--quiet") for number in (_FEW, _MANY))
        value = median_ratio(lambda: _run(many, folder), lambda: _run(few, folder), 5)
        longest = seconds(lambda: _run(many, folder))
    return Answer(
        value, "×", f"ours, {_MANY:,} against {_FEW:,} constants, four records; {longest:.1f} s for {_MANY:,}"
    )


CONSTANTS = Question("constants", "time at ten times the constants of an `IN`", "≤ 12", at_most(12), _ask_constants)

QUESTIONS = (CHECK, RUN, VERSION, FMT, CONSTANTS)
