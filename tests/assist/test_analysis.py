"""Diagnostics while a policy is typed: syntax errors, then errors of a run, then probable mistakes."""

from pathlib import Path
from typing import Any

import pytest

import acompass
from acompass.assist.analysis import Context, diagnose, proof_words, proofs, prove_claim, verdict_words, verdicts
from acompass.assist.document import Document, format_edits
from acompass.errors.diagnostics import Severity, apply_edits
from acompass.language.program.types import Schema
from acompass.language.text.formatter import format_program
from acompass.policy import TableRoles
from acompass.prove.proof import ClaimVerdict
from tests.assist.people import POLICY, SCHEMA, context, people


def codes(text: str, given: Context, session: acompass.Session | None = None) -> list[str]:
    return [found.code for found in diagnose(Document(text), given, session)]


def test_a_policy_without_mistakes_has_no_diagnostics() -> None:
    with acompass.open(people()) as session:
        assert codes(POLICY, context(roles=TableRoles()), session) == []
    assert codes(POLICY, context()) == []
    assert codes(POLICY, Context({"k": 5})) == []


def test_an_empty_text_is_not_a_mistake() -> None:
    assert codes("-- to be written\n", Context()) == []


def test_all_syntax_errors_are_reported_and_nothing_else() -> None:
    assert codes("EACH RESULT Age;\nEACH;\nEACH RESULT : nothing = 3;", context()) == ["AC026", "AC015"]


@pytest.mark.parametrize("with_table", [True, False])
def test_each_unbound_parameter_is_an_error_and_hides_no_other(with_table: bool) -> None:
    text = "EACH RESULT : Age <= top : REJECT;\nEACH RESULT : Agee <= most : REJECT;"
    with acompass.open(people()) as session:
        found = codes(text, context(params={}), session if with_table else None)
    assert sorted(found) == ["AC101", "AC106", "AC106"]


def test_an_unused_parameter_is_a_warning_and_hides_no_other() -> None:
    text = "EACH RESULT : Age <= 80 OR Age > 80 : REJECT;"
    found = diagnose(Document(text), context(params={"k": 5}))
    assert [(each.code, each.severity) for each in found] == [
        ("AC501", Severity.WARNING),
        ("AC107", Severity.WARNING),
    ]


def test_an_unknown_column_has_a_fix_that_works() -> None:
    text = "EACH RESULT : Agee <= 80 : REJECT;"
    with acompass.open(people()) as session:
        (found,) = diagnose(Document(text), Context(), session)
        mended = apply_edits(text, found.fixes[0].edits)
        assert found.code == "AC101"
        assert diagnose(Document(mended), Context(), session) == ()


def test_missing_values_are_reported_with_help_and_can_be_dropped() -> None:
    table = [*people(), {"Age": None, "Postal Code": "21200", "Illness": "flu", "Name": "A"}]
    text = "EACH RESULT : Age <= 80 : REJECT;"
    with acompass.open(table) as session:
        (found,) = diagnose(Document(text), Context(), session)
    assert found.code == "AC212"
    assert found.help is not None
    assert "drop" in found.help
    with acompass.open(table, missing="drop") as session:
        assert diagnose(Document(text), Context(), session) == ()


