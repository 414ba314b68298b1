"""A sheet of a workbook is read like the CSV file that Excel exports."""

import csv
import datetime
import io
import re
import subprocess
import sys
import zipfile
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl.utils.datetime import CALENDAR_MAC_1904

import acompass
from acompass.errors.diagnostics import AcompassError, Diagnostic
from acompass.tables.input import open_source
from tests.length import at_length
from tests.tables.tables import with_stored_values, workbook

#: names no column, so every value is released unchanged
NOTHING = "EACH PROCESS COUNT(*) AS n : n >= 0;"
PEOPLE = (("Age", "Zip"), (54, "01234"), (82, "02139"))


def release(table: Path, policy: str = NOTHING, **options: Any) -> str:
    output = table.with_name("released.csv")
    acompass.run(policy, table, output=output, **options)
    with open(output, encoding="utf-8", newline="") as file:
        return file.read()


def fault(table: Path, policy: str = NOTHING, **options: Any) -> Diagnostic:
    with pytest.raises(AcompassError) as raised:
        acompass.check(policy, table, **options)
    return raised.value.diagnostics[0]


def export_text(value: Any) -> str:
    """The text of a cell in a CSV export, computed independently of the reader."""
    match value:
        case None:
            return ""
        case bool():
            return "TRUE" if value else "FALSE"
        case float():
            text = format(Decimal(repr(value)), "f")
            return re.sub(r"\.0*$", "", text).replace("-0", "0") if value == int(value) else text
        case datetime.date():
            return f"{value:%Y-%m-%d}"
        case _:
            return str(value)


NUMBERS = st.integers(-(10**9), 10**9) | st.sampled_from([0.1, 54.0, -2.5, 1e-7, 123456.789, 1e20])
#: text that begins with `=` would be a formula
TEXTS = st.from_regex(r"\A[a-z0-9 ,;\"'é\n]{0,8}\Z").filter(lambda text: text == text.strip() and text != "")
DATES = st.dates(datetime.date(1900, 3, 1), datetime.date(2100, 1, 1))
ROWS = st.lists(
    st.tuples(st.integers(0, 99), NUMBERS | st.none(), TEXTS | st.none(), DATES | st.none(), st.booleans()),
    min_size=1,
    max_size=6,
)
LAW_POLICY = "EACH RESULT : Age <= 50 : REPLACE Age WITH 50;"


@settings(max_examples=at_length(8))
@given(rows=ROWS)
@pytest.mark.slow
def test_a_workbook_gives_the_result_of_the_same_table_as_csv(
    tmp_path_factory: pytest.TempPathFactory, rows: Any
) -> None:
    folder = tmp_path_factory.mktemp("law")
    names = ("Age", "Number", "Text", "Date", "Flag")
    book = workbook(folder / "table.xlsx", Data=[names, *rows])
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([names, *([*map(export_text, row)] for row in rows)])
    (folder / "table.csv").write_text(text.getvalue(), encoding="utf-8", newline="")
    assert release(book, LAW_POLICY) == release(folder / "table.csv", LAW_POLICY)


def test_a_cell_is_what_excel_shows_without_its_format(tmp_path: Path) -> None:
    rows = [
        ("text", "whole", "fraction", "flag", "day", "moment", "time", "span", "none"),
        ("01234", 54.0, 0.1, True, datetime.date(2020, 2, 29), datetime.datetime(2020, 1, 2, 3, 4, 5),
         datetime.time(6, 7, 8), datetime.timedelta(hours=26, minutes=30), "x"),
        ("1.50", 1e20, 1e-7, False, datetime.date(1999, 1, 1), datetime.datetime(2020, 1, 2),
         datetime.time(0, 0), datetime.timedelta(minutes=5), None),
    ]  # fmt: skip
    assert release(workbook(tmp_path / "t.xlsx", S=rows)).splitlines() == [
        "text,whole,fraction,flag,day,moment,time,span,none",
        "01234,54,0.1,TRUE,2020-02-29,2020-01-02T03:04:05,06:07:08,26:30:00,x",
        "1.50,100000000000000000000,0.0000001,FALSE,1999-01-01,2020-01-02T00:00:00,00:00:00,0:05:00,",
    ]


