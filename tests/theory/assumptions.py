"""Write theory/checker/Assumptions.v, which prints the assumptions of the theorems of each file.

`python -m tests.theory.assumptions`"""

import argparse
import re
import textwrap

from tests.theory.sources import THEORY, statements

PATH = THEORY / "checker" / "Assumptions.v"
_HEAD = """(** What the theorems rest on, file by file: `make -C theory assumptions` prints "Closed under the
    global context" for each, so no theorem rests on an axiom. `python -m tests.theory.assumptions` writes
    this file. *)
"""


def modules() -> list[str]:
    """The files with theorems, in the order in which they are compiled."""
    project = (THEORY / "_CoqProject").read_text(encoding="utf-8")
    with_theorems = {name.partition(".")[0] for name in statements("Theorem", "Corollary")}
    return [module for module in re.findall(r"(\w+)\.v", project) if module in with_theorems]


def text() -> str:
    required = "".join(f"From Acompass Require {module}.\n" for module in modules())
    return _HEAD + required + "".join(map(_print_assumptions, modules()))


def _print_assumptions(module: str) -> str:
    """Print the assumptions of all theorems as one tuple, so that Coq visits shared dependencies only once."""
    own = sorted(name for name in statements("Theorem", "Corollary") if name.startswith(f"{module}."))
    listed = textwrap.fill(", ".join(f"@{name}" for name in own), 110, initial_indent="  ", subsequent_indent="  ")
    return f"\nDefinition theorems_of_{module} := (\n{listed}).\nPrint Assumptions theorems_of_{module}.\n"


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    PATH.write_text(text(), encoding="utf-8")
