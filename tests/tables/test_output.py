"""Output has the exact bytes, and appears complete or not at all."""

import gzip
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow.parquet
import pytest

from acompass.checked.types import INTEGER, TEXT, Column, Schema
from acompass.checked.uses import Use
from acompass.diagnostics import TableError
from acompass.engines.duckdb.output import Output
from acompass.engines.duckdb.write import write
from acompass.tables.file_format import CsvStyle
from acompass.tables.opening import opened
from acompass.tables.output import require_writable
from tests.tables.tables import csv_file, loading, unprivileged, unprivileged_folder
from tests.waiting import PATIENCE, wait_until


def columns(*names: str) -> Schema:
    return tuple(Column(name, TEXT) for name in names)


def wrote(select: str, schema: Schema, path: Path, delimiter: str = ",") -> bytes:
    with duckdb.connect() as con:
        write(con, Output(select, schema, CsvStyle(delimiter)), str(path))
    return path.read_bytes()


def failing(content: Output, path: Path) -> str:
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
def test_values(tmp_path: Path, value: str, text: str) -> None:
    found = wrote(f"SELECT 1 AS c0, {value} AS c1", columns("n", "v"), tmp_path / "out.csv")
    assert found.decode() == f"n,v\n1,{text}\n"


def test_names_and_delimiter(tmp_path: Path) -> None:
    names = columns("a", "A", "", 'q"q', "x;y", "it's", " b")
    select = "SELECT 1 AS c0, 2 AS c1, 3 AS c2, 4 AS c3, 5 AS c4, 6 AS c5, 7 AS c6"
    found = wrote(select, names, tmp_path / "out.csv", delimiter=";")
    assert found == b'a;A;"";"q""q";"x;y";it\'s;" b"\n1;2;3;4;5;6;7\n'


@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz"])
@pytest.mark.parametrize("records", [0, 1, 100_000])
def test_csv_of_any_length_in_order(tmp_path: Path, name: str, records: int) -> None:
    found = wrote(f"SELECT range AS c0 FROM range({records})", columns("n"), tmp_path / name)
    text = gzip.decompress(found) if name.endswith(".gz") else found
    assert text == b"n\n" + b"".join(b"%d\n" % number for number in range(records))


def test_parquet_names_and_types(tmp_path: Path) -> None:
    path = tmp_path / "out.parquet"
    wrote("SELECT 1::BIGINT AS c0, 'x' AS c1", columns("a", 'q"; --'), path)
    assert pyarrow.parquet.read_table(path).to_pylist() == [{"a": 1, 'q"; --': "x"}]
    wrote("SELECT 1::BIGINT AS c0, 'x' AS c1, 2 AS c2", columns("a", "A", ""), path)
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
        with opened(path) as source, pytest.raises(TableError) as raised:
            require_writable(str(output), source)
        assert raised.value.diagnostics[0].code == "AC220"


def test_no_file_of_a_glob_is_the_output(tmp_path: Path) -> None:
    for name in ("a.csv.gz", "b.csv.gz"):
        (tmp_path / name).write_bytes(gzip.compress(b"a\n1\n"))
    with opened(str(tmp_path / "*.csv.gz")) as source:
        with pytest.raises(TableError, match="never overwritten"):
            require_writable(str(tmp_path / "b.csv.gz"), source)
        require_writable(str(tmp_path / "c.csv.gz"), source)


def test_a_folder_that_the_input_is_in_is_not_the_output(tmp_path: Path) -> None:
    folder = tmp_path / "people.parquet"
    folder.mkdir()
    (folder / "part-0.parquet").touch()
    with opened(str(folder / "*.parquet")) as source, pytest.raises(TableError, match="never overwritten"):
        require_writable(str(folder), source)


def test_a_link_stays_a_link_and_a_mode_stays_a_mode(tmp_path: Path) -> None:
    target = tmp_path / "target.csv"
    target.write_text("old")
    target.chmod(0o640)
    link = tmp_path / "link.csv"
    link.symlink_to(target)
    assert wrote("SELECT 1 AS c0", columns("a"), link) == b"a\n1\n"
    assert link.is_symlink()
    assert target.stat().st_mode & 0o777 == 0o640


def test_outputs_that_cannot_be_written(tmp_path: Path) -> None:
    content = Output("SELECT 1 AS c0", columns("a"))
    (tmp_path / "folder.csv").mkdir()
    assert failing(content, tmp_path / "none" / "out.csv") == "AC221"
    assert failing(content, tmp_path / "folder.csv") == "AC222"
    assert failing(content, tmp_path / "out.xlsx") == "AC224"


def test_no_permission() -> None:
    with unprivileged_folder() as folder:
        folder.chmod(0o555)
        with unprivileged():
            assert failing(Output("SELECT 1 AS c0", columns("a")), folder / "out.csv") == "AC222"
        folder.chmod(0o755)


@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz", "out.parquet"])
def test_no_space(tmp_path: Path, name: str) -> None:
    """A limit on the file size simulates a full disk: the write fails in the same place."""
    path = tmp_path / name
    path.write_text("old")
    select = "SELECT range AS c0, md5(range::VARCHAR) AS c1 FROM range(1000000)"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, hard))
    try:
        assert failing(Output(select, columns("a", "b")), path) == "AC223"
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
from acompass.checked.types import TEXT, Column
from acompass.engines.duckdb.output import Output
from acompass.engines.duckdb.write import write
from acompass.cli.supervisor import supervised

def main():
    print("ready", flush=True)
    select = "SELECT range AS c0, md5(range::VARCHAR) AS c1 FROM range(100000000)"
    write(duckdb.connect(), Output(select, (Column("a", TEXT), Column("b", TEXT))), sys.argv[1])

supervised(main) if sys.argv[2] == "SIGINT" else main()  # on an interrupt DuckDB can hang for ever
"""


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.parametrize("written", [None, 0, 1_000_000], ids=["before", "at the start", "amid"])
def test_killed_while_writing(tmp_path: Path, sign: signal.Signals, written: int | None) -> None:
    """`written` is the size that the hidden file has at least; None where it need not exist yet."""
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
    wrote("SELECT 1 AS c0", columns("a"), path)
    assert list(tmp_path.iterdir()) == [path]


def test_the_hidden_file_of_a_running_process_is_left_alone(tmp_path: Path) -> None:
    other = tmp_path / f".out.csv.{os.getppid()}.abc.acompass-part"
    other.touch()
    wrote("SELECT 1 AS c0", columns("a"), tmp_path / "out.csv")
    assert other.exists()


def test_standard_output_and_the_null_device(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    with duckdb.connect() as con:
        assert write(con, Output("SELECT 1 AS c0", columns("a")), "-") == 1
        assert write(con, Output("SELECT 1 AS c0", columns("a")), os.devnull) == 1
    assert capfdbinary.readouterr().out == b"a\n1\n"


@pytest.mark.slow
def test_ten_thousand_columns(tmp_path: Path) -> None:
    width = 10_000
    schema = tuple(Column(f"n{i}", INTEGER) for i in range(width))
    select = "SELECT " + ", ".join(f"{i} AS c{i}" for i in range(width))
    for name in ("out.csv", "out.parquet"):
        wrote(select, schema, tmp_path / name)
        with loading(str(tmp_path / name)) as table:
            assert table.names == [f"n{i}" for i in range(width)]
    assert (tmp_path / "out.csv").read_text().splitlines()[1] == ",".join(str(i) for i in range(width))
