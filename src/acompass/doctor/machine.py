"""What the machine gives acompass: temporary space, memory, processors, an encoding, Java for Spark."""

import os
import re
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from acompass.health import Finding, State
from acompass.leftovers import temporary_folder

_GB = 10**9
_GIB = 2**30
#: the limits of containers, of Linux's first and second control groups
_CONTAINER_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)
#: the oldest Java that Spark 4 runs on
_LEAST_JAVA = 17
_PATIENCE = 60


def machine(has_spark: bool) -> tuple[Finding, ...]:
    found = (temporary_space(), memory(), processors(), encoding())
    return (*found, java()) if has_spark else found


def temporary_space() -> Finding:
    """Free space is told as a class, and the folder not at all."""
    name = "temporary files"
    try:
        with temporary_folder() as folder:
            Path(folder, "file").write_bytes(b"\0" * 4096)
            free = shutil.disk_usage(folder).free
    except OSError:
        return Finding(name, State.BROKEN, "cannot be written", "set TMPDIR to a folder with free space")
    return Finding(name, State.WORKS, f"{_space_class(free)} free")


def _space_class(free: int) -> str:
    if free < _GB:
        return "less than 1 GB"
    least = max(bound for bound in (1, 10, 100) if free >= bound * _GB)
    return f"more than {least} GB"


def memory() -> Finding:
    physical, limit = _physical_memory(), _memory_limit()
    if physical is None:
        return Finding("memory", State.WORKS, "of unknown size")
    if limit is None or limit >= physical:
        return Finding("memory", State.WORKS, _gib(physical))
    return Finding("memory", State.WORKS, f"{_gib(limit)} for this process, of {_gib(physical)}")


def _gib(size: int) -> str:
    return f"{size / _GIB:.1f} GiB"


def _physical_memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows has no sysconf
        return None


def _memory_limit() -> int | None:
    """The strictest of the container's limits and the process's own."""
    limits = []
    for path in _CONTAINER_LIMITS:
        with suppress(OSError, ValueError):  # no such file, or `max`
            limits.append(int(path.read_text(encoding="ascii")))
    with suppress(ImportError):  # Windows
        import resource

        limits.append(resource.getrlimit(resource.RLIMIT_AS)[0])
    return min((limit for limit in limits if limit > 0), default=None)


def processors() -> Finding:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return Finding("processors", State.WORKS, str(usable or "of unknown number"))


def encoding() -> Finding:
    name = (getattr(sys.stdout, "encoding", None) or "unknown").lower()
    lacks = "" if name.startswith("utf") else ", other characters are escaped"
    return Finding("encoding", State.WORKS, name + lacks)


def java() -> Finding:
    """The Java that Spark would start."""
    advice = f"install Java {_LEAST_JAVA} or later, or remove pyspark"
    found = _java_version()
    if found is None:
        return Finding("java", State.BROKEN, "Spark needs it, and none answers", advice)
    if int(found.split(".")[0]) < _LEAST_JAVA:
        return Finding("java", State.BROKEN, f"{found}: too old for Spark", advice)
    return Finding("java", State.WORKS, found)


def _java_version() -> str | None:
    home = os.environ.get("JAVA_HOME")
    program = os.path.join(home, "bin", "java") if home else "java"
    try:
        ran = subprocess.run(
            [program, "-version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=_PATIENCE
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(rb'version "(\d+(?:\.\d+)*)', ran.stderr)
    return found[1].decode() if found and ran.returncode == 0 else None