def test_dates_of_both_epochs_are_read(tmp_path: Path) -> None:
    for epoch in (None, CALENDAR_MAC_1904):
        book = openpyxl.Workbook()
        if epoch is not None:
            book.epoch = epoch
        book.active.append(["Day"])
        book.active.append([datetime.date(2020, 2, 29)])
        book.save(tmp_path / "t.xlsx")
        assert release(tmp_path / "t.xlsx") == "Day\n2020-02-29\n"


def test_the_table_may_begin_anywhere_and_end_before_formatted_cells(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet["C4"], sheet["D4"], sheet["C5"], sheet["D5"], sheet["C7"] = "Age", "Zip", 54, "x", 60
    sheet["F20"].number_format = "0.0"
    book.save(tmp_path / "t.xlsx")
    assert release(tmp_path / "t.xlsx") == "Age,Zip\n54,x\n,\n60,\n"


def test_merged_cells_have_their_value_once(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in (["Area", "Age"], ["north", 1], [None, 2]):
        book.active.append(row)
    book.active.merge_cells("A2:A3")
    book.save(tmp_path / "t.xlsx")
    assert release(tmp_path / "t.xlsx") == "Area,Age\nnorth,1\n,2\n"


def test_the_stored_value_of_a_formula_is_read(tmp_path: Path) -> None:
    book = workbook(tmp_path / "t.xlsx", S=[("Age", "Sum"), (1, "=A2+1"), (2, "=A3+1")])
    found = fault(book)
    assert (found.code, "2 formulas" in found.message, "`B2`" in found.message) == ("AC246", True, True)
    assert release(with_stored_values(book, "2", "3")) == "Age,Sum\n1,2\n2,3\n"


def test_errors_of_excel_are_not_missing_values(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["Age"])
    for text in ("#N/A", "#DIV/0!"):
        book.active.append([text])
        book.active.cell(book.active.max_row, 1).data_type = "e"
    book.active.append(["#N/A as text"])
    book.save(tmp_path / "t.xlsx")
    found = fault(tmp_path / "t.xlsx")
    assert (found.code, "2 cells" in found.message, "`A2`" in found.message) == ("AC246", True, True)


def test_the_first_visible_sheet_or_the_named_one_is_read(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.title = "Notes"
    book.active.sheet_state = "hidden"
    book.active.append(["Hidden"])
    for name in ("People", "Others"):
        sheet = book.create_sheet(name)
        sheet.append([name])
        sheet.append([1])
    book.create_sheet("Empty")
    path = tmp_path / "t.xlsx"
    book.save(path)
    assert release(path) == "People\n1\n"
    assert release(path, sheet="Others") == "Others\n1\n"
    assert release(path, sheet="Notes") == "Hidden\n"
    unknown = fault(path, sheet="people")
    assert (unknown.code, unknown.help) == ("AC245", "sheets: `Notes`, `People`, `Others`, `Empty`")
    assert fault(path, sheet="Empty").code == "AC204"


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("Age", "Age"), "AC208"),
        ((None, "Age", None), '"",Age\n1,2\n'),
        ((2020, 1.5), "2020,1.5\n1,2\n"),
        ((datetime.date(2020, 1, 2), True), "2020-01-02,TRUE\n1,2\n"),
    ],
)
def test_names_of_columns_may_be_numbers_and_dates(tmp_path: Path, names: tuple[Any, ...], expected: str) -> None:
    path = workbook(tmp_path / "t.xlsx", S=[names, (1, 2)])
    if expected.startswith("AC"):
        assert fault(path).code == expected
    else:
        assert fault(path).code == "AC251"
        assert release(path, header=True) == expected


def test_a_row_in_a_message_is_the_row_of_the_sheet(tmp_path: Path) -> None:
    rows = [(), (), ("Age", "Note"), (1, "two\nlines"), (2, "x"), ("secret", "y")]
    found = fault(workbook(tmp_path / "t.xlsx", S=rows), "EACH RESULT : Age <= 5;")
    assert (found.code, "(on row 6 of " in found.message) == ("AC210", True)
    assert "secret" not in found.message + (found.help or "")


