"""The newest question of a topic wins; those of other topics are not disturbed."""

from collections.abc import Callable
from threading import Event, Thread
from typing import Any

import pytest

import acompass
from acompass.assist import request_queue as desks
from acompass.assist.request_queue import RequestQueue, Stale
from tests.assist.people import people
from tests.waiting import PATIENCE

#: the second requirement cannot share a scan with the first
STEPS = """
EACH PROCESS COUNT(*) AS n GROUP BY Age : n >= 100 : REPLACE Age WITH 99;
EACH PROCESS COUNT(*) AS n GROUP BY Illness, Age : n >= 100 : REPLACE Illness WITH 'x';
EACH PROCESS SUM(Age) AS n GROUP BY Illness : n >= 0 : REJECT;
"""
QUICK = "EACH RESULT : Age >= 0;"


class Asked:
    """A question in a thread of its own, and how it ended."""

    def __init__(self, queue: RequestQueue, topic: str, question: Callable[[acompass.Session], Any]):
        self._asked = queue, topic, question
        self.answer: Any = None
        self.error: BaseException | None = None
        self._thread = Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        queue, topic, question = self._asked
        try:
            self.answer = queue.ask(topic, question)
        except BaseException as error:
            self.error = error

    def end(self) -> "Asked":
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive(), "a question ends"
        return self


class Halfway:
    """A run that stops after its first requirement until it may go on."""

    def __init__(self) -> None:
        self.reached, self.go_on = Event(), Event()

    def __call__(self, session: acompass.Session) -> acompass.Result:
        return session.run(STEPS, progress=self._stop)

    def _stop(self, _done: int, _total: int) -> None:
        self.reached.set()
        assert self.go_on.wait(PATIENCE)


def test_an_answer() -> None:
    with RequestQueue.open(people()) as queue:
        assert queue.ask("verdicts", lambda session: session.columns)[0] == "Age"


def test_an_error_of_the_user_is_raised() -> None:
    with RequestQueue.open(people()) as queue, pytest.raises(acompass.PolicyError):
        queue.ask("verdicts", lambda session: session.check("EACH;"))


def test_a_running_question_is_canceled_by_a_newer_one_of_its_topic() -> None:
    run = Halfway()
    with RequestQueue.open(people()) as queue:
        first = Asked(queue, "verdicts", run)
        assert run.reached.wait(PATIENCE)
        second = Asked(queue, "verdicts", lambda session: session.check(QUICK).ok)
        wait_until_asked(queue, "verdicts", 2)
        run.go_on.set()
        assert isinstance(first.end().error, Stale)
        assert second.end().answer is True


def test_a_question_of_another_topic_does_not_cancel_it() -> None:
    run = Halfway()
    with RequestQueue.open(people()) as queue:
        first = Asked(queue, "verdicts", run)
        assert run.reached.wait(PATIENCE)
        # the second waits for the table; the third, of the same topic, cancels the second and not the first
        second = Asked(queue, "diagnose", lambda session: session.check(QUICK).ok)
        wait_until_asked(queue, "diagnose", 1)
        third = Asked(queue, "diagnose", lambda session: session.check(QUICK).ok)
        wait_until_asked(queue, "diagnose", 2)
        run.go_on.set()
        assert first.end().answer is not None
        assert isinstance(second.end().error, Stale)
        assert third.end().answer is True


def test_a_waiting_question_is_stale_at_once() -> None:
    """While the first one runs, the second waits; the third makes it stale although the first goes on."""
    started, go_on = Event(), Event()

    def busy(_session: acompass.Session) -> str:
        started.set()
        assert go_on.wait(PATIENCE)
        return "first"

    with RequestQueue.open(people()) as queue:
        first = Asked(queue, "proofs", busy)
        assert started.wait(PATIENCE)
        second = Asked(queue, "proofs", lambda _: "second")
        wait_until_asked(queue, "proofs", 2)
        third = Asked(queue, "proofs", lambda _: "third")
        assert isinstance(second.end().error, Stale)
        go_on.set()
        assert isinstance(first.end().error, Stale)
        assert third.end().answer == "third"


def test_a_question_without_the_table_does_not_stop_other_topics() -> None:
    started, go_on = Event(), Event()

    def busy(_session: acompass.Session) -> str:
        started.set()
        assert go_on.wait(PATIENCE)
        return "done"

    with RequestQueue.open(people()) as queue:
        first = Asked(queue, "proofs", busy)
        assert started.wait(PATIENCE)
        assert queue.ask("verdicts", lambda session: session.check("EACH RESULT : Age > 0;")).ok
        go_on.set()
        assert first.end().answer == "done"


def test_a_stale_question_makes_no_further_call() -> None:
    """It is canceled between two calls: the second one never runs."""
    between, go_on, ran = Event(), Event(), Event()

    def two_calls(session: acompass.Session) -> None:
        session.check("EACH RESULT : Age > 0;")
        between.set()
        assert go_on.wait(PATIENCE)
        session.check("EACH RESULT : Age > 0;", progress=lambda _done, _total: ran.set())

    with RequestQueue.open(people()) as queue:
        first = Asked(queue, "verdicts", two_calls)
        assert between.wait(PATIENCE)
        second = Asked(queue, "verdicts", lambda _: "second")
        wait_until_asked(queue, "verdicts", 2)
        go_on.set()
        assert isinstance(first.end().error, Stale)
        assert second.end().answer == "second"
        assert not ran.is_set()


def test_closing_drops_all_questions() -> None:
    run = Halfway()
    queue = RequestQueue.open(people())
    first = Asked(queue, "verdicts", run)
    assert run.reached.wait(PATIENCE)
    closing = Thread(target=queue.close)
    closing.start()
    with queue._changed:
        assert queue._changed.wait_for(lambda: queue._is_closed, PATIENCE)
    run.go_on.set()
    closing.join(PATIENCE)
    assert not closing.is_alive()
    assert isinstance(first.end().error, Stale)
    with pytest.raises(Stale):
        queue.ask("verdicts", lambda session: session.columns)


def test_a_large_table_is_a_sample_until_all_records_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desks, "SAMPLE_FROM", 50)
    monkeypatch.setattr(desks, "SAMPLE", 20)
    with RequestQueue.open(people()) as queue:
        assert queue.sample is not None
        assert (queue.sample.records, queue.sample.of) == (20, 60)
        assert queue.ask("count", lambda session: session.records()) == 20
        assert queue.use_sample(None) is None
        assert queue.ask("count", lambda session: session.records()) == 60
        assert queue.use_sample(20) is not None
        assert queue.whole.records() == 60


def test_a_small_table_is_not_sampled() -> None:
    with RequestQueue.open(people()) as queue:
        assert queue.sample is None
        assert queue.session is queue.whole


def wait_until_asked(queue: RequestQueue, topic: str, number: int) -> None:
    """Until that many questions of the topic have been asked."""
    with queue._changed:
        assert queue._changed.wait_for(lambda: queue._topics[topic].asked >= number, PATIENCE)
