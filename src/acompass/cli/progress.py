"""A progress bar on standard error, once a command has taken a second there and a person is watching."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

_PATIENCE = 1.0


@contextmanager
def progress_bar(wanted: bool) -> Iterator[Callable[[float], None] | None]:
    """Gives a callback for the fraction done, from 0 to 1, or None where nobody would see the bar."""
    if not (wanted and sys.stderr.isatty()):
        yield None
        return
    with ExitStack() as stack:
        yield _Bar(stack)


class _Bar:
    """Rich is imported with the bar's first appearance: a short command never pays for it."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._started = time.monotonic()
        self._show: Callable[[float], None] | None = None

    def __call__(self, fraction: float) -> None:
        if self._show is None and time.monotonic() - self._started > _PATIENCE:
            self._show = self._appear()
        if self._show is not None:
            self._show(fraction)

    def _appear(self) -> Callable[[float], None]:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TimeElapsedColumn

        columns = (BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
        bar = self._stack.enter_context(Progress(*columns, console=Console(stderr=True), transient=True))
        task = bar.add_task("", total=1.0)
        return lambda fraction: bar.update(task, completed=fraction)
