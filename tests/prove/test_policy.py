"""`prove_policy`: own and other claims, declared and inferred schemas, the shape of the answer."""

import json

import pytest

from acompass.checked.types import INTEGER, TEXT, Type, decimal
from acompass.diagnostics import AcompassError, CallError, PolicyError
from acompass.prove import Claim, ClaimVerdict, Proof, prove_policy
from acompass.prove.inferred_schema import inferred_schema
from acompass.report.json.proof import proof_object
from acompass.report.text.proof import proof_text
from acompass.syntax.parse import parse


def proof_of(text: str, claims: list[str] | None = None, **settings: object) -> Proof:
    return prove_policy(parse(text)[0], text, claims, **settings)  # type: ignore[arg-type]


def only_claim(text: str, claim: str, **settings: object) -> Claim:
    return proof_of(text, [claim], **settings).claims[0]


def test_the_policys_own_assertions_are_claims_with_their_lines() -> None:
    text = "EACH RESULT : Age <= 80\n  : REPLACE Age WITH 80;\n\nSOME RESULT : Age > 3;"
    first, second = proof_of(text).claims
    assert (first.text, first.line, first.verdict) == ("EACH RESULT : Age <= 80", 1, ClaimVerdict.PROVED)
    assert (second.text, second.line, second.verdict) == ("SOME RESULT : Age > 3", 4, ClaimVerdict.REFUTED)
    assert first.reason == "line 1: leaves no record that violates it"


def test_a_reason_names_the_line_that_establishes_and_the_lines_that_keep() -> None:
    text = (
        "EACH PROCESS COUNT(*) AS c GROUP BY Age : c >= 3 : REJECT;\n"
        "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;\n"
    )
    claim = only_claim(text, "EACH PROCESS COUNT(*) AS c GROUP BY Age : c >= 3")
    assert claim.reason.splitlines() == [
        "line 1: removes every class that violates it",
        "line 2: rewrites `Age`, which at most merges whole classes",
    ]


def test_an_unproved_claim_names_the_line_that_could_break_the_claim() -> None:
    text = (
        "EACH PROCESS COUNT(*) AS c GROUP BY Age : c >= 3 : REJECT;\n"
        "EACH RESULT : Zip = 'x' : REPLACE Zip WITH 'x';\n"
        "EACH FILTER Job = 'y' : Age = 1 : REPLACE Age WITH 1;\n"
    )
    claim = only_claim(text, "EACH PROCESS COUNT(*) AS c GROUP BY Age : c >= 3")
    assert claim.verdict is ClaimVerdict.REFUTED
    assert claim.reason.splitlines()[-1].startswith("line 3: ")


def test_a_counterexample_is_small_and_shows_both_tables() -> None:
    claim = only_claim("EACH RESULT : Use >= 3 : RANDOM Use 3 9;", "EACH RESULT : Use >= 4")
    assert claim.counterexample is not None
    assert len(claim.counterexample.records) == 1
    assert claim.counterexample.left == ((3,),)


@pytest.mark.parametrize("k", [2, 5, 40])
def test_a_counterexample_to_anonymity_is_minimal(k: int) -> None:
    text = f"EACH PROCESS COUNT(*) AS c GROUP BY Zip : c >= {k} : REJECT;"
    claim = only_claim(text, f"EACH PROCESS COUNT(*) AS c GROUP BY Zip : c >= {k + 1}")
    assert claim.counterexample is not None
    assert len(claim.counterexample.records) == k


def verdicts_of(text: str) -> list[str]:
    return [str(claim.verdict) for claim in proof_of(text).claims]


def test_the_claim_of_a_check_is_asked_without_it() -> None:
    assert verdicts_of("EACH RESULT : Age <= 80;") == ["refuted"]
    assert verdicts_of("EACH PROCESS COUNT(*) AS c GROUP BY Age : c >= 3;") == ["refuted"]
    assert verdicts_of("SOME RESULT : Age <= 80;") == ["refuted"]
    assert verdicts_of("EACH RESULT : Zip = 'x'; EACH RESULT : Age <= 80;") == ["refuted", "refuted"]


