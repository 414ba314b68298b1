"""A search on an open table: stopped by the caller, canceled from another thread."""

from typing import Any
from unittest.mock import patch

import pytest

import acompass
from acompass.suggest import flow
from acompass.suggest.problem import Found, Problem
from acompass.suggest.search import evaluate

TABLE = [{"Age": age} for age in (31, 32, 33) * 4]


def _until_stopped(
    problem: Problem, style: str, lines: int, seconds: Any, stopped: Any, progress: Any
) -> Found:
    progress(0.5, 0.1)
    while not stopped():
        pass
    return Found((), (), evaluate(problem, (), ()), False, problem.k)


def test_the_caller_can_stop_a_search() -> None:
    told: list[tuple[float, float]] = []
    with acompass.open(TABLE) as session, patch.object(flow, "search", _until_stopped):
        found = session.suggest(
            ["Age"], 2, stopped=lambda: bool(told), progress=lambda *part: told.append(part)
        )
    assert not found.finished
    assert told == [(0.5, 0.1)]
    assert found.policy.tree.requirements


def test_a_search_is_canceled_like_any_other_call() -> None:
    with acompass.open(TABLE) as session, patch.object(flow, "search", _until_stopped):

        def cancel(*_: float) -> None:
            session.cancel()

        with pytest.raises(acompass.Canceled):
            session.suggest(["Age"], 2, progress=cancel)
        assert session.check("EACH RESULT : Age > 30;").ok
