"""CSV files are read byte for byte, and written in the style of the input."""

import gzip
import io
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

import acompass
from acompass.language.program.uses import Use
from acompass.tables.csv import has_blanks_at_quotes, read_records
from tests.folding import folded
from tests.length import at_length
from tests.tables.tables import csv_file, fault, load_records, loading


def test_text_is_kept_to_the_byte(tmp_path: Path) -> None:
    odd = ["01234", "x ", " x", "NA", "NULL", "nan", "*", "%", "é", "𝒳", "1.50", "+1", "-0", "#", "\\N", "\\"]
    path = csv_file(tmp_path, "a,b\n" + "".join(f"{value},1\n" for value in odd))
    assert [record[0] for record in load_records(path, a=Use.TEXT)] == odd


def test_an_empty_field_is_missing_and_empty_quotes_are_the_empty_text(tmp_path: Path) -> None:
    assert load_records(csv_file(tmp_path, 'a,b\n,""\n')) == [(None, "")]


def test_quotes_delimiters_and_line_ends_inside_quotes_are_text(tmp_path: Path) -> None:
    path = csv_file(tmp_path, 'a,b\n"x,""y""\nz",1\n"p\r\nq",2\n')
    assert load_records(path) == [('x,"y"\nz', "1"), ("p\r\nq", "2")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_and_a_byte_order_mark_are_read(tmp_path: Path, end: str) -> None:
    path = csv_file(tmp_path, "\ufeffa,b" + end + "1,2" + end + "3,4" + end)
    with loading(path) as table:
        assert table.names == ["a", "b"]
        assert table.records == [("1", "2"), ("3", "4")]


def test_mixed_line_ends_are_read(tmp_path: Path) -> None:
    assert load_records(csv_file(tmp_path, "a,b\n1,2\r\n3,4\r5,6\n")) == [("1", "2"), ("3", "4"), ("5", "6")]


def test_blanks_before_a_quote_belong_to_the_value(tmp_path: Path) -> None:
    assert load_records(csv_file(tmp_path, 'a,b\n "x",2\n')) == [(' "x"', "2")]


def test_an_empty_line_is_not_a_record_unless_there_is_one_column(tmp_path: Path) -> None:
    assert load_records(csv_file(tmp_path, "a,b\n1,2\n\n3,4\n")) == [("1", "2"), ("3", "4")]
    assert load_records(csv_file(tmp_path, "a\n1\n\n3\n")) == [("1",), (None,), ("3",)]


def test_empty_fields_beyond_the_last_column_are_ignored(tmp_path: Path) -> None:
    for path in (csv_file(tmp_path, "a,b\n1,2,\n3,,,\n"), csv_file(tmp_path, "a,b\r\n1,2,\n3,,,\r\n")):
        assert load_records(path) == [("1", "2"), ("3", None)]


def test_header_only_is_a_table_of_no_records(tmp_path: Path) -> None:
    with loading(csv_file(tmp_path, "a,b"), a=Use.NUMBER) as table:
        assert table.names == ["a", "b"]
        assert table.records == []


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(tmp_path: Path, delimiter: str) -> None:
    with loading(csv_file(tmp_path, f"a{delimiter}b{delimiter}c\n1{delimiter}2{delimiter}3\n")) as table:
        assert table.loaded.layout.style.delimiter == delimiter
        assert table.records == [("1", "2", "3")]


def test_a_delimiter_inside_quotes_is_text(tmp_path: Path) -> None:
    with loading(csv_file(tmp_path, '"a,b,c";d\n1;2\n')) as table:
        assert table.names == ["a,b,c", "d"]


def test_a_given_delimiter_wins(tmp_path: Path) -> None:
    with loading(csv_file(tmp_path, "a,b,c;d\n1;2\n"), delimiter=";") as table:
        assert table.names == ["a,b,c", "d"]
        assert table.records == [("1", "2")]
    assert fault(csv_file(tmp_path, "a\n"), delimiter="x").code == "AC225"


def test_any_name_is_allowed(tmp_path: Path) -> None:
    header = """a,A,"",'; DROP TABLE x; --,"q""q",日本 語,"new\nline",c0"""
    with loading(csv_file(tmp_path, header + "\n1,2,3,4,5,6,7,8\n"), header=True) as table:
        assert table.names == ["a", "A", "", "'; DROP TABLE x; --", 'q"q', "日本 語", "new\nline", "c0"]
        assert table.records == [tuple("12345678")]


def test_a_gzip_file_is_read(tmp_path: Path) -> None:
    path = csv_file(tmp_path, gzip.compress(b"a,b\n1,2\n"), "table.csv.gz")
    assert load_records(path) == [("1", "2")]


def test_a_glob_is_one_table_in_order_of_name(tmp_path: Path) -> None:
    csv_file(tmp_path, "a\n3\n", "2.csv")
    csv_file(tmp_path, "a\n1\n2\n", "1.csv")
    assert load_records(f"{tmp_path}/*.csv", a=Use.NUMBER) == [(1,), (2,), (3,)]


def test_a_file_named_like_a_glob_is_itself(tmp_path: Path) -> None:
    csv_file(tmp_path, "a\nother\n", "x1.csv")
    assert load_records(csv_file(tmp_path, "a\nitself\n", "x[1].csv")) == [("itself",)]


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    for content in (b"a,b\n1,2\n", gzip.compress(b"a,b\n1,2\n")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert load_records("-") == [("1", "2")]
        assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_input_order_is_kept_over_many_records(tmp_path: Path) -> None:
    numbers = range(300_000)
    path = csv_file(tmp_path, "a,b\n" + "".join(f'{n},"line\nof {n}"\n' for n in numbers))
    with loading(path, a=Use.NUMBER) as table:
        rows = table.con.execute(f"SELECT count(*) FROM {table.loaded.layout.view} WHERE c0 <> rk").fetchone()
        assert rows == (0,)
        assert len(table.records) == len(numbers)


@pytest.mark.slow
def test_a_file_may_have_ten_thousand_columns(tmp_path: Path) -> None:
    width = 10_000
    path = csv_file(tmp_path, ",".join(f"n{i}" for i in range(width)) + "\n" + ",".join(["7"] * width) + "\n")
    with loading(path, n9999=Use.NUMBER) as table:
        rows = table.con.execute(f"SELECT * EXCLUDE (rk) FROM {table.loaded.layout.view}").fetchall()
        assert rows == [(*["7"] * (width - 1), 7)]


def test_a_value_may_be_long(tmp_path: Path) -> None:
    value = "x" * 5_000_000
    assert load_records(csv_file(tmp_path, f'a,b\n"{value}",1\n')) == [(value, "1")]


POLICY = "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;"
MARK = b"\xef\xbb\xbf"


def release(folder: Path, content: bytes, policy: str = POLICY, name: str = "out.csv") -> bytes:
    path, output = folder / "table.csv", folder / name
    path.write_bytes(content)
    acompass.run(policy, path, output=output)
    found = output.read_bytes()
    return gzip.decompress(found) if name.endswith(".gz") else found


@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz"])
@pytest.mark.parametrize("mark", [b"", MARK])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_the_byte_order_mark_and_line_ends_are_kept(tmp_path: Path, mark: bytes, end: bytes, name: str) -> None:
    lines = [b"Note;Age", b'"a\nb";36', b'"a\r\nb";37', b'"a\rb";38', b";39", b'"";40', b'"5"" 6";41']
    content = mark + b"".join(line + end for line in lines)
    assert release(tmp_path, content, name=name) == content


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("header", [b'"a\r\nb",Age', b'"a\nb",Age', b'Age,"a""\n"', b'"a\nb",Age,"c\r\nd"'])
def test_line_breaks_in_names_do_not_decide_the_line_ends(tmp_path: Path, header: bytes, end: bytes) -> None:
    content = header + end
    assert release(tmp_path, content, "EACH PROCESS COUNT(*) AS n : n >= 0;") == content


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"Age\r\n36\n82\n", b"Age\r\n36\r\n80\r\n"),
        (b"Age\n36\r\n82\r\n", b"Age\n36\n80\n"),
        (b"Age", b"Age\n"),
        (MARK + b"Age\r\n", MARK + b"Age\r\n"),
        (b"Age\r\n36", b"Age\r\n36\r\n"),
        (b'Age,5"\r\n36,\n', b'Age,"5"""\r\n36,\r\n'),
    ],
)
def test_the_first_line_end_decides_the_others(tmp_path: Path, content: bytes, expected: bytes) -> None:
    assert release(tmp_path, content) == expected


