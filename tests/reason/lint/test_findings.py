"""The findings of lint, and policies without any."""

from datetime import date, timedelta
from pathlib import Path

import pytest

import acompass
from acompass.errors.diagnostics import Severity, apply_edits
from acompass.language.text.formatter import format_program
from acompass.language.text.parser import parse_text
from acompass.reason.lint import requirements
from acompass.reason.lint.linter import lint_policy
from tests.programs import quote

AGES = Path(__file__).with_name("ages.csv")

PAPER = """
EACH RESULT : Age <= 80 : REPLACE Age WITH 80;
EACH FILTER Postal code > '21200' AND Postal code < '21299' : Postal code = '212**'
  : REPLACE Postal code WITH '212**';
EACH FILTER Postal code > '21400' AND Postal code < '21499' : Postal code = '214**'
  : REPLACE Postal code WITH '214**';
EACH FILTER Postal code > '21100' AND Postal code < '21199' : Postal code = '211**'
  : REPLACE Postal code WITH '211**';
EACH RESULT : AEC >= 3000 : RANDOM AEC 3000 4000;
EACH PROCESS COUNT(*) AS Class Size GROUP BY Age, Postal Code : Class Size >= 2;
EACH PROCESS COUNT DISTINCT AEC AS Diversity AEC GROUP BY Age, Postal Code : Diversity AEC > 1 : REJECT;
"""


def findings(text: str) -> list[tuple[str, int]]:
    """The code and the line of each finding."""
    policy, problems = parse_text(text)
    assert not problems
    found = lint_policy(policy, text)
    assert all(finding.severity is Severity.WARNING and finding.help for finding in found)
    return [(finding.code, text.count("\n", 0, finding.labels[0].span.start) + 1) for finding in found]


def test_the_papers_policy_has_the_gap_and_nothing_else() -> None:
    assert findings(PAPER) == [("AC507", 3)]
    found = lint_policy(parse_text(PAPER)[0], PAPER)
    assert "`'21200'`" in found[0].message
    assert "`'21299'`" in found[0].message


