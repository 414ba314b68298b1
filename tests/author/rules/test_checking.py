"""`rules.check`: a table satisfies or violates a rule clause by clause, and the answer says what was not checked."""

import csv
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import acompass
from acompass import rules
from acompass.author.answers import RuleCheck
from acompass.author.rules import checking
from acompass.author.rules.library import Rule, all_rules, find_rule
from tests.author.rules.harness import own_columns, violated

COLUMNS = {"identifier": "Name", "person": [], "known": ["Age", "Zip"], "sensitive": ["Disease", "Income"]}
PEOPLE = [
    {"Name": "*", "Age": 30, "Zip": "212", "Disease": "flu", "Income": 10},
    {"Name": "*", "Age": 30, "Zip": "212", "Disease": "gout", "Income": 20},
    {"Name": "*", "Age": 40, "Zip": "214", "Disease": "flu", "Income": 10},
    {"Name": "*", "Age": 40, "Zip": "214", "Disease": "flu", "Income": 20},
]


def verdicts(check: RuleCheck) -> dict[str, bool | None]:
    """None for a clause that was not checked."""
    return {each.name: each.holds if each.is_checked else None for each in check.clauses}


def tables_of(rule: Rule) -> list[Path]:
    return sorted((*rule.folder.glob("passes*.csv"), *rule.folder.glob("fails-*.csv")))


def require_same_verdicts(rule: Rule, table: Path) -> None:
    """All clauses at once say what each says alone, with the same number of records."""
    columns = own_columns(rule, table)
    absent = {each.name: [] for each in rule.columns if each.name not in columns and not each.is_required}
    check = rules.check(rule.folder, str(table), columns=columns | absent)
    assert {each.name for each in check.violated} == violated(rule, table)
    assert check.ok == table.stem.startswith("passes")
    assert check.records_in == len(table.read_text(encoding="utf-8").splitlines()) - 1


@pytest.mark.parametrize("table", tables_of(find_rule("gdpr-wp29")), ids=lambda path: path.stem)
def test_the_tables_of_a_rule_pass_and_fail(table: Path) -> None:
    require_same_verdicts(find_rule("gdpr-wp29"), table)


@pytest.mark.slow
@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.name)
def test_the_tables_of_every_rule_pass_and_fail(rule: Rule) -> None:
    for table in tables_of(rule):
        require_same_verdicts(rule, table)


def test_every_clause_has_its_verdict_and_its_columns() -> None:
    check = rules.check("gdpr-wp29", PEOPLE, columns=COLUMNS)
    assert verdicts(check) == {"identifiers": True, "linkability": None, "singling-out": True, "inference": False}
    assert [each.columns for each in check.clauses] == [
        ("Name",),
        (),
        ("Age", "Zip"),
        ("Age", "Zip", "Disease", "Income"),
    ]
    assert (check.ok, check.records_in, check.others) == (False, 4, ())
    assert check.leaves_out == find_rule("gdpr-wp29").leaves_out


def test_a_clause_about_several_columns_counts_those_of_the_worst() -> None:
    (inference,) = rules.check("gdpr-wp29", PEOPLE, columns=COLUMNS).violated
    assert [each.affected for each in inference.requirements] == [2, 0]
    assert inference.affected == 2


