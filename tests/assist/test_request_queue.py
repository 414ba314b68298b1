"""The newest question about a topic wins; questions about other topics continue."""

from collections.abc import Callable
from threading import Event, Thread
from typing import Any

import pytest

import acompass
from acompass.assist import request_queue
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


class Question:
    """A question in its own thread, with its answer or error."""

    def __init__(self, queue: RequestQueue, topic: str, question: Callable[[acompass.Session], Any]):
        self._arguments = queue, topic, question
        self.answer: Any = None
        self.error: BaseException | None = None
        self._thread = Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        queue, topic, question = self._arguments
        try:
            self.answer = queue.ask(topic, question)
        except BaseException as error:
            self.error = error

    def end(self) -> "Question":
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive(), "the question has not ended"
        return self


class Halfway:
    """A run that pauses after its first requirement until `go_on` is set."""

    def __init__(self) -> None:
        self.reached, self.go_on = Event(), Event()

    def __call__(self, session: acompass.Session) -> acompass.Result:
        return session.run(STEPS, progress=self._stop)

    def _stop(self, _done: int, _total: int) -> None:
        self.reached.set()
        assert self.go_on.wait(PATIENCE)


def test_a_question_is_answered() -> None:
    with RequestQueue.open(people()) as queue:
        assert queue.ask("verdicts", lambda session: session.columns)[0] == "Age"


def test_a_users_mistake_is_raised() -> None:
    with RequestQueue.open(people()) as queue, pytest.raises(acompass.PolicyError):
        queue.ask("verdicts", lambda session: session.check("EACH;"))


def test_a_newer_question_about_the_same_topic_cancels_a_running_one() -> None:
    run = Halfway()
    with RequestQueue.open(people()) as queue:
        first = Question(queue, "verdicts", run)
        assert run.reached.wait(PATIENCE)
        second = Question(queue, "verdicts", lambda session: session.check(QUICK).ok)
        wait_until_asked(queue, "verdicts", 2)
        run.go_on.set()
        assert isinstance(first.end().error, Stale)
        assert second.end().answer is True


def test_a_question_about_another_topic_cancels_nothing() -> None:
    run = Halfway()
    with RequestQueue.open(people()) as queue:
        first = Question(queue, "verdicts", run)
        assert run.reached.wait(PATIENCE)
        # the second waits for the table; the third, about the same topic, cancels the second but not the first
        second = Question(queue, "diagnose", lambda session: session.check(QUICK).ok)
        wait_until_asked(queue, "diagnose", 1)
        third = Question(queue, "diagnose", lambda session: session.check(QUICK).ok)
        wait_until_asked(queue, "diagnose", 2)
        run.go_on.set()
        assert first.end().answer is not None
        assert isinstance(second.end().error, Stale)
        assert third.end().answer is True


def test_a_waiting_question_is_stale_at_once() -> None:
    """The second question waits for the first; the third makes it stale while the first still runs."""
    started, go_on = Event(), Event()

    def busy(_session: acompass.Session) -> str:
        started.set()
        assert go_on.wait(PATIENCE)
        return "first"

    with RequestQueue.open(people()) as queue:
        first = Question(queue, "proofs", busy)
        assert started.wait(PATIENCE)
        second = Question(queue, "proofs", lambda _: "second")
        wait_until_asked(queue, "proofs", 2)
        third = Question(queue, "proofs", lambda _: "third")
        assert isinstance(second.end().error, Stale)
        go_on.set()
        assert isinstance(first.end().error, Stale)
        assert third.end().answer == "third"


def test_a_question_without_the_table_does_not_block_other_topics() -> None:
    started, go_on = Event(), Event()

    def busy(_session: acompass.Session) -> str:
        started.set()
        assert go_on.wait(PATIENCE)
        return "done"

    with RequestQueue.open(people()) as queue:
        first = Question(queue, "proofs", busy)
        assert started.wait(PATIENCE)
        assert queue.ask("verdicts", lambda session: session.check("EACH RESULT : Age > 0;")).ok
        go_on.set()
        assert first.end().answer == "done"


def test_a_stale_question_makes_no_further_call() -> None:
    """The question is canceled between two calls, and the second call never runs."""
    between, go_on, ran = Event(), Event(), Event()

    def two_calls(session: acompass.Session) -> None:
        session.check("EACH RESULT : Age > 0;")
        between.set()
        assert go_on.wait(PATIENCE)
        session.check("EACH RESULT : Age > 0;", progress=lambda _done, _total: ran.set())

    with RequestQueue.open(people()) as queue:
        first = Question(queue, "verdicts", two_calls)
        assert between.wait(PATIENCE)
        second = Question(queue, "verdicts", lambda _: "second")
        wait_until_asked(queue, "verdicts", 2)
        go_on.set()
        assert isinstance(first.end().error, Stale)
        assert second.end().answer == "second"
        assert not ran.is_set()


def test_closing_makes_all_questions_stale() -> None:
    run = Halfway()
    queue = RequestQueue.open(people())
    first = Question(queue, "verdicts", run)
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


def test_a_large_table_is_sampled_until_all_records_are_requested(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_queue, "SAMPLE_FROM", 50)
    monkeypatch.setattr(request_queue, "SAMPLE", 20)
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
    """Wait until this many questions about the topic have been asked."""
    with queue._changed:
        assert queue._changed.wait_for(lambda: queue._topics[topic].asked >= number, PATIENCE)
