"""Provers that know the possible records only by the columns of a claim, and the limits of a proof.

They prove nothing false, and decide claims about records exactly if the policy is about records."""

import random
from collections import Counter
from functools import reduce
from itertools import count, product
from operator import add
from pathlib import Path

import pytest

import acompass
from acompass.language.program.keys import Key
from acompass.language.program.types import INTEGER, make_schema
from acompass.language.text.parser import parse_text
from acompass.prove import proof
from acompass.prove.diagrams.cuts import MOST_TEXTS
from acompass.prove.proof import Budget, ClaimVerdict, Exhausted, require_time, time_limit
from acompass.prove.search import prover
from acompass.prove.search.prover import Provers
from acompass.prove.search.verdicts import prove_policy
from acompass.reason.lint.linter import lint_policy
from acompass.semantics.core import holds, run_program, trace_of_values
from tests.folding import folded
from tests.generators.strategies import parse_and_check
from tests.length import at_length
from tests.programs import quote
from tests.prove.corpus import cases
from tests.prove.replaying import fails, prove_text

COLUMNS = ("A", "B", "C", "D")
#: the constants of the policies; VALUES has a number on either side of each
CONSTANTS = (0, 2, 4)
VALUES = range(-1, 6)
EVERY_RECORD = list(product(VALUES, repeat=len(COLUMNS)))
SCHEMA = make_schema(dict.fromkeys(COLUMNS, INTEGER))

#: C is 2 where A is 1, because B was 1 in between
THIRD_COLUMN = """
EACH FILTER A = 1 : B = 1 : REPLACE B WITH 1;
EACH FILTER B = 1 : C = 2 : REPLACE C WITH 2;
EACH RESULT : B = 0 : REPLACE B WITH 0;
"""


