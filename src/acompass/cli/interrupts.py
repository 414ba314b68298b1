"""Whether we were told to stop: an engine may turn the KeyboardInterrupt into an exception of its own."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

#: Ctrl-C, and what schedulers, `timeout` and a closed terminal send; there is none such on Windows
_SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if name in signal.Signals.__members__
]


@dataclass(slots=True)
class Interrupts:
    arrived: signal.Signals | None = None

    def note(self, number: int, _frame: FrameType | None) -> None:
        self.arrived = signal.Signals(number)
        raise KeyboardInterrupt


@contextmanager
def noted_interrupts() -> Iterator[Interrupts]:
    """All of them unwind as Ctrl-C does, so that no file with records is left behind. What is ignored, as
    under `nohup`, stays so."""
    interrupts = Interrupts()
    heeded = [each for each in _SIGNALS if signal.getsignal(each) is not signal.SIG_IGN]
    before = {each: signal.signal(each, interrupts.note) for each in heeded}
    try:
        yield interrupts
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
