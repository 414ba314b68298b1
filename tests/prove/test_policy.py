"""`prove_policy`: own and other claims, declared and inferred schemas, the shape of the answer."""

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

import acompass
from acompass.errors.diagnostics import AcompassError, CallError, PolicyError
from acompass.language.program.types import INTEGER, TEXT, Type, decimal
from acompass.language.text.parser import parse_text
from acompass.prove.proof import Claim, ClaimVerdict
from acompass.prove.search.column_types import inferred_schema
from acompass.prove.search.verdicts import prove_policy
from tests.prove.replaying import prove_text


def only_claim(text: str, claim: str, **settings: object) -> Claim:
    return prove_text(text, [claim], **settings).claims[0]


def test_the_policys_own_assertions_are_claims_with_their_lines() -> None:
    text = "EACH RESULT : Age <= 80\n  : REPLACE Age WITH 80;\n\nSOME RESULT : Age > 3;"
    first, second = prove_text(text).claims
    assert (first.text, first.line, first.verdict) == ("EACH RESULT : Age <= 80", 1, ClaimVerdict.PROVED)
    assert (second.text, second.line, second.verdict) == ("SOME RESULT : Age > 3", 4, ClaimVerdict.REFUTED)
    assert first.reason == "line 1: leaves no record that violates it"


