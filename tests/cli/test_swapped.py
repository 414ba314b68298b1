"""A table in place of the policy, and policies with very many errors."""

import gzip
import json

import pytest

from acompass import api
from acompass.diagnostics import PolicyError
from acompass.diagnostics.diagnostic import MOST_REPORTED
from acompass.policy import LARGEST, load, parse
from acompass.syntax.table_text import is_csv
from tests.syntax.mistakes import MISTAKES

SECRET = "Kowalczyk"
POLICY = "EACH RESULT : Age <= 80;"
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
    POLICY,
    "-- Age, Zip\n" + POLICY,
    "EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= 2;\n" * 9,
    "Age, Zip\n" + POLICY,
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
    ran = acompass(command, "table", *[policy(POLICY)] * (command in ("check", "plan")))
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert ran.stderr.startswith("error[AC408]: expected a policy, but `table` is a")
    assert ran.stderr.count("error[") == 1
    assert "the arguments may be swapped" in ran.stderr
    assert SECRET not in ran.stderr


@pytest.mark.parametrize("text", [*POLICIES, *(mistake.text for mistake in MISTAKES)])
def test_a_policy_is_not_taken_for_a_table(text):
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


def test_a_very_large_policy_is_refused_unread(tmp_path):
    path = tmp_path / "sparse.acp"
    with open(path, "wb") as file:
        file.write(f"-- {SECRET}\n".encode())
        file.truncate(1 << 40)
    with pytest.raises(PolicyError, match="AC409") as caught:
        load(path)
    assert SECRET not in str(caught.value)
    path.write_text(POLICY.ljust(LARGEST))
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
def test_every_command_has_the_option(acompass, command):
    assert "--max-errors N" in acompass(command, "--help").stdout


def test_data_is_capped_and_says_so(acompass, policy):
    path = policy("EACH RESULT : Age == 1;\n" * 60)
    for command in (("lint", path, "--json"), ("check", path, "people.csv", "--format", "json")):
        value = json.loads(acompass(*command).stdout)
        assert (len(value["diagnostics"]), value["more"]) == (50, 10)
    sarif = json.loads(acompass("check", path, "people.csv", "--format", "sarif").stdout)
    assert len(sarif["runs"][0]["results"]) == 50
    assert acompass("check", path, "people.csv", "--format", "junit").stdout.count("<testcase") == 50


def test_reading_stops_after_many_errors():
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
