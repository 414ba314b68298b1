"""Outputs have exactly these bytes, and are written completely or not at all."""

import gzip
import os
import resource
import signal
import stat
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet
import pytest

import acompass
from acompass.engines.duckdb.output import Output, write
from acompass.errors.diagnostics import AcompassError, TableError
from acompass.language.program.types import INTEGER, TEXT, Column, Schema
from acompass.language.program.uses import Use
from acompass.tables import temporary_files
from acompass.tables.formats import CsvStyle
from acompass.tables.input import open_source
from acompass.tables.output import require_writable
from tests.tables.tables import csv_file, drop_privileges, loading, unprivileged_folder
from tests.waiting import PATIENCE, wait_until


def columns(*names: str) -> Schema:
    return tuple(Column(name, TEXT) for name in names)


def write_bytes(select: str, schema: Schema, path: Path, delimiter: str = ",") -> bytes:
    with duckdb.connect() as con:
        write(con, Output(select, schema, CsvStyle(delimiter)), str(path))
    return path.read_bytes()


def failure_code(content: Output, path: Path) -> str:
    before = sorted(path.parent.iterdir()) if path.parent.is_dir() else []
    with duckdb.connect() as con, pytest.raises(TableError) as raised:
        write(con, content, str(path))
    assert before == (sorted(path.parent.iterdir()) if path.parent.is_dir() else [])
    return raised.value.diagnostics[0].code


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("NULL", ""),
        ("''", '""'),
        ("'a,b'", '"a,b"'),
        ("'a\"b'", '"a""b"'),
        ("'a\nb'", '"a\nb"'),
        ("'a\rb'", '"a\rb"'),
        ("' x '", " x "),
        ("'NULL'", "NULL"),
        ("'é𝒳'", "é𝒳"),
        ("1.50::DECIMAL(9,3)", "1.500"),
        ("CAST('-9223372036854775808' AS BIGINT)", "-9223372036854775808"),
        ("0.1::DOUBLE", "0.1"),
        ("1e16::DOUBLE", "1e+16"),
        ("1e15::DOUBLE", "1000000000000000.0"),
        ("5e-324::DOUBLE", "5e-324"),
        ("'inf'::DOUBLE", "inf"),
        ("true", "true"),
        ("DATE '2020-02-29'", "2020-02-29"),
        ("TIMESTAMP '2020-02-29 01:02:03'", "2020-02-29T01:02:03"),
        ("TIMESTAMP '2020-02-29 01:02:03.5'", "2020-02-29T01:02:03.500000"),
        ("TIMESTAMP_NS '2020-02-29 01:02:03.000000001'", "2020-02-29T01:02:03.000000001"),
        ("TIMESTAMPTZ '2020-02-29 01:02:03+02'", "2020-02-28T23:02:03+00:00"),
    ],
)
def test_a_value_is_written_as_this_text(tmp_path: Path, value: str, text: str) -> None:
    found = write_bytes(f"SELECT 1 AS c0, {value} AS c1", columns("n", "v"), tmp_path / "out.csv")
    assert found.decode() == f"n,v\n1,{text}\n"


def test_names_are_quoted_where_they_need_it(tmp_path: Path) -> None:
    names = columns("a", "A", "", 'q"q', "x;y", "it's", " b")
    select = "SELECT 1 AS c0, 2 AS c1, 3 AS c2, 4 AS c3, 5 AS c4, 6 AS c5, 7 AS c6"
    found = write_bytes(select, names, tmp_path / "out.csv", delimiter=";")
    assert found == b'a;A;"";"q""q";"x;y";it\'s;" b"\n1;2;3;4;5;6;7\n'


@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz"])
@pytest.mark.parametrize("records", [0, 1, 100_000])
def test_csv_of_any_length_is_written_in_order(tmp_path: Path, name: str, records: int) -> None:
    found = write_bytes(f"SELECT range AS c0 FROM range({records})", columns("n"), tmp_path / name)
    text = gzip.decompress(found) if name.endswith(".gz") else found
    assert text == b"n\n" + b"".join(b"%d\n" % number for number in range(records))


def test_parquet_has_the_names_of_the_columns(tmp_path: Path) -> None:
    path = tmp_path / "out.parquet"
    write_bytes("SELECT 1::BIGINT AS c0, 'x' AS c1", columns("a", 'q"; --'), path)
    assert pyarrow.parquet.read_table(path).to_pylist() == [{"a": 1, 'q"; --': "x"}]
    write_bytes("SELECT 1::BIGINT AS c0, 'x' AS c1, 2 AS c2", columns("a", "A", ""), path)
    assert pyarrow.parquet.read_table(path).column_names == ["a", "A", ""]


