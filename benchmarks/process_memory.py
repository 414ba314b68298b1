"""Measure the peak memory of processes (Linux's VmHWM), which includes shared memory."""

from collections.abc import Iterator, Sequence
from pathlib import Path

GIB = 2**20  # in KiB, the unit of Linux


class Peaks:
    """The peaks of the processes `roots` and their descendants, as of the last `update`."""

    def __init__(self, roots: Sequence[int]) -> None:
        self._roots = roots
        self._found: dict[int, tuple[str, int]] = {}

    def update(self) -> None:
        for pid in (each for root in self._roots for each in _descendants(root)):
            status = _status(pid)
            if "VmHWM" in status:
                self._found[pid] = status["Name"], int(status["VmHWM"].split()[0])

    def largest(self, program: str) -> float:
        """The highest peak, in GiB, of a process whose name begins with `program`."""
        return max(kib for name, kib in self._found.values() if name.startswith(program)) / GIB


def _descendants(pid: int) -> Iterator[int]:
    yield pid
    for child in _read(Path(f"/proc/{pid}/task/{pid}/children")).split():
        yield from _descendants(int(child))


def _status(pid: int) -> dict[str, str]:
    lines = (line.partition(":") for line in _read(Path(f"/proc/{pid}/status")).splitlines())
    return {name: value.strip() for name, _, value in lines}


def _read(path: Path) -> str:
    """Return an empty text if the process has ended."""
    try:
        return path.read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""
