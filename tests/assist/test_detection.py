"""Detection of how a file must be read: every finding has a reason, and the options open the file."""

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

import acompass
from acompass.assist import detection
from acompass.assist.detection import Detected, detect
from tests.folding import folded
from tests.tables.tables import workbook


def _write(folder: Path, content: str | bytes, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def _kinds(found: Detected) -> dict[str | None, str | None]:
    return {column.name: column.kind for column in found.columns}


def _lines(*records: str, times: int = 1) -> str:
    return "".join(f"{record}\n" for record in (records[0], *records[1:] * times))


GERMAN = "Straße;Gewicht;PLZ;Datum\nMüllerweg;60,25;01234;31.12.2020\nÄhre;71,5;10115;1.2.2021\n"
BIRDS = _lines("Bird,Seen,Mass", "1,9/30/1990 0:00:00,12.5", "2,9/3/1990 0:00:00,NA", "3,12/31/1991 0:00:00,.", "4,,3")
YEARS = _lines("Area,2023,2024", "North,10,12", "South,11,9")
#: a file, the options that it needs, and the kinds of its columns
FILES: dict[str, tuple[str | bytes, dict[str, Any], dict[str, str | None]]] = {
    "semicolons, decimal commas and cp1252": (
        GERMAN.replace("\n", "\r\n").encode("cp1252"),
        {"encoding": "cp1252", "decimal": ",", "dates": {"Datum": "%d.%m.%Y"}},
        {"Straße": "text", "Gewicht": "number", "PLZ": "code", "Datum": "date"},
    ),
    "tabs": (_lines("Name\tAge", "Ann\t34", "Bob\t35"), {}, {"Name": "text", "Age": "number"}),
    "vertical bars": (_lines("Name|Age", "Ann|34"), {}, {"Name": "text", "Age": "number"}),
    "UTF-16 with a mark": ("Name\tAge\r\nZoë\t34\r\n".encode("utf-16"), {}, {"Name": "text", "Age": "number"}),
    "UTF-16 without a mark": (
        "Name,Age\nAnn,34\nBob,35\n".encode("utf-16-le"),
        {"encoding": "utf-16-le"},
        {"Name": "text", "Age": "number"},
    ),
    "UTF-8 with a mark": (b"\xef\xbb\xbf" + "Name,Age\nZoë,34\n".encode(), {}, {"Name": "text", "Age": "number"}),
    "latin-1": (
        "Name,Age\nZo\xeb\x81,34\n".encode("latin-1"),
        {"encoding": "latin-1"},
        {"Name": "text", "Age": "number"},
    ),
    "years in the header": (YEARS, {"header": True}, {"Area": "text", "2023": "number", "2024": "number"}),
    "row numbers without a name": (
        _lines(",Age,Sex", "1,34,F", "2,35,M"),
        {"header": True},
        {"": "number", "Age": "number", "Sex": "text"},
    ),
    "dates at midnight and words for missing values": (
        BIRDS,
        {"na": ["NA", "."], "dates": {"Seen": "%m/%d/%Y 0:00:00"}},
        {"Bird": "number", "Seen": "date", "Mass": "number"},
    ),
    "dates with times": (
        _lines("Seen,Left", "9/30/1990 13:05:00,31-DEC-90 1:05 PM", "1/2/1991 0:00:00,1-Jan-91 12:00 am"),
        {"dates": {"Seen": "%m/%d/%Y %H:%M:%S", "Left": "%d-%b-%y %I:%M %p"}},
        {"Seen": "date", "Left": "date"},
    ),
    "dates in ISO form": (_lines("Seen,At", "1990-09-30,2020-01-31T10:00"), {}, {"Seen": "date", "At": "date"}),
    "dates in digits": (
        _lines("Seen", "19900930", "20200131", "20200201"),
        {"dates": {"Seen": "%Y%m%d"}},
        {"Seen": "date"},
    ),
    "dates whose order no value decides": (_lines("Seen", "1/2/2020", "3/4/2021"), {}, {"Seen": "date"}),
    "a comma in quotes": (
        _lines("Name,Dose", '"a, b","1,5"', 'c,"12,25"'),
        {"decimal": ","},
        {"Name": "text", "Dose": "number"},
    ),
    "thousands": (_lines("Name,Cost", 'a,"1,500"', 'c,"12,250"'), {}, {"Name": "text", "Cost": "text"}),
    "words among text": (
        _lines("Name,Land", "Ann,NULL", "Bob,?", "Cem,unknown", "Dee,France"),
        {"na": ["NULL"]},
        {"Name": "text", "Land": "text"},
    ),
    "the code of Namibia": (_lines("Name,Land", "Ann,NA", "Bob,FR"), {}, {"Name": "text", "Land": "text"}),
    "codes": (
        _lines(
            "Zip,Diagnosis,Height,Income,Born",
            *(f"{21400 + n},J{n:02}.1,{150 + n},{1000 * n + 20000},{1950 + n}" for n in range(30)),
        ),
        {},
        {"Zip": "code", "Diagnosis": "code", "Height": "number", "Income": "number", "Born": "number"},
    ),
    "one column": (_lines("Age", "1", "", "3"), {}, {"Age": "number"}),
    "no record": ("Age,Zip\n", {}, {"Age": None, "Zip": None}),
    "an empty column": (_lines("Age,Zip", "1,", "2,"), {}, {"Age": "number", "Zip": None}),
    "mixed numbers": (_lines("Age", *map(str, range(20)), "old"), {}, {"Age": "text"}),
}


@folded("name", FILES)
def test_a_file_opens_with_the_detected_options(name: str, tmp_path: Path) -> None:
    content, options, kinds = FILES[name]
    path = _write(tmp_path, content)
    found = detect(path)
    assert found.error is None
    assert (found.options, _kinds(found)) == (options, kinds)
    with acompass.open(path, **found.options) as session:
        assert list(session.columns) == list(kinds)
        assert session.records() == found.records == found.records_in_file
        policy = " ".join(
            f'EACH RESULT : "{column}" >= 0;' for column, kind in kinds.items() if column and kind == "number"
        )
        if policy and name != "one column":
            types = {column.name: column.type for column in session.schema(policy, missing="drop")}
            assert all(types[column].is_number for column, kind in kinds.items() if column and kind == "number")
    assert json.loads(json.dumps(found.to_json()))["options"] == options
    for finding in (found.encoding, found.delimiter, found.decimal, found.header):
        assert finding.reason


def test_a_timestamp_reads_as_one(tmp_path: Path) -> None:
    found = detect(_write(tmp_path, FILES["dates with times"][0]))
    with acompass.open(found.file, **found.options) as session:
        schema = session.schema("EACH RESULT : Seen >= '1990-01-01' AND Left >= '1990-01-01';")
        assert [str(column.type) for column in schema] == ["timestamp", "timestamp"]


def test_the_order_of_day_and_month_is_not_guessed(tmp_path: Path) -> None:
    (column,) = detect(_write(tmp_path, _lines("Seen", "1/2/2020", "3/4/2021"))).columns
    assert column.date is not None
    assert (column.date.value, column.date.candidates) == (None, ("%d/%m/%Y", "%m/%d/%Y"))
    (column,) = detect(_write(tmp_path, _lines("Seen", "1/2/2020", "3/14/2021"))).columns
    assert column.date is not None
    assert (column.date.value, column.date.candidates) == ("%m/%d/%Y", ())


def test_years_of_two_digits_that_lead_to_the_future_are_reported(tmp_path: Path) -> None:
    found = detect(_write(tmp_path, _lines("Born", "24.12.45", "13.4.71", "1.1.68")))
    (column,) = found.columns
    assert (column.kind, column.others, found.options) == ("date", 2, {"dates": {"Born": "%d.%m.%y"}})
    assert column.reason == (
        "all values are dates like `%d.%m.%y`; 2 distinct values are in the future: "
        "years of two digits before 69 are read as 20xx"
    )


def test_equal_meanings_are_not_ambiguous(tmp_path: Path) -> None:
    (column,) = detect(_write(tmp_path, _lines("Seen", "1 May 2020", "3 May 2021"))).columns
    assert column.date is not None
    assert column.date.value == "%d %b %Y"


def test_words_are_counted_by_column(tmp_path: Path) -> None:
    found = detect(_write(tmp_path, _lines("Age,Name", "NA,?", "3,NA", "NA,x", ",")))
    words = {word.word: (word.counts, word.is_used) for word in found.na}
    assert words == {"NA": ({"Age": 2, "Name": 1}, True), "?": ({"Name": 1}, False)}
    assert [column.missing for column in found.columns] == [3, 2]
    chosen = detect(found.file, {"na": ["?"]})
    assert [column.missing for column in chosen.columns] == [1, 2]
    assert chosen.options == {"na": ["?"]}
    assert [(word.word, word.is_used) for word in chosen.na] == [("?", True), ("NA", False)]


def test_what_was_found_keeps_its_reason_once_it_is_an_option(tmp_path: Path) -> None:
    """The page asks again with the options that the table was opened with."""
    for content in (FILES["semicolons, decimal commas and cp1252"][0], BIRDS, YEARS):
        found = detect(_write(tmp_path, content))
        again = detect(found.file, found.options)
        assert again.options == found.options
        for name in ("encoding", "delimiter", "decimal", "header", "na", "columns"):
            assert getattr(again, name) == getattr(found, name), name
    other = detect(found.file, {"decimal": ",", "encoding": "cp1252"})
    assert (other.decimal.reason, other.encoding.reason) == ("chosen", "chosen")


def test_the_first_records_are_shown_as_the_options_read_them(tmp_path: Path) -> None:
    table = _lines("Seen;Mass", "3.4.2020 13:05;1,5", "?;k.A.")
    found = detect(_write(tmp_path, table))
    assert found.rows == (("3.4.2020 13:05", "1,5"), ("?", "k.A."))
    options = {"na": ["?", "k.A."], "decimal": ",", "dates": {"Seen": "%d.%m.%Y %H:%M"}}
    assert detect(found.file, options).rows == (("2020-04-03 13:05:00", "1.5"), (None, None))
    assert detect(found.file, options | {"dates": {"Seen": "%Q"}}).rows[0] == ("3.4.2020 13:05", "1.5")


def test_values_among_numbers_or_dates_are_counted(tmp_path: Path) -> None:
    records = (f"{day}/1/2020,{day}" for day in range(1, 29))
    found = detect(_write(tmp_path, _lines("Seen,Mass", *records, "unclear,k.A.", "31/2/2020,7")))
    seen, mass = found.columns
    assert (seen.kind, seen.others, mass.kind, mass.others) == ("text", 2, "text", 1)
    assert seen.date is not None
    assert (seen.date.value, seen.date.candidates) == (None, ("%d/%m/%Y",))
    assert seen.reason == "most values are dates like `%d/%m/%Y`, but 2 distinct values are not"
    assert "dates" not in found.options
    (chosen, _) = detect(found.file, {"dates": {"Seen": "%d/%m/%Y"}}).columns
    assert chosen.reason == "chosen, but 2 distinct values cannot be read like this"
    (seen, mass) = detect(found.file, {"na": ["unclear", "31/2/2020", "k.A.", "999"]}).columns
    assert (seen.date and seen.date.value, mass.kind) == ("%d/%m/%Y", "number")


RECORDS = {
    "no header": ("Ann,34,21401\nBob,35,21402\n", False),
    "no header, with a missing age": ("Ann,NA,21401\nBob,35,21402\nCem,36,21403\n", False),
    "no header, years that follow each other": ("Ann,2019,2020\nBob,2020,2021\n", False),
    "a repeated text": ("Ann,x\nBob,x\n", None),
}


@folded("name", RECORDS)
def test_a_record_in_place_of_the_header_is_shown_only_in_rows(name: str, tmp_path: Path) -> None:
    text, expected = RECORDS[name]
    path = _write(tmp_path, text)
    found = detect(path)
    assert found.error is not None
    assert (found.header.value, found.error.code) == (expected, "AC251")
    assert found.rows[0] == tuple(text.partition("\n")[0].split(","))
    shown = found.to_json()
    del shown["rows"]
    text = json.dumps(shown).replace(str(path), "")  # whose folder may contain any number
    assert not any(cell in text for cell in ("Ann", "34", "21401", "2019"))
    with pytest.raises(acompass.TableError) as raised:
        acompass.open(path, **found.options)
    assert raised.value.diagnostics[0].code == "AC251"
    again = detect(path, {"header": True})
    assert again.error is None
    acompass.open(path, **again.options).close()


FAULTY: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "AC204"),
    "a ragged record": ("Age,Zip\n1,2\n3\n", "AC206"),
    "an open quote": ('Age,Zip\n1,"2\n', "AC207"),
    "text after a quote": ('Age,Zip\n1,"2"x\n', "AC207"),
    "a repeated name": ("Age,Age\n1,2\n", "AC208"),
    "a title above the names": ("Export,,\nAge,Zip,Sex\n1,2,F\n", "AC208"),
    "JSON": ('{"Age": 1}\n', "AC217"),
    "a workbook": (b"PK\x03\x04rest", "AC217"),
    "one wrong byte": (("Name,Age\n" + "Zoë,34\n" * 99).encode() + b"Jos\xe9,35\n", "AC205"),
}


