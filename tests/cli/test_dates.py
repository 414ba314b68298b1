"""`--dates` on every command that reads the values of a table (D28)."""

import json
import shlex

import pytest

STAYS = "Name,Admission,Left\nAda,31.03.2018,1-Mar-69\nBen,1.4.2018,\n"
POLICY = "EACH RESULT : Admission >= '2018-04-01' : REPLACE Admission WITH '2018-04-01';"
DATES = ("--dates", "Admission=%d.%m.%Y", "--dates", "Left=%d-%b-%y")


@pytest.fixture
def stays(acompass, policy, tmp_path):
    (tmp_path / "stays.csv").write_text(STAYS)
    policy(POLICY)
    return acompass


def test_run_writes_iso_dates(stays, tmp_path):
    ran = stays("run", "policy.acp", "stays.csv", "-o", "out.csv", *DATES)
    assert ran.exit_code == 0, ran.stderr
    assert (tmp_path / "out.csv").read_text() == (
        "Name,Admission,Left\nAda,2018-04-01,1969-03-01\nBen,2018-04-01,\n"
    )


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


def test_a_value_that_does_not_fit_names_its_line(stays):
    ran = stays(
        "check", "policy.acp", "stays.csv", "--dates", "Left=%d-%b-%Y", "--dates", "Admission=%d.%m.%Y"
    )
    assert ran.exit_code == 2
    assert "AC234" in ran.stderr
    assert "(on line 2 of `stays.csv`)" in ran.stderr
    assert "Mar-69" not in ran.stderr


@pytest.mark.parametrize(
    ("given", "code"),
    [("Admission", "AC236"), ("Admision=%d.%m.%Y", "AC236"), ("Admission=%d.%m", "AC235")],
)
def test_invalid_options(stays, given, code):
    ran = stays("check", "policy.acp", "stays.csv", "--dates", given)
    assert (ran.exit_code, f"error[{code}]" in ran.stderr) == (2, True)


@pytest.mark.parametrize("command", ["check", "run", "plan", "explain"])
def test_the_help_lists_it_after_missing(stays, command):
    text = stays(command, "--help").stdout
    assert 0 < text.index("--missing") < text.index("--dates") < text.index("--delimiter")


def test_measure_compares_the_released_dates_with_those_before(stays):
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
    plain, read = (
        json.loads(stays(*measuring, *dates).stdout)["comparison"]["columns"] for dates in ((), DATES)
    )
    changes = [{change["column"]: change["distance"] for change in columns} for columns in (plain, read)]
    assert changes[0] == {"Name": 0, "Admission": 1, "Left": 0.5}
    assert changes[1] == {"Name": 0, "Admission": 0.5, "Left": 0}


def test_measure_knows_the_order_of_dates(stays):
    measuring = ("measure", "stays.csv", "--qi", "Name", "--sensitive", "Admission", "--json")
    plain, read = (json.loads(stays(*measuring, *dates).stdout)["sensitive"] for dates in ((), DATES))
    assert (plain[0]["t_ordered"], read[0]["t_ordered"]) == (None, 0.5)


@pytest.mark.parametrize("command", ["run", "measure"])
def test_a_report_records_the_formats(stays, tmp_path, command):
    call = ("policy.acp", "stays.csv", "-o", "out.csv") if command == "run" else ("stays.csv", "--qi", "Left")
    ran = stays(command, *call, *DATES, "--report", "report.html")
    assert ran.exit_code == 0, ran.stderr
    page = (tmp_path / "report.html").read_text()
    certificate = page.partition('id="certificate">')[2].partition("</script>")[0]
    assert json.loads(certificate)["dates"] == ["Admission=%d.%m.%Y", "Left=%d-%b-%y"]
    assert "<td>Admission=%d.%m.%Y</td>" in page
