"""Budgets do not show: verdicts, codes and the size of counterexamples for k from 2 to 2,000."""

import pytest

from acompass.prove import ClaimVerdict, prove_policy
from acompass.prove.candidate_tables import MOST_RECORDS
from acompass.syntax.parse import parse
from tests.prove.every_k import FAMILIES, codes, verdicts

_ANONYMITY = "EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= {k}"


@pytest.mark.parametrize("name", FAMILIES)
def test_the_codes_are_the_same_for_every_k(name: str) -> None:
    family = FAMILIES[name]
    for k in (2, 3, 58, 119, 120, 121, 122, 123, 500, 900):
        assert codes(family, k) == family.codes, k


@pytest.mark.parametrize("name", FAMILIES)
def test_the_verdicts_are_the_same_for_every_k(name: str) -> None:
    family = FAMILIES[name]
    for k in (2, 3, 121, 122, 300):
        assert verdicts(family, k) == family.verdicts, k
        assert verdicts(family, k, [family.false]) == ("refuted",), k


@pytest.mark.parametrize("k", [500, 2000])
def test_a_large_counterexample_is_minimal(k: int) -> None:
    policy = _ANONYMITY.format(k=k) + " : REJECT;"
    (claim,) = prove_policy(parse(policy)[0], policy, [_ANONYMITY.format(k=k + 1)]).claims
    assert claim.counterexample is not None
    assert len(claim.counterexample.records) == k


def test_an_answer_says_that_larger_tables_are_not_tried() -> None:
    policy = f"{_ANONYMITY.format(k=MOST_RECORDS + 1)} : REJECT;\nEACH RESULT : Job = 'x' : REJECT;"
    claim = prove_policy(parse(policy)[0], policy).claims[0]
    assert claim.verdict is ClaimVerdict.UNDECIDED
    assert claim.reason.splitlines() == [
        "line 2: removes records that the claim relies on",
        "it may fail on a table of more than 10,000 records, the most that are tried",
    ]
