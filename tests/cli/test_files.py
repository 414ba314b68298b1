"""Workbooks, encodings, dates, swapped arguments and hostile text: the help of an error can be pasted."""

import csv
import gzip
import json
import re
import shlex
import subprocess
import zipfile

import pytest

import acompass
from acompass import api
from acompass.errors.diagnostics import MOST_REPORTED, PolicyError
from acompass.language.mistakes.unreadable_text import is_csv
from acompass.policy import LARGEST, load, parse
from tests.folding import folded
from tests.text.mistakes import MISTAKES

POLICY = "EACH RESULT : Age <= 200;\n"


@pytest.fixture
def workbook(tmp_path):
    with zipfile.ZipFile(tmp_path / "people.xlsx", "w") as file:
        file.writestr("xl/workbook.xml", "<workbook/>")
    return "people.xlsx"


def command_in(help_text: str) -> str:
    found = re.search(r"`(iconv [^`]*)`", help_text)
    assert found is not None
    return found[1]


def test_a_policy_in_utf16_can_be_converted_as_the_help_says(acompass, tmp_path):
    (tmp_path / "windows.acp").write_bytes(POLICY.encode("utf-16"))
    ran = acompass("check", "windows.acp", "people.csv")
    assert (ran.exit_code, "error[AC403]: the policy is UTF-16" in ran.stderr) == (2, True)
    subprocess.run(command_in(ran.stderr), shell=True, check=True, cwd=tmp_path)
    assert acompass("check", "policy-utf8.acp", "people.csv").exit_code == 0


def test_a_table_in_utf16_is_recognized_by_its_byte_order_mark(acompass, policy, tmp_path):
    (tmp_path / "windows.csv").write_bytes((tmp_path / "people.csv").read_text().encode("utf-16"))
    assert acompass("check", policy(POLICY), "windows.csv").exit_code == 0


def test_a_windows_encoded_table_is_read_as_the_help_says(acompass, policy, tmp_path):
    (tmp_path / "windows.csv").write_bytes("Name,Age\nZoë,36\n".encode("cp1252"))
    ran = acompass("check", policy(POLICY), "windows.csv")
    assert (ran.exit_code, "error[AC205]: line 2 of `windows.csv` is not UTF-8" in ran.stderr) == (2, True)
    option = re.search(r"`--encoding ([^`]*)`", ran.stderr)
    assert option is not None
    assert acompass("check", policy(POLICY), "windows.csv", "--encoding", option[1]).exit_code == 0


def test_a_workbook_as_policy_is_an_error(acompass, workbook):
    assert "error[AC408]" in acompass("check", workbook, "people.csv").stderr


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("old.xls", b"\xd0\xcf\x11\xe0", "AC217"),
        ("sheet.ods", b"PK\x03\x04", "AC217"),
        ("people.csv", b"PK\x03\x04", "AC217"),
        ("locked.xlsx", b"\xd0\xcf\x11\xe0", "AC244"),
        ("cut.xlsx", b"PK\x03\x04", "AC214"),
        ("empty.xlsx", b"", "AC214"),
    ],
)
def test_unsupported_workbooks_are_rejected(acompass, policy, tmp_path, name, content, code):
    (tmp_path / name).write_bytes(content)
    ran = acompass("check", policy(POLICY), name)
    assert (ran.exit_code, f"error[{code}]" in ran.stderr) == (2, True)


def test_a_workbook_without_its_parts_is_damaged(acompass, policy, workbook):
    ran = acompass("check", policy(POLICY), workbook)
    assert (ran.exit_code, "error[AC214]: `people.xlsx` is not a complete Excel file" in ran.stderr) == (
        2,
        True,
    )


STAYS = "Name,Admission,Left\nAda,31.03.2018,1-Mar-69\nBen,1.4.2018,\n"
DATES_POLICY = "EACH RESULT : Admission >= '2018-04-01' : REPLACE Admission WITH '2018-04-01';"
DATES = ("--dates", "Admission=%d.%m.%Y", "--dates", "Left=%d-%b-%y")


@pytest.fixture
def stays(acompass, policy, tmp_path):
    (tmp_path / "stays.csv").write_text(STAYS)
    policy(DATES_POLICY)
    return acompass


