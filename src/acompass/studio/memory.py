"""The latest answers, so that a panel that was shown before is shown at once."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, TypeVar

T = TypeVar("T")

MOST_KEPT = 64


class Memory:
    """Of threads that ask for the same, one makes the answer and the others wait for it. If it fails, the
    next one tries."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()
        self._changing = Lock()
        #: for each key, the lock of the thread that makes it, and how many threads hold or await it
        self._making: dict[Hashable, tuple[Lock, int]] = {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        with self._turn(key):
            with self._changing:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    found: T = self._kept[key]
                    return found
            made = make()
            self._keep(key, made)
            return made

    def _keep(self, key: Hashable, made: object) -> None:
        with self._changing:
            self._kept[key] = made
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)

    @contextmanager
    def _turn(self, key: Hashable) -> Iterator[None]:
        with self._changing:
            lock, threads = self._making.get(key, (Lock(), 0))
            self._making[key] = lock, threads + 1
        try:
            with lock:
                yield
        finally:
            with self._changing:
                lock, threads = self._making.pop(key)
                if threads > 1:
                    self._making[key] = lock, threads - 1
