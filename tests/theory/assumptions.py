"""Writes theory/Assumptions.v, which prints what every theorem rests on.

`python -m tests.theory.assumptions`
"""

import re

from tests.theory.sources import THEORY, stated

PATH = THEORY / "Assumptions.v"
_HEAD = """(** What every theorem rests on: `make -C theory assumptions` prints "Closed under the global
    context" for each, so none rests on an axiom. `python -m tests.theory.assumptions` writes this file. *)
"""


def text() -> str:
    """In the order of compilation, so that the paper's theorems come before the prover's."""
    names = stated("Theorem", "Corollary")
    project = (THEORY / "_CoqProject").read_text(encoding="utf-8")
    modules = [
        module
        for module in re.findall(r"(\w+)\.v", project)
        if any(n.startswith(f"{module}.") for n in names)
    ]
    required = "".join(f"From Acompass Require {module}.\n" for module in modules)
    return _HEAD + required + "".join(_printed(module, names) for module in modules)


def _printed(module: str, names: set[str]) -> str:
    own = sorted(name for name in names if name.startswith(f"{module}."))
    return "\n" + "".join(f"Print Assumptions {name}.\n" for name in own)


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
