"""Names (D3) and the view of the condition after PROCESS (D15)."""

import pytest

from acompass.checked.names import Names
from acompass.checked.program import Comparison, Process
from acompass.checked.types import INTEGER, TEXT, Schema, schema_of
from tests.checked.policies import PAPER, TYPED, checked, compared_value, finding, findings, places, said

CASES = schema_of({"age": INTEGER, "Age": INTEGER, "AGE": INTEGER, "Zip": TEXT})


def columns_of(text: str, schema: Schema = PAPER) -> list[int]:
    conditions = [requirement.assertion.condition for requirement in checked(text, schema).requirements]
    return [condition.column for condition in conditions if isinstance(condition, Comparison)]


@pytest.mark.parametrize(
    "name", ["Postal Code", "Postal code", "postal  code", "POSTAL CODE", '"Postal Code"']
)
def test_a_name_is_found_without_regard_to_case(name: str) -> None:
    assert columns_of(f"EACH RESULT: {name} = '1';") == [2]


def test_the_exact_spelling_wins() -> None:
    assert columns_of("EACH RESULT: age = 1; EACH RESULT: Age = 1; EACH RESULT: AGE = 1;", CASES) == [0, 1, 2]


def test_without_the_exact_spelling_several_columns_are_an_error() -> None:
    assert said("EACH RESULT: aGE = 1;", CASES) == (
        "AC102",
        "`aGE` matches several columns: `age`, `Age`, `AGE`",
        "spell it exactly as one of `age`, `Age`, `AGE`",
    )


def test_case_is_folded_as_unicode_says() -> None:
    schema = schema_of({"STRASSE": INTEGER, "Ökonomie": INTEGER})
    assert columns_of("EACH RESULT: straße = 1; EACH RESULT: öKONOMIE = 1;", schema) == [0, 1]


def test_an_unknown_column_lists_the_columns_and_the_closest() -> None:
    text = "EACH RESULT: Post code = '1';"
    assert said(text) == (
        "AC101",
        "unknown column `Post code`",
        "columns: Record ID, Age, Postal Code, AEC; did you mean `Postal Code`?",
    )
    assert places(text, finding(text)) == ["Post code"]


def test_nothing_is_suggested_where_nothing_is_close() -> None:
    assert said("EACH RESULT: qqqq = 1;")[2] == "columns: Record ID, Age, Postal Code, AEC"


def test_a_wide_table_lists_some_of_its_columns() -> None:
    wide = schema_of({f"c{number}": INTEGER for number in range(10_000)})
    help_ = said("EACH RESULT: zzz = 1;", wide)[2]
    assert help_ == "columns: c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11 and 9,988 more"


@pytest.mark.parametrize(
    "text",
    [
        "EACH FILTER Agee = 1: Age = 1;",
        "EACH PROCESS SUM(Agee) AS s: s = 1;",
        "EACH PROCESS COUNT DISTINCT Agee AS s: s = 1;",
        "EACH PROCESS COUNT(*) AS s WHERE Agee = 1: s = 1;",
        "EACH PROCESS COUNT(*) AS s GROUP BY Agee: s = 1;",
        "EACH RESULT: Age = 1: REPLACE Agee WITH 1;",
        "EACH RESULT: Age = 1: RANDOM Agee 1 2;",
    ],
)
def test_an_unknown_column_is_found_wherever_it_stands(text: str) -> None:
    found = finding(text)
    assert (found.code, places(text, found)) == ("AC101", ["Agee"])


def test_after_process_the_condition_sees_the_groups_and_the_aggregate() -> None:
    program = checked(
        "EACH PROCESS COUNT(*) AS Class Size GROUP BY age, Postal code: class size > 1 OR AGE = 3;"
    )
    (requirement,) = program.requirements
    assert isinstance(requirement.assertion.result, Process)
    assert requirement.assertion.result.group_by == (1, 2)
    assert [a.name for a in requirement.assertion.result.aggregates] == ["Class Size"]
    assert [c.column for c in requirement.assertion.condition.operands] == [2, 0]


def test_after_process_a_column_that_is_not_grouped_is_not_seen() -> None:
    assert said("EACH PROCESS COUNT(*) AS n GROUP BY Postal Code: n > 1 AND Age > 3;") == (
        "AC103",
        "`Age` is not in the result of PROCESS",
        "the condition after PROCESS sees: Postal Code, n; add `Age` to GROUP BY, or compare it in WHERE",
    )


def test_after_process_a_misspelled_aggregate_is_suggested() -> None:
    assert said("EACH PROCESS COUNT(*) AS Class Size: Clas Size > 1;") == (
        "AC103",
        "`Clas Size` is not in the result of PROCESS",
        "the condition after PROCESS sees: Class Size; did you mean `Class Size`?",
    )


def test_the_aggregate_may_take_the_name_of_a_column_that_is_not_grouped() -> None:
    assert compared_value("EACH PROCESS COUNT(*) AS Postal Code GROUP BY Age: Postal Code > 3;", PAPER) == 3


@pytest.mark.parametrize("alias", ["Age", "age", "AGE"])
def test_the_aggregate_must_differ_from_every_group(alias: str) -> None:
    text = f"EACH PROCESS COUNT(*) AS {alias} GROUP BY Postal Code, Age: {alias} > 3;"
    found = finding(text)
    assert found.code == "AC104"
    assert found.message == f"`{alias}` names both the aggregate and a column of GROUP BY"
    assert places(text, found) == [alias, "Age"]


def test_a_column_is_grouped_by_once() -> None:
    text = "EACH PROCESS COUNT(*) AS n GROUP BY Age, Postal Code, age: n > 3;"
    found = finding(text)
    assert (found.code, found.message) == ("AC105", "column `Age` appears twice in GROUP BY")
    assert found.help == "remove the second `age`"
    assert places(text, found) == ["age", "Age"]


def test_columns_that_differ_in_case_can_both_be_grouped_by() -> None:
    text = "EACH PROCESS COUNT(*) AS n GROUP BY age, Age: Age > 3;"
    assert columns_of(text, CASES) == [1]


def test_an_unknown_group_is_reported_once() -> None:
    assert len(findings("EACH PROCESS COUNT(*) AS n GROUP BY Agee: Agee > 3 AND agee < 5;")) == 1


def test_an_opaque_column_cannot_be_named() -> None:
    text = "EACH PROCESS COUNT DISTINCT Blob AS n: n > 1;"
    assert said(text, TYPED)[:2] == (
        "AC117",
        "column `Blob` has a type that policies do not support",
    )


def test_an_opaque_column_can_be_dropped() -> None:
    assert len(checked("ALWAYS : DROP Blob;", TYPED).named) == 1


def test_named_are_the_columns_that_the_policy_uses() -> None:
    text = """
        EACH FILTER Age > 3: Age < 5: REJECT;
        EACH PROCESS COUNT DISTINCT AEC AS Postal Code GROUP BY Age: Postal Code > 2;
    """
    assert checked(text).named == {1, 3}
    assert checked("EACH RESULT: Age > 1: REPLACE Postal code WITH '*';").named == {1, 2}


def test_suggestions_for_a_wide_table_end_with_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each one compares a spelling with every column, so their number is limited."""
    monkeypatch.setattr("acompass.checked.names.SPELLING_BUDGET", 5_999)
    names = Names([f"column {number}" for number in range(1_000)])
    suggestions = [names.closest(f"colum {number}") for number in range(20)]
    assert suggestions[:5] == [f"column {number}" for number in range(5)]
    assert set(suggestions[5:]) == {None}