@pytest.mark.parametrize(
    "text",
    [
        "",
        "EACH RESULT : Age <= 80;",
        "EACH RESULT : Age <= 80 : REJECT;\nEACH RESULT : Age <= 80;",
        "EACH FILTER Age < 20 : Age = 10 : REPLACE Age WITH 10;\n"
        "EACH FILTER Age >= 20 AND Age < 40 : Age = 30 : REPLACE Age WITH 30;",
        # codes, not a range from 1 to 3
        "EACH FILTER Code = 1 : Code = 10 : REPLACE Code WITH 10;\n"
        "EACH FILTER Code = 3 : Code = 30 : REPLACE Code WITH 30;",
        "EACH RESULT : Code <> 1 : REPLACE Code WITH 2;\nEACH RESULT : Code <> 4 : REPLACE Code WITH 5;",
        "EACH FILTER Code = 5 : Code = 0 : REPLACE Code WITH 0;\n"
        "EACH FILTER Code >= 7 AND Code <= 9 : Code = 99 : REPLACE Code WITH 99;",
        # no integer is between 9 and 10
        "EACH FILTER Age >= 0 AND Age <= 9 : Age = 5 : REPLACE Age WITH 5;\n"
        "EACH FILTER Age >= 10 AND Age <= 19 : Age = 15 : REPLACE Age WITH 15;",
        # some classes stay
        "EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 3 AND n < 5 : REJECT;",
        "EACH PROCESS COUNT(*) AS n WHERE Age > 9 GROUP BY Zip : n < 1 : REJECT;",
        "EACH PROCESS COUNT(*) AS n WHERE Age > 9 : n >= 3 : REJECT;",
        "EACH PROCESS COUNT(*) AS c GROUP BY Zip : Zip = '*' OR c >= 3 : REPLACE Zip WITH '*';",
        "EACH PROCESS MAX(Pay) AS m GROUP BY Zip : m <= 9 : REPLACE Pay WITH 9;",
        "SOME RESULT : Age > 80;",
        "EACH PROCESS COUNT(*) AS c GROUP BY Zip : c >= 3 : REJECT;\n"
        "EACH FILTER Zip < 'm' : Zip = 'a' : REPLACE Zip WITH 'a';",
        "ALWAYS : DROP Name;\nALWAYS : REPLACE Job WITH '*';\n"
        "ALWAYS : GENERALIZE Age TO BANDS OF 5 UP TO 90;\n"
        "EACH PROCESS COUNT(*) AS n, COUNT DISTINCT(Disease) AS d GROUP BY Age, Zip : n >= 3 AND d >= 2\n"
        "  : GENERALIZE Zip TO PREFIX OF 3 THEN GENERALIZE Age TO BANDS OF 10 UP TO 90 THEN REJECT;",
        "ALWAYS : RANDOM Age 0 90;",
        # the final table satisfies both assertions, although the rules overlap
        "EACH FILTER Age < 30 : Age = 20 : REPLACE Age WITH 20;\n"
        "EACH FILTER Age > 25 AND Age < 60 : Age = 40 : REPLACE Age WITH 40;",
        # the second REPLACE affects labels
        "EACH RESULT : Age <> '5' : REPLACE Age WITH '*';\n"
        f"ALWAYS : GENERALIZE Age TO LEVEL 1 OF {quote(AGES)};\n"
        "EACH RESULT : Age <> 'old' : REPLACE Age WITH '*';",
        "EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 3 : REPLACE Zip WITH '*' THEN REJECT;",
        "EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 3 : GENERALIZE Zip TO PREFIX OF 3\n"
        "  THEN GENERALIZE Zip TO PREFIX OF 2 THEN REJECT;\nALWAYS : DROP Zip;",
        # a sample, of all records or of some, before anonymity is established
        "ALWAYS : WITH PROBABILITY 0.75 REJECT;\nEACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 3 : REJECT;",
        "EACH RESULT : Zip <> 'x' : WITH PROBABILITY 0.75 REJECT;",
        # randomized response, of all records or of some
        "ALWAYS : WITH PROBABILITY 0.2 RANDOM d FROM (3 OF 'a', 'b');",
        "EACH RESULT : d <> 'a' : WITH PROBABILITY 0.2 RANDOM d FROM (3 OF 'a', 'b');",
        "EACH RESULT : d <> 'a' : RANDOM d FROM ('b', 'c');",
        "EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 3\n"
        "  : WITH PROBABILITY 0.5 GENERALIZE Zip TO PREFIX OF 3 THEN REJECT;",
        # the REPLACE leaves some values, which the map labels
        "ALWAYS : WITH PROBABILITY 0.5 REPLACE Zip WITH '*';\nALWAYS : GENERALIZE Zip TO PREFIX OF 3;",
        # the drawn value is read before it is overwritten
        "ALWAYS : RANDOM d FROM ('a', 'b');\n"
        "EACH PROCESS COUNT(*) AS n GROUP BY d : n >= 3 : REJECT;\nALWAYS : DROP d;",
        "ALWAYS : WITH PROBABILITY 0.5 REJECT;\nALWAYS : WITH PROBABILITY 0.5 REJECT;",
        "EACH RESULT : Age <= 80 : WITH PROBABILITY 0.5 REJECT;\nEACH RESULT : Age <= 90;\n"
        "EACH RESULT : Age <= 80 : REJECT;",
        "EACH RESULT : Age <= 80 : WITH PROBABILITY 0.5 REJECT;\n"
        "EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 3 : REJECT;\nEACH RESULT : Zip = 'x' : REJECT;",
    ],
)
def test_a_sound_policy_has_no_findings(text: str) -> None:
    assert findings(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("EACH PROCESS COUNT(*) AS c GROUP BY Zip : c >= 1 : REJECT;", [("AC501", 1)]),
        ("SOME RESULT : Age <= 3 OR Age > 3 : REPLACE Age WITH 3;", [("AC501", 1)]),
        (
            "EACH PROCESS COUNT DISTINCT Job AS d GROUP BY Zip : d >= 2 : REJECT;\n"
            "EACH PROCESS COUNT(*) AS c GROUP BY Zip : c >= 2 : REJECT;",
            [("AC502", 2)],
        ),
        ("EACH RESULT : Age <= 80 : REPLACE Age WITH 99;", [("AC503", 1)]),
        (
            "ALWAYS : GENERALIZE Day TO MONTH;\nEACH RESULT : Day >= '2021-01-01' : REJECT;",
            [("AC514", 2)],
        ),
        ("ALWAYS : GENERALIZE Day TO MONTH;\nEACH RESULT : Day >= '2021-01' : REJECT;", []),
        (
            "ALWAYS : GENERALIZE Zip TO PREFIX OF 3;\nEACH FILTER Zip < '21201' : Job = 'x' : REJECT;",
            [("AC514", 2)],
        ),
        ("ALWAYS : GENERALIZE Zip TO PREFIX OF 3;\nEACH RESULT : Zip LIKE '21%' : REJECT;", []),
        (
            "EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 5 : GENERALIZE Zip TO PREFIX OF 3 THEN REJECT;"
            "EACH RESULT : Age >= 3 : REJECT;",
            [("AC504", 1)],
        ),
        ("SOME RESULT : Age >= 80 : REPLACE Age WITH 79;", [("AC503", 1)]),
        (
            "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;\nEACH RESULT : Zip = 'x' : RANDOM Age 85 90;",
            [("AC504", 1), ("AC503", 2)],
        ),
        (
            "EACH PROCESS COUNT(*) AS c GROUP BY Zip : c >= 2;\n"
            "EACH FILTER Age > 9 : Zip = 'x' : REPLACE Zip WITH 'x';",
            [("AC505", 1)],
        ),
        (
            "EACH FILTER Age >= 0 AND Age <= 19 : Age = 10 : REPLACE Age WITH 10;\n"
            "EACH FILTER Age >= 21 AND Age <= 40 : Age = 30 : REPLACE Age WITH 30;",
            [("AC507", 1)],
        ),
        # the REPLACE leaves some values, so the chain of rules continues
        (
            "EACH FILTER Age >= 0 AND Age <= 19 : Age = 10 : REPLACE Age WITH 10;\n"
            "ALWAYS : WITH PROBABILITY 0.5 REPLACE Age WITH 10;\n"
            "EACH FILTER Age >= 21 AND Age <= 40 : Age = 30 : REPLACE Age WITH 30;",
            [("AC507", 1)],
        ),
        ("EACH FILTER Zip = 'x' : Pay < 0 : RANDOM Pay -9 -1;", []),
        ("EACH PROCESS SUM(Pay) AS s : s >= 9 : REJECT;", [("AC510", 1)]),
        ("EACH RESULT : Age < 0 AND Age > 0 : REJECT;", [("AC510", 1)]),
        ("ALWAYS : REJECT;", [("AC510", 1)]),
        ("SOME PROCESS COUNT(*) AS n WHERE Zip = 'x' : n <= 5 : REPLACE Zip WITH '*';", [("AC517", 1)]),
        ("SOME FILTER Zip = 'x' : Age <= 5 : REJECT;", [("AC510", 1), ("AC517", 1)]),
        ("SOME FILTER Zip = 'x' : Age <= 5;", []),
        # every record is selected
        ("EACH RESULT : Zip = 'x' : REJECT;\nSOME FILTER Zip = 'x' : Age <= 5 : REPLACE Age WITH 5;", []),
        ("EACH PROCESS COUNT(*) AS n GROUP BY Zip : n < 1 : REJECT;", [("AC510", 1)]),
        ("EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 3 AND n <= 2 : REJECT;", [("AC510", 1)]),
        (
            "EACH RESULT : Age > 9 : REJECT;\nEACH PROCESS MIN(Age) AS m WHERE Age > 5 GROUP BY Zip : m < 9 : REJECT;",
            [("AC510", 2)],
        ),
        (
            "EACH RESULT : Age > 9 : REJECT;\nEACH PROCESS COUNT(*) AS n WHERE Age > 5 : n >= 3 : REJECT;",
            [("AC510", 2)],
        ),
        # line 2 makes the assertion of line 1 true; line 3 breaks that of line 2
        (
            "EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 3 : REPLACE Zip WITH '*';\n"
            "EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 3 : REJECT;\n"
            "EACH RESULT : Job = 'x' : REJECT;",
            [("AC504", 2)],
        ),
        (
            "EACH RESULT : Age <= 80 : REPLACE Age WITH 99;\nEACH RESULT : Age <= 90 : REPLACE Age WITH 80;\n"
            "EACH FILTER Zip = 'x' : Age = 85 : REPLACE Age WITH 85;",
            [("AC508", 2)],
        ),
        (
            "EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 3 : REPLACE Zip WITH '*';\n"
            "EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 2 : REJECT;",
            [("AC503", 1)],
        ),
        ("ALWAYS : REPLACE Zip WITH '*';\nALWAYS : GENERALIZE Zip TO PREFIX OF 3;", [("AC512", 2)]),
        ("ALWAYS : GENERALIZE Age TO NEAREST 5;\nALWAYS : GENERALIZE Age TO NEAREST 5;", [("AC512", 2)]),
        # line 1 rounds only some of the ages; without a table, they may be no integers
        ("ALWAYS : WITH PROBABILITY 0.5 GENERALIZE Age TO NEAREST 5;\nALWAYS : GENERALIZE Age TO NEAREST 5;", []),
        ("ALWAYS : GENERALIZE Age TO NEAREST 5;\nALWAYS : GENERALIZE Age TO NEAREST 15;", []),
        ("ALWAYS : GENERALIZE Age TO NEAREST 1;", []),
        (
            "ALWAYS : GENERALIZE Age TO NEAREST 5;\nALWAYS : ADD RANDOM -1 1 TO Age;\n"
            "ALWAYS : GENERALIZE Age TO NEAREST 5;",
            [],
        ),
        ("ALWAYS : ADD RANDOM 0 0 TO Age;", [("AC512", 1)]),
        ("ALWAYS : PSEUDONYM Id;\nEACH RESULT : NOT Id < 'x' : REJECT;", [("AC514", 2)]),
        ("ALWAYS : PSEUDONYM Id;\nEACH RESULT : Id != 'x' : REJECT;", [("AC514", 2)]),
        ("ALWAYS : PSEUDONYM Id;\nEACH RESULT : Id != '0123456789abcdef01234567' : REJECT;", []),
        # some records keep what was compared, or get a constant
        ("ALWAYS : WITH PROBABILITY 0.5 PSEUDONYM Id;\nEACH RESULT : Id != 'x' : REJECT;", []),
        (
            "ALWAYS : PSEUDONYM Id;\nEACH RESULT : Age > 3 : REPLACE Id WITH '*';\nEACH RESULT : Id != '*' : REJECT;",
            [],
        ),
        ("ALWAYS : PSEUDONYM Id;", []),
        ("ALWAYS : PSEUDONYM Id;\nEACH PROCESS SUM(Age) AS s GROUP BY Zip : s >= 3 : REJECT;", [("AC520", 1)]),
        ("EACH PROCESS SUM(Age) AS s GROUP BY Zip : s >= 3 : REJECT;\nALWAYS : PSEUDONYM Id;", [("AC520", 2)]),
        # a class size, in any of its forms
        *(
            (f"ALWAYS : PSEUDONYM Id;\nEACH PROCESS {size} GROUP BY Zip, Job : {condition} : REJECT;", [])
            for size, condition in (
                ("COUNT(*) AS n", "n >= 2"),
                ("COUNT DISTINCT(Id) AS n, SUM(Age) AS s", "n > 4 AND s >= 3"),
                ("SHARE OF MODE (Id) AS s", "s <= 0.5"),
            )
        ),
        *(
            (f"ALWAYS : PSEUDONYM Id;\nEACH PROCESS COUNT(*) AS n GROUP BY Zip : {condition} : REJECT;", [("AC520", 1)])
            for condition in ("n < 9", "n >= 2 OR Zip = 'x'")
        ),
        # neither is released
        ("ALWAYS : PSEUDONYM Id;\nEACH PROCESS SUM(Age) AS s GROUP BY Zip : s >= 3 : REJECT;\nALWAYS : DROP Id;", []),
        ("ALWAYS : PSEUDONYM Id;\nEACH PROCESS SUM(Age) AS s GROUP BY Zip : s >= 3 : REJECT;\nALWAYS : DROP Zip;", []),
        ("EACH RESULT : Day > '2020-01-01' : REJECT;\nALWAYS : SHIFT Day BY Id WITHIN 9 DAYS;", [("AC504", 1)]),
        ("EACH RESULT : Day > '2020-01-01';\nALWAYS : SHIFT Day BY Id WITHIN 9 DAYS;", [("AC505", 1)]),
        # a mean is not below the least value
        ("EACH RESULT : Age > 5 : REJECT;\nALWAYS : MICROAGGREGATE Age BY 3;", []),
        ("EACH RESULT : Age != 5 : REJECT;\nALWAYS : MICROAGGREGATE Age BY 3;", [("AC504", 1)]),
        ("ALWAYS : WITH PROBABILITY 0.5 SHIFT Day, Last Day BY Id WITHIN 9 DAYS;\nALWAYS : DROP Day;", []),
        ("ALWAYS : WITH PROBABILITY 0.5 SHIFT Day BY Id WITHIN 9 DAYS;\nALWAYS : DROP Day;", [("AC515", 1)]),
        ("ALWAYS : GENERALIZE Zip TO PREFIX OF 3;\nALWAYS : GENERALIZE Zip TO PREFIX OF 2;", []),
        (
            "ALWAYS : GENERALIZE Day TO YEAR;\nEACH PROCESS COUNT(*) AS n GROUP BY Day : n >= 3\n"
            "  : GENERALIZE Day TO YEAR\n  THEN GENERALIZE Day TO DECADE\n  THEN REJECT;",
            [("AC512", 2)],
        ),
        (
            "ALWAYS : GENERALIZE Zip TO PREFIX OF 3;\nEACH RESULT : Job = 'x' : REPLACE Zip WITH '1234';\n"
            "ALWAYS : GENERALIZE Zip TO PREFIX OF 3;",
            [("AC503", 2)],
        ),
        (
            "EACH RESULT : Age BETWEEN 0 AND 9 : REJECT;\nALWAYS : GENERALIZE Age TO BANDS OF 1;",
            [("AC512", 2)],
        ),
        (
            "EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 3 : GENERALIZE Zip TO PREFIX OF 3;",
            [("AC503", 1)],
        ),
        (
            "EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 3 : REJECT\n  THEN GENERALIZE Zip TO PREFIX OF 3;",
            [("AC502", 2)],
        ),
        (
            "EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 3 : REJECT;\n"
            "EACH PROCESS COUNT(*) AS n GROUP BY Zip, Age : n >= 2\n"
            "  : GENERALIZE Zip TO PREFIX OF 3 THEN REJECT;",
            [("AC504", 1)],
        ),
        (
            "EACH PROCESS COUNT(*) AS n, COUNT DISTINCT(Job) AS d GROUP BY Zip : n >= 1 AND d >= 1 : REJECT;",
            [("AC501", 1)],
        ),
        (
            "EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 58 : REJECT;\nALWAYS : WITH PROBABILITY 0.75 REJECT;",
            [("AC504", 1)],
        ),
        (
            "EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 3;\nALWAYS : WITH PROBABILITY 0.75 REJECT;",
            [("AC505", 1)],
        ),
        (
            "EACH PROCESS COUNT DISTINCT(d) AS l GROUP BY Zip : l >= 2 : REJECT;\n"
            "ALWAYS : WITH PROBABILITY 0.1 RANDOM d FROM ('a', 'b');",
            [("AC504", 1)],
        ),
        (
            "EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 3 : WITH PROBABILITY 0.75 REJECT;",
            [("AC503", 1)],
        ),
        (
            "EACH PROCESS COUNT(*) AS n GROUP BY Zip : Zip = '*' OR n >= 3\n"
            "  : WITH PROBABILITY 0.75 REPLACE Zip WITH '*';",
            [("AC503", 1)],
        ),
        ("EACH RESULT : d <> 'a' : RANDOM d FROM ('a', 'b');", [("AC503", 1), ("AC509", 1)]),
        (
            "ALWAYS : GENERALIZE Zip TO PREFIX OF 3;\n"
            "ALWAYS : WITH PROBABILITY 0.5 RANDOM Zip FROM ('*', '212**');\n"
            "ALWAYS : WITH PROBABILITY 0.5 GENERALIZE Zip TO PREFIX OF 3;",
            [("AC512", 3)],
        ),
        (
            "ALWAYS : RANDOM Zip FROM ('*', '212**');\nALWAYS : GENERALIZE Zip TO PREFIX OF 3;",
            [("AC512", 2)],
        ),
        (
            "ALWAYS : WITH PROBABILITY 0.5 REPLACE Zip WITH '*';\nALWAYS : REPLACE Zip WITH '*';",
            [("AC515", 1)],
        ),
        ("EACH RESULT : Pay >= 3 : RANDOM Pay 3 9;\nALWAYS : DROP Pay;", [("AC515", 1)]),
        (
            "ALWAYS : WITH PROBABILITY 0.5 RANDOM d FROM ('a', 'b');\nEACH RESULT : Age <= 80 : REJECT;\n"
            "ALWAYS : RANDOM d FROM ('a', 'b');",
            [("AC515", 1)],
        ),
        (
            "EACH RESULT : Age <= 80 : WITH PROBABILITY 0.5 REJECT;\nEACH RESULT : Age <= 70 : REJECT;",
            [("AC515", 1)],
        ),
        (
            "EACH RESULT : Age <= 80 : WITH PROBABILITY 0.5 REJECT;\n"
            "EACH RESULT : Zip = 'x' : REPLACE Age WITH 5;\nEACH RESULT : Age <= 70 : REJECT;",
            [("AC503", 2)],
        ),
    ],
)
def test_a_mistake_is_found_where_it_is(text: str, expected: list[tuple[str, int]]) -> None:
    assert findings(text) == expected