@pytest.fixture
def focused_provers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the possible records of all columns always too expensive."""
    monkeypatch.setattr(prover, "FEW_OPERATIONS", 0)


def cross_column_policy(rng: random.Random, lines: int) -> str:
    return "\n".join(_line(rng) for _ in range(lines))


def _line(rng: random.Random) -> str:
    read, written = rng.sample(COLUMNS, 2)
    condition = f"{read} {rng.choice(('<', '=', '>='))} {rng.choice(CONSTANTS)}"
    value = rng.choice(CONSTANTS)
    action = "REJECT" if rng.random() < 0.15 else f"REPLACE {written} WITH {value}"
    return f"EACH FILTER {condition} : {written} = {value} : {action};"


@pytest.mark.campaign
@folded("seed", range(at_length(10)))
@pytest.mark.usefixtures("focused_provers")
@pytest.mark.slow
def test_claims_about_records_are_decided_exactly(seed: int) -> None:
    text = cross_column_policy(random.Random(seed), lines=9)
    tree, problems = parse_text(text)
    assert not problems
    program = parse_and_check(text, SCHEMA)
    left = run_program(program, EVERY_RECORD, trace_of_values(())).records
    claims = prove_policy(tree, text, schema=dict.fromkeys(COLUMNS, INTEGER)).claims
    for claim in claims:
        assertion = parse_and_check(claim.text + ";", SCHEMA).requirements[0].assertion
        expected = ClaimVerdict.PROVED if holds(left, assertion) else ClaimVerdict.REFUTED
        assert claim.verdict is expected, (text, claim)
        assert claim.counterexample is None or fails(tree, text, claim.text, claim.counterexample)


@pytest.mark.slow
@pytest.mark.usefixtures("focused_provers")
def test_nothing_of_the_corpus_is_decided_wrongly() -> None:
    found: Counter[ClaimVerdict] = Counter()
    for case in cases():
        claim = case.prove()
        assert claim.verdict is ClaimVerdict.UNDECIDED or case.is_right(claim.verdict), case.id
        found[claim.verdict] += 1
    assert found[ClaimVerdict.UNDECIDED] < found.total() / 10


@pytest.mark.usefixtures("focused_provers")
@pytest.mark.slow
def test_a_claim_that_needs_a_third_column_is_traced_back() -> None:
    tree, _ = parse_text(THIRD_COLUMN)
    (claim,) = prove_policy(tree, THIRD_COLUMN, ["EACH FILTER A = 1 : C = 2"]).claims
    assert claim.verdict is ClaimVerdict.PROVED
    assert claim.reason == "no record that violates it can be traced back to the start"


CLASSES = "EACH PROCESS COUNT DISTINCT(C) AS d WHERE A = 1 : d <= 1"


@pytest.mark.usefixtures("focused_provers")
@pytest.mark.slow
def test_undecided_claims_are_tried_again_with_an_exact_prover() -> None:
    tree, _ = parse_text(THIRD_COLUMN)
    (claim,) = prove_policy(tree, THIRD_COLUMN, [CLASSES]).claims
    assert claim.verdict is ClaimVerdict.PROVED


@pytest.mark.usefixtures("focused_provers")
@pytest.mark.slow
def test_a_claim_that_only_an_exact_prover_could_decide_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Provers, "exact", None)
    tree, _ = parse_text(THIRD_COLUMN)
    (claim,) = prove_policy(tree, THIRD_COLUMN, [CLASSES]).claims
    assert claim.verdict is ClaimVerdict.UNDECIDED
    assert claim.reason.endswith("\nthe lines connect too many columns to compute all possible records")


def test_a_policy_that_costs_little_has_one_prover() -> None:
    program = parse_and_check("EACH FILTER A = 1 : B = 1 : REPLACE B WITH 1;\nEACH RESULT : C = 1 : REJECT;", SCHEMA)
    one, other = (requirement.assertion for requirement in program.requirements)
    found = Provers(program, ())
    assert found.for_assertion(one) is found.for_assertion(other)


@pytest.mark.usefixtures("focused_provers")
def test_an_entangled_policy_has_a_prover_for_the_columns_of_a_claim() -> None:
    program = parse_and_check("EACH FILTER A = 1 : B = 1 : REPLACE B WITH 1;\nEACH RESULT : C = 1 : REJECT;", SCHEMA)
    one, other = (requirement.assertion for requirement in program.requirements)
    found = Provers(program, ())
    assert found.for_assertion(one) is not found.for_assertion(other)
    assert found.for_assertion(one) is found.for_assertion(one)
    last = found.for_assertion(other).reachability.reach[-1]
    variables = found.for_assertion(other).variables
    assert variables.diagrams.support(last) == {variables.column(2, 2)}


POLICY = """
EACH RESULT : Age <= 80 : REPLACE Age WITH 80;
EACH FILTER Age >= 60 : Job = 'retired' : REPLACE Job WITH 'retired';
EACH PROCESS COUNT(*) AS n GROUP BY Age, Job : n >= 3 : REJECT;
EACH RESULT : Job = 'none' : REPLACE Job WITH 'none';
EACH FILTER Job = 'none' : Age >= 18 : REPLACE Age WITH 17;
"""
#: every column is written where another has a value
ENTANGLED = "\n".join(
    f"EACH FILTER C{at % 6} = {at} : C{to} = {at} : REPLACE C{to} WITH {at};"
    for at in range(30)
    for to in [(at + 1 + at // 6) % 6]
)


@pytest.fixture
def ticking_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look at the clock takes a second."""
    seconds = count()
    monkeypatch.setattr(proof.time, "monotonic", lambda: next(seconds))


def test_without_time_every_claim_is_undecided_and_says_so() -> None:
    claims = prove_text(POLICY, deadline=0).claims
    assert {claim.verdict for claim in claims} == {ClaimVerdict.UNDECIDED}
    assert {claim.reason for claim in claims} == {"not decided within 0 s"}


@pytest.mark.parametrize("deadline", [2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 500])
@pytest.mark.usefixtures("ticking_clock")
def test_claims_decided_before_the_deadline_keep_their_verdict(deadline: int) -> None:
    tree, _ = parse_text(POLICY)
    late = f"not decided within {deadline} s"
    for claim, unlimited in zip(prove_text(POLICY, deadline=deadline).claims, prove_text(POLICY).claims, strict=True):
        if claim.verdict is ClaimVerdict.UNDECIDED:
            assert claim.reason == late
        assert claim.verdict in (unlimited.verdict, ClaimVerdict.UNDECIDED)
        if claim.counterexample is not None:
            assert fails(tree, POLICY, claim.text, claim.counterexample)


@pytest.mark.usefixtures("ticking_clock")
def test_a_later_deadline_decides_more() -> None:
    def count_undecided(deadline: int) -> int:
        return sum(claim.verdict is ClaimVerdict.UNDECIDED for claim in prove_text(POLICY, deadline=deadline).claims)

    left = [count_undecided(deadline) for deadline in (1, 20, 2_000)]
    assert left == sorted(left, reverse=True)
    assert (left[0], left[-1]) == (5, 0)