@folded("name", FAULTY)
def test_an_error_is_that_of_opening(name: str, tmp_path: Path) -> None:
    content, code = FAULTY[name]
    path = _write(tmp_path, content)
    found = detect(path)
    assert found.error is not None
    assert found.error.code == code
    with pytest.raises(acompass.TableError) as raised:
        acompass.open(path, **found.options)
    assert raised.value.diagnostics[0] == found.error
    json.dumps(found.to_json())


@pytest.mark.parametrize(("name", "code"), [("absent.csv", "AC201"), ("table.doc", "AC252"), ("", "AC201")])
def test_what_is_no_table_has_an_error(name: str, code: str, tmp_path: Path) -> None:
    _write(tmp_path, "x", "table.doc")
    found = detect(f"{tmp_path}/{name}" if name else "")
    assert found.error is not None
    assert (found.format, found.error.code) == (None, code)


def test_a_title_above_the_names_is_pointed_out(tmp_path: Path) -> None:
    titled = detect(_write(tmp_path, "Export of May\nid;age\n1;2\n3;4\n"))
    assert titled.delimiter.reason.endswith("if it is a title, remove it from the file")
    assert detect(_write(tmp_path, _lines("id", "1", "2"))).delimiter.reason.endswith("so there is one column")
    marked = detect(_write(tmp_path, "sep=;\nid;age;zip\n1;2;3\n")).error
    assert marked is not None
    assert str(marked.help).endswith("remove the lines above them")


