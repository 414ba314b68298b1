"""The first line of a CSV is a header (D37), its suffix says that it is CSV, and it is a file.

No message shows a cell of a first line that may be a record."""

import gzip
import json
import os
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

import acompass
from acompass.cli.app import app
from acompass.errors.diagnostics import AcompassError, Diagnostic
from acompass.tables.formats import looks_like_value
from tests.length import at_length
from tests.tables.tables import workbook

POLICY = "EACH RESULT : Absent = '*' : REPLACE Absent WITH '*';"
#: a record in place of the header; each cell is a secret
PLANTED = "Zaphod,Betelgeuse,42,1979-10-12"
HEADLESS = f"{PLANTED}\nFord,Guildford,41,1980-01-01\n"


def finding(table: Any, **options: Any) -> Diagnostic:
    with pytest.raises(AcompassError) as raised:
        acompass.check(POLICY, table, **options)
    return raised.value.diagnostics[0]


def written(tmp_path: Path, text: str, name: str = "people.csv") -> Path:
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


@pytest.mark.parametrize(
    "cell",
    ["", " ", "5", "-5", "+5", "1.5", "1,5", ".5", "5.", "1,234.5", "1e9", "2020-01-31", "31.01.2020", "1/31/20",
     "2020-01-31T10:00:00Z", "2020-01-31 10:00", "31 January 2020", "1-Mar-69", "31JAN2020", "Jan 31, 2020"],
)  # fmt: skip
def test_numbers_dates_and_empty_cells_look_like_values(cell: str) -> None:
    assert looks_like_value(cell)


@pytest.mark.parametrize("cell", ["Age", "c0", "2nd visit", "Q1 2020", "2019-20", "May", "A-1", "-", "%", "é", "1st"])
def test_names_do_not_look_like_values(cell: str) -> None:
    assert not looks_like_value(cell)


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        (HEADLESS, "2 of 4 cells are"),
        ("Ada,f\nBen,m\nCai,f\n", "1 of 2 cells is"),
        ("Ada,f\nBen,m\n", None),
        ("Age,\n1,2\n", "1 of 2 cells is"),
        ('Age,""\n1,2\n', "1 of 2 cells is"),
        ("2020\n", "1 of 1 cell is"),
        ("Age,Zip\n", None),
        ("Ada,f\nada,F\nAda ,f \n", None),
        ('"Ada",f\nBen,m\nAda,m\n', "1 of 2 cells is"),
    ],
)
def test_cells_that_look_like_values_are_counted(tmp_path: Path, text: str, cells: str | None) -> None:
    found = finding(written(tmp_path, text))
    if cells is None:
        assert found.code == "AC101"
    else:
        assert (found.code, cells in found.message) == ("AC251", True)


@pytest.mark.campaign
def test_a_name_that_occurs_anywhere_below_is_found(tmp_path: Path) -> None:
    """In any of the files, at any line, in tables of any width."""
    rng = Random("headers")
    for _ in range(at_length(20)):
        width, length = rng.choice([1, 3, 700]), rng.choice([1, 50, 3000 if rng.random() < 0.1 else 5])
        names = [f"name {position}" for position in range(width)]
        records = [[f"v{rng.randrange(9)}"] * width for _ in range(length)]
        repeated = rng.sample(range(width), rng.randint(0, min(width, 3)))
        for position in repeated:
            records[rng.randrange(length)][position] = names[position]
        cut = rng.randint(0, length)
        for name, part in (("1.csv", records[:cut]), ("2.csv", records[cut:])):
            written(tmp_path, "".join(",".join(each) + "\n" for each in [names, *part]), name)
        found = finding(tmp_path / "*.csv")
        if repeated:
            assert (found.code, f": {len(repeated)} of {width}" in found.message) == ("AC251", True)
        else:
            assert found.code == "AC101"