def test_columns_that_no_action_writes_keep_their_stored_type(tmp_path: Path) -> None:
    given = tmp_path / "in.parquet"
    duckdb.sql(
        "COPY (SELECT 1::TINYINT AS a, 0.1::FLOAT AS b, 5::SMALLINT AS c, "
        f"TIMESTAMPTZ '2020-01-01 00:00:00+00' AS d) TO '{given}'"
    )
    with loading(str(given), a=Use.ANY, b=Use.ANY, c=Use.ANY, d=Use.ANY) as table:
        content = table.output(changed=[2])
        write(table.con, content, str(tmp_path / "out.parquet"))
        write(table.con, content, str(tmp_path / "out.csv"))
    types = [str(field.type) for field in pyarrow.parquet.read_schema(tmp_path / "out.parquet")]
    assert types == ["int8", "float", "int64", "timestamp[us, tz=UTC]"]
    assert (tmp_path / "out.csv").read_text() == "a,b,c,d\n1,0.1,5,2020-01-01T00:00:00+00:00\n"


def test_the_input_is_never_the_output_however_it_is_reached(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "a\n1\n")
    symbolic, hard, folder = tmp_path / "symbolic.csv", tmp_path / "hard.csv", tmp_path / "folder"
    symbolic.symlink_to(path)
    hard.hardlink_to(path)
    folder.symlink_to(tmp_path)
    for output in (path, symbolic, hard, f"{tmp_path}/./table.csv", folder / "table.csv"):
        with open_source(path) as source, pytest.raises(TableError) as raised:
            require_writable(str(output), source)
        assert raised.value.diagnostics[0].code == "AC220"


def test_no_file_of_a_glob_is_the_output(tmp_path: Path) -> None:
    for name in ("a.csv.gz", "b.csv.gz"):
        (tmp_path / name).write_bytes(gzip.compress(b"a\n1\n"))
    with open_source(str(tmp_path / "*.csv.gz")) as source:
        with pytest.raises(TableError, match="never overwritten"):
            require_writable(str(tmp_path / "b.csv.gz"), source)
        require_writable(str(tmp_path / "c.csv.gz"), source)


def test_a_folder_that_the_input_is_in_is_not_the_output(tmp_path: Path) -> None:
    folder = tmp_path / "people.parquet"
    folder.mkdir()
    (folder / "part-0.parquet").touch()
    with open_source(str(folder / "*.parquet")) as source, pytest.raises(TableError, match="never overwritten"):
        require_writable(str(folder), source)


def test_a_link_stays_a_link_and_a_mode_stays_a_mode(tmp_path: Path) -> None:
    target = tmp_path / "target.csv"
    target.write_text("old")
    target.chmod(0o640)
    link = tmp_path / "link.csv"
    link.symlink_to(target)
    assert write_bytes("SELECT 1 AS c0", columns("a"), link) == b"a\n1\n"
    assert link.is_symlink()
    assert target.stat().st_mode & 0o777 == 0o640


def test_outputs_that_cannot_be_written_are_reported(tmp_path: Path) -> None:
    content = Output("SELECT 1 AS c0", columns("a"))
    (tmp_path / "folder.csv").mkdir()
    assert failure_code(content, tmp_path / "none" / "out.csv") == "AC221"
    assert failure_code(content, tmp_path / "folder.csv") == "AC222"
    assert failure_code(content, tmp_path / "out.xlsx") == "AC224"


def test_a_folder_without_write_permission_is_reported() -> None:
    with unprivileged_folder() as folder:
        folder.chmod(0o555)
        with drop_privileges():
            assert failure_code(Output("SELECT 1 AS c0", columns("a")), folder / "out.csv") == "AC222"
        folder.chmod(0o755)


@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz", "out.parquet"])
def test_a_full_disk_leaves_the_old_file(tmp_path: Path, name: str) -> None:
    """Simulates a full disk by a limit on the file size."""
    path = tmp_path / name
    path.write_text("old")
    select = "SELECT range AS c0, md5(range::VARCHAR) AS c1 FROM range(1000000)"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
    try:
        assert failure_code(Output(select, columns("a", "b")), path) == "AC223"
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_text() == "old"


def test_a_query_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    path.write_text("old")
    content = Output("SELECT CAST('x' || range AS BIGINT) AS c0 FROM range(10)", columns("a"))
    with duckdb.connect() as con, pytest.raises(duckdb.ConversionException):
        write(con, content, str(path))
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