def test_choices_are_kept(tmp_path: Path) -> None:
    path = _write(tmp_path, "a;b|c\n1;2|3\n")
    assert detect(path).delimiter.value in (";", "|")
    for delimiter in (";", "|"):
        found = detect(path, {"delimiter": delimiter, "decimal": None})
        assert (found.delimiter.value, found.options) == (delimiter, {"delimiter": delimiter})
        assert len(found.columns) == 2
    for encoding in ("utf-16", "utf-32", "utf-7", "utf-8-sig", "idna", "cp437", "shift_jis"):
        assert detect(path, {"encoding": encoding}).encoding.value in (encoding, None)
    unknown = detect(path, {"encoding": "klingon"}).error
    assert unknown is not None
    assert unknown.code == "AC241"


def test_a_large_file_is_sampled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detection, "SAMPLED", 100)
    path = _write(tmp_path, _lines("Age,Zip", *(f"{n % 90},{10000 + n}" for n in range(1000))))
    found = detect(path)
    assert (found.records, found.is_whole, found.is_estimate) == (100, False, True)
    assert found.sample == "the first 100 records"
    assert found.records_in_file is not None
    assert 900 < found.records_in_file < 1100
    assert len(found.rows) == 50
    monkeypatch.setattr(detection, "_SAMPLED_BYTES", 300)
    found = detect(path)
    assert found.error is None
    assert found.records < 50
    packed = tmp_path / "packed.csv.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert detect(packed).records_in_file is None
    monkeypatch.undo()
    assert detect(packed).records_in_file == 1000


