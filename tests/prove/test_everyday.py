"""`prove_policy` and the everyday language: which claims are asked, types, labels that a run needs."""

import pytest

from acompass.checked.types import INTEGER, TEXT, decimal
from acompass.diagnostics import PolicyError
from acompass.prove import ClaimVerdict, Proof, prove_policy
from acompass.prove.inferred_schema import inferred_schema
from acompass.syntax.parse import parse

CASCADE = """\
ALWAYS : DROP Name;
ALWAYS : GENERALIZE Age TO BANDS OF 5 UP TO 90;
EACH PROCESS COUNT(*) AS n, COUNT DISTINCT(Disease) AS d GROUP BY Age, Zip : n >= 3 AND d >= 2
   : GENERALIZE Zip TO PREFIX OF 3
   THEN GENERALIZE Age TO BANDS OF 10 UP TO 90
   THEN REJECT;
EACH RESULT : Zip <> '21201';
"""


def proof_of(text: str, claims: list[str] | None = None, **settings: object) -> Proof:
    tree, problems = parse(text)
    assert not problems
    return prove_policy(tree, text, claims, **settings)  # type: ignore[arg-type]


def test_always_makes_no_claim_and_the_steps_of_a_then_make_one() -> None:
    first, second = proof_of(CASCADE).claims
    assert first.text.startswith("EACH PROCESS COUNT(*) AS n, COUNT DISTINCT(Disease) AS d")
    assert (first.line, first.verdict) == (3, ClaimVerdict.PROVED)
    assert first.reason == "line 6: removes every class that violates it"
    assert (second.text, second.line) == ("EACH RESULT : Zip <> '21201'", 7)


def test_a_policy_of_always_alone_claims_nothing() -> None:
    proof = proof_of("ALWAYS : REPLACE Name WITH '*';")
    assert proof.claims == ()
    assert proof.ok


def test_a_reason_names_the_line_that_generalizes() -> None:
    text = (
        "EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 3 : REJECT;\nALWAYS : GENERALIZE Zip TO PREFIX OF 3;"
    )
    (claim,) = proof_of(text).claims
    assert claim.reason.splitlines() == [
        "line 1: removes every class that violates it",
        "line 2: generalizes `Zip`, which at most merges whole classes",
    ]


def test_an_assertion_about_a_dropped_column_does_not_fit() -> None:
    (claim,) = proof_of("EACH RESULT : Age > 3 OR Zip > 'a' : REJECT;\nALWAYS : DROP Age;").claims
    assert claim.verdict is ClaimVerdict.UNDECIDED
    assert claim.reason == "line 2: column `Age` is dropped, so the claim does not fit the final table"


def test_a_claim_cannot_name_a_dropped_column() -> None:
    with pytest.raises(PolicyError) as raised:
        proof_of("ALWAYS : DROP Age;", ["EACH RESULT : Age > 3 OR Zip = 'a'"])
    assert [finding.code for finding in raised.value.diagnostics] == ["AC123"]


def test_a_counterexample_shows_no_dropped_column() -> None:
    (claim,) = proof_of("ALWAYS : DROP Name;", ["EACH RESULT : Age > 3"]).claims
    assert claim.counterexample is not None
    assert [column.name for column in claim.counterexample.schema] == ["Name", "Age"]
    assert [column.name for column in claim.counterexample.left_schema] == ["Age"]
    assert all(len(record) == 1 for record in claim.counterexample.left)


def test_a_table_with_a_value_without_a_label_is_no_counterexample() -> None:
    """Nothing is written for one. Every other value has one of the labels."""
    claim = "EACH RESULT : Day < 'a'"
    assert proof_of("ALWAYS : GENERALIZE Day TO YEAR;", [claim]).claims[0].verdict is ClaimVerdict.PROVED
    assert proof_of("ALWAYS : REPLACE Zip WITH 'x';", [claim]).claims[0].verdict is ClaimVerdict.REFUTED


def test_labels_of_integers_and_of_decimals_both_need_a_proof() -> None:
    text = "ALWAYS : GENERALIZE Age TO BANDS AT 18;"
    integers, decimals = "EACH RESULT : Age IN ('<18', '18+')", "EACH RESULT : Age IN ('<18', '18+', 'x')"
    assert [claim.verdict for claim in proof_of(text, [integers, decimals]).claims] == ["proved", "proved"]
    text = "ALWAYS : GENERALIZE Age TO BANDS AT 18, 65;"
    integers, decimals = (
        f"EACH RESULT : Age IN ('<18', '{middle}', '65+')" for middle in ("18-64", "[18,65)")
    )
    assert [claim.verdict for claim in proof_of(text, [integers, decimals]).claims] == ["refuted", "refuted"]
    typed = proof_of(text, [integers, decimals], types={"Age": "integer"})
    assert [claim.verdict for claim in typed.claims] == ["proved", "refuted"]


@pytest.mark.parametrize(
    ("map_", "type_"),
    [
        ("BANDS OF 5", INTEGER),
        ("BANDS OF 0.5", decimal(1)),
        ("BANDS AT 1, 2.25", decimal(2)),
        ("PREFIX OF 3", TEXT),
        ("MONTH", TEXT),
        ("LEVEL 1 OF 'jobs.csv'", TEXT),
    ],
)
def test_the_map_decides_the_inferred_type(map_: str, type_: object) -> None:
    tree, _ = parse(f"ALWAYS : GENERALIZE A TO {map_};")
    assert [column.type for column in inferred_schema(tree, {})] == [type_]


def test_a_policy_may_drop_all_columns_that_it_names() -> None:
    assert proof_of("ALWAYS : DROP Name, Age;").ok
    assert proof_of("ALWAYS : DROP another;").ok
