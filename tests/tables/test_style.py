"""A CSV file keeps its byte order mark and its line ends, and line breaks inside fields stay as they are."""

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

import acompass

POLICY = "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;"
MARK = b"\xef\xbb\xbf"


def released(folder: Path, content: bytes, policy: str = POLICY, name: str = "out.csv") -> bytes:
    path, output = folder / "table.csv", folder / name
    path.write_bytes(content)
    acompass.run(policy, path, output=output)
    found = output.read_bytes()
    return gzip.decompress(found) if name.endswith(".gz") else found


@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz"])
@pytest.mark.parametrize("mark", [b"", MARK])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_mark_and_line_ends_are_kept(tmp_path: Path, mark: bytes, end: bytes, name: str) -> None:
    lines = [b"Note;Age", b'"a\nb";36', b'"a\r\nb";37', b'"a\rb";38', b";39", b'"";40', b'"5"" 6";41']
    content = mark + b"".join(line + end for line in lines)
    assert released(tmp_path, content, name=name) == content


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("header", [b'"a\r\nb",Age', b'"a\nb",Age', b'Age,"a""\n"', b'"a\nb",Age,"c\r\nd"'])
def test_line_breaks_in_names_do_not_decide(tmp_path: Path, header: bytes, end: bytes) -> None:
    content = header + end
    assert released(tmp_path, content, "EACH PROCESS COUNT(*) AS n : n >= 0;") == content


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
def test_the_first_line_end_decides(tmp_path: Path, content: bytes, expected: bytes) -> None:
    assert released(tmp_path, content) == expected


def test_standard_input_and_output(tmp_path: Path) -> None:
    content = MARK + b"Age;Name\r\n36;a\r\n82;b\r\n"
    (tmp_path / "policy.acp").write_text(POLICY)
    command = [sys.executable, "-m", "acompass", "run", "policy.acp", "-", "-o", "-", "--quiet"]
    ran = subprocess.run(command, input=content, capture_output=True, cwd=tmp_path, check=True)
    assert ran.stdout == content.replace(b"82", b"80")
