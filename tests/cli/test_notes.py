"""Notes on conditions that select no record and on empty tables (D29), and unnamed columns (D30)."""

import json

import pytest

import acompass as api

#: one policy per way of running a requirement with a FILTER or WHERE that selects no record
SELECTING_NOTHING = {
    "EACH FILTER": ("EACH FILTER Age > 200 : Zip = 0;", "FILTER"),
    "SOME FILTER": ("SOME FILTER Age > 200 : Zip = 0 : REPLACE Age WITH 1;", "FILTER"),
    "with RANDOM": ("EACH FILTER Age > 200 : Zip = 0 : RANDOM Age 1 2;", "FILTER"),
    "no groups": ("EACH PROCESS COUNT(*) AS n WHERE Age > 200 : n > 9 : REJECT;", "WHERE"),
    "checked groups": ("EACH PROCESS COUNT(*) AS n WHERE Age > 200 GROUP BY Zip : n > 9;", "WHERE"),
    "groups": ("EACH PROCESS COUNT(*) AS n WHERE Age > 200 GROUP BY Zip : n > 9 : REJECT;", "WHERE"),
    "some group": ("SOME PROCESS COUNT(*) AS n WHERE Age > 200 GROUP BY Zip : n > 9;", "WHERE"),
    "distinct": ("EACH PROCESS COUNT DISTINCT(Zip) AS n WHERE Age > 200 GROUP BY Age : n > 9;", "WHERE"),
}
#: the same, each selecting a record
SELECTING_SOMETHING = [text.replace("200", "40") for text, _ in SELECTING_NOTHING.values()]
RECORDS = [{"Name": "Ada", "Age": 36, "Zip": 21101}, {"Name": "Bob", "Age": 82, "Zip": 21102}]


@pytest.mark.parametrize("engine", ["duckdb", "reference"])
@pytest.mark.parametrize("what", SELECTING_NOTHING)
def test_a_condition_that_selects_no_record_is_noted_at_its_line(what, engine):
    text, word = SELECTING_NOTHING[what]
    policy = f"EACH RESULT : Age < 200;\n{text}"
    for result in (
        api.check(policy, RECORDS, engine=engine),
        api.run(policy, RECORDS, engine=engine),
        api.plan(policy, RECORDS, engine=engine).result,
    ):
        assert [(note.line, note.text) for note in result.notes] == [(2, f"{word} selects no record")]


@pytest.mark.parametrize("text", SELECTING_SOMETHING)
def test_a_condition_that_selects_a_record_is_not_noted(text):
    assert api.check(text, RECORDS).notes == ()


def test_a_chain_notes_each_condition_as_it_stands():
    policy = (
        "EACH FILTER Age > 80 : Age < 0 : REPLACE Age WITH 80;\n"
        "EACH FILTER Age > 80 : Age < 0 : REPLACE Age WITH 80;"
    )
    assert [note.line for note in api.run(policy, RECORDS).notes] == [2]
    assert api.check(policy, RECORDS).notes == ()


def test_a_run_that_leaves_no_record_notes_the_line_that_removed_the_last():
    policy = "EACH RESULT : Age > 50 : REJECT;\nEACH RESULT : Age < 50 : REJECT;\nEACH RESULT : Age = 1;"
    assert [(note.line, note.text) for note in api.run(policy, RECORDS).notes] == [(2, "no record is left")]


def test_a_table_whose_records_were_all_dropped_is_noted(acompass, policy, tmp_path):
    (tmp_path / "gaps.csv").write_text("Name,Age\nAda,\nBob,\n", encoding="utf-8")
    arguments = ("gaps.csv", "-o", "out.csv", "--missing", "drop", "--json")
    value = json.loads(acompass("run", policy("EACH RESULT : Age < 90;"), *arguments).stdout)
    assert (value["records_in"], value["records_out"], value["dropped"]) == (2, 0, 2)
    assert value["notes"] == [{"line": None, "text": "no record is left"}]


def test_columns_that_the_policy_never_names_are_listed_in_the_order_of_the_table():
    text = "EACH PROCESS COUNT(*) AS Name GROUP BY age : Name >= 1;"
    assert api.run(text, RECORDS).unnamed == ("Name", "Zip")
    assert api.check(text, RECORDS).unnamed == ("Name", "Zip")
    assert api.run("EACH RESULT : Age < 99 OR Zip = 1 OR Name = '*';", RECORDS).unnamed == ()


@pytest.mark.parametrize(
    "arguments",
    [("run", "-o", "out.csv", "--json"), ("check", "--format", "json"), ("plan", "--json")],
    ids=["run", "check", "plan"],
)
def test_json_has_them(acompass, policy, arguments):
    command, *options = arguments
    ran = acompass(command, policy("EACH FILTER Age > 200 : Age = 1;"), "people.csv", *options)
    value = json.loads(ran.stdout)
    assert (value["dropped"], value["unnamed"]) == (0, ["Name", "Zip"])
    assert value["notes"] == [{"line": 1, "text": "FILTER selects no record"}]


@pytest.mark.parametrize(
    ("arguments", "heading"),
    [
        (("run", "-o", "out.csv"), "columns that the policy never names, released as they are"),
        (("plan",), "columns that the policy never names, released as they are"),
        (("check",), "columns that the policy never names"),
    ],
    ids=["run", "plan", "check"],
)
def test_the_text_says_so_before_its_last_line(acompass, policy, arguments, heading):
    command, *options = arguments
    ran = acompass(command, policy("EACH FILTER Age > 200 : Age = 1;"), "people.csv", *options)
    *_, note, unnamed, summary = ran.stdout.splitlines()
    assert note == "note: line 1: FILTER selects no record"
    assert unnamed == f"{heading}: Name, Zip"
    assert summary.startswith("3 records")


def test_the_internal_report_page_says_so(acompass, policy, tmp_path):
    text = policy("EACH FILTER Age > 200 : Age = 1;")
    acompass("run", text, "people.csv", "-o", "out.csv", "--report-internal", "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Note: line 1: FILTER selects no record" in page
    assert "Columns that the policy never names, released as they are: Name, Zip" in page


def test_a_check_notes_columns_that_are_dropped_and_absent():
    (note,) = api.check("ALWAYS : DROP Nmae, Zip;", RECORDS).notes
    assert (note.line, note.text) == (1, "nothing to drop: the table has no column `Nmae`")
    assert api.check("ALWAYS : DROP Name, Zip;", RECORDS).notes == ()
    with pytest.raises(api.PolicyError, match="unknown column `Nmae`"):
        api.run("ALWAYS : DROP Nmae, Zip;", RECORDS)