def test_a_table_with_wrong_values_hides_no_unbound_parameter(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("Age\n30\nold\n")
    with acompass.open(path) as session:
        found = codes("EACH RESULT : Age <= 80 AND Age >= least : REJECT;", Context(), session)
    assert found == ["AC210", "AC106"]


def test_no_record_value_is_in_a_diagnostic(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("Age,Zip\n30,21201\nsecret-value,02139\n")
    with acompass.open(path) as session:
        for text in ("EACH RESULT : Age <= 80;", "EACH RESULT : Zip <= 80;", "EACH RESULT : Zip <= '3';"):
            for found in diagnose(Document(text), Context(), session):
                assert "secret-value" not in f"{found.message} {found.help}"
                assert "02139" not in found.message


def test_a_hierarchy_without_any_value_of_the_table_is_reported(tmp_path: Path) -> None:
    (tmp_path / "levels.csv").write_text("nowhere,somewhere\nelsewhere,somewhere\n")
    policy = tmp_path / "policy.acp"
    text = "ALWAYS : GENERALIZE Illness TO LEVEL 1 OF 'levels.csv' ELSE 'other';"
    with acompass.open(people()) as session:
        found = diagnose(Document(text, str(policy)), Context(), session)
    assert [each.code for each in found] == ["AC513"]


def test_a_canceled_call_is_not_a_diagnostic(monkeypatch: pytest.MonkeyPatch) -> None:
    def cancel(*_: Any, **__: Any) -> None:
        raise acompass.Canceled([])

    with acompass.open(people()) as session:
        monkeypatch.setattr(session, "checked", cancel)
        with pytest.raises(acompass.Canceled):
            diagnose(Document(POLICY), context(), session)


PARAMS = {"k": 5}


def test_verdicts_equal_those_of_a_run() -> None:
    with acompass.open(people()) as session:
        judged = verdicts(Document(POLICY), PARAMS, session)
        ran = session.run(POLICY, params=PARAMS, seed="assist")
    found = judged.result
    assert [
        (each.index, each.line, each.text, each.action, each.holds, each.affected, each.records)
        for each in found.requirements
    ] == [
        (each.index, each.line, each.text, each.action, each.holds, each.affected, each.records)
        for each in ran.requirements
    ]
    assert (found.records_in, found.records_out, found.ok) == (
        ran.records_in,
        ran.records_out,
        ran.ok,
    )
    assert (found.unnamed, found.notes, found.dropped) == (ran.unnamed, ran.notes, ran.dropped)
    assert judged.sample is None


def test_each_step_has_its_span() -> None:
    with acompass.open(people()) as session:
        found = verdicts(Document(POLICY), PARAMS, session)
    texts = [POLICY[span.start : span.end] for span in found.spans]
    assert texts[0] == "ALWAYS : DROP Name;"
    assert texts[1].startswith("EACH PROCESS")
    assert texts[1].endswith("BANDS OF 10")
    assert texts[2] == "REJECT"


def test_a_check_that_fails_is_not_ok() -> None:
    with acompass.open(people()) as session:
        found = verdicts(Document("EACH RESULT : Age < 34;"), {}, session)
    assert not found.result.ok
    assert found.result.requirements[0].affected == 12


def test_a_policy_that_cannot_run_raises_its_diagnostics() -> None:
    with acompass.open(people()) as session:
        for text, code in (("EACH;", "AC015"), ("EACH RESULT : x = 3;", "AC101"), ("", "AC410")):
            with pytest.raises(acompass.AcompassError) as raised:
                verdicts(Document(text), {}, session)
            assert [found.code for found in raised.value.diagnostics] == [code]


def test_a_verdict_names_the_probability_of_its_action() -> None:
    with acompass.open(people()) as session:
        found = verdicts(Document("ALWAYS : WITH PROBABILITY 0.5 REPLACE Age WITH 3;"), {}, session)
    (said,) = map(verdict_words, found.result.requirements)
    assert said == "no verdict: 60 of 60 records affected, REPLACE with probability 0.5"


def test_a_verdict_says_that_a_line_does_not_hold_for_the_output() -> None:
    with acompass.open(people()) as session:
        found = verdicts(Document("EACH RESULT : Age <= 9 : REPLACE Age WITH 99;"), {}, session)
    (said,) = map(verdict_words, found.result.requirements)
    assert said == "repaired: 60 of 60 records affected, REPLACE; does not hold for the output"


def test_a_sample_is_stated() -> None:
    with acompass.open(people()) as session, session.sample(20, "seed") as sample:
        found = verdicts(Document(POLICY), PARAMS, sample)
    assert found.sample is not None
    assert (found.sample.records, found.sample.of) == (20, 60)
    assert found.result.records_in == 20


@pytest.mark.parametrize("schema", [SCHEMA, None])
def test_proofs_concern_the_assertions(schema: Schema | None) -> None:
    (found,) = proofs(Document(POLICY), PARAMS, schema)
    assert (found.index, found.claim.line, found.claim.verdict) == (2, 3, ClaimVerdict.PROVED)
    assert POLICY[found.span.start :].startswith("EACH PROCESS")


def test_a_claim_that_fails_has_a_counterexample() -> None:
    document = Document("EACH RESULT : Age <= 80 : REPLACE Age WITH 80;")
    assert prove_claim(document, {}, None, "EACH RESULT : Age <= 80").verdict is ClaimVerdict.PROVED
    refuted = prove_claim(document, {"low": 20}, SCHEMA, "EACH RESULT : Age >= low")
    assert refuted.verdict is ClaimVerdict.REFUTED
    assert refuted.counterexample is not None


def test_verdicts_and_proofs_are_put_into_words() -> None:
    with acompass.open(people()) as session:
        found = verdicts(Document("EACH RESULT : Age < 34 : REJECT;\nALWAYS : DROP Name;"), {}, session)
        first, second = (verdict_words(each, found.sample) for each in found.result.requirements)
    assert first == "repaired: 12 of 60 records affected, REJECT"
    assert second == "no verdict: 48 of 48 records affected, DROP"
    (proof,) = proofs(Document("EACH RESULT : Age < 34 : REJECT;"), {}, None)
    assert proof_words(proof).startswith("proved for every table")


BROKEN = "EACH RESULT : Age <= 80 : REJECT;\nEACH RESULT Age;\nALWAYS : DROP Name;\n"


def test_a_text_that_parses_is_a_policy() -> None:
    document = Document("EACH RESULT : Age <= 80;")
    assert document.policy is not None
    assert document.syntax_errors == ()
    assert document.program is document.policy.tree


def test_the_valid_requirements_of_an_invalid_text_are_parsed() -> None:
    document = Document(BROKEN, "folder/policy.acp")
    assert document.policy is None
    assert [error.code for error in document.syntax_errors] == ["AC026"]
    assert len(document.program.requirements) == 2
    assert document.program.folder == "folder"
    assert document.requirement_at(BROKEN.index("DROP")) is document.program.requirements[1]
    assert document.requirement_at(BROKEN.index("Age;")) is None


def test_only_the_papers_language_is_accepted_if_requested() -> None:
    document = Document("ALWAYS : DROP Name;", paper=True)
    assert [error.code for error in document.syntax_errors] == ["AC060", "AC060"]


def test_words_are_classified_as_the_parser_reads_them() -> None:
    core, beyond = Document("EACH RESULT : always = k;\nALWAYS : GENERALIZE a TO YEAR;").classified_tokens
    assert [token.type for token in core[3:6]] == ["WORD", "OPERATOR", "PARAMETER"]
    assert [token.type for token in beyond[:5]] == ["ALWAYS", "COLON", "GENERALIZE", "WORD", "TO"]


def test_a_table_in_place_of_a_policy_is_reported() -> None:
    document = Document("age,zip\n30,21201\n31,21202\n")
    assert [error.code for error in document.syntax_errors] == ["AC408"]
    assert document.policy is None


TEXT = "-- why\neach result : Age<=80:reject;\n\n\nALWAYS : DROP Name;\nALWAYS:DROP  Zip;"


@pytest.mark.parametrize("text", [TEXT, TEXT.replace("\n", "\r\n"), POLICY.replace("   ", " "), "  -- alone"])
def test_the_edits_give_the_canonical_text(text: str) -> None:
    edits = format_edits(Document(text))
    assert edits
    assert apply_edits(text, edits) == format_program(text)


def test_canonical_lines_are_not_edited() -> None:
    edits = format_edits(Document(TEXT))
    touched = "".join(TEXT[edit.span.start : edit.span.end] for edit in edits)
    assert "-- why" not in touched
    assert "DROP Name" not in touched


@pytest.mark.parametrize("text", [POLICY, "", "EACH RESULT : ", "EACH RESULT : Age<=80;\nEACH;"])
def test_a_canonical_or_invalid_text_needs_no_edits(text: str) -> None:
    assert format_edits(Document(text)) == ()