def test_the_claim_of_a_check_rests_on_the_checks_before_it_only() -> None:
    first, second = proof_of("EACH RESULT : Age <= 80; EACH RESULT : Age <= 80;").claims
    assert (first.verdict, second.verdict) == (ClaimVerdict.REFUTED, ClaimVerdict.PROVED)
    assert second.reason == "line 1: nothing is written unless it holds there"


def test_the_claim_of_an_action_rests_on_all_checks() -> None:
    text = "EACH RESULT : Age <= 80 : REPLACE Age WITH 81;\nEACH RESULT : Age <= 80;"
    assert verdicts_of(text) == ["proved", "refuted"]


def test_a_counterexample_satisfies_the_checks() -> None:
    text = "EACH RESULT : Zip = 'x';\nEACH PROCESS COUNT(*) AS c GROUP BY Age : c >= 3;"
    claim = only_claim(text, "EACH PROCESS COUNT(*) AS c GROUP BY Age : c >= 4")
    assert claim.counterexample is not None
    assert len(claim.counterexample.records) == 3
    assert {zip_ for zip_, _ in claim.counterexample.records} == {"x"}


def test_many_checks_are_proved_in_bounded_time() -> None:
    text = "".join(f"EACH RESULT : Age <= {80 - at};\n" for at in range(60))
    verdicts = verdicts_of(text)
    assert verdicts == ["refuted"] * 60


def test_the_json_has_the_documented_shape() -> None:
    text = "EACH RESULT : Day >= '2000-01-01' : REPLACE Pay WITH 1.5;"
    proof = proof_of(text, schema={"Day": "date", "Pay": "decimal(1)", "Share": "float"})
    (claim,) = json.loads(json.dumps(proof_object(proof)))["claims"]
    assert set(claim) == {"text", "line", "verdict", "reason", "counterexample"}
    assert set(claim["counterexample"]) == {"columns", "records", "trace"}
    assert claim["counterexample"]["columns"] == {"Day": "date", "Pay": "decimal(1)", "Share": "float"}
    ((day, pay, share),) = claim["counterexample"]["records"]
    assert (day < "2000-01-01", isinstance(pay, str), isinstance(share, float)) == (True, True, True)
    assert claim["counterexample"]["trace"] == []


def test_a_trace_is_written_in_decimals() -> None:
    text = "EACH RESULT : Use >= 3 : RANDOM Use 0 6;"
    claim = only_claim(text, "EACH RESULT : NOT Use = 5")
    assert claim.counterexample is not None
    assert all(float(rho) < 1 for rho in claim.counterexample.trace)


def test_the_text_shows_the_table_before_and_after() -> None:
    text = "EACH RESULT : Age <= 80 : REPLACE Age WITH 81;"
    shown = proof_text(proof_of(text)).splitlines()
    assert shown[0] == "refuted  line 1: EACH RESULT : Age <= 80"
    assert "  before" in shown
    assert shown[shown.index("  after") + 2].split() == ["81"]


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("EACH RESULT : Age <= 80 : REPLACE Age WITH '80+';", {"Age": INTEGER}),
        ("EACH RESULT : Pay <= 80.25 : REPLACE Pay WITH 80;", {"Pay": decimal(2)}),
        ("EACH PROCESS MAX(Pay) AS m GROUP BY Zip : m <= 0.5;", {"Pay": decimal(1), "Zip": TEXT}),
        ("EACH PROCESS SUM(Pay) AS s : s <= 5; EACH RESULT : pay > 1;", {"Pay": INTEGER}),
        ("EACH RESULT : Zip = 'x' : RANDOM Job 1 2;", {"Zip": TEXT, "Job": INTEGER}),
        ("EACH PROCESS COUNT(*) AS Postal GROUP BY Zip : Postal > 1 : REJECT;", {"Zip": TEXT}),
    ],
)
def test_without_a_schema_types_are_inferred_from_uses(text: str, types: dict[str, Type]) -> None:
    schema = inferred_schema(parse(text)[0], {})
    assert {column.name: column.type for column in schema} == types