def test_run_writes_iso_dates(stays, tmp_path):
    ran = stays("run", "policy.acp", "stays.csv", "-o", "out.csv", *DATES)
    assert ran.exit_code == 0, ran.stderr
    assert (tmp_path / "out.csv").read_text() == ("Name,Admission,Left\nAda,2018-04-01,1969-03-01\nBen,2018-04-01,\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "policy.acp", "stays.csv"),
        ("run", "policy.acp", "stays.csv", "-o", "out.csv"),
        ("plan", "policy.acp", "stays.csv"),
        ("explain", "policy.acp", "stays.csv", "--record", "1"),
        ("explain", "policy.acp", "stays.csv", "--sql"),
        ("prove", "policy.acp", "--table", "stays.csv"),
        ("lint", "policy.acp", "--table", "stays.csv"),
    ],
)
def test_the_help_of_the_error_can_be_pasted(stays, arguments):
    failed = stays(*arguments)
    assert failed.exit_code == 2
    pasted = failed.stderr.partition("read the column as dates: `")[2].partition("`")[0]
    ran = stays(*arguments, *shlex.split(pasted))
    assert ran.exit_code in (0, 1), ran.stderr
    assert "error" not in ran.stderr


def test_check_compares_dates(stays):
    ran = stays("check", "policy.acp", "stays.csv", "--format", "json", *DATES)
    assert json.loads(ran.stdout)["requirements"][0]["affected"] == 1


def test_explain_chooses_records_by_a_date(stays):
    ran = stays("explain", "policy.acp", "stays.csv", "--where", "Admission = '2018-03-31'", *DATES)
    assert ran.exit_code == 0, ran.stderr
    assert ran.stdout.startswith("record 1: Name 'Ada', Admission")
    assert "31.03.2018" not in ran.stdout


def test_the_error_about_a_wrong_date_names_its_line(stays):
    ran = stays("check", "policy.acp", "stays.csv", "--dates", "Left=%d-%b-%Y", "--dates", "Admission=%d.%m.%Y")
    assert ran.exit_code == 2
    assert "AC234" in ran.stderr
    assert "(on line 2 of `stays.csv`)" in ran.stderr
    assert "Mar-69" not in ran.stderr


@pytest.mark.parametrize(
    ("given", "code"),
    [("Admission", "AC236"), ("Admision=%d.%m.%Y", "AC236"), ("Admission=%d.%m", "AC235")],
)
def test_invalid_date_options_are_errors(stays, given, code):
    ran = stays("check", "policy.acp", "stays.csv", "--dates", given)
    assert (ran.exit_code, f"error[{code}]" in ran.stderr) == (2, True)


@pytest.mark.parametrize("command", ["check", "run", "plan", "explain"])
def test_the_help_lists_dates_after_missing(stays, command):
    text = stays(command, "--help").stdout
    assert 0 < text.index("--missing") < text.index("--dates") < text.index("--delimiter")


def test_measure_compares_released_dates_with_the_original_ones(stays):
    assert stays("run", "policy.acp", "stays.csv", "-o", "out.csv", *DATES).exit_code == 0
    measuring = (
        "measure",
        "out.csv",
        "--qi",
        "Name",
        "--sensitive",
        "Left",
        "--against",
        "stays.csv",
        "--json",
    )
    plain, read = (json.loads(stays(*measuring, *dates).stdout)["comparison"]["columns"] for dates in ((), DATES))
    changes = [{change["column"]: change["distance"] for change in columns} for columns in (plain, read)]
    assert changes[0] == {"Name": 0, "Admission": 1, "Left": 0.5}
    assert changes[1] == {"Name": 0, "Admission": 0.5, "Left": 0}


def test_measure_knows_the_order_of_dates(stays):
    measuring = ("measure", "stays.csv", "--qi", "Name", "--sensitive", "Admission", "--json")
    plain, read = (json.loads(stays(*measuring, *dates).stdout)["sensitive"] for dates in ((), DATES))
    assert (plain[0]["t_ordered"], read[0]["t_ordered"]) == (None, 0.5)