def test_without_operations_every_claim_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prover, "FEW_OPERATIONS", 10)
    monkeypatch.setattr(prover, "MOST_OPERATIONS", 20)
    claims = prove_text(ENTANGLED).claims
    assert {claim.reason for claim in claims} == {"not decided within 20 operations on decision diagrams"}


def test_the_same_budget_gives_the_same_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prover, "FEW_OPERATIONS", 500)
    monkeypatch.setattr(prover, "MOST_OPERATIONS", 3_000)
    assert prove_text(ENTANGLED) == prove_text(ENTANGLED)


@pytest.mark.slow
def test_too_many_columns_in_one_condition_are_undecided() -> None:
    """The diagrams are too deep for the interpreter."""
    text = f"EACH RESULT : {' OR '.join(f'C{at} = {at}' for at in range(400))} : REJECT;"
    (claim,) = prove_text(text).claims
    assert claim.verdict is ClaimVerdict.UNDECIDED
    assert claim.reason == "not decided: its conditions compare too many columns together"


def test_lint_says_that_it_is_incomplete() -> None:
    tree, _ = parse_text(POLICY)
    (finding,) = lint_policy(tree, POLICY, deadline=0)
    assert finding.code == "AC516"
    assert finding.message == "findings may be missing: not decided within 0 s"


@pytest.mark.usefixtures("ticking_clock")
def test_lint_keeps_what_it_has_found() -> None:
    tree, _ = parse_text(POLICY)
    every = {finding.code for finding in lint_policy(tree, POLICY, deadline=None)}
    found = [{f.code for f in lint_policy(tree, POLICY, deadline=deadline)} for deadline in range(1, 40, 3)]
    assert all(codes <= every | {"AC516"} for codes in found)
    assert any("AC516" in codes and len(codes) > 1 for codes in found)


def test_a_budget_is_spent() -> None:
    budget = Budget(1_500)
    assert [budget.grant(), budget.grant()] == [1_024, 476]
    with pytest.raises(Exhausted, match="1,500 operations"):
        budget.grant()
    budget.add(10)
    assert budget.grant() == 10


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr(proof.time, "monotonic", lambda: now[0])
    return now


def test_the_earlier_limit_counts(clock: list[float]) -> None:
    with time_limit(2), time_limit(5):
        clock[0] = 1.9
        require_time()
        clock[0] = 2
        with pytest.raises(Exhausted, match="within 2 s"):
            require_time()


def test_a_limit_ends_with_its_context(clock: list[float]) -> None:
    with time_limit(2):
        clock[0] = 3
    require_time()


AT_LEAST_TEN = "EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 10;"
CASES = [
    (f"{AT_LEAST_TEN} EACH RESULT : Pay >= 0.1;", "SUM(Pay) AS s GROUP BY Zip : s >= 1.0"),
    ("EACH RESULT : Pay >= 0; EACH PROCESS SUM(Pay) AS s GROUP BY Zip : s <= 9;", "MAX(Pay) AS s : s <= 9"),
    (
        "EACH PROCESS SUM(Pay) AS s GROUP BY Zip : s <= 9; EACH RESULT : Pay <= 6 : REPLACE Pay WITH 6;",
        "SUM(Pay) AS s GROUP BY Zip : s <= 9",
    ),
]


def _verdict(policy: str, claim: str, type_: str) -> str:
    (found,) = prove_policy(parse_text(policy)[0], policy, [f"EACH PROCESS {claim}"], types={"Pay": type_}).claims
    return str(found.verdict)


@pytest.mark.parametrize(("policy", "claim"), CASES)
@pytest.mark.parametrize("type_", ["integer", "decimal(1)", "decimal"])
def test_a_law_of_sums_covers_exact_numbers(policy: str, claim: str, type_: str) -> None:
    if type_ == "integer":
        policy, claim = (text.replace("0.1", "1").replace("1.0", "10") for text in (policy, claim))
    assert _verdict(policy, claim, type_) == "proved"


@pytest.mark.parametrize(("policy", "claim"), CASES)
@pytest.mark.slow
def test_a_law_of_sums_does_not_cover_floats(policy: str, claim: str) -> None:
    assert _verdict(policy, claim, "float") != "proved"


def test_ten_tenths_as_floats_are_less_than_one() -> None:
    assert reduce(add, [0.1] * 10) < 1.0


def test_numbers_of_any_scale_come_arbitrarily_close_to_a_bound() -> None:
    policy = "EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 20; EACH RESULT : Pay > 2;"
    assert _verdict(policy, "SUM(Pay) AS s GROUP BY Zip : s > 40", "decimal") == "proved"
    assert _verdict(policy, "SUM(Pay) AS s GROUP BY Zip : s >= 40.1", "decimal(2)") == "proved"
    assert _verdict(policy, "SUM(Pay) AS s GROUP BY Zip : s >= 40.1", "decimal") != "proved"