def test_a_reason_names_the_line_that_establishes_and_the_lines_that_keep() -> None:
    text = (
        "EACH PROCESS COUNT(*) AS c GROUP BY Age : c >= 3 : REJECT;\nEACH RESULT : Age <= 80 : REPLACE Age WITH 80;\n"
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


def own_verdicts(text: str) -> list[str]:
    return [str(claim.verdict) for claim in prove_text(text).claims]


def test_the_claim_of_a_check_is_asked_without_it() -> None:
    assert own_verdicts("EACH RESULT : Age <= 80;") == ["refuted"]
    assert own_verdicts("EACH PROCESS COUNT(*) AS c GROUP BY Age : c >= 3;") == ["refuted"]
    assert own_verdicts("SOME RESULT : Age <= 80;") == ["refuted"]
    assert own_verdicts("EACH RESULT : Zip = 'x'; EACH RESULT : Age <= 80;") == ["refuted", "refuted"]


def test_the_claim_of_a_check_rests_on_the_checks_before_it_only() -> None:
    first, second = prove_text("EACH RESULT : Age <= 80; EACH RESULT : Age <= 80;").claims
    assert (first.verdict, second.verdict) == (ClaimVerdict.REFUTED, ClaimVerdict.PROVED)
    assert second.reason == "line 1: nothing is written unless it holds there"


def test_the_claim_of_an_action_rests_on_all_checks() -> None:
    text = "EACH RESULT : Age <= 80 : REPLACE Age WITH 81;\nEACH RESULT : Age <= 80;"
    assert own_verdicts(text) == ["proved", "refuted"]


def test_a_counterexample_satisfies_the_checks() -> None:
    text = "EACH RESULT : Zip = 'x';\nEACH PROCESS COUNT(*) AS c GROUP BY Age : c >= 3;"
    claim = only_claim(text, "EACH PROCESS COUNT(*) AS c GROUP BY Age : c >= 4")
    assert claim.counterexample is not None
    assert len(claim.counterexample.records) == 3
    assert {zip_ for zip_, _ in claim.counterexample.records} == {"x"}


def test_many_checks_are_proved_in_bounded_time() -> None:
    text = "".join(f"EACH RESULT : Age <= {80 - at};\n" for at in range(60))
    verdicts = own_verdicts(text)
    assert verdicts == ["refuted"] * 60


def test_the_json_has_the_documented_shape() -> None:
    text = "EACH RESULT : Day >= '2000-01-01' : REPLACE Pay WITH 1.5;"
    proof = prove_text(text, schema={"Day": "date", "Pay": "decimal(1)", "Share": "float"})
    (claim,) = json.loads(json.dumps(proof.to_json()))["claims"]
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
    shown = str(prove_text(text)).splitlines()
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
    schema = inferred_schema(parse_text(text)[0], {})
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
    proof = prove_text(text)
    assert proof.types == {"Zip": "text", "Age": "decimal", "Use": "integer"}
    assert json.loads(json.dumps(proof.to_json()))["types"] == proof.types
    assert str(proof).splitlines()[-1] == ("types inferred from the policy: Zip text, Age decimal, Use integer")


def test_only_inferred_types_are_shown_as_text() -> None:
    text = "EACH FILTER Zip = 'x' : Age <= 80 : REJECT;"
    shown = str(prove_text(text, types={"Age": "integer"})).splitlines()
    assert shown[-1] == "types inferred from the policy: Zip text"
    given = prove_text(text, schema={"Age": "integer", "Zip": "text"})
    assert given.types == {"Age": "integer", "Zip": "text"}
    assert "types" not in str(given)


def test_a_number_too_long_for_any_scale_is_proved_with_the_narrowest_types() -> None:
    proof = prove_text(f"EACH RESULT : Age <= 1 : REPLACE Age WITH {10**37};")
    assert proof.types == {"Age": "integer"}


@pytest.mark.parametrize(
    ("types", "code"),
    [({"Agee": "integer"}, "AC552"), ({"Age": "int"}, "AC551"), ({"Age": "opaque"}, "AC551")],
)
def test_wrong_types_are_rejected(types: dict[str, str], code: str) -> None:
    with pytest.raises(CallError) as raised:
        prove_text("EACH RESULT : Age <= 80;", types=types)
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
        prove_text("EACH RESULT : Age <= k;")
    with pytest.raises(PolicyError):
        only_claim("EACH RESULT : Age <= 80;", "EACH RESULT Age")


def test_an_assertion_about_a_number_that_became_text_is_undecided() -> None:
    text = "EACH RESULT : Age <= 80 : REPLACE Age WITH '80+';"
    (claim,) = prove_text(text).claims
    assert claim.verdict is ClaimVerdict.UNDECIDED
    assert claim.reason == "line 1: column `Age` becomes text, so the claim does not fit the final table"


_BANDS = (
    "EACH RESULT : Age >= 0 AND Age {last} : REJECT;\n"
    "EACH FILTER Age >= 0 AND Age {first} : Age = 5 : REPLACE Age WITH 5;\n"
    "EACH FILTER Age >= 10 AND Age {last} : Age = 15 : REPLACE Age WITH 15;"
)
_WITH_GAP = _BANDS.format(first="<= 9", last="<= 19")
_WITHOUT_GAP = _BANDS.format(first="< 10", last="< 20")
_AGES = "Age\n3\n9.5\n12\n19.5\n"
_PAYS = "Pay\n0.5\n0.55\n0.6\n0.5500001\n"
_TIMES = "At TIMESTAMP\n2020-01-01\n2019-12-31T23:59:00\n2020-01-01T00:00:01\n"
_TWO = "age,Age\n1,5\n5,1\n5,5\n5,9\n"
_FREQUENT = "EACH PROCESS COUNT(*) AS n GROUP BY {name} : n >= 3"


def _store(table: str, folder: Path) -> Path:
    """A CSV file, or a Parquet file if the column has a type."""
    name, _, type_ = table.partition("\n")[0].partition(" ")
    text = folder / "before.csv"
    text.write_text(table, encoding="utf-8")
    if not type_:
        return text
    options = f"header = true, columns = {{'{name}': '{type_}'}}"
    duckdb.sql(f"FROM read_csv('{text}', {options})").write_parquet(str(folder / "before.parquet"))
    return folder / "before.parquet"


@pytest.mark.parametrize(
    ("policy", "claim", "table"),
    [
        (_WITH_GAP, "EACH RESULT : Age = 5 OR Age = 15", _AGES),
        (_WITH_GAP, "EACH RESULT : Age <= 9 OR Age >= 10", _AGES),
        (_WITHOUT_GAP, "EACH RESULT : Age = 5 OR Age = 15", _AGES),
        ("EACH RESULT : Pay > 0.5 AND Pay < 0.6 : REJECT;", "EACH RESULT : Pay = 7", _PAYS),
        ("EACH RESULT : Pay > 0.5 AND Pay < 0.6 : REJECT;", "EACH RESULT : Pay > 0.5", _PAYS),
        ("EACH RESULT : Pay > 0.5 : REJECT;", "EACH RESULT : Pay = 0.55 OR Pay >= 0.6 OR Pay < 0.55", _PAYS),
        ("EACH RESULT : At <= '2020-01-01' : REJECT;", "EACH RESULT : At < '2020-01-01T00:00:00'", _TIMES),
        ("EACH RESULT : At <= '2020-01-01' : REJECT;", "EACH RESULT : At < '2020-01-02'", _TIMES),
        ("EACH RESULT : At = '2020-01-01' : REJECT;", "EACH RESULT : At <> '2020-01-01T00:00:00'", _TIMES),
        ("EACH RESULT : age > 3 : REJECT;", "EACH RESULT : Age > 3", _TWO),
        ("EACH RESULT : age > 3 : REJECT;", "EACH RESULT : age > 3", _TWO),
        (f"{_FREQUENT.format(name='age')} : REJECT;", _FREQUENT.format(name="Age"), _TWO),
        (f"{_FREQUENT.format(name='age')} : REJECT;", _FREQUENT.format(name="age"), _TWO),
    ],
)
def test_proved_means_that_the_claim_holds_on_such_a_table(policy: str, claim: str, table: str, tmp_path: Path) -> None:
    before = _store(table, tmp_path)
    after = before.with_stem("after")
    acompass.run(policy, str(before), output=after)
    (found,) = acompass.check(f"{claim};", str(after)).requirements
    (proof,) = prove_policy(parse_text(policy)[0], policy, [claim]).claims
    assert proof.verdict is (ClaimVerdict.PROVED if found.holds else ClaimVerdict.REFUTED)


def test_an_answer_says_which_tables_it_is_about() -> None:
    policy = "EACH RESULT : age > 3 : REJECT;"
    (claim,) = prove_policy(parse_text(policy)[0], policy, ["EACH RESULT : Age > 3"]).claims
    assert claim.reason.splitlines()[-1] == "a table can have the columns `age` and `Age`"
    policy = "EACH RESULT : At <= '2020-01-01' : REJECT;"
    (claim,) = prove_policy(parse_text(policy)[0], policy, ["EACH RESULT : At < '2020-01-01T00:00'"]).claims
    assert claim.reason.splitlines()[-1] == "`At` can have timestamps"


def test_a_declared_type_is_not_questioned() -> None:
    policy, claim = "EACH RESULT : At <= '2020-01-01' : REJECT;", "EACH RESULT : At < '2020-01-01T00:00'"
    (found,) = prove_policy(parse_text(policy)[0], policy, [claim], types={"At": "text"}).claims
    assert found.verdict is ClaimVerdict.PROVED


CLAIM = "EACH PROCESS COUNT DISTINCT(Pay) AS d : d <= 1"
ONLY_TWO = "EACH RESULT : Pay = 2 : REJECT;"
INTO_TEXT = [
    "ALWAYS : GENERALIZE Pay TO PREFIX OF 1;",
    "EACH FILTER Pay = 3 : Pay = 2 : REPLACE Pay WITH '*';",
    "EACH FILTER Pay = 3 : Pay = 2 : WITH PROBABILITY 0.5 REPLACE Pay WITH '*';",
]


def _release(policy: str, folder: Path) -> set[str]:
    (folder / "pay.csv").write_text("Pay\n2\n2.0\n2.00\n", encoding="utf-8")
    acompass.run(policy, folder / "pay.csv", output=folder / "out.csv")
    return set((folder / "out.csv").read_text(encoding="utf-8").splitlines()[1:])


@pytest.mark.parametrize("line", INTO_TEXT)
@pytest.mark.slow
def test_several_spellings_are_several_texts(line: str, tmp_path: Path) -> None:
    policy = f"{ONLY_TWO}\n{line}"
    assert len(_release(policy, tmp_path)) == 3
    (claim,) = acompass.prove(policy, claims=[CLAIM]).claims
    assert claim.verdict != "proved"


def _verdict(policy: str, claim: str, **types: Any) -> str:
    (found,) = acompass.prove(policy, claims=[claim], **types).claims
    return str(found.verdict)


#: numbers whose texts are not constants of the policy
BETWEEN = "EACH RESULT : Pay >= 1 AND Pay <= 1.1 : REJECT;"


@pytest.mark.parametrize("line", INTO_TEXT)
def test_numbers_of_a_fixed_scale_have_one_text(line: str) -> None:
    claim = CLAIM.replace("<= 1", "<= 2")
    assert _verdict(f"{BETWEEN}\n{line}", claim, schema={"Pay": decimal(1)}) == "proved"


@pytest.mark.slow
def test_numbers_of_a_csv_have_several_texts(tmp_path: Path) -> None:
    (tmp_path / "pay.csv").write_text("Pay\n1\n1.0\n1.1\n", encoding="utf-8")
    claim = CLAIM.replace("<= 1", "<= 2")
    for line in INTO_TEXT:
        assert _verdict(f"{BETWEEN}\n{line}", claim, table=tmp_path / "pay.csv") != "proved"


@pytest.mark.parametrize("line", INTO_TEXT)
def test_a_column_that_forms_classes_has_one_spelling_of_a_number(line: str, tmp_path: Path) -> None:
    policy = f"{ONLY_TWO}\nEACH PROCESS COUNT(*) AS n GROUP BY Pay : n >= 1;\n{line}"
    assert len(_release(policy, tmp_path)) == 1
    (claim,) = acompass.prove(policy, claims=[CLAIM]).claims
    assert claim.verdict == "proved"


@pytest.mark.parametrize(
    "claim",
    [
        "EACH RESULT : Zip <= '80'",
        "EACH RESULT : Day <= '2020-01-01'",
        "EACH PROCESS MAX(Zip) AS m GROUP BY Sex : m <= '80'",
        "EACH FILTER Zip > '3' : Sex = 'f'",
    ],
)
def test_the_claim_of_a_counterexample_can_be_asked_of_it(claim: str) -> None:
    """`check` with the claim reads the output: '9' does not sort like 9 (D24), and a column of dates has one (D28)."""
    (found,) = acompass.prove("EACH RESULT : Sex != 'x' : REJECT;", claims=[claim]).claims
    assert found.counterexample is not None
    names = [column.name for column in found.counterexample.left_schema]
    table = [dict(zip(names, record, strict=True)) for record in found.counterexample.left]
    assert not acompass.check(f"{claim};", table).ok
