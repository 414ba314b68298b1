"""The checker that is extracted from the theory, asked about many certificates in one process."""

import json
import subprocess
from collections.abc import Sequence
from typing import Any

from tests.theory.building import BUILD, made


def answers(certificates: Sequence[Any]) -> list[str]:
    """For each certificate a letter for each claim: `a` for accepted, `r` for refused."""
    made("verify")
    lines = "".join(f"{json.dumps(each)}\n" for each in certificates)
    finished = subprocess.run([BUILD / "verify"], input=lines, capture_output=True, text=True)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout.splitlines()
