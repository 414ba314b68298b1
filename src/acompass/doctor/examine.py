"""Examine an installation: everything that `acompass doctor` tells."""

import platform
from collections.abc import Callable, Sequence
from itertools import count

from acompass.doctor import libraries
from acompass.doctor.engines import answers
from acompass.doctor.files import installed_files
from acompass.doctor.machine import machine
from acompass.doctor.needs import needs
from acompass.health import Finding, Health, State
from acompass.version import __version__

#: called with the number of steps done and their total
Progress = Callable[[int, int], None]

_COPIED = Finding(
    "acompass",
    State.BROKEN,
    "it was copied and not installed, so that what it needs is unknown",
    libraries.REINSTALL,
)


def examine(urls: Sequence[str] = (), progress: Progress | None = None) -> Health:
    """`urls` are engines to ask besides those that every installation has."""
    done = _counting(len(urls) + 2, progress)
    needed = needs()
    known = libraries.examined(needed or ())
    done()
    return Health(
        acompass=__version__,
        python=platform.python_version(),
        platform=_platform(),
        libraries=(_COPIED,) if needed is None else libraries.required(needed, known),
        parts=libraries.optional(needed or (), known),
        engines=answers(urls, libraries.unusable(known), done),
        files=installed_files(),
        machine=machine(has_spark="pyspark" in known and known["pyspark"].is_there),
    )


def _counting(total: int, progress: Progress | None) -> Callable[[], None]:
    steps = count(1)
    return lambda: None if progress is None else progress(next(steps), total)


def _platform() -> str:
    """The family only: wheels are made for a system, a processor and a C library."""
    return " ".join(filter(None, (platform.system(), platform.machine(), *platform.libc_ver())))
