"""The peak memory of processes, as Linux counts it (VmHWM): memory shared with others is included."""

from collections.abc import Iterator, Sequence
from pathlib import Path

GIB = 2**20  # in KiB, the unit of Linux


class Peaks:
    """Of processes, those below these `roots` included, each as it was when last looked at."""

    def __init__(self, roots: Sequence[int]) -> None:
        self._roots = roots
        self._found: dict[int, tuple[str, int]] = {}

    def look(self) -> None:
        for pid in (each for root in self._roots for each in _family(root)):
            status = _status(pid)
            if "VmHWM" in status:
                self._found[pid] = status["Name"], int(status["VmHWM"].split()[0])

    def largest(self, program: str) -> float:
        """GiB of the process that took most, of those whose name begins so."""
        return max(kib for name, kib in self._found.values() if name.startswith(program)) / GIB


def _family(pid: int) -> Iterator[int]:
    yield pid
    for child in _read(Path(f"/proc/{pid}/task/{pid}/children")).split():
        yield from _family(int(child))


def _status(pid: int) -> dict[str, str]:
    lines = (line.partition(":") for line in _read(Path(f"/proc/{pid}/status")).splitlines())
    return {name: value.strip() for name, _, value in lines}


def _read(path: Path) -> str:
    """Nothing of a process that has ended."""
    try:
        return path.read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""
