"""The page of `--report` is complete and reveals nothing private."""

import hashlib
import html
import re
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import acompass
from acompass.cli.app import app
from acompass.measure.answer import SMALLEST
from tests.report.pages import NAME, POLICY, RARE, Element, certificate_in, people, read_page

Invoke = Callable[..., Result]


@pytest.fixture
def invoke(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Invoke:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(people(), encoding="utf-8")
    Path("policy.acp").write_text(POLICY, encoding="utf-8")
    return lambda *arguments: CliRunner().invoke(app, list(arguments))


RUN = ("run", "policy.acp", "people.csv", "-o", "out.csv", "--set", "k=2", "--report", "r.html")


@pytest.fixture
def page(invoke: Invoke) -> Element:
    ran = invoke(*RUN, "--seed", "s3cr3t")
    assert ran.exit_code == 0, ran.stderr
    return read_page(Path("r.html"))


def _headings(page: Element) -> list[str]:
    return [heading.text for heading in page.all("h2")]


def _figures(page: Element) -> dict[str, list[str]]:
    """The figures at the top of a page."""
    (listed,) = [each for each in page.all("dl") if each.attributes["class"] == "figures"]
    return {
        each.all("dt")[0].text: [value.text.replace("\N{NO-BREAK SPACE}", " ") for value in each.all("dd")]
        for each in listed.all("div")
    }


def test_the_summary_is_at_the_top(page: Element) -> None:
    assert _figures(page) == {
        "parameter": ["k = 2"],
        "records": ["401 → 380"],
        "records lost": ["5.24 %", "21 rejected"],
        "loss": ["0.2252", "of 2 quasi-identifiers"],
        "k-anonymity": ["2"],
        "highest prosecutor risk": ["50 %"],
    }


def test_incomplete_records_count_as_lost(invoke: Invoke) -> None:
    Path("people.csv").write_text("Age\n,\n" + "30\n" * 18 + "90\n", encoding="utf-8")
    Path("p.acp").write_text("EACH RESULT : Age <= 80 : REJECT;", encoding="utf-8")
    ran = invoke("run", "p.acp", "people.csv", "-o", "out.csv", "--missing", "drop", "--report", "r.html")
    assert ran.exit_code == 0, ran.stderr
    lost = _figures(read_page(Path("r.html")))["records lost"]
    assert lost == ["10 %", "1 rejected, 1 dropped as incomplete"]


def test_a_run_has_every_section(page: Element) -> None:
    assert _headings(page) == [
        "At a glance",
        "The policy",
        "Class sizes",
        "Risk",
        "Risk by quasi-identifier",
        "Sensitive columns",
        "Singling out, linkability, inference",
        "Loss",
        "How each column changed",
        "What anonymity does not cover",
        "Certificate",
    ]
    assert _verdicts(page.all("header")[0]) == ["every check holds"]
    verdicts = _verdicts(page.all("ol")[0])
    assert verdicts[::2] == ["proved"] * 4
    assert verdicts[1::2] == ["repaired", "repaired", "repaired", "holds"]
    (chart,) = [svg for svg in page.all("svg") if svg.attributes.get("class") == "chart"]
    assert len([bar for bar in chart.all("rect") if bar.attributes["class"] == "after"]) > 2


def _verdicts(element: Element) -> list[str]:
    return [span.text for span in element.all("span") if "verdict" in (span.attributes.get("class") or "")]


def test_the_page_is_accessible_without_a_script(page: Element) -> None:
    assert page.all("html")[0].attributes["lang"] == "en"
    assert page.all("title")[0].text == "Release report: out.csv"
    assert all(header.attributes.get("scope") in ("col", "row") for header in page.all("th"))
    assert all(table.all("caption")[0].text for table in page.all("table"))
    assert len(page.all("h1")) == len(page.all("main")) == 1
    skip, limits = page.all("a")
    assert skip.attributes["href"] == "#" + str(page.all("main")[0].attributes["id"])
    assert str(limits.attributes["href"])[1:] in [heading.attributes["id"] for heading in page.all("h2")]
    for svg in page.all("svg"):
        if svg.attributes.get("aria-hidden") != "true":
            named = str(svg.attributes["aria-labelledby"]).split()
            assert svg.attributes["role"] == "img"
            assert [child.attributes.get("id") for child in svg.children[:2]] == named
    identifiers = [e.attributes["id"] for name in ("h2", "main", "title", "desc") for e in page.all(name)
                   if "id" in e.attributes]  # fmt: skip
    assert len(identifiers) == len(set(identifiers))


def test_the_page_is_self_contained(page: Element) -> None:
    text = Path("r.html").read_text(encoding="utf-8")
    assert not re.findall(r"""(?:https?:|//[a-z]|@import|url\(|\ssrc=|<link|<iframe|\bon\w+=")""", text)
    assert [script.attributes["type"] for script in page.all("script")] == ["application/json"]


def test_the_page_has_styles_for_dark_mode_and_print(page: Element) -> None:
    style = page.all("style")[0].text
    for media in ("prefers-color-scheme: dark", "print"):
        assert media in style


def test_the_page_contains_no_record_no_rare_value_and_no_seed(page: Element) -> None:
    text = Path("r.html").read_text(encoding="utf-8")
    for secret in (NAME, RARE, "21777", "s3cr3t", "97,"):
        assert secret not in text
    assert "Person 1" not in text
    assert "No value is shared by 10 records." in page.words


def test_small_counts_are_never_shown(page: Element) -> None:
    """Only counts of column values: class sizes and verdicts do not identify anyone."""
    (grid,) = [div for div in page.all("div") if div.attributes.get("class") == "columns"]
    counts = [cell.text for cell in grid.all("td") if cell.attributes.get("class") == "number"]
    assert counts
    assert [count for count in counts if 0 < int(count.replace(",", "")) < 10] == []


def test_everything_is_escaped(invoke: Invoke) -> None:
    evil = "<script>alert(1)</script>"
    rows = "".join(f'"{evil}&{"x" * 3}"\n' for _ in range(12))
    Path("evil.csv").write_text(f'"{evil}"\n{rows}', encoding="utf-8")
    Path("evil.acp").write_text(f"""EACH RESULT : "{evil}" > '{evil}';""", encoding="utf-8")
    ran = invoke("check", "evil.acp", "evil.csv", "--report", "evil.html")
    assert ran.exit_code == 0, ran.stderr
    page = read_page(Path("evil.html"))
    assert len(page.all("script")) == 1
    assert f"{evil}&xxx" in page.words


def test_the_certificate_contains_hashes_and_counts(page: Element) -> None:
    certificate = certificate_in(page)
    digests = {name: hashlib.sha256(Path(name).read_bytes()).hexdigest()
               for name in ("policy.acp", "out.csv")}  # fmt: skip
    assert certificate["policy"]["sha256"] == digests["policy.acp"]
    assert certificate["input"] == [{"name": "people.csv", "sha256": None, "bytes": None}]
    assert [file["sha256"] for file in certificate["output"]] == [digests["out.csv"]]
    assert certificate["parameters"] == {"k": "2"}
    assert certificate["counts"]["records_in"] == 401
    assert certificate["versions"] == {
        "acompass": acompass.__version__,
        "engine": f"DuckDB {metadata.version('duckdb')}",
    }
    assert certificate["tables"] == {}


def test_a_report_verifies_against_its_files(invoke: Invoke, page: Element) -> None:
    ran = invoke("verify-report", "r.html", "--policy", "policy.acp", "--output", "out.csv")
    assert (ran.exit_code, ran.stdout) == (0, "report: matches\npolicy: matches\noutput: matches\n")


def test_the_page_for_recipients_cannot_confirm_a_guess_of_the_input(invoke: Invoke, page: Element) -> None:
    """D39: neither the size nor a hash of the input is on the page, in any spelling."""
    import hashlib

    content = Path("people.csv").read_bytes()
    text = Path("r.html").read_text(encoding="utf-8")
    for name in ("md5", "sha1", "sha256", "sha512", "blake2b"):
        assert hashlib.new(name, content).hexdigest() not in text
    assert not {str(len(content)), f"{len(content):,}"} & set(re.findall(r"[0-9,]+", text))
    ran = invoke("verify-report", "r.html", "--input", "people.csv")
    assert (ran.exit_code, ran.stdout) == (
        1,
        "report: matches\ninput: only the page of `--report-internal` has its hash\n",
    )


@pytest.mark.parametrize(("name", "what"), [("policy.acp", "policy"), ("out.csv", "output")])
def test_a_changed_file_is_noticed(invoke: Invoke, page: Element, name: str, what: str) -> None:
    Path(name).write_bytes(Path(name).read_bytes() + b"\n")
    ran = invoke("verify-report", "r.html", f"--{what}", name)
    assert (ran.exit_code, ran.stdout) == (1, f"report: matches\n{what}: differs\n")


def test_a_changed_page_is_noticed(invoke: Invoke, page: Element) -> None:
    text = Path("r.html").read_text(encoding="utf-8")
    Path("r.html").write_text(text.replace("repaired", "proved", 1), encoding="utf-8")
    ran = invoke("verify-report", "r.html")
    assert (ran.exit_code, ran.stdout) == (1, "report: differs\n")


def test_a_violated_check_is_reported_and_no_table_is_written(invoke: Invoke) -> None:
    Path("strict.acp").write_text("EACH RESULT : Age <= 40;", encoding="utf-8")
    ran = invoke("run", "strict.acp", "people.csv", "-o", "out.csv", "--report", "r.html")
    assert ran.exit_code == 1
    page = read_page(Path("r.html"))
    assert page.all("h1")[0].text == "Release report: people.csv"
    assert "a check is violated" in page.words
    assert "No table was written." in page.words
    assert certificate_in(page)["output"] is None


def test_check_and_measure_show_one_table(invoke: Invoke) -> None:
    assert invoke("check", "policy.acp", "people.csv", "--set", "k=2", "--report", "c.html").exit_code == 1
    measured = invoke("measure", "people.csv", "--qi", "Age,Zip", "--sensitive", "Disease", "--report", "m.html")
    assert measured.exit_code == 0, measured.stderr
    check, measure = read_page(Path("c.html")), read_page(Path("m.html"))
    assert "proved" not in check.words
    assert _headings(check)[:2] == ["At a glance", "The policy"]
    assert _headings(measure) == [
        *(
            "At a glance",
            "Class sizes",
            "Risk",
            "Risk by quasi-identifier",
            "Sensitive columns",
            "Singling out, linkability, inference",
            "The columns",
            "What anonymity does not cover",
            "Certificate",
        )
    ]


def test_a_population_adds_the_journalist_risk(invoke: Invoke) -> None:
    asked = ("measure", "people.csv", "--qi", "Age,Zip")
    assert invoke(*asked, "--population", "people.csv", "--report", "m.html").exit_code == 0
    rows = [row for row in read_page(Path("m.html")).all("tr") if row.all("th") and row.all("td")]
    risks = {row.all("th")[0].text: row.all("td")[0].text for row in rows}
    assert risks["highest journalist risk"] == risks["highest prosecutor risk"]
    assert risks["average journalist risk"] == risks["marketer risk"]
    assert invoke(*asked, "--report", "m.html").exit_code == 0
    assert "journalist" not in Path("m.html").read_text(encoding="utf-8")


def test_measure_compares_with_the_original_table(invoke: Invoke, page: Element) -> None:
    ran = invoke("measure", "out.csv", "--policy", "policy.acp", "--against", "people.csv", "--report", "m.html")
    assert ran.exit_code == 0, ran.stderr
    compared = read_page(Path("m.html"))
    assert "How each column changed" in _headings(compared)
    assert certificate_in(compared)["output"][0]["name"] == "out.csv"


def test_a_report_can_be_written_for_records_in_python(tmp_path: Path) -> None:
    table = [{"Age": 30 + i % 3, "Zip": "21000"} for i in range(60)]
    policy = "EACH PROCESS COUNT(*) AS N GROUP BY Age : N >= 2 : REJECT;"
    acompass.run(policy, table, report=tmp_path / "r.html")
    page = read_page(tmp_path / "r.html")
    assert "Class sizes" in _headings(page)
    assert certificate_in(page)["input"] is None


def test_a_report_may_be_about_no_record(tmp_path: Path) -> None:
    acompass.run("EACH RESULT : Age < 0 : REJECT;", [{"Age": 30}], report=tmp_path / "r.html")
    assert _figures(read_page(tmp_path / "r.html")) == {
        "records": ["1 → 0"],
        "records lost": ["100 %", "1 rejected"],
    }


@pytest.mark.parametrize("taken", ["people.csv", "out.csv"])
def test_a_report_never_overwrites_a_table(invoke: Invoke, taken: str) -> None:
    before = Path("people.csv").read_bytes()
    ran = invoke(*RUN[:-1], taken)
    assert ran.exit_code == 2
    assert Path("people.csv").read_bytes() == before
    assert not Path("out.csv").exists()


def _report_with_hierarchy(invoke: Invoke, *pages: str) -> None:
    Path("maps").mkdir()
    Path("maps/city.csv").write_text("Aachen;west;*\nBonn;west;*\nDresden;east;*\n", encoding="utf-8")
    Path("towns.csv").write_text("City\nAachen\nBonn\nDresden\n", encoding="utf-8")
    Path("level.acp").write_text("ALWAYS : GENERALIZE City TO LEVEL 1 OF 'maps/city.csv';", encoding="utf-8")
    ran = invoke("run", "level.acp", "towns.csv", "-o", "out.csv", "--report-internal", "h.html", *pages)
    assert ran.exit_code == 0, ran.stderr


def test_the_certificate_contains_the_hashes_of_hierarchies(invoke: Invoke) -> None:
    import hashlib

    _report_with_hierarchy(invoke)
    (hierarchy,) = certificate_in(read_page(Path("h.html")))["hierarchies"]
    content = Path("maps/city.csv").read_bytes()
    assert hierarchy == {
        "name": "city.csv",
        "sha256": hashlib.sha256(content).hexdigest(),
        "bytes": len(content),
    }
    ran = invoke("verify-report", "h.html", "--policy", "level.acp")
    assert (ran.exit_code, ran.stdout) == (
        0,
        "report: matches\npolicy: matches\nhierarchy city.csv: matches\n",
    )


def test_a_changed_hierarchy_is_noticed(invoke: Invoke) -> None:
    _report_with_hierarchy(invoke)
    Path("maps/city.csv").write_text("Aachen;west;*\nBonn;south;*\nDresden;east;*\n", encoding="utf-8")
    ran = invoke("verify-report", "h.html", "--policy", "level.acp")
    assert (ran.exit_code, ran.stdout) == (
        1,
        "report: matches\npolicy: matches\nhierarchy city.csv: differs\n",
    )


def test_a_missing_hierarchy_is_an_error(invoke: Invoke) -> None:
    _report_with_hierarchy(invoke)
    Path("maps/city.csv").unlink()
    ran = invoke("verify-report", "h.html", "--policy", "level.acp")
    assert ran.exit_code == 2
    assert "cannot read hierarchy `maps/city.csv`" in ran.stderr


def test_the_page_for_recipients_has_no_hash_of_a_hierarchy_which_may_list_the_values_of_the_input(
    invoke: Invoke,
) -> None:
    _report_with_hierarchy(invoke, "--report", "r.html")
    (hierarchy,) = certificate_in(read_page(Path("r.html")))["hierarchies"]
    assert hierarchy == {"name": "city.csv", "sha256": None, "bytes": None}
    ran = invoke("verify-report", "r.html", "--policy", "level.acp")
    assert (ran.exit_code, ran.stdout) == (0, "report: matches\npolicy: matches\n")


def test_a_report_certifies_the_reference_tables_of_a_policy(invoke: Invoke) -> None:
    Path("towns.csv").write_text("City\nAachen\nBonn\n", encoding="utf-8")
    Path("residents.csv").write_text("City,People\nAachen,250000\nBonn,330000\n", encoding="utf-8")
    policy = "EACH PROCESS SUM(People) IN 'residents.csv' AS n GROUP BY City : n > 20000 : REJECT;"
    Path("towns.acp").write_text(policy, encoding="utf-8")
    pages = ("--report-internal", "h.html", "--report", "r.html")
    ran = invoke("run", "towns.acp", "towns.csv", "-o", "out.csv", *pages)
    assert ran.exit_code == 0, ran.stderr
    (internal,), (given,) = (certificate_in(read_page(Path(page)))["references"] for page in ("h.html", "r.html"))
    assert internal == {
        "name": "residents.csv",
        "sha256": hashlib.sha256(Path("residents.csv").read_bytes()).hexdigest(),
        "bytes": Path("residents.csv").stat().st_size,
    }
    assert given == {"name": "residents.csv", "sha256": None, "bytes": None}
    verify = ("verify-report", "h.html", "--policy", "towns.acp")
    assert invoke(*verify).stdout.endswith("reference table residents.csv: matches\n")
    Path("residents.csv").write_text("City,People\nAachen,250001\n", encoding="utf-8")
    ran = invoke(*verify)
    assert (ran.exit_code, ran.stdout.splitlines()[-1]) == (1, "reference table residents.csv: differs")
    Path("residents.csv").unlink()
    assert "cannot read reference table `residents.csv`" in invoke(*verify).stderr


#: each name occurs often enough to have a bar, and all are suppressed
NAMES = [f"Zebulon Pike {i}" for i in range(7)]
SUPPRESS = "EACH RESULT : Name = '*' : REPLACE Name WITH '*';\n"
HTML_DISCLOSURE_POLICY = (
    SUPPRESS + "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;\nEACH FILTER Town = 'A' : Pay > 1 : REJECT;"
)
PEOPLE = [
    {"Name": NAMES[i % 7], "Age": 20 + i % 79, "Town": "AB"[i % 2], "Pay": 1 if i == 4 else 1000 + i}
    for i in range(700)
]
RAW = {*NAMES, "Zebulon", "Pike", "90 to 99"}


def _text(path: Path) -> str:
    return html.unescape(path.read_text(encoding="utf-8"))


def _rows(page: Element, caption: str) -> dict[str, list[str]]:
    (table,) = [each for each in page.all("table") if each.all("caption")[0].text == caption]
    (body,) = table.all("tbody")
    return {
        row.all("th")[0].words.strip(): [cell.words.strip() for cell in row.all("td")][:2] for row in body.all("tr")
    }


def test_suppressed_values_are_not_on_the_page(tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    acompass.run(HTML_DISCLOSURE_POLICY, PEOPLE, report=report)
    assert "Values of Name" in _text(report)
    assert [value for value in RAW if value in _text(report)] == []
    assert _rows(read_page(report), "Values of Name, after") == {"*": ["699", ""]}


def test_a_change_by_one_record_cannot_be_computed(tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    acompass.run(HTML_DISCLOSURE_POLICY, PEOPLE, report=report)
    assert _rows(read_page(report), "Values of Town") == {
        "B": ["not shown", "350"],
        "A": ["not shown", "349"],
        "other": ["not shown", "0"],
    }


@pytest.mark.parametrize(
    "action",
    [
        "WITH PROBABILITY 0.5 REPLACE Town WITH 'A'",
        "RANDOM town FROM ('A', 'B')",
        "WITH PROBABILITY 0.5 RANDOM Town FROM (3 OF 'A', 'B')",
    ],
)
def test_the_number_of_drawn_values_cannot_be_computed(tmp_path: Path, action: str) -> None:
    report = tmp_path / "report.html"
    acompass.run(f"ALWAYS : {action};", PEOPLE, report=report, seed="a")
    town = _rows(read_page(report), "Values of Town, after")
    assert sum(int(after) for after, _ in town.values()) == 700
    assert _rows(read_page(report), "Values of Age")["20 to 29"][0] != "not shown"


def test_the_report_says_what_happened_to_each_column(tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    table = [{"id": f"p{i}", "day": f"2024-03-{i + 1:02}", "age": i, "pay": i} for i in range(20)]
    policy = "ALWAYS : SHIFT day BY id WITHIN 9 DAYS; ALWAYS : PSEUDONYM id;\n"
    policy += "ALWAYS : ADD RANDOM 1 9 TO pay; EACH RESULT : age < 10 : MICROAGGREGATE age BY 3;"
    acompass.run(policy, table, report=report, key="k" * 32)
    text = _text(report)
    for fate in (
        "pseudonymized in every record (line 1)",
        "shifted in every record (line 1)",
        "random numbers added in every record (line 2)",
        "microaggregated where needed (line 2)",
    ):
        assert fate in text


def test_the_report_states_the_probability_and_only_the_internal_one_counts(tmp_path: Path) -> None:
    report, internal = tmp_path / "report.html", tmp_path / "internal.html"
    policy = "ALWAYS : WITH PROBABILITY 0.250 REPLACE Town WITH 'A';"
    acompass.run(policy, PEOPLE, report=report, report_internal=internal, seed="a")
    assert "replaced with probability 0.25" in _text(report)
    assert "700 of 700" not in _text(report)
    assert "700 of 700 replaced with probability 0.25" in _text(internal)


@pytest.mark.parametrize(
    ("policy", "records"),
    [(SUPPRESS + "EACH RESULT : Pay > 1;", PEOPLE), ("EACH RESULT : Age > 200 : REJECT;", PEOPLE)],
    ids=["a check fails", "no record is left"],
)
def test_a_run_that_releases_nothing_shows_no_column(policy: str, records: list, tmp_path: Path) -> None:
    table, report = tmp_path / "people.csv", tmp_path / "report.html"
    lines = [",".join(map(str, record.values())) for record in records]
    table.write_text("\n".join(["Name,Age,Town,Pay", *lines]) + "\n", encoding="utf-8")
    acompass.run(policy, table, output=tmp_path / "out.csv", report=report)
    assert [value for value in RAW if value in _text(report)] == []
    acompass.run("EACH RESULT : Age > 200 : REJECT;", records, report=report)
    assert [value for value in RAW if value in _text(report)] == []


def test_a_check_shows_columns_only_if_the_policy_holds(tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    acompass.check(HTML_DISCLOSURE_POLICY, PEOPLE, report=report)
    assert [value for value in RAW if value in _text(report)] == []
    acompass.check("EACH RESULT : Age < 200;", PEOPLE, report=report)
    assert NAMES[0] in _text(report)


def test_measure_against_the_original_table_shows_none_of_its_values(tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    released = acompass.run(HTML_DISCLOSURE_POLICY, PEOPLE).table
    acompass.measure(released, qi=["Age"], against=PEOPLE, report=report)
    assert [value for value in RAW if value in _text(report)] == []


def test_every_original_count_differs_by_nothing_or_by_many(tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    acompass.run(HTML_DISCLOSURE_POLICY, PEOPLE, report=report)
    page = read_page(report)
    for name in ("Town", "Pay"):
        for before, after in _rows(page, f"Values of {name}").values():
            if re.fullmatch(r"[\d,]+", before):
                change = abs(int(before.replace(",", "")) - int(after.replace(",", "") if after[0] != "n" else 0))
                assert change == 0 or change >= SMALLEST
    for name in ("Name", "Age"):
        assert _rows(page, f"Values of {name}, after"), "a written column has no counts before"