SLOW_WRITE = """
import sys, duckdb
from acompass.language.program.types import TEXT, Column
from acompass.engines.duckdb.output import Output, write
from acompass.cli.supervisor import run_supervised

def main():
    print("ready", flush=True)
    select = "SELECT range AS c0, md5(range::VARCHAR) AS c1 FROM range(100000000)"
    write(duckdb.connect(), Output(select, (Column("a", TEXT), Column("b", TEXT))), sys.argv[1])

run_supervised(main) if sys.argv[2] == "SIGINT" else main()  # DuckDB can hang forever on an interrupt
"""


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.parametrize("written", [None, 0, 1_000_000], ids=["before", "at the start", "amid"])
@pytest.mark.slow
def test_a_killed_process_leaves_the_old_file(tmp_path: Path, sign: signal.Signals, written: int | None) -> None:
    """`written` is the minimum size of the hidden file at the signal; None if the file need not exist."""
    path = tmp_path / "out.csv"
    path.write_text("old")
    with subprocess.Popen(
        [sys.executable, "-c", SLOW_WRITE, str(path), sign.name],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            if written is not None:
                wait_until(lambda: any(part.stat().st_size >= written for part in tmp_path.glob(".*-part")))
            process.send_signal(sign)
            process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    assert path.read_text() == "old"
    visible = [each for each in tmp_path.iterdir() if not each.name.startswith(".")]
    assert visible == [path]
    if sign is signal.SIGINT:
        assert list(tmp_path.iterdir()) == [path]
    write_bytes("SELECT 1 AS c0", columns("a"), path)
    assert list(tmp_path.iterdir()) == [path]


def _cannot_exchange(_path: str, _other: str) -> bool:
    return False


def _hidden(target: Path, owner: int, start: int = 0, computer: str | None = None, suffix: str = "part") -> Path:
    """The name of a hidden file that a process with this number and start time would give."""
    computer = temporary_files._computer() if computer is None else computer
    start = start or temporary_files._start_time(owner) or 1
    return target.parent / f".{target.name}.{owner}.{computer}.{start}.0123abcd.acompass-{suffix}"


def _ended_process() -> int:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


def test_only_hidden_files_whose_owner_has_ended_are_removed(tmp_path: Path) -> None:
    """A number that another process has got does not protect a file, and no other computer's file is touched."""
    target, ended, running = tmp_path / "out.csv", _ended_process(), os.getppid()
    kept = [_hidden(target, running), _hidden(target, ended, computer="00000000"), tmp_path / ".out.csv.acompass-part"]
    gone = [_hidden(target, ended), _hidden(tmp_path / "other.csv", ended), _hidden(target, running, start=7)]
    for each in (*kept, *gone):
        each.touch()
    folder = _hidden(tmp_path / "out", ended)
    (folder / "year=2020").mkdir(parents=True)
    write_bytes("SELECT 1 AS c0", columns("a"), target)
    assert sorted(tmp_path.iterdir()) == sorted([target, *kept])


@pytest.mark.parametrize("can_exchange", [True, False])
def test_a_folder_that_a_killed_process_moved_aside_is_put_back(
    people: Path, monkeypatch: pytest.MonkeyPatch, can_exchange: bool
) -> None:
    if not can_exchange:
        monkeypatch.setattr(temporary_files, "_exchange", _cannot_exchange)
    folder = run(people, ["year"])
    files = sorted(each.name for each in folder.iterdir())
    folder.rename(_hidden(folder, _ended_process(), suffix="old"))
    with pytest.raises(ZeroDivisionError), temporary_files.replace_folder_atomically(folder):
        raise ZeroDivisionError
    assert sorted(each.name for each in folder.iterdir()) == files
    assert sorted(each.name for each in folder.parent.iterdir()) == ["out", "people.csv"]
    run(people, ["Age"], replace=True)
    assert sorted(each.name for each in folder.iterdir()) == ["Age=36", "Age=45", "Age=80"]
    assert sorted(each.name for each in folder.parent.iterdir()) == ["out", "people.csv"]


#: creates a temporary folder with a record, prints its name, and waits
HOLD = """
import time
from acompass.tables.temporary_files import folder_until_exit, private_file
folder = folder_until_exit()
with open(private_file(folder, "input"), "w") as file:
    file.write("Ann")
print(folder, flush=True)
time.sleep(600)
"""


def test_the_next_start_removes_the_folders_of_killed_processes(tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    found = []
    for is_killed in (True, False):
        process = subprocess.Popen([sys.executable, "-c", HOLD], env=environment, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip())
        assert folder.name.startswith(f"acompass-{process.pid}-")
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert stat.S_IMODE((folder / "input").stat().st_mode) == 0o600
        found.append((process, folder))
        if is_killed:
            process.kill()
            process.communicate()
            assert (folder / "input").exists()
    (_, abandoned), (running, held) = found
    try:
        assert list(tmp_path.iterdir()) == [held]  # the second process has removed the folder of the first
        other = tmp_path / "acompass-1-0123456789abcdef"
        other.symlink_to(held, target_is_directory=True)
        temporary_files.remove_abandoned_folders(map(str, tmp_path.iterdir()))
        assert (held / "input").exists()
        assert other.is_symlink()
    finally:
        running.kill()
        running.communicate()
    subprocess.run(
        [sys.executable, "-m", "acompass", "fmt", "--help"], env=environment, check=True, stdout=subprocess.DEVNULL
    )
    assert list(tmp_path.iterdir()) == [other]
    assert not abandoned.exists()


def test_a_folder_that_another_start_removes_before_it_is_locked_is_created_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    mkdir, removed = os.mkdir, []

    def create_and_lose(path: str, mode: int) -> None:
        mkdir(path, mode)
        if not removed:
            removed.append(path)
            temporary_files.remove_abandoned_folders([path])

    monkeypatch.setattr(temporary_files.os, "mkdir", create_and_lose)
    with temporary_files.temporary_folder() as folder:
        assert list(tmp_path.iterdir()) == [Path(folder)]
        assert [folder] != removed
    assert list(tmp_path.iterdir()) == []


def test_standard_output_and_the_null_device_can_be_written(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    with duckdb.connect() as con:
        assert write(con, Output("SELECT 1 AS c0", columns("a")), "-") == 1
        assert write(con, Output("SELECT 1 AS c0", columns("a")), os.devnull) == 1
    assert capfdbinary.readouterr().out == b"a\n1\n"


@pytest.mark.slow
def test_an_output_may_have_ten_thousand_columns(tmp_path: Path) -> None:
    width = 10_000
    schema = tuple(Column(f"n{i}", INTEGER) for i in range(width))
    select = "SELECT " + ", ".join(f"{i} AS c{i}" for i in range(width))
    for name in ("out.csv", "out.parquet"):
        write_bytes(select, schema, tmp_path / name)
        with loading(str(tmp_path / name)) as table:
            assert table.names == [f"n{i}" for i in range(width)]
    assert (tmp_path / "out.csv").read_text().splitlines()[1] == ",".join(str(i) for i in range(width))


POLICY = "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;"
PEOPLE = "year,Age,Area\n2020,36,a/b=c d\n2021,82,\n2020,45,é%\n"


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE, encoding="utf-8")
    return path


def run(people: Path, partition: list[str], output: str = "out", **options: Any) -> Path:
    folder = people.with_name(output)
    policy = options.pop("policy", POLICY)
    acompass.run(policy, people, output=f"{folder}/", partition=partition, **options)
    return folder


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def code(people: Path, partition: list[str], output: str = "out", **options: Any) -> str:
    with pytest.raises(AcompassError) as raised:
        run(people, partition, output, **options)
    return raised.value.diagnostics[0].code


def test_folders_are_named_as_hive_does(people: Path) -> None:
    assert files(run(people, ["year", "area"])) == [
        "year=2020/Area=%C3%A9%25/data_0.parquet",
        "year=2020/Area=a%2Fb%3Dc%20d/data_0.parquet",
        "year=2021/Area=__HIVE_DEFAULT_PARTITION__/data_0.parquet",
    ]
    assert sorted(os.listdir(people.parent)) == ["out", "people.csv"]


def test_the_files_are_a_table_again(people: Path) -> None:
    folder = run(people, ["Area"])
    read = acompass.run(POLICY, folder / "**" / "*.parquet").table.to_pylist()
    whole = acompass.run(POLICY, people).table.to_pylist()
    assert sorted(read, key=str) == sorted(whole, key=str)
    assert pyarrow.parquet.read_schema(next(folder.rglob("*.parquet"))).names == ["year", "Age", "Area"]


def test_folders_are_named_by_released_values(people: Path) -> None:
    """The folders of a generalized column are named by labels, not by values of the input."""
    folder = run(people, ["Age"], policy="ALWAYS : GENERALIZE Age TO BANDS OF 10;")
    assert sorted(os.listdir(folder)) == ["Age=30-39", "Age=40-49", "Age=80-89"]


def test_folders_are_named_by_the_text_of_typed_values(people: Path) -> None:
    frame = [{"day": date(2020, 1, 2), "flag": True, "n": 1}]
    folder = people.with_name("typed")
    acompass.run("EACH RESULT : n >= 0;", frame, output=folder, partition=["day", "flag"])
    assert files(folder) == ["day=2020-01-02/flag=true/data_0.parquet"]


def test_an_output_without_records_keeps_the_columns(people: Path) -> None:
    folder = run(people, ["year"], policy="EACH RESULT : Age > 200 : REJECT;")
    assert acompass.run(POLICY, folder / "**" / "*.parquet").table.column_names == ["year", "Age", "Area"]


def test_an_existing_folder_is_replaced_only_on_request(people: Path) -> None:
    """`force` is about the policy, not about the folder (D34)."""
    (people.parent / "out").mkdir()
    folder = run(people, ["year"])
    assert code(people, ["Area"]) == "AC248"
    assert code(people, ["Area"], force=True) == "AC248"
    assert sorted(os.listdir(folder)) == ["year=2020", "year=2021"]
    run(people, ["Age"], replace=True)
    assert sorted(os.listdir(folder)) == ["Age=36", "Age=45", "Age=80"]
    (folder / "notes.txt").write_text("mine")
    assert code(people, ["year"], replace=True) == "AC248"
    assert (folder / "notes.txt").read_text() == "mine"
    assert sorted(os.listdir(people.parent)) == ["out", "people.csv"]


@pytest.mark.parametrize(
    ("partition", "output", "expected"),
    [
        (["yea"], "out", "AC247"),
        (["Gone"], "out", "AC247"),
        (["year", "Year"], "out", "AC247"),
        (["year"], "out.csv", "AC247"),
        (["year"], "nowhere/out", "AC221"),
        (["year"], "people.csv/", "AC247"),
    ],
)
def test_invalid_partitions_are_rejected(people: Path, partition: list[str], output: str, expected: str) -> None:
    people.write_text(PEOPLE.replace("year,", "Gone,year,").replace("\n2", "\nx,2"))
    policy = f"ALWAYS : DROP Gone; {POLICY}"
    with pytest.raises(AcompassError) as raised:
        acompass.run(policy, people, output=people.parent / output, partition=partition)
    assert raised.value.diagnostics[0].code == expected
    assert os.listdir(people.parent) == ["people.csv"]


def test_a_partition_needs_an_output(people: Path) -> None:
    with pytest.raises(acompass.CallError, match="no `output`"):
        acompass.run(POLICY, people, partition=["year"])


def test_the_input_is_not_replaced(people: Path) -> None:
    folder = run(people, ["year"])
    before = files(folder)
    with pytest.raises(acompass.TableError) as raised:
        acompass.run(POLICY, folder / "**" / "*.parquet", output=folder, partition=["year"], replace=True)
    assert (raised.value.diagnostics[0].code, files(folder)) == ("AC220", before)


def test_a_value_that_is_too_long_for_a_folder_is_an_error(people: Path) -> None:
    people.write_text(PEOPLE + f"2020,1,{'secret' * 100}\n")
    with pytest.raises(acompass.TableError) as raised:
        run(people, ["Area"])
    (found,) = raised.value.diagnostics
    assert (found.code, "secret" in found.message) == ("AC222", False)
    assert os.listdir(people.parent) == ["people.csv"]


def test_a_failure_between_the_folders_puts_the_old_one_back(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = run(people, ["year"])
    rename, calls = os.rename, []

    def fails_the_second_time(old: Any, new: Any) -> None:
        calls.append(new)
        if len(calls) == 2:
            raise OSError(5, "input/output error")
        rename(old, new)

    monkeypatch.setattr(temporary_files, "_exchange", _cannot_exchange)
    monkeypatch.setattr(temporary_files.os, "rename", fails_the_second_time)
    assert code(people, ["Age"], replace=True) == "AC222"
    assert sorted(os.listdir(folder)) == ["year=2020", "year=2021"]
    assert sorted(os.listdir(people.parent)) == ["out", "people.csv"]


def test_a_report_reads_the_partitions(people: Path) -> None:
    page = people.with_name("report.html")
    run(people, ["year"], report=page)
    assert "data_0.parquet" in page.read_text(encoding="utf-8")