def test_several_workbooks_are_one_table(tmp_path: Path) -> None:
    for name, age in (("a", 1), ("b", 2)):
        workbook(tmp_path / f"{name}.xlsx", S=[("Age",), (age,)])
    assert acompass.run(NOTHING, tmp_path / "*.xlsx").table.to_pydict() == {"Age": ["1", "2"]}
    (tmp_path / "c.xlsx").write_bytes((tmp_path / "a.xlsx").read_bytes())
    workbook(tmp_path / "c.xlsx", S=[("Other",), (1,)])
    assert fault(tmp_path / "*.xlsx").code == "AC209"


def test_the_workbook_is_not_overwritten(tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx", S=PEOPLE)
    link = tmp_path / "link.csv"
    link.symlink_to(path)
    with pytest.raises(acompass.TableError) as raised:
        acompass.run(NOTHING, path, output=link)
    assert raised.value.diagnostics[0].code == "AC220"


def test_every_call_that_reads_a_table_reads_a_workbook(tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx", Other=[("x",)], People=PEOPLE)
    policy = "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;"
    assert acompass.plan(policy, path, sheet="People").result.records_in == 2
    assert acompass.measure(path, ["Zip"], sheet="People").classes.k == 1
    assert acompass.prove(policy, table=path, sheet="People").types["Age"] == "integer"
    assert acompass.explain(policy, path, record=2, sheet="People").lives
    with acompass.open(path, sheet="People") as session:
        assert session.columns == ("Age", "Zip")


def test_an_export_with_decimal_commas_has_semicolons(tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx", S=[("Dose", "Name"), (1.5, "Zoë"), (2, "a;b")])
    text = release(path, "EACH RESULT : Dose <= 1.75 : REPLACE Dose WITH 1.75;", decimal=",")
    assert text == 'Dose;Name\n1,5;Zoë\n1,75;"a;b"\n'
    acompass.run(NOTHING, path, output=tmp_path / "out.csv", encoding="cp1252", delimiter=",")
    assert (tmp_path / "out.csv").read_bytes() == "Dose,Name\n1.5,Zoë\n2,a;b\n".encode("cp1252")


@pytest.mark.parametrize("seed", range(4))
def test_damaged_workbooks_are_rejected(tmp_path: Path, seed: int) -> None:
    """Any damage is reported; neither the reader nor the search for errors crashes."""
    rng, path = Random(seed), workbook(tmp_path / "t.xlsx", S=PEOPLE)
    whole, found = path.read_bytes(), set()
    for _ in range(60):
        damaged = bytearray(whole)
        for _ in range(rng.randint(1, 6)):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        path.write_bytes(damaged[: rng.choice([None, rng.randrange(len(damaged))])])
        try:
            with open_source(str(path)):
                found.add("read")
        except AcompassError as error:
            found.add(error.diagnostics[0].code)
    assert {"AC214"} <= found <= {"AC204", "AC214", "AC245", "AC246", "read"}


_FIRST = '<row r="1"><c r="A1" t="inlineStr"><is><t>Age</t></is></c></row>'


def sheet_file(path: Path, rows: str, **parts: bytes) -> Path:
    """A workbook with these rows after the header, in the XML of the sheet, and with these parts."""
    book = workbook(path, S=[("Age",)])
    with zipfile.ZipFile(book) as file:
        contents = {name: file.read(name) for name in file.namelist()}
    name = "xl/worksheets/sheet1.xml"
    data = f"<sheetData>{_FIRST}{rows}</sheetData>".encode()
    contents[name] = re.sub(rb"<sheetData>.*</sheetData>", lambda _: data, contents[name], flags=re.DOTALL)
    contents |= {f"xl/{part}.xml": content for part, content in parts.items()}
    with zipfile.ZipFile(book, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in contents.items():
            file.writestr(name, content)
    return book


@pytest.mark.parametrize(
    "cell",
    [
        '<c r="XFD1048576"><v>1</v></c>',
        '<c s="0" r="XFD1048576"><v>1</v></c>',
        "<c\nr = 'XFD1048576'><v>1</v></c>",
        '<c r="xfd1048576"><v>1</v></c>',
        '<x:c xmlns:x="a" r="XFD1048576"><x:v>1</x:v></x:c>',
        '<c r="AA1048576"><v>1</v></c>',
        '<c r="XFD1048576" t="inlineStr"><is><t>a</t></is></c>',
    ],
)
def test_a_stray_cell_is_found_before_the_sheet_is_read(tmp_path: Path, cell: str) -> None:
    found = fault(sheet_file(tmp_path / "t.xlsx", f'<row r="1048576">{cell}</row>'))
    assert (found.code, "1,048,576 rows" in found.message) == ("AC254", True)


@pytest.mark.parametrize(
    "reference", ["A0", "1A", "XFE2", "AAAA1", "A1048577", "A99999999999", "ZZZZZZZZZZZZZZ1", "", "A"]
)
@pytest.mark.parametrize("form", ['<row r="2"><c r="{}"><v>1</v></c></row>', "<row><c t='n' r='{}'><v>1</v></c></row>"])
def test_impossible_references_are_found(tmp_path: Path, reference: str, form: str) -> None:
    assert fault(sheet_file(tmp_path / "t.xlsx", form.format(reference))).code == "AC254"


@pytest.mark.parametrize("row", ["0", "-1", "1048577", "99999999999999999999", "A", "1.5", ""])
def test_impossible_rows_are_found(tmp_path: Path, row: str) -> None:
    path = sheet_file(tmp_path / "t.xlsx", f'<row r="{row}"><c><v>1</v></c></row>')
    assert fault(path).code in ("AC254", "AC214")


def test_cells_in_unusual_forms_are_read(tmp_path: Path) -> None:
    rows = (
        "<row r=\"2\"><c s='0'\tr = 'A2' ><v>5</v></c></row><row><c><v>6</v></c></row>"
        '<row r="4"><c r="a4"><v>7</v></c></row><row r="1048576"><c r="XFD1048576" s="0"/></row>'
    )
    assert release(sheet_file(tmp_path / "t.xlsx", rows)) == "Age\n5\n6\n7\n"


def test_a_workbook_that_expands_without_limit_is_not_unpacked(tmp_path: Path) -> None:
    path = sheet_file(tmp_path / "t.xlsx", "", sharedStrings=bytes(300 << 20))
    assert path.stat().st_size < 1 << 20
    assert fault(path).code == "AC254"


def test_a_part_that_is_larger_than_it_says_is_damage(tmp_path: Path) -> None:
    path = sheet_file(tmp_path / "t.xlsx", "", sharedStrings=bytes(10 << 20))
    size = (10 << 20).to_bytes(4, "little")
    assert path.read_bytes().count(size) == 2
    path.write_bytes(path.read_bytes().replace(size, (5).to_bytes(4, "little")))
    assert fault(path).code == "AC214"


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError(), type("PanicException", (BaseException,), {})()])
def test_whatever_the_library_raises_is_an_error_about_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def fail(_: Any) -> None:
        raise error

    monkeypatch.setattr("acompass.tables.input._find_area", fail)
    code = "AC254" if isinstance(error, MemoryError) else "AC214"
    assert fault(workbook(tmp_path / "t.xlsx", S=PEOPLE)).code == code


def test_an_interruption_is_not_an_error_about_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("acompass.tables.input._find_area", interrupt)
    with pytest.raises(KeyboardInterrupt):
        acompass.check(NOTHING, workbook(tmp_path / "t.xlsx", S=PEOPLE))


@pytest.mark.slow
def test_the_error_without_calamine_names_the_extra(tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx", S=PEOPLE)
    code = (
        "import sys; sys.modules['python_calamine'] = None\n"
        "import acompass\n"
        f"try: acompass.check('EACH RESULT : Age > 0;', {str(path)!r})\n"
        "except acompass.TableError as error: print(error.diagnostics[0].code, error.diagnostics[0].help)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "AC218 pip install 'acompass[excel]'"


@pytest.mark.slow
def test_calamine_is_imported_only_for_a_workbook(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("Age\n1\n")
    code = (
        f"import sys, acompass; acompass.check('EACH RESULT : Age > 0;', {str(tmp_path / 't.csv')!r})\n"
        "print('python_calamine' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"