@pytest.mark.slow
def test_standard_output_has_the_style_of_standard_input(tmp_path: Path) -> None:
    content = MARK + b"Age;Name\r\n36;a\r\n82;b\r\n"
    (tmp_path / "policy.acp").write_text(POLICY)
    command = [sys.executable, "-m", "acompass", "run", "policy.acp", "-", "-o", "-", "--quiet"]
    ran = subprocess.run(command, input=content, capture_output=True, cwd=tmp_path, check=True)
    assert ran.stdout == content.replace(b"82", b"80")


# Line ends in a file, its names or its values never lose a record or change a value.
#
# DuckDB once read no records from a file with Windows line ends and a line break in a name.


ENDS = (b"\n", b"\r\n", b"\r")
VALUES = (b'"x\ny"', b'"x\r\ny"', b'"x\ry"', b"a", b'""', b'" "', b'"q""\n"')
NAMES = (b"n", b'"n\nm"', b'"n\r\nm"', b"n")


def random_file(rng: Random) -> bytes:
    ends = [rng.choice(ENDS) for _ in range(5)] if rng.random() < 0.5 else [rng.choice(ENDS)] * 5
    rows = [rng.choice(VALUES) + b",%d" % number for number in range(1, rng.randint(1, 5))]
    lines = [rng.choice(NAMES) + b",Age", *rows]
    content = b"".join(line + end for line, end in zip(lines, ends, strict=False))
    return content.rstrip(b"\r\n") if rng.random() < 0.2 else content


