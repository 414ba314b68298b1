"""A progress bar on standard error, once a command has taken a second and a person is watching."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

_PATIENCE = 1.0
_PAUSE = 0.1


@contextmanager
def progress_bar(wanted: bool) -> Iterator[Callable[[int, int], None] | None]:
    """Gives a callback that takes how many of how many requirements are done; None where nobody watches."""
    if not (wanted and sys.stderr.isatty()):
        yield None
        return
    bar = _Bar()
    bar.start()
    try:
        yield bar.count
    finally:
        bar.over.set()
        bar.join()


class _Bar(Thread):
    """A thread of its own: the command's waits for the engine."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.over = Event()
        self._counts = (0, 1)

    def count(self, done: int, total: int) -> None:
        self._counts = (done, total)

    def run(self) -> None:
        if not self.over.wait(_PATIENCE):
            self._show()

    def _show(self) -> None:
        # imported when the bar appears: a short command never pays for it
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn

        columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
            task = progress.add_task("", total=None)
            while not self.over.wait(_PAUSE):
                done, total = self._counts
                progress.update(task, completed=done, total=total)
