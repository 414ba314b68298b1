"""`--report` is for recipients of the table, `--report-internal` for its curator."""

import datetime
import html
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import acompass
from acompass.cli.app import app
from acompass.measure.answer import SMALLEST, Bar, Distribution
from acompass.measure.distribution import MOST_BARS, Showing
from acompass.measure.overview import overviews
from tests.report.pages import NAME, POLICY, RARE, Element, certificate_in, people, read_page

Invoke = Callable[..., Result]
RUN = ("run", "policy.acp", "people.csv", "-o", "out.csv", "--set", "k=2")
BOTH = ("--report", "r.html", "--report-internal", "i.html")
#: the second line has a comment for the policy's authors, and the last FILTER selects no record
WITH_COMMENT = POLICY.replace(": Zip = '211**'", "-- see complaint 4711\n : Zip = '211**'") + (
    "EACH FILTER Zip = '99999' : Age <= 80 : REJECT;\n"
)


@pytest.fixture
def invoke(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Invoke:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(people(), encoding="utf-8")
    Path("policy.acp").write_text(WITH_COMMENT, encoding="utf-8")
    return lambda *arguments: CliRunner().invoke(app, list(arguments))


@pytest.fixture
def pages(invoke: Invoke) -> tuple[Element, Element]:
    ran = invoke(*RUN, *BOTH, "--seed", "s3cr3t")
    assert ran.exit_code == 0, ran.stderr
    return read_page(Path("r.html")), read_page(Path("i.html"))


def _text(path: str) -> str:
    return html.unescape(Path(path).read_text(encoding="utf-8"))


def _captions(page: Element) -> list[str]:
    return [table.all("caption")[0].text for table in page.all("table")]


def test_only_the_curator_sees_the_original_table(pages: tuple[Element, Element]) -> None:
    receiver, internal = (_captions(page) for page in pages)
    assert "Values of Age, before" in internal
    assert "Values of Age, after" in internal
    assert "Values of Age, after" in receiver
    assert not [caption for caption in receiver if "before" in caption]
    for gone in ("21101", "21777", RARE):
        assert gone in _text("i.html")
        assert gone not in _text("r.html")


def test_neither_page_lists_names_or_a_seed(pages: tuple[Element, Element]) -> None:
    for page in ("r.html", "i.html"):
        assert NAME not in _text(page)
        assert "Person 1" not in _text(page)
        assert "s3cr3t" not in _text(page)
    assert "No value is shared by 2 records." in pages[1].words


def test_only_the_curator_sees_how_many_records_a_line_affected(pages: tuple[Element, Element]) -> None:
    receiver, internal = pages
    assert "of 401 replaced" in internal.words
    assert "of 401" not in receiver.words
    counts, all_counts = (certificate_in(page)["counts"]["requirements"] for page in pages)
    assert counts[0] == {"line": 1, "holds": False, "action": "REPLACE", "after": "proved"}
    assert all_counts[0]["affected"] > 0


def test_only_the_curator_sees_notes_and_comments(pages: tuple[Element, Element]) -> None:
    receiver, internal = pages
    for said in ("FILTER selects no record", "see complaint 4711"):
        assert said in internal.words
        assert said not in receiver.words
    assert "EACH FILTER Zip >= '21000' AND Zip <= '21199'" in receiver.words


def test_only_the_curator_sees_the_original_class_sizes(pages: tuple[Element, Element]) -> None:
    receiver, internal = pages
    assert "classes, before" in internal.words
    assert "classes, before" not in receiver.words
    assert "classes, after" in receiver.words
    risks = [[each for each in _captions(page) if each.startswith("Risk by")] for page in pages]
    after = "Risk by quasi-identifier, after"
    assert risks == [[after], ["Risk by quasi-identifier, before", after]]


def test_the_internal_page_begins_by_saying_so(pages: tuple[Element, Element]) -> None:
    receiver, internal = pages
    assert internal.all("title")[0].text == "Internal release report: out.csv"
    assert "Do not publish it" in internal.all("header")[0].words
    assert "Internal" not in receiver.words


def test_certificates_name_the_reader_and_both_pages_verify(invoke: Invoke, pages: tuple[Element, Element]) -> None:
    assert [certificate_in(page)["reader"] for page in pages] == ["receiver", "curator"]
    files = ("--policy", "policy.acp", "--output", "out.csv")
    for page, found in (("r.html", files), ("i.html", (*files, "--input", "people.csv"))):
        ran = invoke("verify-report", page, *found)
        assert (ran.exit_code, ran.stdout.count("matches")) == (0, 1 + len(found) // 2)


def test_a_changed_input_is_noticed_by_the_internal_page(invoke: Invoke, pages: tuple[Element, Element]) -> None:
    Path("people.csv").write_bytes(Path("people.csv").read_bytes() + b"\n")
    ran = invoke("verify-report", "i.html", "--input", "people.csv")
    assert (ran.exit_code, ran.stdout) == (1, "report: matches\ninput: differs\n")


def test_a_check_that_fails_shows_its_columns_only_to_the_curator(invoke: Invoke) -> None:
    assert invoke("check", "policy.acp", "people.csv", "--set", "k=2", *BOTH).exit_code == 1
    assert RARE in _text("i.html")
    assert RARE not in _text("r.html")
    assert "of 401 affected" in read_page(Path("r.html")).words


def test_a_run_that_releases_nothing_shows_its_table_only_to_the_curator(invoke: Invoke) -> None:
    Path("policy.acp").write_text(POLICY + "EACH RESULT : Age <= 40;", encoding="utf-8")
    assert invoke(*RUN, *BOTH).exit_code == 1
    receiver, internal = read_page(Path("r.html")), read_page(Path("i.html"))
    assert _captions(receiver) == ["Columns by role", "Files", "Made with"]
    assert "Values of Disease" in _captions(internal)


def test_measure_shows_the_original_values_only_to_the_curator(invoke: Invoke) -> None:
    assert invoke(*RUN).exit_code == 0
    ran = invoke("measure", "out.csv", "--qi", "Age,Zip", "--against", "people.csv", *BOTH)
    assert ran.exit_code == 0, ran.stderr
    receiver, internal = _captions(read_page(Path("r.html"))), _captions(read_page(Path("i.html")))
    assert "Values of Disease, before" in internal
    assert not [caption for caption in receiver if "before" in caption]


def test_a_session_writes_internal_pages(tmp_path: Path) -> None:
    table = [{"Age": age} for age in [30] * 20 + [31] * 20]
    policy = "EACH RESULT : Age <= 30 : REPLACE Age WITH 30;"
    with acompass.open(table) as session:
        session.run(policy, report_internal=tmp_path / "i.html")
        session.check(policy, report_internal=tmp_path / "c.html")
        session.measure(["Age"], report_internal=tmp_path / "m.html")
    for name in ("i.html", "c.html", "m.html"):
        assert "Internal" in read_page(tmp_path / name).all("title")[0].text


@pytest.mark.parametrize("taken", ["people.csv", "out.csv", "policy.acp"])
def test_the_internal_page_overwrites_no_other_file(invoke: Invoke, taken: str) -> None:
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    ran = invoke(*RUN, "--report-internal", taken)
    assert ran.exit_code == 2
    assert "AC708" in ran.stderr
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before


@pytest.mark.parametrize("existing", [False, True])
def test_both_pages_cannot_be_the_same_file(invoke: Invoke, existing: bool) -> None:
    Path("link.html").symlink_to("r.html")
    if existing:
        Path("r.html").touch()
    for internal in ("r.html", "./r.html", "link.html"):
        ran = invoke(*RUN, "--report", "r.html", "--report-internal", internal)
        assert ran.exit_code == 2
        assert "the report would overwrite the other report `r.html`" in ran.stderr
    assert not Path("out.csv").exists()


def test_no_page_is_written_for_a_stream(invoke: Invoke) -> None:
    ran = invoke("run", "policy.acp", "people.csv", "-o", "-", "--set", "k=2", "--report-internal", "i.html")
    assert ran.exit_code == 2
    assert "AC706" in ran.stderr


def test_steps_of_a_then_are_not_repeated(tmp_path: Path) -> None:
    """The proof is not repeated either: an assertion has only one."""
    policy = (
        "EACH PROCESS COUNT(*) AS n GROUP BY Age : n >= 5 : GENERALIZE Age TO BANDS OF 10\n"
        "THEN REPLACE Age WITH '*' -- at last\nTHEN REJECT;"
    )
    acompass.run(policy, [{"Age": age} for age in range(30, 34)] * 2, report=tmp_path / "r.html")
    (listed,) = read_page(tmp_path / "r.html").all("ol")
    codes = [code.text for code in listed.all("code")]
    assert codes == [
        "EACH PROCESS COUNT(*) AS n GROUP BY Age : n >= 5 : GENERALIZE Age TO BANDS OF 10",
        "THEN REPLACE Age WITH '*'",
        "THEN REJECT",
    ]
    assert len(listed.all("details")) == 1


def test_a_dropped_quasi_identifier_is_not_measured_in_the_release(tmp_path: Path) -> None:
    policy = "EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= 2 : REJECT;\nALWAYS : DROP zip;"
    table = [{"Age": 30 + i % 2, "Zip": "21401", "Ill": "flu"} for i in range(40)]
    acompass.run(policy, table, report=tmp_path / "r.html", report_internal=tmp_path / "i.html")
    assert "Records with equal values in Age form" in read_page(tmp_path / "r.html").words
    assert "Values of Zip, before" in _captions(read_page(tmp_path / "i.html"))
    acompass.run(policy.replace("zip", "Age, Zip"), table, report=tmp_path / "r.html")
    assert "Class sizes" not in read_page(tmp_path / "r.html").words


#: two persons with two visits each, and one alone with their age
VISITS = [
    {"patient": patient, "age": age, "note": f"note {number}", "disease": disease}
    for number, (patient, age, disease) in enumerate(
        [
            ("p", 30, "flu"),
            ("p", 30, "flu"),
            ("q", 30, "gout"),
            ("q", 30, "gout"),
            ("r", 40, "asthma"),
            ("r", 40, "flu"),
        ]
    )
]
QUESTIONS = "Singling out, linkability, inference"


def _questions(page: Element) -> dict[str, str]:
    """What the page measured for each of the three questions, without what it did not."""
    (table,) = [each for each in page.all("table") if each.all("caption")[0].text == "The three questions"]
    return {row.all("th")[0].words.strip(): row.all("td")[0].words.strip() for row in table.all("tr") if row.all("td")}


def test_a_report_answers_the_three_questions_in_persons(tmp_path: Path) -> None:
    roles = {"quasi_identifiers": ["age"], "sensitive": ["disease"], "identifiers": ["patient"], "other": ["note"]}
    path = tmp_path / "r.html"
    acompass.check("EACH RESULT : age >= 0;", VISITS, person="patient", roles=roles, report=path)
    found = _questions(read_page(path))
    assert "The smallest class by age has 1 person." in found["Singling out"]
    assert "Alone in their class: 1 of 3 persons." in found["Singling out"]
    assert "have a value that no other person has: patient, note, disease." in found["Linkability"]
    assert "disease: the largest share of one value in a class is 100" in found["Inference"]
    assert "classes in which everyone shares a value: 1 of 2 classes." in found["Inference"]


def test_a_report_answers_the_three_questions_in_records(tmp_path: Path) -> None:
    path = tmp_path / "r.html"
    acompass.measure(VISITS, ["age"], report=path)
    found = _questions(read_page(path))
    assert "The smallest class by age has 2 records." in found["Singling out"]
    assert "no column of the table is known to tell persons apart" in found["Singling out"]
    assert "have a value that no other record has: note." in found["Linkability"]
    assert found["Inference"] == "Not measured, because no column is known to be sensitive."


def test_the_three_questions_are_about_the_released_table_and_name_its_pseudonyms(tmp_path: Path) -> None:
    policy = (
        "EACH PROCESS COUNT(*) AS n GROUP BY age : n >= 3 : REJECT;\nALWAYS : DROP note;\nALWAYS : PSEUDONYM patient;"
    )
    path, key = tmp_path / "r.html", b"a key of the tests, long enough for it"
    acompass.run(policy, VISITS, report=path, key=key)
    found = _questions(read_page(path))
    assert "Alone in their class: 0 of 4 records." in found["Singling out"]
    assert found["Linkability"].endswith("the same in every table with the same key: patient.")
    assert "note" not in found["Linkability"]


@pytest.mark.parametrize(
    "policy", ["EACH RESULT : age >= 0;", "EACH PROCESS COUNT(*) AS n GROUP BY age : n >= 9 : REJECT;"]
)
def test_without_quasi_identifiers_or_records_there_are_no_three_questions(tmp_path: Path, policy: str) -> None:
    path = tmp_path / "r.html"
    acompass.run(policy, VISITS, report=path)
    assert QUESTIONS not in [heading.text for heading in read_page(path).all("h2")]


def _check_rule(path: Path, table: Any, **options: Any) -> Element:
    columns = {"identifier": [], "person": "patient", "known": "age", "sensitive": "disease"}
    acompass.rules.check("gdpr-wp29", table, columns=columns, report=path, **options)
    return read_page(path)


def test_a_page_about_a_rule_has_its_clauses_its_source_and_what_it_leaves_out(tmp_path: Path) -> None:
    page, rule = _check_rule(tmp_path / "r.html", VISITS), acompass.rules.find("gdpr-wp29")
    clauses, columns = [
        [[cell.words.strip() for cell in row.children] for row in table.all("tr")[1:]]
        for table in page.all("table")
        if table.all("caption")[0].text in ("Clauses of the rule", "Columns of the rule")
    ]
    assert [(row[0], row[2], row[3]) for row in clauses] == [
        ("identifiers", "not checked", ""),
        ("linkability", "violated", "6 of 6"),
        ("singling-out", "violated", "2 of 6"),
        ("inference", "holds", "0 of 6"),
    ]
    assert columns == [["person", "patient"], ["known", "age"], ["sensitive", "disease"]]
    links = [each for each in page.all("a") if str(each.attributes["href"]).startswith("https:")]
    assert [(each.attributes["href"], each.attributes["rel"]) for each in links] == [(rule.source, "noreferrer")]
    text = page.prose
    assert all(left in text for left in rule.leaves_out)
    assert f"Source of {rule.dated}" in text
    assert "Not recognized as the rule's, to be judged by hand: note" in text
    assert "the table violates 2 clauses of gdpr-wp29" in text
    assert "No requirement on the values" not in text
    assert QUESTIONS in [heading.text for heading in page.all("h2")]


def test_a_page_about_a_rule_shows_recipients_no_values_of_a_table_that_violates_it(tmp_path: Path) -> None:
    frequent = [{"patient": str(number), "age": 30, "disease": "a rare word"} for number in range(20)]
    assert "a rare word" not in (_check_rule(tmp_path / "r.html", frequent), (tmp_path / "r.html").read_text())[1]
    internal = tmp_path / "i.html"
    _check_rule(tmp_path / "r.html", frequent, report_internal=internal)
    assert "a rare word" in internal.read_text()


def test_a_page_about_a_rule_names_no_folder_and_certifies_the_clauses(tmp_path: Path) -> None:
    table = tmp_path / "secret folder" / "counts.csv"
    table.parent.mkdir()
    table.write_text("Region,Patients\nnorth,many\n")
    path = tmp_path / "r.html"
    check = acompass.rules.check("cms-cell-size", str(table), report=path)
    assert "secret folder" in (check.violated[0].problem or "")
    assert "secret folder" not in path.read_text()
    certificate = certificate_in(read_page(path))
    assert certificate["counts"]["clauses"][0] == {"name": "counts", "holds": False, "affected": None}
    clauses = acompass.rules.find("cms-cell-size").folder / "clauses.acp"
    verified = CliRunner().invoke(app, ["verify-report", str(path), "--policy", str(clauses)])
    assert (verified.exit_code, verified.stdout) == (0, "report: matches\npolicy: matches\n")


def distribution(before: list[Any], after: list[Any] | None = None) -> Distribution:
    tables = [[{"A": value} for value in values] for values in (before, after) if values is not None]
    (distribution,) = column_distributions(tables, Showing())
    return distribution


def column_distributions(tables: list[list[dict[str, Any]]], showing: Showing) -> tuple[Distribution, ...]:
    (overview,) = overviews(tables, None, [showing])
    return overview.columns


def test_frequent_values_come_first_and_rare_ones_are_pooled() -> None:
    found = distribution(["a"] * 10 + ["b"] * 30 + ["c"] * 9 + ["d"])
    assert found.bars == (Bar("b", (30,)), Bar("a", (10,)))
    assert (found.other, found.totals) == ((10,), (50,))


def test_only_values_of_the_released_table_have_bars() -> None:
    found = distribution(["a"] * 40 + ["c"] * 20, ["a"] * 3 + ["b"] * 20)
    assert found.bars == (Bar("b", (0, 20)),)
    assert found.other == (60, None)


def test_ranges_come_only_from_the_released_table() -> None:
    ages = [value for value in range(20, 70) for _ in range(20)]
    found = distribution([*ages, *range(90, 140)], ages)
    assert found.bars == distribution(ages, ages).bars
    assert found.other == (50, 0)


def test_a_small_change_is_not_shown() -> None:
    found = distribution(["a"] * 25 + ["b"] * 60 + ["c"] * 90, ["a"] * 24 + ["b"] * 40 + ["c"] * 90)
    assert found.bars == (Bar("c", (90, 90)), Bar("b", (None, 40)), Bar("a", (None, 24)))
    assert found.other == (None, 0)


def test_a_small_original_count_is_not_shown() -> None:
    found = distribution(["a"] * 3 + ["b"] * 60, ["a"] * 40 + ["b"] * 23)
    assert [bar.counts[0] for bar in found.bars] == [None, None]


def test_numbers_are_pooled_in_ranges_with_round_bounds() -> None:
    ages = [value for value in range(17, 93) for _ in range(11)]
    found = distribution([*ages, 1_000_003])
    assert found.bars[1] == Bar("20 to 29", (110,))
    assert found.bars[-1] == Bar("90 to 99", (33,))
    assert sum(bar.counts[0] or 0 for bar in found.bars) == len(ages)
    assert found.other == (None,)


def test_ranges_of_floats_exclude_their_upper_bound() -> None:
    found = distribution([i / 100 for i in range(1, 400)])
    assert "1 to below 1.5" in [bar.label for bar in found.bars]


def test_few_numbers_are_shown_one_by_one() -> None:
    assert distribution([1] * 12 + [2] * 11).bars == (Bar("1", (12,)), Bar("2", (11,)))


def test_missing_is_a_value() -> None:
    assert distribution(["a"] * 12 + [None] * 20).bars == (Bar("missing", (20,)), Bar("a", (12,)))


def test_dates_are_grouped_by_year() -> None:
    days = [datetime.date(year, 1, 1) + datetime.timedelta(days=i) for year in (2019, 2020) for i in range(15)]
    assert distribution(days).bars == (Bar("2019", (15,)), Bar("2020", (15,)))


def test_a_column_that_became_text_shows_its_labels() -> None:
    found = distribution([36] * 20, ["30-39"] * 20)
    assert found.bars == (Bar("30-39", (0, 20)),)
    assert found.other == (20, 0)


def test_a_column_of_only_one_table_is_omitted() -> None:
    tables = [[{"A": 1, "B": 2}] * 20, [{"A": 1, "C": 3}] * 20]
    assert [found.column for found in column_distributions(tables, Showing())] == ["A"]


def test_no_count_below_the_smallest_is_ever_shown() -> None:
    values = [value for value in range(40) for _ in range(value % 13)]
    for found in (distribution(values), distribution([str(value) for value in values])):
        counts = [count for bar in found.bars for count in bar.counts]
        assert counts
        assert not [count for count in counts if count is not None and 0 < count < SMALLEST]


def test_ranges_of_thousands_are_ordered_among_wider_labels() -> None:
    found = distribution([str(number) for number in range(1000, 10000, 10)] + ["1000-4999"] * 50 + ["<1000"] * 20)
    assert [bar.label for bar in found.bars][:3] == ["<1000", "1000-4999", "1,000 to 1,999"]


def test_numbers_among_bands_are_pooled_in_ranges_that_contain_them() -> None:
    """The column is mixed, as after a cascade: values, labels, and wider labels."""
    ages = [str(age) for age in range(20, 60) for _ in range(5)]
    bands = ["20-29"] * 30 + ["30-34"] * 20 + ["20-39"] * 15 + ["80+"] * 11 + ["*"] * 12
    found = distribution([*ages, *bands, "100003"])
    assert found.bars == (
        Bar("20-39", (15,)),
        Bar("20-29", (30,)),
        Bar("20 to 24", (25,)),
        Bar("25 to 29", (25,)),
        Bar("30 to 34", (45,)),
        Bar("35 to 39", (25,)),
        Bar("40 to 44", (25,)),
        Bar("45 to 49", (25,)),
        Bar("50 to 54", (25,)),
        Bar("55 to 59", (25,)),
        Bar("80+", (11,)),
        Bar("*", (12,)),
    )
    assert found.other == (None,)


def test_numbers_of_any_size_have_bars() -> None:
    texts = [f"{number}e999" for number in range(1, 30) for _ in range(10)]
    assert len(distribution(texts).bars) == MOST_BARS
    assert distribution([*map(str, range(100)), *["1e9999"] * 10]).bars[-1] == Bar("1e9999", (10,))
    floats = [sign * number * 1e307 for number in range(1, 18) for sign in (-1, 1) for _ in range(10)]
    assert len(distribution(floats).bars) == MOST_BARS
