"""The search for a policy, from the page."""

from pathlib import Path
from threading import Event

import pytest

from acompass.session import Session
from tests.studio.pages import Page, asking, opened
from tests.studio.tables import written
from tests.waiting import PATIENCE

pytest.importorskip("numpy")

ROLES = {"identifiers": ["Name"], "quasi_identifiers": ["Age", "Zip"], "sensitive": ["Disease"]}


def test_a_suggested_policy_reaches_its_goal(page: Page) -> None:
    found = page.ask("suggest", roles=ROLES, k=2, l=2, max_lost="50%")["suggestion"]
    assert page.about("diagnose", found["text"])["diagnostics"] == []
    risk = page.about("risk", found["text"], roles=ROLES)["risk"]
    assert risk["after"]["k"] >= 2
    assert risk["after"]["sensitive"][0]["distinct_l"] >= 2
    assert found["steps"]
    assert found["finished"]
    assert page.ask("progress") == {"suggest": None}


def test_a_goal_that_makes_no_sense_is_told(page: Page) -> None:
    answer = page.ask("suggest", roles=ROLES, k=1)
    assert answer["suggestion"] is None
    assert answer["diagnostics"][0]["code"] == "AC621"


def test_stopping_asks_for_the_best_so_far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search goes on until it is stopped, and then answers."""
    running, suggest = Event(), Session.suggest

    def endless(self: Session, *args: object, stopped: object, **kwargs: object) -> object:
        assert callable(stopped)
        running.set()
        while not stopped():
            Event().wait(0.01)
        return suggest(self, *args, stopped=stopped, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(Session, "suggest", endless)
    with (
        opened(*written(tmp_path)) as (page, _),
        asking(page, "suggest", roles=ROLES, k=2, max_lost="50%") as answer,
    ):
        assert running.wait(PATIENCE)
        assert page.ask("progress")["suggest"] == {"part": 0.0, "loss": None}
        page.ask("stop", topic="suggest")
        assert answer()["suggestion"]["text"]