def test_a_number_without_a_type_may_have_any_scale() -> None:
    text = "EACH RESULT : Age > 9 AND Age < 10 : REJECT;"
    claim = only_claim(text, "EACH RESULT : Age = 7")
    assert claim.counterexample is not None
    ((age,),) = claim.counterexample.records
    assert 9 < age < 10  # type: ignore[operator]
    assert claim.counterexample.columns == {"Age": "decimal(1)"}
    assert only_claim(text, "EACH RESULT : Age = 7", types={"age": "integer"}).verdict is ClaimVerdict.PROVED


def test_a_counterexample_has_integers_where_there_is_one() -> None:
    claim = only_claim("EACH RESULT : Age <= 80 : REJECT;", "EACH RESULT : Age < 80")
    assert claim.counterexample is not None
    assert claim.counterexample.columns == {"Age": "integer"}


def test_the_answer_names_the_types_it_rests_on() -> None:
    text = "EACH FILTER Zip = 'x' : Age <= 80 : RANDOM Use 1 2;"
    proof = proof_of(text)
    assert proof.types == {"Zip": "text", "Age": "decimal", "Use": "integer"}
    assert json.loads(json.dumps(proof_object(proof)))["types"] == proof.types
    assert proof_text(proof).splitlines()[-1] == (
        "types inferred from the policy: Zip text, Age decimal, Use integer"
    )


def test_only_inferred_types_are_shown_as_text() -> None:
    text = "EACH FILTER Zip = 'x' : Age <= 80 : REJECT;"
    shown = proof_text(proof_of(text, types={"Age": "integer"})).splitlines()
    assert shown[-1] == "types inferred from the policy: Zip text"
    given = proof_of(text, schema={"Age": "integer", "Zip": "text"})
    assert given.types == {"Age": "integer", "Zip": "text"}
    assert "types" not in proof_text(given)


def test_a_number_too_long_for_any_scale_is_proved_with_the_narrowest_types() -> None:
    proof = proof_of(f"EACH RESULT : Age <= 1 : REPLACE Age WITH {10**37};")
    assert proof.types == {"Age": "integer"}


@pytest.mark.parametrize(
    ("types", "code"),
    [({"Agee": "integer"}, "AC552"), ({"Age": "int"}, "AC551"), ({"Age": "opaque"}, "AC551")],
)
def test_types_that_are_wrong(types: dict[str, str], code: str) -> None:
    with pytest.raises(CallError) as raised:
        proof_of("EACH RESULT : Age <= 80;", types=types)
    assert raised.value.diagnostics[0].code == code


def test_a_claim_may_name_further_columns_and_parameters() -> None:
    text = "EACH PROCESS COUNT(*) AS c GROUP BY Age : c >= k : REJECT;"
    claim = only_claim(text, "EACH PROCESS COUNT(*) AS c GROUP BY Age, Zip : c >= l", params={"k": 3, "l": 3})
    assert claim.verdict is ClaimVerdict.REFUTED


def test_errors_in_claims_and_parameters_are_reported() -> None:
    with pytest.raises(PolicyError) as raised:
        only_claim("EACH RESULT : Age <= 80;", "EACH RESULT : Agee <= 80", schema={"Age": "integer"})
    assert raised.value.diagnostics[0].code == "AC101"
    with pytest.raises(AcompassError):
        proof_of("EACH RESULT : Age <= k;")
    with pytest.raises(PolicyError):
        only_claim("EACH RESULT : Age <= 80;", "EACH RESULT Age")


def test_an_assertion_about_a_number_that_became_text_is_undecided() -> None:
    text = "EACH RESULT : Age <= 80 : REPLACE Age WITH '80+';"
    (claim,) = proof_of(text).claims
    assert claim.verdict is ClaimVerdict.UNDECIDED
    assert claim.reason == "line 1: column `Age` becomes text, so the claim does not fit the final table"
