"""`--report` is for whoever receives the table, `--report-internal` for its curator."""

import html
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import acompass
from acompass.cli.app import app
from tests.report.pages import Element, certificate_in, read_page
from tests.report.people import NAME, POLICY, RARE, people

Invoke = Callable[..., Result]
RUN = ("run", "policy.acp", "people.csv", "-o", "out.csv", "--set", "k=2")
BOTH = ("--report", "r.html", "--report-internal", "i.html")
#: the second line's comment is for the policy's authors; its FILTER selects no record
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


def test_the_curator_sees_the_table_before(pages: tuple[Element, Element]) -> None:
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
    assert counts[0] == {"line": 1, "holds": False, "action": "REPLACE"}
    assert all_counts[0]["affected"] > 0


def test_notes_and_comments_are_for_the_curator(pages: tuple[Element, Element]) -> None:
    receiver, internal = pages
    for said in ("FILTER selects no record", "see complaint 4711"):
        assert said in internal.words
        assert said not in receiver.words
    assert "EACH FILTER Zip >= '21000' AND Zip <= '21199'" in receiver.words


def test_class_sizes_of_the_table_before_are_for_the_curator(pages: tuple[Element, Element]) -> None:
    receiver, internal = pages
    assert "classes, before" in internal.words
    assert "classes, before" not in receiver.words
    assert "classes, after" in receiver.words
    risks = [[each for each in _captions(page) if each.startswith("Risk by")] for page in pages]
    after = "Risk by quasi-identifier, after"
    assert risks == [[after], ["Risk by quasi-identifier, before", after]]


def test_the_internal_page_says_so_first(pages: tuple[Element, Element]) -> None:
    receiver, internal = pages
    assert internal.all("title")[0].text == "Internal release report: out.csv"
    assert "Do not hand it out" in internal.all("header")[0].words
    assert "Internal" not in receiver.words


def test_certificates_say_whom_a_page_is_for_and_both_pages_verify(
    invoke: Invoke, pages: tuple[Element, Element]
) -> None:
    assert [certificate_in(page)["reader"] for page in pages] == ["receiver", "curator"]
    for page in ("r.html", "i.html"):
        files = ("--policy", "policy.acp", "--input", "people.csv", "--output", "out.csv")
        ran = invoke("verify-report", page, *files)
        assert (ran.exit_code, ran.stdout.count("matches")) == (0, 4)


def test_a_check_that_fails_shows_its_columns_to_the_curator_alone(invoke: Invoke) -> None:
    assert invoke("check", "policy.acp", "people.csv", "--set", "k=2", *BOTH).exit_code == 1
    assert RARE in _text("i.html")
    assert RARE not in _text("r.html")
    assert "of 401 affected" in read_page(Path("r.html")).words


def test_a_run_that_releases_nothing_shows_its_table_to_the_curator_alone(invoke: Invoke) -> None:
    Path("policy.acp").write_text(POLICY + "EACH RESULT : Age <= 40;", encoding="utf-8")
    assert invoke(*RUN, *BOTH).exit_code == 1
    receiver, internal = read_page(Path("r.html")), read_page(Path("i.html"))
    assert _captions(receiver) == ["Files", "Made with"]
    assert "Values of Disease" in _captions(internal)


def test_a_table_measured_against_the_one_before(invoke: Invoke) -> None:
    assert invoke(*RUN).exit_code == 0
    ran = invoke("measure", "out.csv", "--qi", "Age,Zip", "--against", "people.csv", *BOTH)
    assert ran.exit_code == 0, ran.stderr
    receiver, internal = _captions(read_page(Path("r.html"))), _captions(read_page(Path("i.html")))
    assert "Values of Disease, before" in internal
    assert not [caption for caption in receiver if "before" in caption]


def test_the_pages_of_a_session_in_python(tmp_path: Path) -> None:
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
def test_the_pages_are_two_files(invoke: Invoke, existing: bool) -> None:
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
    """Nor are their proofs: an assertion has one."""
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


def test_a_dropped_quasi_identifier_is_not_looked_for_in_the_release(tmp_path: Path) -> None:
    policy = "EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= 2 : REJECT;\nALWAYS : DROP zip;"
    table = [{"Age": 30 + i % 2, "Zip": "21401", "Ill": "flu"} for i in range(40)]
    acompass.run(policy, table, report=tmp_path / "r.html", report_internal=tmp_path / "i.html")
    assert "Records with equal values in Age form" in read_page(tmp_path / "r.html").words
    assert "Values of Zip, before" in _captions(read_page(tmp_path / "i.html"))
    acompass.run(policy.replace("zip", "Age, Zip"), table, report=tmp_path / "r.html")
    assert "Class sizes" not in read_page(tmp_path / "r.html").words