def test_a_finding_shows_both_lines() -> None:
    text = "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;\nEACH FILTER Zip = 'x' : Age = 90 : REPLACE Age WITH 90;"
    (finding,) = lint_policy(parse_text(text)[0], text)
    assert finding.code == "AC504"
    assert [text.count("\n", 0, label.span.start) + 1 for label in finding.labels] == [1, 2]
    assert finding.help == "move it below line 2"


def test_every_line_of_a_pram_matrix_may_be_allowed() -> None:
    """Later lines turn codes back into values, which undoes the first lines; there may be many of them."""
    values = [f"v{number:02}" for number in range(25)]
    codes = ", ".join(f"'~{value}'" for value in values)
    drawing = [
        f"-- allow AC504: decoded below\nEACH RESULT : d <> '{value}' : RANDOM d FROM ({codes});" for value in values
    ]
    decoding = [f"EACH RESULT : d <> '~{value}' : REPLACE d WITH '{value}';" for value in values]
    assert findings("\n".join((*drawing, *decoding))) == []


BANDS = (
    "EACH FILTER Age >= 0 AND Age <= 9 : Age = 5 : REPLACE Age WITH 5;\n"
    "EACH FILTER Age >= 10 AND Age <= 19 : Age = 15 : REPLACE Age WITH 15;"
)


