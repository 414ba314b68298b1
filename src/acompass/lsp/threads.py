"""Work beside the event loop, which only ever reads and writes messages."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


def start(work: Callable[[], T]) -> "Future[T]":
    """Do the work in a thread of its own. Unlike those of a pool, it neither waits for others nor keeps the
    process from ending."""
    future: Future[T] = Future()
    Thread(target=_complete, args=(future, work), daemon=True).start()
    return future


async def in_thread(work: Callable[[], T]) -> T:
    return await asyncio.wrap_future(start(work))


def _complete(future: "Future[T]", work: Callable[[], T]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(work())
    except BaseException as error:
        future.set_exception(error)