def test_a_duplicate_name_is_shown_only_in_a_header(tmp_path: Path) -> None:
    assert finding(written(tmp_path, "Zaphod,Zaphod,f\nFord,Ford,f\n")).code == "AC251"
    assert "`Age`" in finding(written(tmp_path, "Age,Age\n1,2\n")).message


def test_the_option_says_that_the_first_line_is_a_header(tmp_path: Path) -> None:
    path, output = written(tmp_path, "2020,,Sex\n1,2,Sex\n"), tmp_path / "out.csv"
    policy = "EACH RESULT : Sex = '*' : REPLACE Sex WITH '*';"
    acompass.run(policy, path, header=True, output=output, report=tmp_path / "report.html")
    assert output.read_text() == '2020,"",Sex\n1,2,*\n'
    with acompass.open(path, header=True) as session:
        assert session.columns == ("2020", "", "Sex")
    assert finding(path, header=False).code == "AC251"


def test_a_released_value_may_be_the_name_of_its_column(tmp_path: Path) -> None:
    """The report reads the output, whose header was checked in the input."""
    path = written(tmp_path, "Sex,Age\nf,1\nm,2\n")
    policy = "EACH RESULT : Sex = 'Sex' : REPLACE Sex WITH 'Sex';"
    acompass.run(policy, path, output=tmp_path / "out.csv", report=tmp_path / "report.html")
    assert (tmp_path / "out.csv").read_text() == "Sex,Age\nSex,1\nSex,2\n"


def test_a_row_of_a_workbook_is_named(tmp_path: Path) -> None:
    path = workbook(tmp_path / "people.xlsx", S=[(None, None), ("Zaphod", 42), ("Ford", 41)])
    found = finding(path)
    assert (found.code, "row 2" in found.message, "Zaphod" in found.message) == ("AC251", True, False)


Run = Callable[..., Any]


@pytest.fixture
def acompass_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    from click.testing import CliRunner

    monkeypatch.chdir(tmp_path)
    return lambda *arguments, **options: CliRunner().invoke(app, [*map(str, arguments)], **options)


#: every command that reads a table, with `T` for the table
COMMANDS = (
    "run p.acp T -o out.csv", "run p.acp T -o out.csv --missing Absent=5", "run p.acp T --dry-run -o out.csv",
    "run p.acp T -o out.csv --dates Absent=%Y-%m-%d", "check p.acp T", "check p.acp T --format markdown",
    "check p.acp T --format sarif", "check p.acp T --format junit", "explain p.acp T --record 1",
    "measure T --qi Absent", "measure T --qi Absent --report report.html", "prove p.acp --table T",
    "compare p.acp p.acp --table T", "lint p.acp --table T", "suggest T --qi Absent --k 2 -o new.acp",
    "hierarchy T Absent -o h.csv", "pram T Absent --keep 0.5", "estimate p.acp T Absent",
    "run p.acp T -o out.csv --engine reference",
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", ["people.csv", "people.jsonl", "json.csv", "repeated.csv"])
def test_no_command_shows_a_first_line_that_is_a_record(
    acompass_command: Run, tmp_path: Path, command: str, name: str
) -> None:
    lines = "".join(json.dumps({"name": text, "place": "Zaphod"}) + "\n" for text in ("Betelgeuse", "Guildford"))
    repeated = "Zaphod,Betelgeuse\nFord,Guildford\nTricia,Betelgeuse\n"
    texts = {"people.csv": HEADLESS, "people.jsonl": lines, "json.csv": lines, "repeated.csv": repeated}
    written(tmp_path, texts[name], name)
    (tmp_path / "p.acp").write_text(POLICY)
    ran = acompass_command(*command.replace("T", name, 1).split())
    shown = ran.stdout + ran.stderr + str(ran.exception)
    assert ran.exit_code == 2
    for secret in ("Zaphod", "Betelgeuse", "42", "1979"):
        assert secret not in shown
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"p.acp", name}