@pytest.mark.parametrize("command", ["run", "measure"])
def test_a_report_records_the_date_formats(stays, tmp_path, command):
    call = ("policy.acp", "stays.csv", "-o", "out.csv") if command == "run" else ("stays.csv", "--qi", "Left")
    ran = stays(command, *call, *DATES, "--report", "report.html")
    assert ran.exit_code == 0, ran.stderr
    page = (tmp_path / "report.html").read_text()
    certificate = page.partition('id="certificate">')[2].partition("</script>")[0]
    assert json.loads(certificate)["dates"] == ["Admission=%d.%m.%Y", "Left=%d-%b-%y"]
    assert "<td>Admission=%d.%m.%Y</td>" in page


SECRET = "Kowalczyk"
SWAPPED_POLICY = "EACH RESULT : Age <= 80;"
CSV = f"Name,Age\n{SECRET},34\n" * 500
COMMANDS = ("check", "plan", "prove", "lint", "fmt")
TABLES = {
    "comma": CSV.encode(),
    "semicolon": f"Record ID;Group;Remark\n1;A;{SECRET}\n2;B;some pain\n".encode() * 9,
    "tab": f"Name\tAge\n{SECRET}\t34\n".encode(),
    "quoted": f'"Name","Age (y)"\r\n"{SECRET}, of here","3"\r\n'.encode(),
    "header only": b"Name,Age\n",
    "not UTF-8": f"Name,Age\nJos\xe9 {SECRET},34\n".encode("latin-1"),
    "UTF-16": CSV.encode("utf-16"),
    "index": f",Name,Age\n0,{SECRET},34\n".encode(),
    "byte order mark": b"\xef\xbb\xbf" + CSV.encode(),
    "parquet": b"PAR1\x15\x04\x15" + SECRET.encode(),
    "gzip": gzip.compress(CSV.encode()),
    "xlsx": b"PK\x03\x04\x14\x00" + SECRET.encode(),
    "xls": b"\xd0\xcf\x11\xe0\xa1\xb1" + SECRET.encode(),
}
POLICIES = [
    SWAPPED_POLICY,
    "-- Age, Zip\n" + SWAPPED_POLICY,
    "EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= 2;\n" * 9,
    "Age, Zip\n" + SWAPPED_POLICY,
    "EACH ROW : a = 1, b = 2;\nEACH ROW : a = 1, b = 2;\n",
    "ALWAYS : DROP a, b;\nALWAYS : DROP c, d;\n",
    "ALWAYS : REPLACE a WITH 1; ALWAYS : REPLACE b WITH 1;",
    "SELECT a, b FROM t, u;",
    "Age <= 80, Zip = 'x';",
    "RESULT : Age = 1;",
    "# a, b\n",
    ";",
    "",
]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("kind", TABLES)
def test_a_table_in_place_of_the_policy_is_one_error(acompass, policy, tmp_path, command, kind):
    (tmp_path / "table").write_bytes(TABLES[kind])
    ran = acompass(command, "table", *[policy(SWAPPED_POLICY)] * (command in ("check", "plan")))
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr.startswith("error[AC408]: expected a policy, but `table` is a")
    assert ran.stderr.count("error[") == 1
    assert "the arguments may be swapped" in ran.stderr
    assert SECRET not in ran.stderr


@folded("text", [*POLICIES, *(mistake.text for mistake in MISTAKES)])
def test_a_policy_is_not_mistaken_for_a_table(text):
    assert not is_csv(text)


def test_a_table_on_standard_input_is_one_error(acompass):
    assert "error[AC408]" in acompass("check", "-", "people.csv", given=CSV).stderr


def test_the_text_of_a_table_is_one_error_in_python():
    with pytest.raises(PolicyError) as caught:
        api.check(CSV, [])
    assert [each.code for each in caught.value.diagnostics] == ["AC408"]
    assert SECRET not in str(caught.value)


def test_only_the_start_of_a_table_is_read(tmp_path, monkeypatch):
    path = tmp_path / "sparse.csv"
    with open(path, "wb") as file:
        file.write(CSV.encode())
        file.truncate(1 << 40)
    with pytest.raises(PolicyError, match="AC408"):
        load(path)


