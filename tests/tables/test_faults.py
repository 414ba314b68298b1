"""Unreadable tables: the error gives the fault and the line, and never a value from a record."""

import gzip
import os
from pathlib import Path

import pytest

from acompass.checked.uses import Use
from acompass.diagnostics import TableError
from tests.tables.tables import csv_file, fault, loading, unprivileged, unprivileged_folder

SECRET = "Hypertension"


@pytest.mark.parametrize(
    ("content", "code", "line"),
    [
        ("", "AC204", None),
        ("\na,b\n", "AC204", None),
        (f"a,b\n1,{SECRET}\n1,2,{SECRET}\n", "AC206", 3),
        (f"a,b\n{SECRET}\n", "AC206", 2),
        (f'a,b\n"x\ny",1\n\n{SECRET}\n', "AC206", 5),
        (f'a,b\n1,2\n"{SECRET},3\n4,5\n', "AC207", 3),
        (f'a,b\n1,2\n"{SECRET}"x,3\n', "AC207", 3),
        (f'a,b\n"{SECRET}" ,3\n', "AC207", 2),
        (f"a,b\n1,{SECRET}\n2,\xff\n".encode("latin-1"), "AC205", 3),
        ("a,b,a\n", "AC208", None),
    ],
)
def test_malformed_text(tmp_path: Path, content: str | bytes, code: str, line: int | None) -> None:
    found = fault(csv_file(tmp_path, content))
    assert found.code == code
    assert line is None or f"line {line} " in found.message
    assert SECRET not in found.message + (found.help or "")


def test_a_fault_far_into_a_large_file(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "a,b\n" + "1,2\n" * 300_000 + f"1,{SECRET},3\n" + "1,2\n" * 100)
    assert fault(path).message == f"line 300002 of `{path}` has 3 fields, expected 2"


def test_the_file_of_a_glob_that_differs_is_named(tmp_path: Path) -> None:
    csv_file(tmp_path, "a,b\n1,2\n", "1.csv")
    other = csv_file(tmp_path, "b,a\n1,2\n", "2.csv")
    found = fault(f"{tmp_path}/*.csv")
    assert found.code == "AC209"
    assert f"and `{other}` have different columns" in found.message


def test_the_file_of_a_glob_that_is_ragged_is_named(tmp_path: Path) -> None:
    csv_file(tmp_path, "a,b\n1,2\n", "1.csv")
    other = csv_file(tmp_path, "a,b\n1\n", "2.csv")
    assert fault(f"{tmp_path}/*.csv").message == f"line 2 of `{other}` has 1 field, expected 2"


@pytest.mark.parametrize("path", ["none.csv", "none.parquet", "none*.csv"])
def test_no_such_table(tmp_path: Path, path: str) -> None:
    assert fault(str(tmp_path / path)).code == "AC201"


def test_a_folder(tmp_path: Path) -> None:
    found = fault(str(tmp_path))
    assert found.code == "AC202"
    assert f"{tmp_path}/*.csv" in (found.help or "")


@pytest.mark.parametrize("name", ["table.csv", "table.parquet"])
def test_no_permission(name: str) -> None:
    with unprivileged_folder() as folder:
        path = csv_file(folder, "a\n1\n", name)
        os.chmod(path, 0)
        with unprivileged():
            assert fault(path).code == "AC203"


def test_a_broken_link_and_a_link_to_itself(tmp_path: Path) -> None:
    (tmp_path / "lost.csv").symlink_to(tmp_path / "none.csv")
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    assert fault(str(tmp_path / "lost.csv")).code == "AC201"
    assert fault(str(tmp_path / "loop.csv")).code == "AC203"


def test_damaged_gzip(tmp_path: Path) -> None:
    whole = gzip.compress(b"a,b\n" + b"".join(b"%d,%d\n" % (n, n * 7919 % 104729) for n in range(100_000)))
    for damaged in (whole[: len(whole) // 2], whole[:-4], b"a,b\n1,2\n"):
        assert fault(csv_file(tmp_path, damaged, "table.csv.gz")).code == "AC214"


@pytest.mark.parametrize("content", [b"", b"PAR1", b"a,b\n1,2\n", b"PAR1" + b"\0" * 100 + b"PAR1"])
def test_damaged_parquet(tmp_path: Path, content: bytes) -> None:
    assert fault(csv_file(tmp_path, content, "table.parquet")).code == "AC214"


def test_a_value_that_is_not_a_number(tmp_path: Path) -> None:
    path = csv_file(tmp_path, f'n,t\n1,"a\nb"\n\n{SECRET},x\n2,y\nunknown,z\n')
    found = fault(path, n=Use.NUMBER)
    assert found.code == "AC210"
    assert found.message == (
        f"column `n` is used as a number, but 2 values are not numbers (the first is on line 5 of `{path}`)"
    )


def test_a_number_too_long(tmp_path: Path) -> None:
    found = fault(csv_file(tmp_path, "n\n" + "9" * 30 + "\n0." + "1" * 9 + "\n"), n=Use.NUMBER)
    assert found.code == "AC211"
    assert "39 digits" in found.message


def test_missing_values_are_counted_in_each_column(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "a,b,c\n1,,\n,,\n3,x,\n")
    with loading(path, a=Use.NUMBER, b=Use.ANY) as table:
        with pytest.raises(TableError) as raised:
            table.loaded.require_complete()
        messages = [found.message for found in raised.value.diagnostics]
    assert messages == ["column `a` has 1 missing value", "column `b` has 2 missing values"]
