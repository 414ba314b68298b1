"""Whether Ctrl-C was pressed: an engine may turn the KeyboardInterrupt into an exception of its own."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType


@dataclass(slots=True)
class Interrupts:
    arrived: bool = False

    def note(self, _signal: int, _frame: FrameType | None) -> None:
        self.arrived = True
        raise KeyboardInterrupt


@contextmanager
def noted_interrupts() -> Iterator[Interrupts]:
    interrupts = Interrupts()
    before = signal.signal(signal.SIGINT, interrupts.note)
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, before)