def test_a_quote_that_the_sample_cuts_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detection, "_SAMPLED_BYTES", 40)
    path = _write(tmp_path, 'Age,Note\n1,x\n2,"a long note\nof two lines\nand three"\n')
    found = detect(path)
    assert (found.error, found.records, found.is_whole) == (None, 1, False)


def test_a_late_byte_that_is_not_utf8_is_found(tmp_path: Path) -> None:
    text = "Name,Age\n" + "Ann,34\n" * 200_000
    found = detect(_write(tmp_path, text.encode() + "Zoë,34\n".encode("cp1252")))
    assert found.options == {"encoding": "cp1252"}
    split = ("x" * ((1 << 20) - 1)).encode() + "ë\n".encode()
    assert detect(_write(tmp_path, split)).encoding.value == "utf-8"


def test_a_workbook_has_sheets(tmp_path: Path) -> None:
    path = workbook(tmp_path / "book.xlsx", Empty=[], People=[["Name", "Age"], ["Ann", 34.5], ["Bob", None]])
    found = detect(path)
    assert (found.format, found.error, found.sheet.value) == ("workbook", None, "People")
    assert found.sheet.candidates == ("Empty", "People")
    assert found.options == {"sheet": "People"}
    assert _kinds(found) == {"Name": "text", "Age": "number"}
    assert found.columns[1].missing == 1
    with acompass.open(path, **found.options) as session:
        assert session.records() == found.records == 2
    empty = detect(path, {"sheet": "Empty"})
    assert empty.error is not None
    assert (empty.error.code, empty.sheet.candidates) == ("AC204", ("Empty", "People"))


