"""RANDOM … FROM on tables: spellings (D26), types (D12), missing values (D27), released tables (D32)."""

from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet
import pytest

import acompass
from acompass.errors.diagnostics import AcompassError

ENGINES = ["duckdb", "reference"]
Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_table(text: str) -> Path:
        path = tmp_path / "table.csv"
        path.write_text(text, encoding="utf-8")
        return path

    return write_table


def _release(policy: str, table: Path, engine: str, trace: list[str], **params: str | int) -> list[str]:
    """The lines of the output after the header."""
    out = table.with_name("out.csv")
    acompass.run(policy, table, output=out, engine=engine, trace=trace, params=params, order="canonical", force=True)
    return out.read_text(encoding="utf-8").splitlines()[1:]


def _code(policy: str, table: Path, **options: str) -> str:
    with pytest.raises(AcompassError) as raised:
        acompass.run(policy, table, output=table.with_name("out.csv"), **options)  # type: ignore[call-overload]
    return raised.value.diagnostics[0].code


@pytest.mark.parametrize("engine", ENGINES)
def test_a_value_is_written_as_the_policy_spells_it(engine: str, write: Write) -> None:
    table = write("n,price\n1,7.125\n2,1\n3,2.0\n")
    policy = "EACH RESULT : price < 0 : RANDOM price FROM (1.50, 2 OF +3, 0.25);"
    assert _release(policy, table, engine, ["0", "0.25", "0.75"]) == ["1,1.50", "2,3", "3,0.25"]


@pytest.mark.parametrize("engine", ENGINES)
def test_records_that_are_not_drawn_keep_their_bytes(engine: str, write: Write) -> None:
    table = write("n,price\n1,7.125\n2,1\n3,2.0\n")
    policy = "EACH RESULT : price < 0 : WITH PROBABILITY 0.5 RANDOM price FROM ('y', 'x');"
    drawn = _release(policy, table, engine, ["0.5", "0.4", "0.9", "0.5"])
    assert drawn == ["1,7.125", "2,x", "3,2.0"]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_class_has_one_spelling_of_a_drawn_number(engine: str, write: Write) -> None:
    table = write("n,price\n1,2.0\n2,3\n3,9\n")
    policy = """
        EACH RESULT : price > 0;
        EACH RESULT : n < 3 : RANDOM price FROM (2.00, 5);
        EACH PROCESS COUNT(*) AS c GROUP BY price : c > 0;
    """
    assert _release(policy, table, engine, ["0"]) == ["1,2", "2,3", "3,2"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("values", "written"),
    [("1, 2.5", ["1,1", "2,2.5"]), ("'a', 'b'", ["1,a", "2,b"]), ("lo, hi", ["1,3", "2,4"])],
)
def test_values_of_any_kind_may_be_drawn_into_a_column_of_integers(
    engine: str, write: Write, values: str, written: list[str]
) -> None:
    params: dict[str, str | int] = {"lo": 3, "hi": 4} if "lo" in values else {}
    table = write("n,age\n1,30\n2,40\n")
    policy = f"EACH RESULT : age < 0 : RANDOM age FROM ({values});"
    assert _release(policy, table, engine, ["0.25", "0.75"], **params) == written


@pytest.mark.parametrize("engine", ENGINES)
def test_dates_and_booleans_of_a_typed_table_keep_their_types(engine: str, tmp_path: Path) -> None:
    table, out = tmp_path / "t.parquet", tmp_path / "out.parquet"
    days = pyarrow.array(["2024-01-01", "2024-01-02"]).cast(pyarrow.date32())
    pyarrow.parquet.write_table(
        pyarrow.table({"day": days, "ok": pyarrow.array([True, True]), "r": pyarrow.array([1.5, 2.5])}), table
    )
    policy = """
        ALWAYS : RANDOM day FROM ('2023-12-31', '2024-02-29');
        ALWAYS : RANDOM ok FROM (3 OF 'false', 'true');
        ALWAYS : WITH PROBABILITY 0.5 RANDOM r FROM (0.1, 7);
    """
    trace = ["0", "0.5", "0.74", "0.75", "0.9", "0.1", "0.5"]
    acompass.run(policy, table, output=out, engine=engine, trace=trace, order="canonical")
    released = pyarrow.parquet.read_table(out)
    assert [str(field.type) for field in released.schema] == ["date32[day]", "bool", "double"]
    assert [[str(value) for value in record.values()] for record in released.to_pylist()] == [
        ["2023-12-31", "False", "1.5"],
        ["2024-02-29", "True", "7.0"],
    ]


def test_a_draw_reads_its_column_even_if_it_overwrites_all_of_it(write: Write) -> None:
    """Canonical order compares the old values of the column, so none may be missing (D27)."""
    table = write("n,ward\n1,\n2,A\n")
    assert _code("ALWAYS : RANDOM ward FROM ('A', 'B');", table) == "AC212"
    assert _code("ALWAYS : WITH PROBABILITY 0.5 REPLACE ward WITH '*';", table) == "AC212"
    assert _release("ALWAYS : REPLACE ward WITH '*';", table, "duckdb", []) == ["1,*", "2,*"]
    both = "ALWAYS : REPLACE ward WITH '*'; ALWAYS : RANDOM ward FROM ('A', 'B');"
    assert _release(both, table, "duckdb", ["0.9", "0.1"]) == ["1,B", "2,A"]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_column_that_the_policy_never_names_may_be_missing_in_canonical_order(engine: str, write: Write) -> None:
    table = write("note,ward\nx,A\n,B\n")
    drawn = _release("ALWAYS : RANDOM ward FROM ('first', 'second');", table, engine, ["0", "0.5"])
    assert drawn == [",first", "x,second"]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_released_table_is_checked_with_its_own_policy(engine: str, write: Write) -> None:
    table = write("n,age\n1,33\n2,47\n3,51\n")
    policy = """
        EACH RESULT : age >= 18 : REJECT;
        ALWAYS : GENERALIZE age TO BANDS OF 10;
        ALWAYS : WITH PROBABILITY 0.5 RANDOM age FROM (3 OF '30-39', '*');
        EACH RESULT : age != 'x';
    """
    released = _release(policy, table, engine, ["0.9", "0.1", "0.2", "0.8", "0.5"])
    assert released == ["1,30-39", "2,*", "3,30-39"]
    result = acompass.check(policy, table.with_name("out.csv"), engine=engine)
    assert [each.holds for each in result.requirements] == [None, None, None, True]
    assert result.requirements[2].affected == 3, "every record, drawn or not"
    assert result.notes[0].line == 2


@pytest.mark.parametrize("engine", ENGINES)
def test_check_and_run_say_how_many_may_be_drawn_and_never_how_many_were(engine: str, write: Write) -> None:
    table = write("n,age\n1,33\n2,47\n3,51\n4,90\n")
    policy = "EACH RESULT : age <= 40 : WITH PROBABILITY 0.5 REJECT;"
    (checked,) = acompass.check(policy, table, engine=engine).requirements
    result = acompass.run(policy, table, engine=engine, trace=["0.1", "0.9", "0.9"])
    (ran,) = result.requirements
    assert (checked.affected, ran.affected, ran.action, ran.holds) == (3, 3, "REJECT", False)
    assert (result.records_in, result.records_out, result.trace_used) == (4, 3, 3)