def test_settings_and_every_command_have_the_option(acompass_command: Run, tmp_path: Path) -> None:
    written(tmp_path, "2020,Age\n1,5\n3,5\n")
    (tmp_path / "p.acp").write_text("EACH RESULT : Age <= 80;")
    commands = ["check p.acp people.csv", "measure people.csv --qi Age", "hierarchy people.csv Age --bands 5"]
    for command in commands:
        assert acompass_command(*command.split()).exit_code == 2
        assert acompass_command(*command.split(), "--header").exit_code == 0
    (tmp_path / "acompass.toml").write_text('[table."people.csv"]\nheader = true\n')
    for command in commands:
        assert acompass_command(*command.split()).exit_code == 0
    (tmp_path / "acompass.toml").write_text('[table."people.csv"]\nheader = "yes"\n')
    ran = acompass_command("check", "p.acp", "people.csv")
    assert (ran.exit_code, "write for example `header = true`" in ran.stderr) == (2, True)


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.csv.gz", "t.tsv.gz", "T.CSV"])
def test_suffixes_of_csv(tmp_path: Path, name: str) -> None:
    assert acompass.check("EACH RESULT : Age > 0;", written(tmp_path, "Age\tZip\n1\t2\n", name)).ok


@pytest.mark.parametrize("name", ["t.txt", "t.jsonl", "t.json", "t.dat", "t", "csv", "t.csv.bak", "t.csv.zst", "t.gz"])
def test_other_suffixes_are_refused(tmp_path: Path, name: str) -> None:
    found = finding(written(tmp_path, "Age,Zip\n1,2\n", name))
    assert (found.code, f"`{tmp_path / name}`" in found.message) == ("AC252", True)


def test_standard_input_is_csv_and_never_json(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(text: bytes) -> str:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=BytesIO(text)))
        return finding("-").code

    assert [read(b"Age,Zip\n1,2\n"), read(b"1,2\n3,4\n"), read(b' [\n{"Age": 1}]')] == ["AC101", "AC251", "AC217"]


@pytest.mark.parametrize("name", ["pipe.csv", "pipe.parquet", "pipe.xlsx", "pipe"])
def test_a_pipe_is_not_a_table(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    for table in (tmp_path / name, tmp_path / "*"):
        found = finding(table)
        assert (found.code, "a pipe or a device" in found.message) == ("AC203", True)
    assert finding("/dev/zero").code == "AC203"


@pytest.mark.parametrize("file", ["pipe", "/dev/zero", "large.csv", "folder"])
def test_hierarchies_traces_and_matrices_are_small_files(acompass_command: Run, tmp_path: Path, file: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    with (tmp_path / "large.csv").open("wb") as sparse:
        sparse.truncate((256 << 20) + 1)
    written(tmp_path, "Age,Sex\n5,f\n6,m\n")
    (tmp_path / "p.acp").write_text(f"ALWAYS : GENERALIZE Sex TO LEVEL 1 OF '{file}';")
    (tmp_path / "q.acp").write_text("EACH RESULT : Age > 9 : RANDOM Age 1 3;")
    commands = {
        "run p.acp people.csv -o out.csv": "AC122",
        "lint p.acp": "AC122",
        f"measure people.csv --qi Sex --against people.csv --hierarchy Sex={file}": "AC613",
        f"suggest people.csv --qi Sex --k 2 --hierarchy Sex={file} -o new.acp": "AC613",
        f"hierarchy {file} --check": "AC613",
        f"run q.acp people.csv -o out.csv --trace {file}": "AC492",
        f"pram people.csv Sex --matrix {file}": "AC202" if file == "folder" else "AC203",
    }
    reason = {"large.csv": "larger than 256 megabytes", "folder": "a "}.get(file, "a pipe or a device, not a file")
    for command, code in commands.items():
        ran = acompass_command(*command.split())
        assert (ran.exit_code, f"[{code}]" in ran.stderr, reason in ran.stderr) == (2, True, True), ran.stderr
