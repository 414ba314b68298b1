"""A CSV file is decoded by the given encoding or its byte order mark, and the output has the same encoding."""

import gzip
import re
from decimal import Decimal
from encodings.aliases import aliases
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import acompass
from acompass.errors.diagnostics import AcompassError, Diagnostic
from acompass.tables import source
from acompass.tables.formats import FileFormat, swap_decimal_marks
from acompass.tables.input import open_source
from tests.length import at_length

POLICY = "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;"
GIVEN = 'Name,Age\r\nAda,36\r\n"Zoë\nBé",82\r\n'
TOP_CODED = 'Name,Age\r\nAda,36\r\n"Zoë\nBé",80\r\n'


@pytest.fixture
def in_small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read small chunks, so that multi-byte characters are split."""
    monkeypatch.setattr(source, "_CHUNK", 3)


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
def test_a_stateful_encoding_is_kept(tmp_path: Path) -> None:
    text = "Name,Age\n日本,36\n語,37\n"
    path, output = table(tmp_path, text.encode("iso2022_jp")), tmp_path / "out.csv"
    acompass.run(POLICY, path, output=output, encoding="iso-2022-jp")
    assert output.read_bytes().decode("iso2022_jp") == text


def test_compressed_files_and_other_formats_are_written(tmp_path: Path) -> None:
    path = table(tmp_path, GIVEN.encode("cp1252"), "table.csv.gz")
    packed, parquet = tmp_path / "out.csv.gz", tmp_path / "out.parquet"
    acompass.run(POLICY, path, output=packed, encoding="cp1252")
    assert gzip.decompress(packed.read_bytes()) == TOP_CODED.encode("cp1252")
    acompass.run(POLICY, path, output=parquet, encoding="cp1252")
    assert acompass.run(POLICY, parquet).table.to_pydict() == {"Name": ["Ada", "Zoë\nBé"], "Age": [36, 80]}


def test_the_first_file_decides_the_encoding(tmp_path: Path) -> None:
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
def test_bytes_of_a_longer_character_are_located(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    """The decoder keeps incomplete bytes of a chunk until the next one."""
    monkeypatch.setattr(source, "_CHUNK", chunk)
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
def test_the_error_for_other_bytes_names_a_likely_encoding(
    tmp_path: Path, content: bytes, line: int, byte: int, likely: str
) -> None:
    path = table(tmp_path, content)
    found = fault(path)
    assert found.message == f"line {line} of `{path}` is not UTF-8, at byte {byte} of the file"
    assert found.help == f'give its encoding: probably `encoding="{likely}"`'


def test_a_byte_order_mark_that_contradicts_the_option_is_an_error(tmp_path: Path) -> None:
    path = table(tmp_path, GIVEN.encode("utf-16"))
    assert fault(path, encoding="cp1252").code == "AC205"
    assert fault(path, encoding="utf-8").code == "AC205"


@pytest.mark.parametrize(
    ("name", "near"),
    [("cp1253x", "cp1253"), ("utf-88", "utf-8"), ("rot13", None), ("a\0b", None), ("é", None), ("", None)],
)
def test_an_unknown_encoding_is_rejected(tmp_path: Path, name: str, near: str | None) -> None:
    found = fault(table(tmp_path, b"Age\n1\n"), encoding=name)
    assert (found.code, near is None or f"`{near}`" in (found.help or "")) == ("AC241", True)


def test_every_codec_of_python_is_read_or_rejected(tmp_path: Path) -> None:
    path = table(tmp_path, b"Age\n\xe9\xff\xfe\n")
    found = []
    for name in {*aliases.values(), "idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape"}:
        try:
            with open_source(str(path), FileFormat(encoding=name)):
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
def test_text_of_the_policy_must_be_in_the_encoding(tmp_path: Path, action: str) -> None:
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


DECIMAL_COMMA_POLICY = """
EACH RESULT : Score <= 5 : REPLACE Score WITH 4.5;
EACH PROCESS COUNT(*) AS n GROUP BY Dose : n >= 2 : REPLACE Dose WITH 2.50;
ALWAYS : GENERALIZE Weight TO BANDS OF 0.5;
EACH RESULT : Age <= 60 : REPLACE Age WITH 60.5;
EACH RESULT : Code != '1,5' : REPLACE Code WITH '9.9,9';
"""
NAMES = "Score;Dose;Weight;Age;Code;Other"
#: the columns with numbers
NUMBERS = 4

DECIMAL = st.from_regex(r"-?(0|[1-9][0-9]?)(\.[0-9]{1,3})?", fullmatch=True)
FRACTION = st.from_regex(r"-?[0-9]\.[0-9]{1,2}", fullmatch=True)
TEXT = st.sampled_from(["1,5", "1.5", "[0.5,1.0)", "a", "12.05.2020"])
RECORDS = st.lists(
    st.tuples(DECIMAL, DECIMAL, FRACTION, st.integers(0, 99).map(str), TEXT, TEXT), min_size=1, max_size=6
)


def with_commas(line: str) -> str:
    """The same line with decimal commas in numbers and in labels of bands."""
    fields = re.findall(r'(?:"[^"]*"|[^;])+', line)
    numbers = (re.sub(r"\.", ",", re.sub(r"(\d),(?=[-\d])", r"\1;", field)) for field in fields[:NUMBERS])
    quoted = (f'"{each}"' if ";" in each and not each.startswith('"') else each for each in numbers)
    return ";".join([*quoted, *fields[NUMBERS:]])


def release(path: Path, policy: str = DECIMAL_COMMA_POLICY, **options: Any) -> list[str]:
    output = path.with_name("out.csv")
    acompass.run(policy, path, output=output, force=True, **options)
    return output.read_text(encoding="utf-8").splitlines()


def table_decimal_comma(folder: Path, *lines: str) -> Path:
    path = folder / "table.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def fault_decimal_comma(path: Path, policy: str, **options: Any) -> Diagnostic:
    with pytest.raises(AcompassError) as raised:
        acompass.check(policy, path, **options)
    return raised.value.diagnostics[0]


@settings(max_examples=at_length(3))
@given(records=RECORDS)
@pytest.mark.slow
def test_decimal_commas_give_the_same_result(tmp_path_factory: pytest.TempPathFactory, records: Any) -> None:
    folder = tmp_path_factory.mktemp("law")
    lines = [";".join(record) for record in records]
    expected = [with_commas(line) for line in release(table_decimal_comma(folder, NAMES, *lines))]
    with_comma = table_decimal_comma(folder, NAMES, *map(with_commas, lines))
    for engine in ("duckdb", "reference"):
        assert release(with_comma, decimal=",", engine=engine) == expected


@given(st.text("0123456789.,;[)+-<", max_size=12))
@example("[0,5;1)")
@example("[0.5,1)")
@example("-1,5")
def test_swapping_decimal_marks_twice_changes_nothing(text: str) -> None:
    assert swap_decimal_marks(swap_decimal_marks(text)) == text


@pytest.mark.parametrize("value", ["1.5", "1.234,5", "1,234,567", "1 234,5", "1,", ",5"])
def test_other_notations_are_not_numbers(tmp_path: Path, value: str) -> None:
    found = fault_decimal_comma(
        table_decimal_comma(tmp_path, "Dose;x", f"{value};1"), "EACH RESULT : Dose <= 5;", decimal=","
    )
    assert (found.code, value in found.message, "(on line 2 of " in found.message) == ("AC210", False, True)


def test_an_unexpected_comma_has_a_help(tmp_path: Path) -> None:
    path = table_decimal_comma(tmp_path, "Dose;x", "1,5;1", "2;1")
    found = fault_decimal_comma(path, "EACH RESULT : Dose <= 5;")
    assert (found.code, found.help) == ("AC210", 'read numbers with a decimal comma: `decimal=","`')
    mixed = fault_decimal_comma(table_decimal_comma(tmp_path, "Dose;x", "1,5;1", "a;1"), "EACH RESULT : Dose <= 5;")
    assert "decimal=" not in (mixed.help or "")


def test_a_delimiter_that_is_also_the_decimal_mark_needs_quotes(tmp_path: Path) -> None:
    policy = "EACH RESULT : Dose <= 1.75 : REPLACE Dose WITH 1.75;"
    assert fault_decimal_comma(table_decimal_comma(tmp_path, "Dose,x", "1,5"), policy, decimal=",").code == "AC242"
    quoted = table_decimal_comma(tmp_path, "Dose,x", '"1,5",1', "2,2")
    assert release(quoted, policy, decimal=",") == ["Dose,x", '"1,5",1', '"1,75",2']


def test_parquet_has_decimals(tmp_path: Path) -> None:
    path, output = table_decimal_comma(tmp_path, NAMES, "1,50;x;0,75;3;a;b"), tmp_path / "out.parquet"
    acompass.run(DECIMAL_COMMA_POLICY, path, output=output, decimal=",", force=True)
    found = pyarrow.parquet.read_table(output)
    assert str(found.schema.field("Score").type) == "decimal128(38, 2)"
    assert found.column("Weight").to_pylist() == ["[0,5;1,0)"]


def test_constants_of_the_call_have_a_decimal_point(tmp_path: Path) -> None:
    path = table_decimal_comma(tmp_path, "Dose;x", ";1", "1,5;2")
    policy = "EACH RESULT : Dose <= k : REPLACE Dose WITH k;"
    assert release(path, policy, decimal=",", missing="0.25", params={"k": Decimal("1.25")}) == [
        "Dose;x",
        "0,25;1",
        "1,25;2",
    ]


def test_other_calls_read_decimal_commas(tmp_path: Path) -> None:
    path = table_decimal_comma(tmp_path, "Dose;x", "1,5;1", "1,50;2")
    policy = "EACH RESULT : Dose <= 1.5;"
    assert acompass.check(policy, path, decimal=",").ok
    assert acompass.plan(policy, path, decimal=",").result.ok
    assert acompass.measure(path, ["x"], ["Dose"], decimal=",").classes.k == 1
    assert acompass.prove(policy, table=path, decimal=",").types["Dose"] == "decimal(2)"


def test_an_unknown_decimal_mark_is_rejected(tmp_path: Path) -> None:
    assert (
        fault_decimal_comma(table_decimal_comma(tmp_path, "Dose", "1"), "EACH RESULT : Dose <= 5;", decimal=";").code
        == "AC242"
    )