@pytest.mark.parametrize("type_", ["decimal(1)", "decimal(2)", "float"])
def test_a_gap_that_only_decimals_fall_into_is_found(type_: str) -> None:
    (finding,) = lint_policy(parse_text(BANDS)[0], BANDS, types={"Age": type_})
    assert finding.code == "AC507"
    assert finding.message.startswith("the rules for `Age` leave out numbers such as `9.")
    assert finding.help == "begin each range where the previous one ends"


@pytest.mark.parametrize("type_", ["integer", "decimal(1)", "float"])
def test_ranges_that_touch_leave_nothing_out(type_: str) -> None:
    text = BANDS.replace("<= 9", "< 10").replace("<= 19", "< 20")
    assert not lint_policy(parse_text(text)[0], text, types={"Age": type_})


def test_a_wide_gap_between_decimals_is_taken_as_intended() -> None:
    text = BANDS.replace(">= 10", ">= 14")
    assert not lint_policy(parse_text(text)[0], text, types={"Age": "decimal(1)"})


def test_every_integer_of_a_table_is_a_multiple_of_one() -> None:
    text = "ALWAYS : GENERALIZE Age TO NEAREST 1;"
    (found,) = lint_policy(parse_text(text)[0], text, {"Age": "integer"})
    assert found.message == "this map changes nothing: every value of `Age` is already a multiple of 1"
    assert not lint_policy(parse_text(text)[0], text, {"Age": "decimal(1)"})


