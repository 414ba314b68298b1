"""Diagnostics as someone types: syntax first, then what a run would refuse, then probable mistakes."""

from pathlib import Path
from typing import Any

import pytest

import acompass
from acompass.assist.context import Context
from acompass.assist.diagnose import diagnose
from acompass.assist.document import Document
from acompass.diagnostics import Severity
from acompass.diagnostics.fixing import apply_edits
from tests.assist.people import POLICY, context, people


def codes(text: str, given: Context, session: acompass.Session | None = None) -> list[str]:
    return [found.code for found in diagnose(Document(text), given, session)]


def test_a_policy_without_mistakes() -> None:
    with acompass.open(people()) as session:
        assert codes(POLICY, context(), session) == []
    assert codes(POLICY, context()) == []
    assert codes(POLICY, Context({"k": 5})) == []


def test_an_empty_text_is_not_a_mistake() -> None:
    assert codes("-- to be written\n", Context()) == []


def test_syntax_errors_come_alone_and_all() -> None:
    assert codes("EACH RESULT Age;\nEACH;\nEACH RESULT : nothing = 3;", context()) == ["AC026", "AC015"]


@pytest.mark.parametrize("with_table", [True, False])
def test_each_unbound_parameter_is_an_error_and_hides_none(with_table: bool) -> None:
    text = "EACH RESULT : Age <= top : REJECT;\nEACH RESULT : Agee <= most : REJECT;"
    with acompass.open(people()) as session:
        found = codes(text, context(params={}), session if with_table else None)
    assert sorted(found) == ["AC101", "AC106", "AC106"]


def test_a_parameter_that_the_policy_does_not_use_is_a_warning_and_hides_none() -> None:
    text = "EACH RESULT : Age <= 80 OR Age > 80 : REJECT;"
    found = diagnose(Document(text), context(params={"k": 5}))
    assert [(each.code, each.severity) for each in found] == [
        ("AC501", Severity.WARNING),
        ("AC107", Severity.WARNING),
    ]


def test_an_unknown_column_of_the_table_has_a_fix_that_mends_it() -> None:
    text = "EACH RESULT : Agee <= 80 : REJECT;"
    with acompass.open(people()) as session:
        (found,) = diagnose(Document(text), Context(), session)
        mended = apply_edits(text, found.fixes[0].edits)
        assert found.code == "AC101"
        assert diagnose(Document(mended), Context(), session) == ()


def test_missing_values_are_said_with_help_and_can_be_dropped() -> None:
    table = [*people(), {"Age": None, "Postal Code": "21200", "Illness": "flu", "Name": "A"}]
    text = "EACH RESULT : Age <= 80 : REJECT;"
    with acompass.open(table) as session:
        (found,) = diagnose(Document(text), Context(), session)
    assert found.code == "AC212"
    assert found.help is not None
    assert "drop" in found.help
    with acompass.open(table, missing="drop") as session:
        assert diagnose(Document(text), Context(), session) == ()


def test_a_table_that_does_not_fit_hides_no_unbound_parameter(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("Age\n30\nold\n")
    with acompass.open(path) as session:
        found = codes("EACH RESULT : Age <= 80 AND Age >= least : REJECT;", Context(), session)
    assert found == ["AC210", "AC106"]


def test_no_value_of_a_record_is_in_a_diagnostic(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("Age,Zip\n30,21201\nsecret-value,02139\n")
    with acompass.open(path) as session:
        for text in ("EACH RESULT : Age <= 80;", "EACH RESULT : Zip <= 80;", "EACH RESULT : Zip <= '3';"):
            for found in diagnose(Document(text), Context(), session):
                assert "secret-value" not in f"{found.message} {found.help}"
                assert "02139" not in found.message


def test_the_table_is_searched_for_values_of_a_hierarchy(tmp_path: Path) -> None:
    (tmp_path / "levels.csv").write_text("nowhere,somewhere\nelsewhere,somewhere\n")
    policy = tmp_path / "policy.acp"
    text = "ALWAYS : GENERALIZE Illness TO LEVEL 1 OF 'levels.csv' ELSE 'other';"
    with acompass.open(people()) as session:
        found = diagnose(Document(text, str(policy)), Context(), session)
    assert [each.code for each in found] == ["AC513"]


def test_a_canceled_call_is_not_a_diagnostic(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise acompass.Canceled([])

    with acompass.open(people()) as session:
        monkeypatch.setattr(session, "checked", interrupted)
        with pytest.raises(acompass.Canceled):
            diagnose(Document(POLICY), context(), session)
