"""A rule's policy for a table: its columns, numbers and files, written completely or not at all."""

import os
from pathlib import Path

import pytest

import acompass
from acompass.author.rules.writing import write_policy
from acompass.errors.diagnostics import CallError, TableError

COUNTS = [{"Region": "north", "Patients": 11, "Note": "x"}, {"Region": "south", "Patients": 10, "Note": "y"}]
RECORDS = [{"Cell": "north", "Patient ID": f"p{number}"} for number in range(11)]


@pytest.fixture
def rule(tmp_path: Path) -> str:
    """A rule with several columns of each kind, a hierarchy and a reference table."""
    folder = tmp_path / "our-rule"
    folder.mkdir()
    columns = "".join(
        f'[columns."{name}"]\nmeaning = "{name}"\nmany = true\n' for name in ("name", "zip", "date", "job", "person")
    )
    settings = (
        'title = "Ours"\nsource = "https://example.org"\ndated = 2026-01-01\nreview = 2028-01-01\n'
        'covers = "Zip codes."\nleaves-out = ["Everything else."]\n'
    )
    columns = columns.replace('meaning = "person"\nmany = true', 'meaning = "person"\nrole = "person"')
    (folder / "rule.toml").write_text(
        f'{settings}[parameters.k]\nvalue = 3\nmeaning = "persons"\n{columns}', encoding="utf-8"
    )
    (folder / "policy.acp").write_text(
        "-- section 1\n"
        "ALWAYS : DROP name;\n"
        "ALWAYS : GENERALIZE job TO LEVEL 1 OF 'jobs.csv';\n\n"
        "-- section 2\n"
        "EACH PROCESS SUM(people) IN 'zips.csv' AS Residents GROUP BY zip : Residents >= k : REPLACE zip WITH '*';\n"
        "EACH PROCESS COUNT DISTINCT(person) AS n GROUP BY zip, date : n >= k : REJECT;\n",
        encoding="utf-8",
    )
    (folder / "clauses.acp").write_text("-- zip: few\nEACH RESULT : zip != '00000';\n", encoding="utf-8")
    (folder / "page.md").write_text("# Ours\n", encoding="utf-8")
    (folder / "jobs.csv").write_text("cook;*\nbaker;*\n", encoding="utf-8")
    (folder / "zips.csv").write_text("zip,people\n11,5\n12,2\n", encoding="utf-8")
    return str(folder)


def _lines(text: str) -> list[str]:
    """The requirements, each on one line."""
    return [" ".join(each.split()) for each in _requirements(text)]


def _requirements(text: str) -> list[str]:
    policy = acompass.parse(text)
    return [text[each.span.start : each.span.end] for each in policy.tree.requirements]


def test_columns_in_a_list_become_all_matched_ones(rule: str) -> None:
    made = acompass.rules.new(rule, columns={"name": ["First", "Last"], "date": ["In", "Out"], "zip": [], "job": []})
    assert _lines(made.text) == [
        "ALWAYS : DROP First, Last;",
        "EACH PROCESS COUNT DISTINCT(person) AS n GROUP BY In, Out : n >= 3 : REJECT;",
    ]


def test_a_requirement_is_repeated_for_each_column(rule: str) -> None:
    made = acompass.rules.new(
        rule, columns={"zip": ["Home", "Work"], "name": [], "date": [], "job": ["Job"], "person": ["Id"]}
    )
    assert _lines(made.text) == [
        "ALWAYS : GENERALIZE Job TO LEVEL 1 OF 'jobs.csv';",
        "EACH PROCESS SUM(people) IN 'zips.csv' AS Residents GROUP BY Home : Residents >= 3 : REPLACE Home WITH '*';",
        "EACH PROCESS SUM(people) IN 'zips.csv' AS Residents GROUP BY Work : Residents >= 3 : REPLACE Work WITH '*';",
        "EACH PROCESS COUNT DISTINCT(Id) AS n GROUP BY Home, Work : n >= 3 : REJECT;",
    ]


def test_every_requirement_has_the_comment_of_its_section(rule: str) -> None:
    text = acompass.rules.new(rule, columns={"name": []}).text
    assert text.index("-- section 1") < text.index("GENERALIZE job") < text.index("-- section 2")
    assert acompass.rules.new(rule, columns={"name": [], "job": []}).text.count("-- section") == 1