def test_a_sheet_of_notes_is_passed_over(tmp_path: Path) -> None:
    path = workbook(tmp_path / "book.xlsx", Notes=[["Export of May"]], People=[["Name"], ["Ann"]])
    found = detect(path)
    assert (found.options, found.records) == ({"sheet": "People"}, 1)
    assert found.sheet.reason == "the sheets before it have no records"
    assert detect(path, {"sheet": "Notes"}).records == 0
    assert detect(workbook(tmp_path / "notes.xlsx", Notes=[["Export of May"]])).options == {}


def test_parquet_has_types(tmp_path: Path) -> None:
    table = pyarrow.table(
        {
            "Age": [34, None, 36],
            "Zip": ["01234", "NULL", "10115"],
            "Seen": ["1/31/2020", "12/1/2020", None],
            "Dose": [1.5, float("nan"), 2.0],
            "Tall": [True, False, None],
            "List": [[1], [2], []],
        }
    )
    path = tmp_path / "table.parquet"
    pyarrow.parquet.write_table(table, path)
    found = detect(path)
    assert found.options == {"na": ["NULL"], "dates": {"Seen": "%m/%d/%Y"}}
    assert [column.kind for column in found.columns] == ["number", "code", "date", "number", "text", None]
    assert [column.type for column in found.columns][:4] == ["integer", "text", "text", "float"]
    assert [column.missing for column in found.columns] == [1, 1, 1, 1, 1, 0]
    assert (found.records, found.records_in_file, found.is_whole, found.encoding.value) == (3, 3, True, None)
    with acompass.open(path, **found.options) as session:
        assert session.records() == 3


@pytest.mark.slow
def test_no_file_is_too_odd(tmp_path: Path) -> None:
    rng = random.Random(7)
    pieces = [
        b",",
        b";",
        b"\t",
        b'"',
        b"\n",
        b"\r",
        b"\r\n",
        b"\xff",
        b"\xc3\xab",
        b"\0",
        b"NA",
        b"1,5",
        b"1/2/2020",
        b"a",
        b"7",
    ]
    for _ in range(400):
        path = _write(tmp_path, b"".join(rng.choice(pieces) for _ in range(rng.randrange(40))))
        found = detect(path)
        json.dumps(found.to_json())
        try:
            acompass.open(path, **found.options).close()
            fails = False
        except acompass.TableError:
            fails = True
        assert fails == (found.error is not None), (path.read_bytes(), found)
