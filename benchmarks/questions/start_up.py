"""Does a check of ten records take only a little longer than importing its libraries?"""

import compileall
import subprocess
import sys
from pathlib import Path

import acompass
from benchmarks.question import Answer, Question, Setting, at_most, ratio

_EXAMPLE = Path(__file__).parents[2] / "examples" / "electricity"
_IMPORTS = "import duckdb, ibis"


def _ask(setting: Setting) -> Answer:
    # as in a user's installation: pip compiles installed packages, but not an editable clone
    compileall.compile_dir(str(Path(acompass.__file__).parent), quiet=1)
    command = Path(sys.executable).with_name("acompass")
    check = [
        *(str(command), "check", str(_EXAMPLE / "policy.acp"), str(_EXAMPLE / "table.csv")),
        *("--set", "k=2", "--set", "l=1"),
    ]
    value = ratio(lambda: _run(check, (0, 1)), lambda: _run([sys.executable, "-c", _IMPORTS], (0,)), times=9)
    return Answer(value, "×", f'`python -c "{_IMPORTS}"`, wall clock')


def _run(command: list[str], codes: tuple[int, ...]) -> None:
    done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    assert done.returncode in codes, command


QUESTION = Question(
    "start-up",
    "`acompass check` on the paper's ten records / importing DuckDB and Ibis",
    "≤ 1.6",
    at_most(1.6),
    _ask,
)
