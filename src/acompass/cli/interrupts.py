"""Note signals to stop, because an engine may replace the KeyboardInterrupt with its own exception."""

import logging
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

#: sent by Ctrl-C, by schedulers and `timeout`, and by a closed terminal; Windows lacks some of them
_SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if name in signal.Signals.__members__
]


@dataclass(slots=True)
class Interrupts:
    arrived: signal.Signals | None = None

    def note(self, number: int, _frame: FrameType | None) -> None:
        """Only the first signal raises: a second one must not interrupt the removal of temporary files."""
        if self.arrived is None:
            self.arrived = signal.Signals(number)
            logging.disable()  # a library logs the interrupt of its call, with a traceback: py4j
            raise KeyboardInterrupt


_outermost: Interrupts | None = None


def note_interrupts() -> Interrupts:
    """Raise KeyboardInterrupt on these signals, so that temporary files with records are removed.

    The handlers stay until the process ends: a late second signal must not disturb its end.
    """
    global _outermost
    _outermost = Interrupts()
    for each in handled_signals():
        signal.signal(each, _outermost.note)
    return _outermost


@contextmanager
def noted_interrupts() -> Iterator[Interrupts]:
    """Note interrupts in this context. Where they are noted already, nothing changes."""
    global _outermost
    if _outermost is not None:
        yield _outermost
        return
    before = {each: signal.getsignal(each) for each in handled_signals()}
    try:
        yield note_interrupts()
    finally:
        _outermost = None
        for each, handler in before.items():
            signal.signal(each, handler)


def handled_signals() -> list[signal.Signals]:
    """Ignored signals, as under `nohup`, stay ignored."""
    return [each for each in _SIGNALS if signal.getsignal(each) is not signal.SIG_IGN]
