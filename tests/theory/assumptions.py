"""Writes theory/checker/Assumptions.v, which prints what the theorems of each file rest on.

`python -m tests.theory.assumptions`"""

import re
import textwrap

from tests.theory.sources import THEORY, stated

PATH = THEORY / "checker" / "Assumptions.v"
_HEAD = """(** What the theorems rest on, file by file: `make -C theory assumptions` prints "Closed under the
    global context" for each, so no theorem rests on an axiom. `python -m tests.theory.assumptions` writes
    this file. *)
"""


def modules() -> list[str]:
    """The files with theorems, in the order in which they are compiled."""
    project = (THEORY / "_CoqProject").read_text(encoding="utf-8")
    with_theorems = {name.partition(".")[0] for name in stated("Theorem", "Corollary")}
    return [module for module in re.findall(r"(\w+)\.v", project) if module in with_theorems]


def text() -> str:
    required = "".join(f"From Acompass Require {module}.\n" for module in modules())
    return _HEAD + required + "".join(map(_printed, modules()))


def _printed(module: str) -> str:
    """The theorems as one tuple: Coq then walks through what they have in common once."""
    own = sorted(name for name in stated("Theorem", "Corollary") if name.startswith(f"{module}."))
    listed = textwrap.fill(", ".join(f"@{name}" for name in own), 110, initial_indent="  ", subsequent_indent="  ")
    return f"\nDefinition theorems_of_{module} := (\n{listed}).\nPrint Assumptions theorems_of_{module}.\n"


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