def test_a_very_large_policy_is_rejected_unread(tmp_path):
    path = tmp_path / "sparse.acp"
    with open(path, "wb") as file:
        file.write(f"-- {SECRET}\n".encode())
        file.truncate(1 << 40)
    with pytest.raises(PolicyError, match="AC409") as caught:
        load(path)
    assert SECRET not in str(caught.value)
    path.write_text(SWAPPED_POLICY.ljust(LARGEST))
    assert len(load(path).text) == LARGEST


def test_a_listing_of_errors_is_capped(acompass, policy):
    path = policy("EACH RESULT : Age == 1;\n" * 120)
    for arguments, shown in (((), 50), (("--max-errors", "7"), 7), (("--max-errors", "500"), 120)):
        ran = acompass("check", path, "people.csv", *arguments)
        assert ran.stderr.count("error[AC031]") == shown
        last = f"and {120 - shown} more"
        assert (ran.stderr.splitlines()[-1] == last) == (shown < 120)


def test_a_listing_of_findings_is_capped(acompass, policy):
    path = policy("EACH PROCESS COUNT(*) AS c GROUP BY Zip : c >= 1 : REJECT;\n" * 3)
    ran = acompass("lint", path, "--max-errors", "2")
    assert ran.stdout.splitlines()[-1] == "and 1 more"


@pytest.mark.parametrize("command", ["check", "plan", "prove", "lint", "explain", "measure", "run", "fmt"])
def test_every_command_has_max_errors(acompass, command):
    assert "--max-errors N" in acompass(command, "--help").stdout


def test_reports_for_programs_are_capped_and_say_so(acompass, policy):
    path = policy("EACH RESULT : Age == 1;\n" * 60)
    for command in (("lint", path, "--json"), ("check", path, "people.csv", "--format", "json")):
        value = json.loads(acompass(*command).stdout)
        assert (len(value["diagnostics"]), value["more"]) == (50, 10)
    sarif = json.loads(acompass("check", path, "people.csv", "--format", "sarif").stdout)
    assert len(sarif["runs"][0]["results"]) == 50
    assert acompass("check", path, "people.csv", "--format", "junit").stdout.count("<testcase") == 50


def test_parsing_stops_after_many_errors():
    with pytest.raises(PolicyError) as caught:
        parse("a b c;\n" * 10 * MOST_REPORTED)
    assert len(caught.value.diagnostics) == MOST_REPORTED
    assert str(caught.value).endswith(f"and at least {MOST_REPORTED - 50} more")


def test_an_error_never_quotes_more_than_a_part_of_a_line():
    long = "x " * 5_000 + "\n'" + "y\n" * 5_000
    for text in (f"EACH RESULT : a = 1 REJECT {long};", f"EACH RESULT : a = {long};", f"{long}' REJECT;"):
        with pytest.raises(PolicyError) as caught:
            parse(text)
        assert max(map(len, str(caught.value).splitlines())) < 300
        assert str(caught.value).count("y") < 100


HOSTILE = [
    "'; DROP TABLE t; --",
    "\"; COPY (SELECT 1) TO 'stolen.csv'; --",
    "') UNION SELECT current_setting('secret_directory') --",
    "c0",
    "t.c0 = t.c0 OR 1=1",
    "\\'; DELETE FROM kept0; --",
    "$1",
    "{0}%s\n--",
    "*/ SELECT 1 /*",
]


def quote_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def quote_text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("engine", ["duckdb", "reference"])
def test_hostile_text_is_only_text(hostile, engine, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = tmp_path / "table.csv"
    with table.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([[hostile, "Age"], ["a", "1"], [hostile, "2"], ["b", "2"]])
    name, value = quote_name(hostile), quote_text(hostile)
    policy = (
        f"EACH RESULT : NOT ({name} = {value}) : REPLACE {name} WITH 'found';"
        f"EACH FILTER {name} = 'a' : {name} = {value} : REPLACE {name} WITH {value};"
        f"EACH PROCESS COUNT(*) AS {quote_name(hostile + '!')} GROUP BY {name} : {quote_name(hostile + '!')} >= 1;"
    )
    result = acompass.run(policy, table, engine=engine, output=tmp_path / "out.csv", header=True, force=True)
    assert [each.affected for each in result.requirements] == [1, 1, 0]
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8") as file:
        assert list(csv.reader(file)) == [[hostile, "Age"], [hostile, "1"], ["found", "2"], ["b", "2"]]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.csv", "table.csv"]