def test_records_are_counted_if_no_column_tells_persons_apart(rule: str) -> None:
    table = [{"zip": "11", "date": "2024-01-01"}]
    made = acompass.rules.new(rule, table)
    assert _lines(made.text)[-1] == "EACH PROCESS COUNT(*) AS n GROUP BY zip, date : n >= 3 : REJECT;"
    assert made.notes == (
        "no column tells persons apart, so each record counts as a person; if a person can have several records, "
        'name the column with `columns={"person": "COLUMN"}`',
    )


def test_a_column_for_persons_is_mentioned() -> None:
    made = acompass.rules.new("cms-cell-size", RECORDS, columns={"cell": "Cell"})
    assert made.notes == (
        'the policy counts persons by `Patient ID`; reports do so with `person="Patient ID"`, or with '
        '`person = "Patient ID"` for the table in `acompass.toml`',
    )
    assert acompass.rules.new("cms-cell-size", COUNTS).notes == ()


def test_an_aggregate_is_not_named_like_a_column(rule: str) -> None:
    table = [{"Residents": "11", "N": "a", "Computed N": "b", "person": 1}]
    made = acompass.rules.new(rule, table, columns={"zip": "residents", "date": ["n", "computed n"]})
    assert _lines(made.text) == [
        "EACH PROCESS SUM(people) IN 'zips.csv' AS Computed Residents GROUP BY Residents "
        ": Computed Residents >= 3 : REPLACE Residents WITH '*';",
        "EACH PROCESS COUNT DISTINCT(person) AS Computed Computed n GROUP BY Residents, N, Computed N "
        ": Computed Computed n >= 3 : REJECT;",
    ]
    assert acompass.run(made.policy, table).ok


def test_the_own_columns_are_those_of_tables_of_all_kinds() -> None:
    made = acompass.rules.new("cms-cell-size")
    assert made.matching is None
    assert _lines(made.text) == [
        "EACH RESULT : count = 0 OR count >= 11 : REJECT;",
        "EACH PROCESS COUNT DISTINCT(beneficiary) AS Beneficiaries GROUP BY cell : Beneficiaries >= 11 : REJECT;",
    ]


def test_the_header_names_the_rule_and_its_source() -> None:
    rule = acompass.rules.find("cms-cell-size")
    assert acompass.rules.new("cms-cell-size").text.splitlines()[:3] == [
        f"-- {rule.title}",
        f"-- Rule cms-cell-size, source of {rule.dated}, review by {rule.review}",
        f"-- {rule.source}",
    ]


@pytest.mark.parametrize(
    ("k", "notes"), [(5, ("k is 5 here, 11 in the rule",)), (15, ("k is 15 here, 11 in the rule",)), (11, ())]
)
def test_another_number_is_written_with_that_of_the_rule(k: int, notes: tuple[str, ...]) -> None:
    made = acompass.rules.new("cms-cell-size", COUNTS, params={"k": k})
    assert f"Patients >= {k}" in made.text
    assert made.notes == notes
    assert [line for line in made.text.splitlines() if "in the rule" in line] == [f"-- {note}" for note in notes]


@pytest.mark.parametrize(("params", "code"), [({"j": 5}, "AC107"), ({"k": float("nan")}, "AC109")])
def test_a_number_that_the_rule_does_not_have(params: dict[str, float], code: str) -> None:
    with pytest.raises(CallError, match=code):
        acompass.rules.new("cms-cell-size", COUNTS, params=params)


def test_the_answer_says_what_was_matched_and_what_was_not() -> None:
    made = acompass.rules.new("cms-cell-size", COUNTS)
    assert made.matching is not None
    assert made.matching.columns == {"count": ("Patients",)}
    assert made.matching.others == ("Region", "Note")
    assert "cell" not in [column.name for column in made.not_found], "not looked for in a table of counts"
    assert acompass.run(made.policy, COUNTS).table == COUNTS[:1]


def test_a_table_without_the_columns_of_any_requirement() -> None:
    with pytest.raises(CallError, match="AC652"):
        acompass.rules.new("cms-cell-size", COUNTS, columns={"count": []})


