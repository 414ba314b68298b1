"""D28: a local date is read as `datetime.strptime` reads it, and alike on every engine."""

import itertools
import random
import re
from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

import psycopg
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import acompass
from acompass.tables.date_format import date_format
from tests.engines.postgres_server import Server
from tests.laws.effort import LAW
from tests.laws.local_dates import draw_format, draw_text

COUNT = "EACH PROCESS COUNT(*) AS n : n >= 0;"
CHOSEN = ("%d.%m.%Y", "%m/%d/%y", "%Y%m%d", "%d-%b-%Y", "%B %d, %Y", "%d%b%y", "(%Y|%m)*%d$%%\\")
#: Python also reads a space in place of the zero before a day
SPACE_FOR_ZERO = re.compile(" [1-9]")


def _by_strptime(text: str, format_: str) -> date | None:
    try:
        return datetime.strptime(text, format_).date()
    except ValueError:
        return None


@LAW
@given(st.randoms(use_true_random=False))
def test_dates_are_those_of_strptime(rng: random.Random) -> None:
    format_ = draw_format(rng)
    for text in (draw_text(rng, format_) for _ in range(20)):
        found, expected = date_format(format_).read(text), _by_strptime(text, format_)
        if found is not None or SPACE_FOR_ZERO.search(text) is None:
            assert found == expected, (format_, text)


def _formats() -> dict[str, str]:
    """Formats by the name of a column."""
    rng = random.Random(28)
    drawn = [draw_format(rng) for _ in range(8)]
    return {f"a{number}": format_ for number, format_ in enumerate((*CHOSEN, *drawn))}


def _texts(format_: str) -> list[str]:
    rng = random.Random(format_)
    return [draw_text(rng, format_) for _ in range(2000)]


FORMATS = _formats()
TEXTS = {name: _texts(format_) for name, format_ in FORMATS.items()}
FIT = {name: [text for text in TEXTS[name] if date_format(FORMATS[name]).read(text)] for name in FORMATS}
EXPECTED = {name: [str(date_format(FORMATS[name]).read(text)) for text in FIT[name]] for name in FORMATS}


def _records(columns: dict[str, list[str]]) -> list[tuple[str | None, ...]]:
    """The columns side by side; shorter ones end in missing values."""
    return list(itertools.zip_longest(*columns.values()))


def _require_counts(table: str, engine: str) -> None:
    """Each column of TEXTS has as many values that do not fit as Python finds."""
    with acompass.open(table, engine=engine) as session:
        for name, format_ in FORMATS.items():
            with pytest.raises(acompass.TableError) as raised:
                session.check(COUNT, dates={name: format_})
            (found,) = raised.value.diagnostics
            number = re.search(r"but ([0-9,]+) values are not such dates$", found.message)
            assert number is not None, found.message
            assert int(number[1].replace(",", "")) == len(TEXTS[name]) - len(FIT[name]), format_


@pytest.mark.parametrize("engine", ["duckdb", "spark"])
def test_a_file_on_an_engine(engine: str, engine_url: str, tmp_path: Path) -> None:
    path, output = str(tmp_path / "dates.parquet"), tmp_path / "out.csv"
    _write(path, TEXTS)
    _require_counts(path, engine_url)
    _write(path, FIT)
    acompass.run(COUNT, path, dates=FORMATS, engine=engine_url, output=output)
    records = [tuple(line.split(",")) for line in output.read_text().splitlines()[1:]]
    expected = [tuple(value or "" for value in record) for record in _records(EXPECTED)]
    assert sorted(records) == sorted(expected)


def _write(path: str, columns: dict[str, list[str]]) -> None:
    pyarrow.parquet.write_table(_table(_records(columns)), path)


def _table(records: Sequence[tuple[str | None, ...]]) -> Any:
    return pyarrow.table(dict(zip(FORMATS, zip(*records, strict=True), strict=True)))


def test_a_table_of_postgres(postgres: Server) -> None:
    url = postgres.url("english")
    _store(url, TEXTS)
    _require_counts("dates", url)
    _store(url, FIT)
    acompass.run(COUNT, "dates", dates=FORMATS, engine=url, output="dates_read", force=True)
    with psycopg.connect(url) as con:
        records = con.execute("TABLE dates_read").fetchall()
        con.execute("DROP TABLE dates_read, dates")
    assert sorted(records, key=str) == sorted(_records(EXPECTED), key=str)


def _store(url: str, columns: dict[str, list[str]]) -> None:
    with psycopg.connect(url) as con, con.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS dates")
        cursor.execute(f"CREATE TABLE dates ({', '.join(f'{name} text' for name in columns)})")  # type: ignore[arg-type]
        with cursor.copy("COPY dates FROM STDIN") as copy:
            for record in _records(columns):
                copy.write_row(record)
