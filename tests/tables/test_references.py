"""Reference tables are read by the rules of tables, once for each content, and by DuckDB if they are large (X14)."""

import datetime
import gzip
import os
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from random import Random

import pyarrow
import pyarrow.parquet
import pytest

import acompass
from acompass.errors.diagnostics import AcompassError
from acompass.language.program.checker import check
from acompass.language.program.effects import aggregates_of
from acompass.language.program.references import Reference
from acompass.language.program.types import BOOLEAN, DATE, FLOAT, INTEGER, TEXT, TIMESTAMP, Type, decimal, make_schema
from acompass.language.text.tree import Function
from acompass.semantics.core import aggregate_value
from acompass.semantics.values import total
from acompass.tables import references
from tests.length import at_length

SUM = "EACH PROCESS SUM(people) IN '{}' AS n GROUP BY zip : n >= 3;"


def reference(policy: str, **types: Type) -> Reference:
    parsed = acompass.parse(policy)
    program, found = check(parsed.tree, parsed.text, make_schema(types))
    assert program is not None, found
    (aggregate,) = aggregates_of(program.requirements[0])
    assert aggregate.reference is not None
    return aggregate.reference


def totals(path: Path, content: str | bytes, type_: Type = TEXT) -> dict[object, object]:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return {key: total for (key,), total in reference(SUM.format(path), zip=type_).totals.items()}


def problem(path: Path, content: str | bytes | None, policy: str = SUM) -> tuple[str, str, str | None]:
    """The code, the message without the path, and the help."""
    if content is not None:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(AcompassError) as raised:
        acompass.check(policy.format(path), {"zip": ["1", "02"]})
    (found,) = raised.value.diagnostics
    return found.code, found.message.replace(f"{path}", "F"), found.help