def test_a_doubt_is_asked_about_or_an_error() -> None:
    table = [{"home zip": "21201", "work zip": "21202"}]
    rule = acompass.rules.find("us-census-puma")
    with pytest.raises(CallError, match="AC652"):
        acompass.rules.new(rule.name, table)
    asked = list[str]()

    def answer(question: str) -> str:
        asked.append(question)
        return "home zip" if "`area`" in question else "0"

    made = acompass.rules.new(rule.name, table, ask=answer)
    assert made.matching is not None
    assert made.matching.columns["area"] == ("home zip",)
    assert asked


TABLE = [{"ZIP": "11", "Job": "cook", "Id": 1}]


def test_files_have_the_names_of_the_table(rule: str, tmp_path: Path) -> None:
    folder = tmp_path / "release"
    folder.mkdir()
    made = acompass.rules.new(rule, TABLE, output=folder / "release.acp", columns={"person": "Id"})
    names = ["release.acp", "jobs.csv", "zips.csv"]
    assert made.written == tuple(str(folder / name) for name in names)
    assert sorted(os.listdir(folder)) == sorted(names)
    assert (folder / "zips.csv").read_text(encoding="utf-8") == "ZIP,people\n11,5\n12,2\n"
    assert (folder / "jobs.csv").read_bytes() == Path(rule, "jobs.csv").read_bytes()
    assert (folder / "release.acp").read_text(encoding="utf-8") == made.text
    result = acompass.run(acompass.load(folder / "release.acp"), TABLE * 3)
    assert result.table == acompass.run(made.policy, TABLE * 3).table == []


def test_the_policy_of_an_answer_finds_the_files_without_an_output(rule: str) -> None:
    made = acompass.rules.new(rule, TABLE, columns={"person": "Id"}, params={"k": 1})
    assert acompass.run(made.policy, TABLE).table == [{"ZIP": "11", "Job": "*", "Id": 1}]
    assert made.written == ()


def test_files_that_are_there_are_kept(rule: str, tmp_path: Path) -> None:
    output = tmp_path / "release.acp"
    acompass.rules.new(rule, TABLE, output=output)
    assert acompass.rules.new(rule, TABLE, output=output).written == (str(output),)


def test_another_file_of_that_name_is_not_replaced(rule: str, tmp_path: Path) -> None:
    folder = tmp_path / "release"
    folder.mkdir()
    (folder / "zips.csv").write_text("ZIP,people\n11,9\n", encoding="utf-8")
    with pytest.raises(CallError) as caught:
        acompass.rules.new(rule, TABLE, output=folder / "release.acp")
    (finding,) = caught.value.diagnostics
    assert finding.code == "AC653"
    assert str(folder / "zips.csv") in finding.message
    assert os.listdir(folder) == ["zips.csv"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "no space")])
@pytest.mark.parametrize("renamed", [0, 1, 2])
def test_an_interrupted_call_leaves_nothing(
    rule: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, renamed: int, error: BaseException
) -> None:
    folder, real, calls = tmp_path / "release", os.replace, list[str]()
    folder.mkdir()

    def fail_later(part: str, target: str) -> None:
        calls.append(str(target))
        if len(calls) > renamed:
            raise error
        real(part, target)

    monkeypatch.setattr(os, "replace", fail_later)
    with pytest.raises((KeyboardInterrupt, TableError)):
        acompass.rules.new(rule, TABLE, output=folder / "release.acp")
    assert len(calls) == renamed + 1
    assert os.listdir(folder) == []


@pytest.mark.parametrize("output", ["no-folder/release.acp", "table.csv", "zips.csv"])
def test_an_output_that_cannot_be_written(
    rule: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, output: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text("ZIP,Job,Id\n11,cook,1\n", encoding="utf-8")
    before = sorted(os.listdir())
    with pytest.raises(TableError):
        acompass.rules.new(rule, "table.csv", output=output)
    assert sorted(os.listdir()) == before


def test_a_written_policy_is_formatted_and_has_no_value_of_the_table() -> None:
    made = acompass.rules.new("cms-cell-size", COUNTS)
    assert made.text == write_policy(made.rule, {"count": ["Patients"]})
    for value in ("north", "south"):
        assert value not in made.text + str(made) + made.to_markdown() + str(made.to_json())
