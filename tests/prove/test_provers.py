"""Provers that know the possible records by the columns of a claim only: nothing false is proved, and claims
about records of policies about records are decided exactly."""

import random
from collections import Counter
from itertools import product

import pytest

from acompass.checked.types import INTEGER, schema_of
from acompass.prove import ClaimVerdict, prove_policy, provers
from acompass.prove.provers import Provers
from acompass.semantics import holds, run_program, trace_of_values
from acompass.syntax.parse import parse
from tests.prove.corpus import cases
from tests.prove.replaying import checked, fails

COLUMNS = ("A", "B", "C", "D")
#: the constants of the policies, and a number on either side of each
CONSTANTS = (0, 2, 4)
VALUES = range(-1, 6)
EVERY_RECORD = list(product(VALUES, repeat=len(COLUMNS)))
SCHEMA = schema_of(dict.fromkeys(COLUMNS, INTEGER))

#: that C is 2 where A is 1 follows from what B was in between
THIRD_COLUMN = """
EACH FILTER A = 1 : B = 1 : REPLACE B WITH 1;
EACH FILTER B = 1 : C = 2 : REPLACE C WITH 2;
EACH RESULT : B = 0 : REPLACE B WITH 0;
"""


@pytest.fixture
def focused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The possible records of all columns always cost too much."""
    monkeypatch.setattr(provers, "FEW_OPERATIONS", 0)


def cross_column_policy(rng: random.Random, lines: int) -> str:
    return "\n".join(_line(rng) for _ in range(lines))


def _line(rng: random.Random) -> str:
    read, written = rng.sample(COLUMNS, 2)
    condition = f"{read} {rng.choice(('<', '=', '>='))} {rng.choice(CONSTANTS)}"
    value = rng.choice(CONSTANTS)
    action = "REJECT" if rng.random() < 0.15 else f"REPLACE {written} WITH {value}"
    return f"EACH FILTER {condition} : {written} = {value} : {action};"


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.usefixtures("focused")
def test_claims_about_records_are_decided_exactly(seed: int) -> None:
    text = cross_column_policy(random.Random(seed), lines=9)
    tree, problems = parse(text)
    assert not problems
    program = checked(text, SCHEMA)
    left = run_program(program, EVERY_RECORD, trace_of_values(())).records
    claims = prove_policy(tree, text, schema=dict.fromkeys(COLUMNS, INTEGER)).claims
    for claim in claims:
        assertion = checked(claim.text + ";", SCHEMA).requirements[0].assertion
        expected = ClaimVerdict.PROVED if holds(left, assertion) else ClaimVerdict.REFUTED
        assert claim.verdict is expected, (text, claim)
        assert claim.counterexample is None or fails(tree, text, claim.text, claim.counterexample)


@pytest.mark.usefixtures("focused")
def test_nothing_of_the_corpus_is_decided_wrongly() -> None:
    found: Counter[ClaimVerdict] = Counter()
    for case in cases():
        claim = case.asked()
        assert claim.verdict is ClaimVerdict.UNDECIDED or case.is_given(claim.verdict), case.id
        found[claim.verdict] += 1
    assert found[ClaimVerdict.UNDECIDED] < found.total() / 10


@pytest.mark.usefixtures("focused")
def test_a_claim_that_needs_a_third_column_is_traced_back() -> None:
    tree, _ = parse(THIRD_COLUMN)
    (claim,) = prove_policy(tree, THIRD_COLUMN, ["EACH FILTER A = 1 : C = 2"]).claims
    assert claim.verdict is ClaimVerdict.PROVED
    assert claim.reason == "no record that violates it can be traced back to the start"


CLASSES = "EACH PROCESS COUNT DISTINCT(C) AS d WHERE A = 1 : d <= 1"


@pytest.mark.usefixtures("focused")
def test_what_is_still_open_is_asked_exactly() -> None:
    tree, _ = parse(THIRD_COLUMN)
    (claim,) = prove_policy(tree, THIRD_COLUMN, [CLASSES]).claims
    assert claim.verdict is ClaimVerdict.PROVED


@pytest.mark.usefixtures("focused")
def test_a_claim_that_is_open_for_lack_of_exactness_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Provers, "exact", None)
    tree, _ = parse(THIRD_COLUMN)
    (claim,) = prove_policy(tree, THIRD_COLUMN, [CLASSES]).claims
    assert claim.verdict is ClaimVerdict.UNDECIDED
    assert claim.reason.endswith("\nthe lines tie too many columns together to know all possible records")


def test_a_policy_that_costs_little_has_one_prover() -> None:
    program = checked("EACH FILTER A = 1 : B = 1 : REPLACE B WITH 1;\nEACH RESULT : C = 1 : REJECT;", SCHEMA)
    one, other = (requirement.assertion for requirement in program.requirements)
    found = Provers(program, ())
    assert found.of(one) is found.of(other)


@pytest.mark.usefixtures("focused")
def test_an_entangled_policy_has_a_prover_for_the_columns_of_a_claim() -> None:
    program = checked("EACH FILTER A = 1 : B = 1 : REPLACE B WITH 1;\nEACH RESULT : C = 1 : REJECT;", SCHEMA)
    one, other = (requirement.assertion for requirement in program.requirements)
    found = Provers(program, ())
    assert found.of(one) is not found.of(other)
    assert found.of(one) is found.of(one)
    last = found.of(other).reachability.reach[-1]
    variables = found.of(other).variables
    assert variables.diagrams.support(last) == {variables.column(2, 2)}
