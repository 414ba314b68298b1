"""Note signals to stop, because an engine may replace the KeyboardInterrupt with its own exception."""

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
        self.arrived = signal.Signals(number)
        raise KeyboardInterrupt


@contextmanager
def noted_interrupts() -> Iterator[Interrupts]:
    """Raise KeyboardInterrupt on these signals, so that temporary files with records are removed. Ignored
    signals, as under `nohup`, stay ignored."""
    interrupts = Interrupts()
    handled = [each for each in _SIGNALS if signal.getsignal(each) is not signal.SIG_IGN]
    before = {each: signal.signal(each, interrupts.note) for each in handled}
    try:
        yield interrupts
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
