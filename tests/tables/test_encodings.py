"""A CSV file in another encoding is read by its name or its mark, and written in it again."""

import gzip
from encodings.aliases import aliases
from pathlib import Path
from typing import Any

import pytest

import acompass
from acompass.diagnostics import AcompassError, Diagnostic
from acompass.tables import encodings
from acompass.tables.file_format import FileFormat
from acompass.tables.opening import opened

POLICY = "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;"
GIVEN = 'Name,Age\r\nAda,36\r\n"Zoë\nBé",82\r\n'
TOP_CODED = 'Name,Age\r\nAda,36\r\n"Zoë\nBé",80\r\n'


@pytest.fixture
def in_small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Characters of several bytes lie in two pieces."""
    monkeypatch.setattr(encodings, "_CHUNK", 3)


def table(folder: Path, content: bytes, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return path


def fault(path: Path, policy: str = POLICY, **options: Any) -> Diagnostic:
    output = path.with_name("out.csv")
    with pytest.raises(AcompassError) as raised:
        acompass.run(policy, path, output=output, **options)
    assert not output.exists()
    return raised.value.diagnostics[0]


@pytest.mark.usefixtures("in_small_pieces")
@pytest.mark.parametrize(
    ("written", "option"),
    [
        ("cp1252", "windows-1252"),
        ("latin-1", "Latin1"),
        ("utf-16", None),
        ("utf-16", "UTF-16"),
        ("utf-16-le", "utf-16"),
        ("utf-16-be", "utf_16_be"),
        ("utf-32", None),
        ("utf-8-sig", None),
        ("utf-8-sig", "utf8"),
        ("utf-8", "utf-8-sig"),
        ("utf-7", "utf-7"),
        ("gb18030", "GB18030"),
        ("cp437", "cp437"),
    ],
)
def test_the_output_has_the_encoding_of_the_input(tmp_path: Path, written: str, option: str | None) -> None:
    output = tmp_path / "out.csv"
    acompass.run(POLICY, table(tmp_path, GIVEN.encode(written)), output=output, encoding=option)
    assert output.read_bytes() == TOP_CODED.encode(written)


@pytest.mark.usefixtures("in_small_pieces")
def test_an_encoding_with_states(tmp_path: Path) -> None:
    text = "Name,Age\n日本,36\n語,37\n"
    path, output = table(tmp_path, text.encode("iso2022_jp")), tmp_path / "out.csv"
    acompass.run(POLICY, path, output=output, encoding="iso-2022-jp")
    assert output.read_bytes().decode("iso2022_jp") == text


def test_compressed_and_to_other_formats(tmp_path: Path) -> None:
    path = table(tmp_path, GIVEN.encode("cp1252"), "table.csv.gz")
    packed, parquet = tmp_path / "out.csv.gz", tmp_path / "out.parquet"
    acompass.run(POLICY, path, output=packed, encoding="cp1252")
    assert gzip.decompress(packed.read_bytes()) == TOP_CODED.encode("cp1252")
    acompass.run(POLICY, path, output=parquet, encoding="cp1252")
    assert acompass.run(POLICY, parquet).table.to_pydict() == {"Name": ["Ada", "Zoë\nBé"], "Age": [36, 80]}


def test_the_first_file_decides(tmp_path: Path) -> None:
    table(tmp_path, "Name,Age\r\nZoë,36\r\n".encode("utf-16"), "a.csv")
    table(tmp_path, "Name,Age\nBé,82\n".encode(), "b.csv")
    output = tmp_path / "out"
    output.mkdir()
    acompass.run(POLICY, tmp_path / "*.csv", output=output / "out.csv")
    assert (output / "out.csv").read_bytes() == "Name,Age\r\nZoë,36\r\nBé,80\r\n".encode("utf-16")


@pytest.mark.usefixtures("in_small_pieces")
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_bytes_of_another_encoding_are_located(tmp_path: Path, end: str) -> None:
    text = f"Name,Age{end}Ada,36{end}secret".encode() + b"\x81" + f",5{end}".encode()
    found = fault(table(tmp_path, text), encoding="cp1252")
    byte = text.index(b"\x81") + 1
    assert (found.code, found.message.partition("` is ")[0].startswith("line 3 of `")) == ("AC205", True)
    assert found.message.endswith(f"is not cp1252, at byte {byte} of the file")
    assert "secret" not in found.message + (found.help or "")


@pytest.mark.parametrize("chunk", range(2, 9))
def test_bytes_of_a_longer_character_are_located(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    """The decoder keeps bytes of a piece until the next one."""
    monkeypatch.setattr(encodings, "_CHUNK", chunk)
    start, lone = "Name,Age\nAda,".encode("utf-16-le"), b"\x00\xd8"
    path = table(tmp_path, start + lone + "36\n".encode("utf-16-le"))
    found = fault(path, encoding="utf-16")
    assert found.message == f"line 2 of `{path}` is not utf-16-le, at byte {len(start) + 1} of the file"


@pytest.mark.parametrize(
    ("content", "line", "byte", "likely"),
    [
        (b"Name,Age\nZo\xeb,36\n", 2, 12, "cp1252"),
        (b"\xef\xbb\xbfName,Age\nZo\xeb,36\n", 2, 15, "cp1252"),
        (b"\xef\xbb\xbfN\xebme,Age\nZ,36\n", 1, 5, "cp1252"),
        (b"Name,Age\nZo\x81,36\n", 2, 12, "latin-1"),
    ],
)
def test_what_is_not_utf8_has_a_likely_encoding(
    tmp_path: Path, content: bytes, line: int, byte: int, likely: str
) -> None:
    path = table(tmp_path, content)
    found = fault(path)
    assert found.message == f"line {line} of `{path}` is not UTF-8, at byte {byte} of the file"
    assert found.help == f"give its encoding: probably `--encoding {likely}`"


def test_a_mark_contradicts_the_option(tmp_path: Path) -> None:
    path = table(tmp_path, GIVEN.encode("utf-16"))
    assert fault(path, encoding="cp1252").code == "AC205"
    assert fault(path, encoding="utf-8").code == "AC205"


@pytest.mark.parametrize(
    ("name", "near"),
    [("cp1253x", "cp1253"), ("utf-88", "utf-8"), ("rot13", None), ("a\0b", None), ("é", None), ("", None)],
)
def test_unknown_encodings(tmp_path: Path, name: str, near: str | None) -> None:
    found = fault(table(tmp_path, b"Age\n1\n"), encoding=name)
    assert (found.code, near is None or f"`{near}`" in (found.help or "")) == ("AC241", True)


def test_every_codec_of_python_is_read_or_refused(tmp_path: Path) -> None:
    path = table(tmp_path, b"Age\n\xe9\xff\xfe\n")
    found = []
    for name in {*aliases.values(), "idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape"}:
        try:
            with opened(str(path), FileFormat(encoding=name)):
                found.append("read")
        except AcompassError as error:
            found.append(error.diagnostics[0].code)
    assert set(found) == {"AC205", "AC241", "read"}


@pytest.mark.parametrize(
    "action",
    [
        "REPLACE Name WITH '…Ω'",
        "RANDOM Name FROM ('a', 'Ω')",
        "GENERALIZE Name TO LEVEL 1 OF 'names.csv'",
        "WITH PROBABILITY 0.5 REPLACE Name WITH 'Ω'",
    ],
)
def test_what_the_policy_writes_must_be_in_the_encoding(tmp_path: Path, action: str) -> None:
    (tmp_path / "names.csv").write_text("Zoë;Ω;*\nB;Ω;*\n", encoding="utf-8")
    (tmp_path / "policy.acp").write_text(f"EACH RESULT : Age <= 80;\nALWAYS : {action};\n", encoding="utf-8")
    path, output = table(tmp_path, "Name,Age\nZoë,36\n".encode("cp1252")), tmp_path / "out.csv"
    policy = acompass.load(tmp_path / "policy.acp")
    with pytest.raises(acompass.TableError) as raised:
        acompass.run(policy, path, output=output, encoding="cp1252", seed="s")
    (found,) = raised.value.diagnostics
    assert found.code == "AC243"
    assert policy.text[found.labels[0].span.start :].startswith(action)
    assert not output.exists()
    acompass.run(policy, path, output=tmp_path / "out.parquet", encoding="cp1252", seed="s")


def test_other_text_that_is_not_in_the_encoding_writes_nothing(tmp_path: Path) -> None:
    path = table(tmp_path, b"Name,Age\n,36\n")
    policy = "EACH RESULT : Name != 'x';"
    found = fault(path, policy, encoding="latin-1", missing="Ω")
    assert (found.code, "Ω" in found.message) == ("AC243", False)
