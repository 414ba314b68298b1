"""When a search ends: by the work it has done, so that the same problem gives the same answer, or by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from time import monotonic

START = 2_000  # the work of a step on no rows at all, in rows


@dataclass(slots=True)
class Effort:
    """`most` is work in rows; None, where `seconds` alone decide."""

    most: float | None
    seconds: float | None
    stopped: Callable[[], bool]
    progress: Callable[[float, float], None]
    done: float = 0.0
    early: bool = False
    least: float = inf
    _begin: float = field(default_factory=monotonic)

    def spend(self, rows: int) -> None:
        self.done += rows + START

    def over(self) -> bool:
        """Whether to end now."""
        return self.cut_short() or (self.most is not None and self.done > self.most)

    def cut_short(self) -> bool:
        """Whether to end at once, by hand or by time, with what there is. Once it is so, it stays so."""
        if not self.early:
            late = self.seconds is not None and monotonic() - self._begin > self.seconds
            self.early = late or self.stopped()
        return self.early

    def again(self, part: float = 1.0) -> Effort:
        """As much once more, but only a part of the time that is left."""
        left = None if self.seconds is None else part * max(0.0, self.seconds - (monotonic() - self._begin))
        return Effort(self.most, left, self.stopped, self.progress)

    def tell(self, loss: float) -> None:
        self.least = min(self.least, loss)
        self.progress(self._part(), self.least)

    def _part(self) -> float:
        parts = [0.0]
        if self.most is not None:
            parts.append(self.done / self.most)
        if self.seconds:
            parts.append((monotonic() - self._begin) / self.seconds)
        return min(1.0, max(parts))
