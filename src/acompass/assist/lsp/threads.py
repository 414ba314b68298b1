"""Run work outside the event loop, which only reads and writes messages."""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

T = TypeVar("T")

_running: set[Thread] = set()


def start(work: Callable[[], T]) -> "Future[T]":
    """Do the work in a new thread. Unlike those of a pool, it does not wait for others or keep the process alive."""
    future: Future[T] = Future()
    thread = Thread(target=_complete, args=(future, work), daemon=True)
    _running.difference_update([each for each in _running if not each.is_alive()])
    thread.start()
    _running.add(thread)
    return future


async def in_thread(work: Callable[[], T]) -> T:
    return await asyncio.wrap_future(start(work))


def wait_for_threads(seconds: float) -> bool:
    """Wait at most `seconds`; return whether all have ended. None may be inside an engine when Python exits."""
    deadline = time.monotonic() + seconds
    for thread in list(_running):
        thread.join(max(0.0, deadline - time.monotonic()))
    return not any(thread.is_alive() for thread in _running)


def _complete(future: "Future[T]", work: Callable[[], T]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(work())
    except BaseException as error:
        future.set_exception(error)