def test_the_fix_of_a_bare_pseudonym_counts_persons() -> None:
    text = 'ALWAYS : PSEUDONYM Id;\nEACH PROCESS SUM(Age) AS s GROUP BY Zip, "by" : s >= 3 : REJECT;'
    (found,) = lint_policy(parse_text(text)[0], text)
    assert found.message == (
        "`Id` is a pseudonym, which is not anonymity: no requirement asks for a class size by `Zip` and `by`"
    )
    fixed = apply_edits(text, found.fixes[0].edits)
    assert fixed == f'{text}\nEACH PROCESS COUNT DISTINCT(Id) AS n GROUP BY Zip, "by" : n >= 5 : REJECT;'
    assert not lint_policy(parse_text(fixed)[0], fixed)


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("-- Rule cms-cell-size, source of 2024-01-26, review by 2027-11-17", [("AC521", 2)]),
        ("-- Rule cms-cell-size, source of 2024-01-26, review by 2027-11-17\r", [("AC521", 2)]),
        ("-- Rule cms-cell-size, source of 2024-01-26, review by 2027-11-18", []),
        ("-- Rule cms-cell-size, source of 2024-01-26, review by 2027-02-30", []),
        ("-- Rule of 2024-01-26, review by 2027-11-17", []),
    ],
)
def test_the_source_of_a_rule_has_to_be_read_again(
    comment: str, expected: list[tuple[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requirements, "today", lambda: date(2027, 11, 18))
    assert findings(f"{comment}\nEACH RESULT : Age <= 80;") == expected
    assert findings(f"{comment}\n-- allow AC521: read on 2027-11-18\nEACH RESULT : Age <= 80;") == (
        [] if expected else [("AC511", 2)]
    )


def test_a_written_rule_is_read_back(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = acompass.rules.find("cms-cell-size")
    text = acompass.rules.new("cms-cell-size").text
    for late, found in ((0, []), (1, ["AC521"])):
        monkeypatch.setattr(requirements, "today", lambda late=late: rule.review + timedelta(days=late))
        assert [each.code for each in acompass.lint(text) if each.code == "AC521"] == found
    monkeypatch.setattr(requirements, "today", lambda: rule.review + timedelta(days=1))
    assert findings(format_program(text))[0][0] == "AC521"
