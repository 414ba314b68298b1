"""Answers are made once, also for several threads, and the oldest are forgotten."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from acompass.studio.memory import MOST_KEPT, Memory
from tests.waiting import PATIENCE, wait_until


def test_an_answer_is_made_once() -> None:
    memory, made = Memory(), []
    assert [memory.get("a", lambda: made.append(1) or len(made)) for _ in range(3)] == [1, 1, 1]


def test_a_second_thread_waits_for_the_first() -> None:
    memory, began, go, made = Memory(), Event(), Event(), []

    def make() -> int:
        began.set()
        assert go.wait(PATIENCE)
        made.append(1)
        return len(made)

    with ThreadPoolExecutor(4) as pool:
        answers = [pool.submit(memory.get, "a", make) for _ in range(4)]
        assert began.wait(PATIENCE)
        assert memory.get("b", lambda: 7) == 7, "another answer does not wait"
        wait_until(lambda: memory._making["a"][1] == 4)
        go.set()
        assert [answer.result(PATIENCE) for answer in answers] == [1] * 4
    assert memory._making == {}


def test_after_a_failure_the_next_thread_tries() -> None:
    memory = Memory()
    with pytest.raises(ZeroDivisionError):
        memory.get("a", lambda: 1 // 0)
    assert memory.get("a", lambda: 2) == 2


def test_the_oldest_answers_are_forgotten() -> None:
    memory = Memory()
    for key in range(MOST_KEPT + 1):
        memory.get(key, lambda key=key: key)
    assert memory.get(1, lambda: -1) == 1
    assert memory.get(0, lambda: -1) == -1
