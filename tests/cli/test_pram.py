"""`acompass pram` writes only a policy, and reports its ε; `acompass estimate` corrects for it."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import acompass as api
from tests.cli.conftest import Acompass
from tests.waiting import PATIENCE

VALUES = "a" * 60 + "b" * 39 + "c"
CALL = ("pram", "visits.csv", "Disease", "--keep", "0.8")


@pytest.fixture(autouse=True)
def visits(acompass: Acompass) -> None:
    rows = [f"{20 + n % 7},{value}" for n, value in enumerate(VALUES)]
    Path("visits.csv").write_text("\n".join(["Age,Disease", *rows, ""]), encoding="utf-8")


def _write_matrix(text: str) -> str:
    Path("matrix.csv").write_text(text, encoding="utf-8")
    return "matrix.csv"


def test_standard_output_contains_only_the_policy(acompass: Acompass) -> None:
    ran = acompass(*CALL)
    assert ran.exit_code == 0, ran.stderr
    assert api.parse(ran.stdout).tree == api.pram("visits.csv", "Disease", 0.8).tree
    assert ran.stderr.startswith("`Disease`, 3 values: e^ε = 401, ε ≤ 5.994\n")


def test_the_other_commands_accept_a_written_policy(acompass: Acompass) -> None:
    ran = acompass(*CALL, "-o", "pram.acp")
    assert (ran.exit_code, ran.stdout) == (0, "`pram.acp` written\n")
    assert acompass(*CALL, "-o", "pram.acp").stdout == "`pram.acp` replaced\n"
    assert acompass("fmt", "--check", "pram.acp").exit_code == 0
    assert acompass("lint", "pram.acp", "--table", "visits.csv").stdout == "nothing found\n"
    assert acompass("prove", "pram.acp").exit_code == 0
    assert acompass("run", "pram.acp", "visits.csv", "-o", "released.csv").exit_code == 0
    assert sorted(path.name for path in Path().iterdir()) == [
        "people.csv",
        "pram.acp",
        "released.csv",
        "visits.csv",
    ]


def test_a_warning_about_a_rare_value_does_not_show_it(acompass: Acompass) -> None:
    rare = "a value has only 0.50% of the weights: other values rarely change into it"
    Path("visits.csv").write_text("Disease\n" + "a\n" * 199 + "Lovelace\n")
    assert rare in acompass(*CALL).stderr
    assert "Lovelace" not in acompass(*CALL).stderr
    assert "a value has only" not in acompass(*CALL, "--uniform").stderr
    assert "a value has only" not in acompass(*CALL, "--round", "50").stderr


def test_a_matrix_without_a_bound_is_reported(acompass: Acompass) -> None:
    matrix = _write_matrix(";a;b;c\na;0.9;0.1;0\nb;0;1;0\nc;;;1\n")
    ran = acompass("pram", "visits.csv", "Disease", "--matrix", matrix)
    assert ran.exit_code == 0, ran.stderr
    assert "no bound on ε, because the matrix rules out some changes" in ran.stderr
    assert "EACH RESULT\n   : Disease != 'a'\n   : WITH PROBABILITY 0.1 RANDOM Disease FROM ('b');" in ran.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["Disease"], "AC630", "`--keep` is missing"),
        (["Disease", "--keep", "1"], "AC630", "`--keep` is `1`, expected a probability between 0 and 1"),
        (["Disease", "--keep", "0"], "AC630", "expected a probability"),
        (["Disease", "--keep", "80%"], "AC630", "expected a probability"),
        (["Disease", "--keep", "0.00000000001"], "AC630", "expected a probability"),
        (["Disease", "--keep", "0.8", "--round", "0"], "AC630", "`--round` is 0, expected at least 1"),
        (["Disease", "--keep", "0.8", "--round", "9", "--uniform"], "AC630", "exclude each other"),
        (["Disease", "--matrix", "matrix.csv", "--uniform"], "AC630", "`--matrix` and `--uniform` exclude"),
        (["Disease", "--matrix", "matrix.csv", "--round", "9"], "AC630", "`--matrix` and `--round` exclude"),
        (["Illness", "--keep", "0.8"], "AC602", "unknown column `Illness`"),
        (["Name", "--keep", "0.8"], "AC631", "column `Name` has more than 1,000 values"),
        (["One", "--keep", "0.8"], "AC631", "column `One` has one value, expected at least two"),
        (["Gap", "--keep", "0.8"], "AC212", "column `Gap` has 1 missing value"),
    ],
)
def test_a_wrong_call_is_an_error(acompass: Acompass, arguments: list[str], code: str, message: str) -> None:
    rows = [f"{n},x,{'ab'[n % 2]},{'' if n == 7 else 'z'}" for n in range(1001)]
    Path("wide.csv").write_text("\n".join(["Name,One,Disease,Gap", *rows, ""]), encoding="utf-8")
    _write_matrix(",a,b\na,1,0\nb,0,1\n")
    ran = acompass("pram", "wide.csv", *arguments, "-o", "pram.acp")
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert f"error[{code}]" in ran.stderr
    assert message in ran.stderr
    assert not Path("pram.acp").exists()


@pytest.mark.parametrize(
    ("matrix", "code", "message"),
    [
        (",a,b,c\na,1,0,0\nb,0,1,0\n", "AC632", "has 3 values in its header and 2 rows"),
        (
            ",a,b,c\na,0.5,0.4,0.2\n",
            "AC632",
            "line 2 of matrix `matrix.csv` sums to 11/10, expected exactly 1",
        ),
        (
            ",a,b,c\na,1,0,0\na,1,0,0\n",
            "AC632",
            "lines 2 and 3 of matrix `matrix.csv` begin with the same value",
        ),
        (
            ",a,b,c\na,1,0,0\nd,1,0,0\n",
            "AC632",
            "line 3 of matrix `matrix.csv` begins with a value that is not",
        ),
        (",a,b,c\na,1,x,0\n", "AC632", "column 3 of line 2 of matrix `matrix.csv` is not a probability"),
        (",a,b,c\na,-1,1,1\n", "AC632", "column 2 of line 2 of matrix `matrix.csv` is not a probability"),
        (",a,b,c\na,3/2,0,0\n", "AC632", "column 2 of line 2 of matrix `matrix.csv` is not a probability"),
        (",a,b,c\na,1/0,0,0\n", "AC632", "column 2 of line 2 of matrix `matrix.csv` is not a probability"),
        (",a,a\na,1,0\n", "AC632", "the header of matrix `matrix.csv` has a duplicate value"),
        ("a\n", "AC632", "the header of matrix `matrix.csv` has no values"),
        (",a,b,c\na,1,0\n", "AC206", ""),
        (",a,b\na,1,0\nb,0,1\n", "AC634", "has no row for 1 value of `Disease`, in 1 records"),
        (
            ",a,b,c\na,1,0,0\nb,0,1,0\nc,0.0000000001,0,0.9999999999\n",
            "AC633",
            "row 3 of the matrix is below",
        ),
    ],
)
def test_an_invalid_matrix_is_an_error(acompass: Acompass, matrix: str, code: str, message: str) -> None:
    ran = acompass("pram", "visits.csv", "Disease", "--matrix", _write_matrix(matrix), "-o", "pram.acp")
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert f"error[{code}]" in ran.stderr
    assert message in ran.stderr
    assert not Path("pram.acp").exists()


@pytest.mark.parametrize("matrix", [",20,x\n20,1,0\nx,0,1\n", ",20,20.0\n20,1,0\n20.0,0,1\n"])
def test_a_matrix_of_another_type_does_not_fit(acompass: Acompass, matrix: str) -> None:
    ran = acompass("pram", "visits.csv", "Age", "--matrix", _write_matrix(matrix))
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert "error[AC634]" in ran.stderr


def test_no_cell_of_an_invalid_matrix_is_quoted(acompass: Acompass) -> None:
    Path("people.txt").write_text("Name,Age\nLovelace,36\nByron,36\n")
    ran = acompass("pram", "visits.csv", "Disease", "--matrix", "people.txt")
    assert ran.exit_code == 2
    assert "Lovelace" not in ran.stderr


@pytest.mark.parametrize("output", ["visits.csv", "matrix.csv"])
def test_an_input_is_not_overwritten(acompass: Acompass, output: str) -> None:
    matrix = _write_matrix(",a,b,c\na,1,0,0\nb,0,1,0\nc,0,0,1\n")
    before = Path(output).read_bytes()
    ran = acompass("pram", "visits.csv", "Disease", "--matrix", matrix, "-o", output)
    assert ran.exit_code == 2
    assert "error[AC220]" in ran.stderr
    assert Path(output).read_bytes() == before


def test_a_missing_folder_is_an_error(acompass: Acompass) -> None:
    assert "error[AC221]" in acompass(*CALL, "-o", "none/pram.acp").stderr


def test_missing_values_are_dropped_or_filled(acompass: Acompass) -> None:
    Path("visits.csv").write_text("Age,Disease\n1,a\n2,\n3,b\n")
    assert "FROM (1 OF 'a', 1 OF 'b')" in acompass(*CALL, "--missing", "drop").stdout
    assert "FROM (1 OF 'a', 2 OF 'b')" in acompass(*CALL, "--missing", "b").stdout


def test_the_estimate_is_printed_as_text_and_as_json(acompass: Acompass) -> None:
    acompass(*CALL, "-o", "pram.acp")
    ran = acompass("estimate", "visits.csv", "disease", "--policy", "pram.acp")
    assert ran.exit_code == 0, ran.stderr
    assert ran.stdout.splitlines()[:4] == [
        "Disease before line 12: 100.0 records, estimated from 100 released records",
        "",
        "value  released   share  estimated  ± s.e.   share  ± s.e.",
        "a            60  60.00%       60.0     3.7  60.00%   3.67%",
    ]
    printed = json.loads(acompass("estimate", "visits.csv", "Disease", "--policy", "pram.acp", "--json").stdout)
    assert list(printed) == ["column", "line", "records", "values", "notes"]
    assert printed["records"] == {"released": 100, "estimated": 100.0, "standard_error": 0.0}
    value = printed["values"][0]
    assert value["value"] == "a"
    assert value["count"] == {
        "released": 60,
        "estimated": 60.0,
        "standard_error": pytest.approx(13.5**0.5),
    }
    assert value["share"] == {
        "released": 0.6,
        "estimated": 0.6,
        "standard_error": pytest.approx(13.5**0.5 / 100),
    }


def test_a_rejected_estimate_shows_the_line(acompass: Acompass) -> None:
    Path("p.acp").write_text("EACH RESULT : Age > 21 : WITH PROBABILITY 0.5 RANDOM Disease FROM ('a', 'b');\n")
    ran = acompass("estimate", "visits.csv", "Disease", "--policy", "p.acp", "--json")
    assert ran.exit_code == 2
    assert "error[AC635]: values cannot be traced through line 1: it depends on `Age`" in ran.stderr
    assert "--> p.acp:1:1" in ran.stderr
    assert json.loads(ran.stdout)["diagnostics"][0]["code"] == "AC635"


def test_estimate_sets_the_parameters_of_the_policy(acompass: Acompass) -> None:
    Path("p.acp").write_text("ALWAYS : WITH PROBABILITY 0.5 RANDOM Disease FROM ('a', 'b', third);\n")
    call = ("estimate", "visits.csv", "Disease", "--policy", "p.acp")
    assert "error[AC106]" in acompass(*call).stderr
    assert acompass(*call, "--set", "third=c").exit_code == 0


STUCK = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from pathlib import Path
from acompass.cli import main
write_text = Path.write_text

def stuck(path, *arguments, **options):
    write_text(path, *arguments, **options)
    print("written", flush=True)
    time.sleep(600)

Path.write_text = stuck
sys.argv = ["acompass", "pram", "visits.csv", "Disease", "--keep", "0.8", "-o", "pram.acp"]
main()
"""


@pytest.mark.slow
def test_ctrl_c_leaves_nothing_behind(acompass: Acompass, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    command = [sys.executable, "-c", STUCK]
    with subprocess.Popen(
        command, cwd=tmp_path, env=dict(os.environ), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as ran:
        try:
            assert ran.stdout is not None
            assert ran.stderr is not None
            assert ran.stdout.readline() == b"written\n"
            assert len(sorted(tmp_path.rglob("*"))) > len(before)
            ran.send_signal(signal.SIGINT)
            assert ran.wait(timeout=PATIENCE) == 130
            assert ran.stderr.read() == b"interrupted\n"
        finally:
            ran.kill()
    assert sorted(tmp_path.rglob("*")) == before
