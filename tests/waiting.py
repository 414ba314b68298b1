"""Waiting for other processes and threads: until something happens, never for a fixed time.

A busy machine is slow, so the limits are far above any time ever seen; a test that reaches one has hung."""

import time
from collections.abc import Callable
from pathlib import Path

#: seconds until another process must have started, answered or ended
PATIENCE = 240


def wait_until(happened: Callable[[], object], explain: Callable[[], str] = lambda: "") -> None:
    end = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < end, explain()
        time.sleep(0.02)


def is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state.rpartition(")")[2].split()[0] != "Z"