def test_a_counterexample_names_its_key() -> None:
    (claim,) = prove_text("ALWAYS : PSEUDONYM Name;", ["EACH RESULT : Name = 'a'"]).claims
    assert claim.reason.splitlines()[0] == "fails on a table of 1 record, with 32 zeros as the key"
    assert claim.counterexample is not None
    (before,), (after,) = claim.counterexample.records[0], claim.counterexample.left[0]
    assert after == Key(b"0" * 32).pseudonym(before)


def test_reasons_name_the_words_of_published_rules() -> None:
    k = "EACH PROCESS COUNT(*) AS n GROUP BY Age : n >= 3 : REJECT;\n"
    for line, reason in (
        ("ALWAYS : PSEUDONYM Age;", "line 2: rewrites `Age`, which at most merges whole classes"),
        ("ALWAYS : GENERALIZE Age TO NEAREST 5;", "line 2: rounds `Age`, which at most merges whole classes"),
        ("ALWAYS : ADD RANDOM 0 1 TO Age;", "line 2: chance decides which class a record joins"),
        ("ALWAYS : MICROAGGREGATE Age BY 2;", "line 2: records of one class can join different classes"),
    ):
        (claim,) = prove_text(k + line).claims
        assert claim.reason.splitlines()[-1] == reason
    (claim,) = prove_text(
        "EACH PROCESS COUNT(*) AS n : n >= 3;\nALWAYS : MICROAGGREGATE Pay BY 3;",
        ["EACH PROCESS COUNT(*) AS n GROUP BY Pay : n >= 3"],
    ).claims
    assert claim.reason.splitlines()[-1] == (
        "line 2: each mean in `Pay` is that of at least 3 records, or of all that it averages"
    )
    shifted = "EACH PROCESS COUNT(*) AS n GROUP BY A, B, P : n >= 3 : REJECT;\nALWAYS : SHIFT A, B BY P WITHIN 3 DAYS;"
    (claim,) = prove_text(shifted).claims
    assert claim.reason.splitlines()[-1] == "line 2: shifts `A` and `B`, which at most merges whole classes"


def test_a_reference_table_with_many_groups_proves_nothing_and_can_refute(tmp_path: Path) -> None:
    rows = "".join(f"{number:05},2\n" for number in range(MOST_TEXTS + 1))
    (tmp_path / "residents.csv").write_text(f"zip,people\n{rows}", encoding="utf-8")
    assertion = f"EACH PROCESS SUM(people) IN {quote(tmp_path / 'residents.csv')} AS r GROUP BY zip"
    kept, changed, larger = prove_text(
        f"{assertion} : r > 1 OR zip = '000' : REPLACE zip WITH '000';",
        [f"{assertion} : r >= 0", f"{assertion} : r > 1", f"{assertion} : r > 1 OR zip = '000'"],
        types={"zip": "text"},
    ).claims
    assert kept.verdict == larger.verdict == "undecided"
    assert changed.verdict == "refuted"


def test_a_claim_names_files_beside_the_policy(tmp_path: Path) -> None:
    """Also if the claim is the policy's own, for another type of the column."""
    (tmp_path / "residents.csv").write_text("zip,people\n1,5\n2,3\n", encoding="utf-8")
    text = "EACH PROCESS SUM(people) IN 'residents.csv' AS r GROUP BY zip : r > 2 : REJECT;\nALWAYS : DROP name;"
    (tmp_path / "policy.acp").write_text(text, encoding="utf-8")
    policy = acompass.load(tmp_path / "policy.acp")
    claims = ["EACH PROCESS SUM(people) IN 'residents.csv' AS r GROUP BY zip : r > 4"]
    assert acompass.prove(policy, types={"zip": "integer"}).ok
    assert [claim.verdict for claim in acompass.prove(policy, claims=claims).claims] == ["refuted"]


def test_dates_may_be_looked_for_in_a_column_that_had_none_before() -> None:
    text = "EACH RESULT : a >= 'true' : REPLACE a WITH '*';\n"
    text += "EACH PROCESS COUNT(*) AS n GROUP BY a : n >= 4 : GENERALIZE a TO QUARTER;"
    assert acompass.prove(text, schema={"a": "boolean"}).claims
    assert acompass.prove(text.replace("'true'", "5"), schema={"a": "integer"}).claims
