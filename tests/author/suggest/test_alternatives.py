"""Several answers for one table: each is that of its own search, and they are compared by loss and dropped records."""

import csv
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import pytest

import acompass
from acompass.author.answers import Alternative, Standing, Unreachable
from acompass.author.suggest import flow
from acompass.language.text.formatter import format_program

QI = ["age", "zip", "sex"]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> str:
    random = Random(5)
    rows = [
        [random.randint(18, 60), random.choice(["21000", "21001", "21100", "30001"]), random.choice("mf")]
        for _ in range(250)
    ]
    path = tmp_path_factory.mktemp("alternatives") / "table.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([QI, *rows])
    return str(path)


@pytest.fixture
def session(table: str) -> Iterator[acompass.Session]:
    with acompass.open(table) as session:
        yield session


def test_each_alternative_is_the_answer_of_its_own_search(session: acompass.Session) -> None:
    compared = session.suggest(QI, 4, style="all")
    assert {each.style for each in compared.alternatives} == {"cascade", "uniform", "stars"}
    for each in compared.alternatives:
        alone = session.suggest(QI, 4, style=each.style, max_lost=str(float(each.max_lost)))
        assert each.answer is not None
        assert (each.answer.text, each.answer.loss) == (alone.text, alone.loss)
        assert each.answer.dropped <= each.max_lost * 250


def test_alternatives_are_ordered_by_loss_and_the_first_one_is_the_answer(session: acompass.Session) -> None:
    compared = session.suggest(QI, 4, style="all")
    answers = [each.answer for each in compared.alternatives if each.answer is not None]
    assert [each.loss for each in answers] == sorted(each.loss for each in answers)
    assert compared.text == answers[0].text
    assert compared.alternatives[0].standing is Standing.LEAST
    for place, each in enumerate(compared.alternatives):
        before = [earlier.answer for earlier in compared.alternatives[:place]]
        if each.standing is Standing.FEWER_DROPPED:
            assert all(other is not None and each.answer.dropped < other.dropped for other in before)  # type: ignore[union-attr]
        if each.standing is Standing.BEATEN:
            assert any(other is not None and each.answer.dropped >= other.dropped for other in before)  # type: ignore[union-attr]


def test_numbers_are_those_of_the_released_table(session: acompass.Session, table: str, tmp_path: Path) -> None:
    for place, each in enumerate(session.suggest(QI, 4, style="all").alternatives):
        assert each.answer is not None
        out = tmp_path / f"{place}.csv"
        acompass.run(each.answer.plain_text, table, output=out)
        measured = acompass.measure(out, QI)
        assert (measured.k, measured.records) == (each.answer.smallest, each.answer.records_out)
        assert each.answer.highest_risk == measured.classes.prosecutor_maximum == Fraction(1, each.answer.smallest)


def test_the_table_is_read_once(session: acompass.Session) -> None:
    with patch.object(flow, "read_table", wraps=flow.read_table) as read:
        session.suggest(QI, 4, style="all")
    assert read.call_count == 1


def test_answers_appear_as_they_are_found(session: acompass.Session) -> None:
    seen: list[tuple[Alternative, ...]] = []
    parts: list[float] = []
    compared = session.suggest(QI, 4, style="all", found=seen.append, progress=lambda part, loss: parts.append(part))
    running = [[each for each in some if each.standing is Standing.SEARCHING] for some in seen]
    assert [len(each) for each in running] == [1] * len(compared.alternatives) + [0]
    assert seen[-1] == compared.alternatives
    assert parts == sorted(parts)
    assert 0 <= parts[0] <= parts[-1] <= 1


def test_a_goal_that_one_search_cannot_reach_does_not_spoil_the_others(session: acompass.Session) -> None:
    """With one line, a policy can only drop records: three styles find the same policy, and none drops fewer."""
    compared = session.suggest(QI, 4, style="all", max_lost="99%", lines=1)
    unreached = [each for each in compared.alternatives if each.standing is Standing.UNREACHABLE]
    assert compared.alternatives[0].answer is not None
    assert [each.standing for each in compared.alternatives[:3]] == [Standing.LEAST, Standing.SAME, Standing.SAME]
    assert len(unreached) == 3
    assert compared.alternatives[-len(unreached) :] == tuple(unreached)
    assert all(each.reason and "drops at least" in each.reason for each in unreached)
    with pytest.raises(Unreachable, match="k = 400"):
        session.suggest(QI, 400, style="all")


def test_a_stopped_search_compares_what_it_has(session: acompass.Session) -> None:
    seen: list[tuple[Alternative, ...]] = []
    compared = session.suggest(QI, 4, style="all", found=seen.append, stopped=lambda: len(seen) > 2)
    assert not compared.finished
    assert 1 <= len(compared.alternatives) <= 3


def test_importance_steers_the_search_and_the_loss_is_the_same_measure(session: acompass.Session, table: str) -> None:
    hierarchies = {"age": "bands:5,10,20"}
    plain = session.suggest(QI, 4, hierarchies=hierarchies)
    kept = session.suggest(QI, 4, hierarchies=hierarchies, importance={"age": "high", "zip": "low"})
    by_text = session.suggest(QI, 4, hierarchies=hierarchies, importance=("age=20", "zip=0.05"))
    assert kept.per_column["age"] < plain.per_column["age"]
    assert kept.loss > plain.loss
    assert by_text.text == kept.text
    assert (
        session.suggest(QI, 4, hierarchies=hierarchies, change_last=["age"], importance=("zip=low",)).text == kept.text
    )


@pytest.mark.parametrize("importance", [{"age": "much"}, {"age": 0}, {"age": "nan"}, ("age",)])
def test_an_importance_is_high_low_or_a_number(session: acompass.Session, importance: Any) -> None:
    with pytest.raises(acompass.CallError) as error:
        session.suggest(QI, 4, importance=importance)
    assert error.value.diagnostics[0].code == "AC621"


def test_lines_of_several_styles_are_not_compared(session: acompass.Session) -> None:
    with pytest.raises(acompass.CallError, match="lines of one style"):
        session.suggest(QI, 4, style="all", compare=True)


def test_a_plain_text_is_the_policy_without_numbers_of_the_table(session: acompass.Session) -> None:
    found = session.suggest(QI, 4, max_lost="0.25%")
    comment, *lines = found.plain_text.splitlines()
    assert comment == "-- From a search for k = 4 (cascade, at most 0.25% of the records dropped)."
    none_lost = session.suggest(QI, 4, max_lost=0).plain_text.splitlines()[0]
    assert none_lost == "-- From a search for k = 4 (cascade, no records dropped)."
    assert "--" not in "".join(lines)
    assert acompass.parse(found.plain_text).tree.requirements == found.policy.tree.requirements
    assert format_program(found.plain_text) == found.plain_text
