"""Verdicts are those of a run, and proofs those of `prove`, each with its place in the text."""

import pytest

import acompass
from acompass.assist.document import Document
from acompass.assist.requirements import proofs, prove_claim, verdicts
from acompass.assist.verdict_words import proof_words, verdict_words
from acompass.checked.types import Schema
from acompass.prove import ClaimVerdict
from tests.assist.people import POLICY, SCHEMA, people

PARAMS = {"k": 5}


def test_verdicts_are_those_of_a_run() -> None:
    with acompass.open(people()) as session:
        found = verdicts(Document(POLICY), PARAMS, session)
        ran = session.run(POLICY, params=PARAMS, seed="assist")
    assert [
        (each.index, each.line, each.text, each.action, each.holds, each.affected, each.records)
        for each in found.requirements
    ] == [
        (each.index, each.line, each.text, each.action, each.holds, each.affected, each.records)
        for each in ran.requirements
    ]
    assert (found.records_in, found.records_out, found.ok) == (ran.records_in, ran.records_out, ran.ok)
    assert (found.unnamed, found.notes, found.dropped) == (ran.unnamed, ran.notes, ran.dropped)
    assert found.sample is None


def test_each_step_has_its_place() -> None:
    with acompass.open(people()) as session:
        found = verdicts(Document(POLICY), PARAMS, session)
    texts = [POLICY[each.span.start : each.span.end] for each in found.requirements]
    assert texts[0] == "ALWAYS : DROP Name;"
    assert texts[1].startswith("EACH PROCESS")
    assert texts[1].endswith("BANDS OF 10")
    assert texts[2] == "REJECT"


def test_a_check_that_fails_is_not_ok() -> None:
    with acompass.open(people()) as session:
        found = verdicts(Document("EACH RESULT : Age < 34;"), {}, session)
    assert not found.ok
    assert found.requirements[0].affected == 12


def test_a_policy_that_cannot_run_raises_its_diagnostics() -> None:
    with acompass.open(people()) as session:
        for text, code in (("EACH;", "AC015"), ("EACH RESULT : x = 3;", "AC101"), ("", "AC410")):
            with pytest.raises(acompass.AcompassError) as raised:
                verdicts(Document(text), {}, session)
            assert [found.code for found in raised.value.diagnostics] == [code]


def test_an_action_has_its_probability_beside_it() -> None:
    with acompass.open(people()) as session:
        found = verdicts(Document("ALWAYS : WITH PROBABILITY 0.5 REPLACE Age WITH 3;"), {}, session)
    (said,) = map(verdict_words, found.requirements)
    assert said == "no verdict: 60 of 60 records affected, REPLACE with probability 0.5"


def test_a_sample_is_stated() -> None:
    with acompass.open(people()) as session, session.sample(20, "seed") as sample:
        found = verdicts(Document(POLICY), PARAMS, sample)
    assert found.sample is not None
    assert (found.sample.records, found.sample.of) == (20, 60)
    assert found.records_in == 20


@pytest.mark.parametrize("schema", [SCHEMA, None])
def test_proofs_are_about_the_assertions(schema: Schema | None) -> None:
    (found,) = proofs(Document(POLICY), PARAMS, schema)
    assert (found.index, found.line, found.verdict) == (2, 3, ClaimVerdict.PROVED)
    assert POLICY[found.span.start :].startswith("EACH PROCESS")


def test_a_claim_that_fails_has_a_counterexample() -> None:
    document = Document("EACH RESULT : Age <= 80 : REPLACE Age WITH 80;")
    assert prove_claim(document, {}, None, "EACH RESULT : Age <= 80").verdict is ClaimVerdict.PROVED
    refuted = prove_claim(document, {"low": 20}, SCHEMA, "EACH RESULT : Age >= low")
    assert refuted.verdict is ClaimVerdict.REFUTED
    assert refuted.counterexample is not None


def test_verdicts_in_words() -> None:
    with acompass.open(people()) as session:
        found = verdicts(Document("EACH RESULT : Age < 34 : REJECT;\nALWAYS : DROP Name;"), {}, session)
        first, second = (verdict_words(each, found.sample) for each in found.requirements)
    assert first == "repaired: 12 of 60 records affected, REJECT"
    assert second == "no verdict: 48 of 48 records affected, DROP"
    (proof,) = proofs(Document("EACH RESULT : Age < 34 : REJECT;"), {}, None)
    assert proof_words(proof).startswith("proved for every table")