@pytest.mark.parametrize(
    "content",
    [
        "zip,people\n1,2\n02,3\n",
        "zip;people\n1;2\n02;3",
        "people\tx\tZIP\r\n2\t\t1\r\n3\t\t02\r\n",
        "\ufeffzip|people\n1|2\n02|3\n",
        'zip,people\n"1",2\n"02","3"\n',
        "zip,people\n1,2\n\n02,3,\n",
        "zip,people\r1,2\r02,3\r",
    ],
)
@pytest.mark.parametrize("large", [0, references.LARGE])
def test_delimiters_line_ends_and_quotes_are_found(
    content: str, large: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(references, "LARGE", large)
    assert totals(tmp_path / "f.csv", content) == {"1": 2, "02": 3}
    assert totals(tmp_path / "f.csv.gz", gzip.compress(content.encode())) == {"1": 2, "02": 3}


def test_quoted_empty_text_is_a_value_and_an_empty_field_is_missing(tmp_path: Path) -> None:
    assert totals(tmp_path / "f.csv", 'zip,people\n"",2\n') == {"": 2}
    code, message, _ = problem(tmp_path / "f.csv", 'zip,people\n"",2\n,3\n')
    assert (code, message) == ("AC239", "column `zip` of reference table `F` has 1 missing value")


def test_sums_are_exact(tmp_path: Path) -> None:
    digits = "9" * 36
    found = totals(tmp_path / "f.csv", f"zip,people\n1,{digits}.1\n1,-{digits}\n1,0.02\n2,5\n")
    assert found == {"1": Decimal("0.12"), "2": Decimal(5)}


@pytest.mark.parametrize(
    ("type_", "cells", "found"),
    [
        (INTEGER, ["2", "2.0", "02", "+2", "2.5", "-0", "9223372036854775808", "x", " 2"], {2: 2, 0: 1}),
        (decimal(2), ["2", "2.50", "2.5", "2.505", "02"], {Decimal(2): 1, Decimal("2.5"): 2}),
        (FLOAT, ["0.1", "0.10", "1" + "0" * 37, "inf"], {0.1: 2, 1e37: 1}),
        (BOOLEAN, ["true", "True", "1", "false"], {True: 1, False: 1}),
        (TEXT, ["é", "e\u0301", "É"], {"é": 1, "e\u0301": 1, "É": 1}),
    ],
)
@pytest.mark.parametrize("large", [0, references.LARGE])
def test_values_are_compared_in_the_type_of_the_table(
    type_: Type,
    cells: list[str],
    found: dict[object, int],
    large: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(references, "LARGE", large)
    assert totals(tmp_path / "f.csv", "zip,people\n" + "".join(f"{cell},1\n" for cell in cells), type_) == found


def test_dates_are_iso_dates(tmp_path: Path) -> None:
    content = "zip,people\n2024-03-01,1\n1.3.2024,1\n2024-02-30,1\n2024-03-01 12:00:00,1\n"
    assert [key.isoformat() for key in totals(tmp_path / "f.csv", content, DATE)] == ["2024-03-01"]
    times = [key.isoformat() for key in totals(tmp_path / "f.csv", content, TIMESTAMP)]
    assert times == ["2024-03-01T00:00:00", "2024-03-01T12:00:00"]


@pytest.mark.parametrize(
    ("name", "content", "message", "help_"),
    [
        ("f.csv", None, "unusable reference table: no table at `F`", "relative to the policy"),
        ("f.txt", "zip,people\n", "unusable reference table: cannot read `F`: its name ends in none", "ends in `.csv`"),
        ("f.xlsx", "zip", "unusable reference table: cannot read `F`: its name ends in none", "ends in `.csv`"),
        ("f.csv", "zip,people\n1,2,3\n", "unusable reference table: line 2 of `F` has 3 fields", "as many fields"),
        (
            "f.csv",
            b"zip,people\n\xff,3\n",
            "unusable reference table: line 2 of `F` is not UTF-8",
            "save the file as UTF-8",
        ),
        ("f.csv", 'zip,people\n"1,3\n', "unusable reference table: a double quote opened on line 2", "close it"),
        ("f.csv", "zip,people\nzip,3\n", "unusable reference table: the first line of `F` looks like", "first line of"),
        ("f.csv", "a,b\n1,3\n", "reference table `F` has no column `zip`", "columns of the file: a, b"),
        ("f.csv", "ZIP,Zip,people\n1,1,3\n", "`zip` matches several columns of reference table `F`", "rename one"),
        ("f.csv", "zip,persons\n1,3\n", "reference table `F` has no column `people`", "columns of the file"),
        ("f.csv.gz", b"\x1f\x8bnothing", "unusable reference table: `F` is not a complete gzip file", "again"),
        ("f.parquet", b"PAR1nothing", "unusable reference table: `F` is not a complete Parquet file", "again"),
    ],
)
def test_an_unusable_file_is_an_error_of_the_policy(
    name: str, content: str | bytes | None, message: str, help_: str, tmp_path: Path
) -> None:
    code, found, help_found = problem(tmp_path / name, content)
    assert code == "AC130"
    assert found.startswith(message)
    assert help_ in (help_found or "")


def test_a_folder_and_a_pipe_are_no_files(tmp_path: Path) -> None:
    os.mkdir(tmp_path / "f.csv")
    os.mkfifo(tmp_path / "p.csv")
    assert "is a folder" in problem(tmp_path / "f.csv", None)[1]
    assert "it is a pipe or a device" in problem(tmp_path / "p.csv", None)[1]


def test_a_misspelled_column_of_a_sum_has_a_fix(tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text("zip,People\n1,2\n")
    _, message, help_ = problem(tmp_path / "f.csv", None, SUM.replace("people", "peple"))
    assert message == "reference table `F` has no column `peple`"
    assert help_ == "columns of the file: zip, People; did you mean `People`?"


def parquet(path: Path, **columns: object) -> None:
    pyarrow.parquet.write_table(pyarrow.table(columns), path)


def test_a_parquet_file_has_its_own_types(tmp_path: Path) -> None:
    path = tmp_path / "f.parquet"
    parquet(path, zip=pyarrow.array(["1", "02"]).dictionary_encode(), people=[0.5, 0.25])
    found = reference(SUM.format(path), zip=TEXT)
    assert (found.type, found.totals) == (FLOAT, {("1",): 0.5, ("02",): 0.25})
    parquet(path, zip=pyarrow.array([1, 2], pyarrow.uint64()), people=["10", "2.50"])
    found = reference(SUM.format(path), zip=decimal(1))
    assert (found.type, found.totals) == (decimal(2), {(1,): 10, (2,): Decimal("2.5")})
    parquet(path, zip=[1.0, float("nan")], people=[1, 2])
    assert problem(path, None)[1] == "column `zip` of reference table `F` has 1 missing value"
    parquet(path, zip=[[1], [2]], people=[True, False])
    assert problem(path, None)[1].startswith("SUM needs numbers, but column `people`")


def test_a_changed_file_is_read_again_and_an_unchanged_one_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "f.csv"
    assert totals(path, "zip,people\n1,2\n") == {"1": 2}
    monkeypatch.setattr(references, "_open", lambda path: pytest.fail("the file is read again"))
    again = reference(SUM.format(path), zip=TEXT)
    monkeypatch.setattr(references._CsvFile, "read", lambda *_: pytest.fail("the columns are read again"))
    assert again.totals == {("1",): 2}
    monkeypatch.undo()
    assert totals(path, "zip,people\n1,3\n") == {"1": 3}
    assert reference(SUM.format(path), zip=TEXT).digest != again.digest


def test_a_check_reads_no_values_for_a_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f.parquet"
    parquet(path, zip=["1"], people=[1])
    monkeypatch.setattr(references._ParquetFile, "read", lambda *_: pytest.fail("values are read"))
    assert reference(SUM.format(path).replace("SUM(people)", "COUNT(*)"), zip=TEXT).digest
    assert reference(SUM.format(path), zip=TEXT).type == INTEGER


def test_the_name_in_a_sum_is_the_file_s_alone(tmp_path: Path) -> None:
    """It neither types nor names a column of the table (D10, D30)."""
    (tmp_path / "f.csv").write_text("zip,people\n1,2\n")
    table = tmp_path / "t.csv"
    table.write_text("zip,people\n1,many\n")
    result = acompass.check(SUM.format(tmp_path / "f.csv"), table)
    assert result.unnamed == ("people",)


@pytest.mark.campaign
def test_duckdb_adds_up_large_files_as_python_does_and_as_the_semantics_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = Random(14)
    for number in range(at_length(6)):
        path = tmp_path / f"{number}.csv"
        records = [_record(rng) for _ in range(rng.randint(1, 30))]
        path.write_text("zip,age,people\n" + "".join(f"{','.join(record)}\n" for record in records), encoding="utf-8")
        types = {"zip": rng.choice([TEXT, INTEGER]), "age": rng.choice([TEXT, INTEGER, decimal(1), DATE])}
        aggregate = rng.choice(["COUNT(*)", "SUM(people)"])
        policy = f"EACH PROCESS {aggregate} IN '{path}' AS n GROUP BY zip, age : n < -{10**30};"
        found = []
        for large in (0, references.LARGE):
            monkeypatch.setattr(references, "LARGE", large)
            references._open_path.cache_clear()
            own = reference(policy, **types)
            found.append((own.type, dict(own.totals)))
        assert found[0] == found[1], policy
        assert own.totals == {group: total(list(added)) for group, added in own.records.items()}
        _compare_with_engine(own, policy, types, monkeypatch)


def _record(rng: Random) -> Sequence[str]:
    key = ["0", "1", "1.0", "-1", "01", "x", "2024-03-01", "é", "1.50", "-0"]
    return rng.choice(key), rng.choice(key), rng.choice(["0", "1", "2.5", "-7", "12345678901234567890", "0.000"])


def _compare_with_engine(own: Reference, policy: str, types: dict[str, Type], monkeypatch: pytest.MonkeyPatch) -> None:
    """A table with all keys of the file, and one that it lacks."""
    keys = [*own.totals, ("7", "7") if types["zip"] == types["age"] == TEXT else None]
    table = {
        name: pyarrow.array([key[at] for key in keys if key is not None], _arrow(types[name]))
        for at, name in enumerate(types)
    }
    if not len(table["zip"]):
        return
    monkeypatch.setattr(references, "LARGE", 0)
    references._open_path.cache_clear()
    sample = acompass.check(policy, pyarrow.table(table), show=100).requirements[0].sample
    assert sample is not None
    shown = {tuple(row[:2]): row[2] for row in sample.rows}
    assert shown == {key: own.total(key) for key in keys if key is not None}


def _arrow(type_: Type) -> pyarrow.DataType:
    return {TEXT: pyarrow.string(), INTEGER: pyarrow.int64(), DATE: pyarrow.date32()}.get(
        type_, pyarrow.decimal128(10, 1)
    )


def test_a_content_may_come_with_the_policy() -> None:
    parsed = acompass.parse(SUM.format("f.csv") + SUM.format("f.csv").replace("SUM(people)", "COUNT(*)"))
    for content, wanted in ((b"zip,people\n1,2.5\n1,3\n", [Decimal("5.5"), 2]), (b"zip,people\n1,2,3\n", None)):
        tree = replace(parsed.tree, hierarchies={"f.csv": content})
        program, found = check(tree, parsed.text, make_schema({"zip": TEXT}))
        assert (program is None) == (wanted is None)
        if program is None:
            assert found[0].message == "unusable reference table: line 2 of `f.csv` has 3 fields, expected 2"
            return
        own = (aggregates_of(each)[0].reference for each in program.requirements)
        assert [each.total(("1",)) for each in own if each is not None] == wanted


def test_the_semantics_adds_the_records_that_agree(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_text("zip,people\n1,2\n1,3\n")
    parsed = acompass.parse(SUM.format(path))
    program, _ = check(parsed.tree, parsed.text, make_schema({"zip": TEXT}))
    assert program is not None
    (aggregate,) = aggregates_of(program.requirements[0])
    assert aggregate.function is Function.SUM
    assert [aggregate_value(aggregate, [(key,)], (key,)) for key in ("1", "2")] == [5, 0]


#: texts with a meaning in arrays, CSV or SQL
HOSTILE = ("", "NULL", "null", "{}", "a,b", 'a"b', "a\\b", "\\", "it's", "é", "𝒳", " a ", "a\nb", "{1,2}", "$1", "''")


@pytest.mark.parametrize("engine", ["reference", "duckdb", "postgres", "spark"])
def test_many_totals_reach_every_engine(engine: str, engine_url: str, tmp_path: Path) -> None:
    texts = [*HOSTILE, *(f"text {number}" for number in range(1_500))]
    quoted = ['"{}"'.format(text.replace('"', '""')) for text in texts]
    days = [datetime.date(1900, 1, 1) + datetime.timedelta(days=number) for number in range(len(texts))]
    rows = "".join(f"{text},{day},{number}.5\n" for number, (text, day) in enumerate(zip(quoted, days, strict=True)))
    (tmp_path / "f.csv").write_text(f"t,d,people\n{rows}", encoding="utf-8", newline="")
    table = tmp_path / "t.parquet"
    parquet(table, t=texts, d=days, id=list(range(len(texts))))
    policy = f"EACH PROCESS SUM(people) IN '{tmp_path / 'f.csv'}' AS n, MIN(id) AS i GROUP BY t, d : n >= 100 : REJECT;"
    verdict = acompass.check(policy, table, engine=engine_url).requirements[0]
    assert verdict.affected == 100
    result = acompass.run(policy, table, engine=engine_url, output=tmp_path / "out.parquet")
    assert result.records_out == len(texts) - 100
    left = pyarrow.parquet.read_table(tmp_path / "out.parquet").column("id").to_pylist()
    assert sorted(left) == list(range(100, len(texts)))


def test_files_are_in_the_folder_of_the_policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also for claims, for promises about columns of another type, and in a comparison with a policy elsewhere."""
    monkeypatch.chdir(tmp_path)
    for name, people in (("old", 10), ("new", 9)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "ages.csv").write_text(f"age,people\n34,{people}\n41,5\n*,10\n", encoding="utf-8")
        policy = "EACH PROCESS SUM(people) IN 'ages.csv' AS n GROUP BY age : n >= {} : REPLACE age WITH '*';"
        (tmp_path / name / "p.acp").write_text(policy.format(people), encoding="utf-8")
    old, new = (acompass.load(tmp_path / name / "p.acp") for name in ("old", "new"))
    result = acompass.run(old, {"age": [34, 41]})
    assert [(each.affected, each.after) for each in result.requirements] == [(1, "proved")]
    claim = "EACH PROCESS SUM(people) IN 'ages.csv' AS n GROUP BY age : n >= 10"
    assert [each.verdict for each in acompass.prove(old, [claim]).claims] == ["proved"]
    assert [each.verdict for each in acompass.prove(new, [claim]).claims] == ["refuted"]
    (kept,) = acompass.compare(old, new).old_by_new
    assert kept.verdict == "proved", "both release classes of the old file with at least 10"