def test_the_table_is_read_once_for_all_clauses(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = list[str]()

    def count(table: Any, call: Any) -> Any:
        calls.append(call.policy.text)
        return check_policy(table, call)

    check_policy = checking.check_policy
    monkeypatch.setattr(checking, "check_policy", count)
    rules.check("gdpr-wp29", PEOPLE, columns=COLUMNS)
    assert len(calls) == 1


def test_values_of_another_kind_violate_their_clause() -> None:
    table = [{"Region": "north", "Patients": 11, "Cases": "secret"}, {"Region": "south", "Patients": 12, "Cases": "9"}]
    check = rules.check("cms-cell-size", table, columns={"count": ["Patients", "Cases"]})
    (counts,) = check.violated
    assert counts.problem == "column `Cases` is used as a number, but 1 value is not a number"
    assert (counts.affected, len(counts.requirements), check.records_in) == (0, 1, 2)
    assert "secret" not in repr(check) + str(check.to_json())


def test_a_full_date_where_a_year_is_needed_violates_its_clause_and_the_others_are_evaluated(tmp_path: Path) -> None:
    folder = tmp_path / "years"
    folder.mkdir()
    (folder / "rule.toml").write_text(
        'title = "Years"\nsource = "https://example.org"\ndated = 2020-01-01\nreview = 2030-01-01\ncovers = "Births."\n'
        'leaves-out = ["Names."]\n[columns.birth]\nmeaning = "the year"\n[columns.size]\nmeaning = "the size"\n'
    )
    (folder / "clauses.acp").write_text(
        "-- birth: no year before 1930\nEACH RESULT : birth >= 1930;\n-- size: at least 5\nEACH RESULT : size >= 5;\n"
    )
    (folder / "policy.acp").write_text("-- size\nEACH RESULT : size >= 5 : REJECT;\n")
    (folder / "page.md").write_text("# Years\n\nYears.\n")
    table = tmp_path / "people.csv"
    table.write_text("birth,size\n1931-02-03,4\n1932-02-03,6\n")
    check = rules.check(folder, str(table))
    assert [(each.name, each.affected) for each in check.violated] == [("birth", None), ("size", 1)]
    problem = check.violated[0].problem
    assert problem is not None
    assert "2 values are not numbers" in problem
    assert "1931" not in problem


def test_an_incomplete_record_is_left_out_of_the_clauses_about_its_columns_only(tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    table.write_text("Name,Age,Zip\n*,30,212\n,30,212\nAda,30,\n")
    columns = {"identifier": "Name", "known": ["Age", "Zip"]}
    with pytest.raises(acompass.TableError, match="AC212"):
        rules.check("gdpr-wp29", str(table), columns=columns)
    check = rules.check("gdpr-wp29", str(table), columns=columns, missing="drop")
    assert {each.name: each.dropped for each in check.clauses if each.is_checked} == {
        "identifiers": 1,
        "singling-out": 1,
    }
    assert [(each.name, each.affected) for each in check.violated] == [("identifiers", 1)]
    assert check.records_in == 3


def test_a_missing_value_in_one_column_hides_nothing_in_another_of_the_same_clause(tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    table.write_text("Name,Mail,Age\n*,*,30\nAda,,30\n")
    columns = {"identifier": ["Name", "Mail"], "known": "Age"}
    check = rules.check("gdpr-wp29", str(table), columns=columns, missing="drop")
    (identifiers,) = check.violated
    assert [(each.affected, each.records) for each in identifiers.requirements] == [(1, 2), (0, 1)]
    assert (identifiers.affected, identifiers.dropped) == (1, 1)
    assert "identifiers leaves out 1 incomplete record of EACH RESULT : Mail = '*'" in str(check)


def test_a_column_of_another_kind_hides_nothing_in_another_of_the_same_clause() -> None:
    table = [{"Region": "north", "Patients": 3, "Cases": "few"}]
    (counts,) = rules.check("cms-cell-size", table, columns={"count": ["Patients", "Cases"]}).violated
    assert counts.affected == 1
    assert counts.problem == "column `Cases` is used as a number, but 1 value is not a number"


@pytest.mark.parametrize("columns", [{}, {"beneficiary": "b"}], ids=["no column", "only the persons"])
def test_a_table_that_no_clause_is_about_is_an_error_and_no_success(columns: dict[str, str]) -> None:
    with pytest.raises(acompass.CallError, match="no clause of `cms-cell-size` can be checked") as error:
        rules.check("cms-cell-size", [{"a": "x", "b": "y"}], columns=columns)
    assert [each.code for each in error.value.diagnostics] == ["AC652"]


def test_persons_are_counted_where_a_column_tells_them_apart() -> None:
    table = [{"Age": 30, "Patient": "p"}, {"Age": 30, "Patient": "p"}]
    by_person = rules.check("gdpr-wp29", table, columns={"known": "Age", "person": "Patient"})
    assert verdicts(by_person)["singling-out"] is False
    by_record = rules.check("gdpr-wp29", table, columns={"known": "Age", "person": []})
    assert verdicts(by_record)["singling-out"] is True
    assert any("each record counts as a person" in note.text for note in by_record.notes)
    assert not any("each record counts as a person" in note.text for note in by_person.notes)


def test_other_numbers_than_those_of_the_rule_are_part_of_the_verdict() -> None:
    table = [{"Region": "north", "Patients": 7}]
    assert not rules.check("cms-cell-size", table).ok
    loose = rules.check("cms-cell-size", table, params={"k": 5})
    assert loose.ok
    assert loose.changed == ("k is 5 here, 11 in the rule",)
    assert "(k is 5 here, 11 in the rule)" in str(loose)


def test_the_words_say_what_was_checked_and_what_was_not() -> None:
    text = str(rules.check("gdpr-wp29", PEOPLE[:2], columns=COLUMNS))
    assert "the table satisfies every clause of gdpr-wp29 that can be checked" in text
    assert "not checked, because no column was recognized as theirs: linkability" in text
    assert "the rule's known: Age, Zip" in text
    for left in find_rule("gdpr-wp29").leaves_out:
        assert left in text


def test_the_affected_records_are_those_of_an_independent_count(tmp_path: Path) -> None:
    path = find_rule("gdpr-wp29").folder / "table.csv"
    with path.open(encoding="utf-8", newline="") as file:
        records = list(csv.DictReader(file))
    check = rules.check("gdpr-wp29", str(path))
    found = {each.name: each.affected for each in check.clauses}
    classes = {each["known"] for each in records}
    persons = {name: {each["person"] for each in records if each["known"] == name} for name in classes}
    values = {name: Counter(each["sensitive"] for each in records if each["known"] == name) for name in classes}
    assert found == {
        "identifiers": len(records),
        "linkability": len(records),
        "singling-out": sum(len(persons[each["known"]]) < 2 for each in records),
        "inference": sum(len(values[each["known"]]) == 1 for each in records),
    }


def test_a_column_in_doubt_is_an_error_and_a_needed_column_that_the_release_lacks_is_not() -> None:
    table = [{"a": 30, "b": 40}]
    with pytest.raises(acompass.CallError, match="AC652"):
        rules.check("cms-cell-size", table)
    needed = next(each for each in all_rules() if any(column.is_required for column in each.columns))
    column = next(each.name for each in needed.columns if each.is_required)
    released = [{"nothing of it": "x"}]
    with pytest.raises(acompass.CallError) as error:
        rules.check(needed.name, released)
    assert f"no clause of `{needed.name}` can be checked" in str(error.value)
    with pytest.raises(acompass.CallError, match=f"`{column}` of the rule was not found"):
        rules.new(needed.name, released)


@pytest.mark.parametrize("options", [{"person": "Nope"}, {"roles": {"quasi_identifiers": ["Nope"]}}])
def test_a_role_of_an_unknown_column_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(acompass.CallError, match="unknown column `Nope`"):
        acompass.rules.check("cms-cell-size", [{"Region": "north", "Patients": 11}], **options)


def test_the_verdict_says_that_incomplete_records_were_left_out() -> None:
    table = [{"Region": "north", "Patients": 11}, {"Region": "south", "Patients": None}]
    text = str(acompass.rules.check("cms-cell-size", table, missing="drop"))
    assert "; 1 of 2 clauses not checked; 1 of 2 checked without incomplete records" in text