@pytest.mark.campaign
@folded("seed", range(at_length(25)))
@pytest.mark.slow
def test_every_record_arrives_unchanged(seed: int, tmp_path: Path) -> None:
    content = random_file(Random(seed))
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    read = acompass.run("EACH RESULT : Age > 0;", path).table
    expected = [(value, int(age or "0")) for _, (value, age) in list(read_records(io.BytesIO(content), ","))[1:]]
    assert [tuple(record.values()) for record in read.to_pylist()] == expected


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('a,b\n1, "x"\n', True),
        ('a,b\n1,   "x"\n', True),
        ('a,b\n "x",1\n', True),
        ('a,b\r\n1,"x" \r\n', True),
        ('a,b\n"x" ,1\n', True),
        ('a,b\n"x"    ,1\n', True),
        ('a,b\n1,"x"', False),
        ('a,b\n1,"x"  ', True),
        ('a,b\n1,say "x" twice\n', False),
        ('a,b\n1,say  "x"  twice\n', False),
        ('a,b\n1,"say ""x"" "\n', True),
        ('a,b\n"x" "y",1\n', True),
        ("a,b\n1, 2 \n", False),
    ],
)
@pytest.mark.parametrize("padding", [0, (1 << 22) - 8, (1 << 22) - 9, (1 << 22) - 10, (1 << 22) - 11])
def test_blanks_next_to_quotes_are_found(tmp_path: Path, text: str, found: bool, padding: int) -> None:
    path = csv_file(tmp_path, "n,m\n" + "1,2\n" * (padding // 4) + "3" * (padding % 4) + "\n" + text)
    assert has_blanks_at_quotes(path, path, ",") is found
