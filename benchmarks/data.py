"""Generate tables of people, with the same content on every machine."""

from pathlib import Path

import duckdb

#: each column is a hash of the record's number with a different salt
_PEOPLE = """
SELECT range AS id,
       CAST(18 + hash(range) % 73 AS BIGINT) AS age,
       CAST(10000 + hash(range * 7 + 1) % 5000 AS VARCHAR) AS zip,
       CAST(500 + hash(range * 13 + 2) % 12000 AS BIGINT) AS aec,
       CASE WHEN hash(range * 17 + 3) % 2 = 0 THEN 'F' ELSE 'M' END AS sex,
       'd' || CAST(hash(range * 19 + 4) % 40 AS VARCHAR) AS disease
FROM range({records})
"""


def people(folder: Path, records: int) -> str:
    """A Parquet file with `records` people, generated once per folder."""
    return _generate_once(folder / f"people-{records}.parquet", _PEOPLE.format(records=records))


def towns(folder: Path, records: int, number: int) -> str:
    """The same people in `number` towns, generated once per folder."""
    town = f"'town ' || CAST(hash(range * 23 + 5) % {number} AS VARCHAR) AS town"
    query = _PEOPLE.format(records=records).replace("FROM range", f", {town} FROM range")
    return _generate_once(folder / f"towns-{records}.parquet", query)


def register(folder: Path, records: int) -> str:
    """A CSV file with the age and zip of other people, generated once per folder."""
    query = _PEOPLE.format(records=records).replace("hash(range", "hash(range * 29")
    return _generate_once(folder / f"register-{records}.csv", f"SELECT age, zip FROM ({query})")


def many_combinations(folder: Path, records: int) -> str:
    """The same people in 7,000 zip codes: about a million combinations of age, zip and sex."""
    query = _PEOPLE.format(records=records).replace("% 5000", "% 7000")
    return _generate_once(folder / f"combinations-{records}.parquet", query)


_VISITS = """
SELECT range AS id,
       'P' || CAST(hash(range) % ({records} // 5 + 1) AS VARCHAR) AS patient,
       DATE '2015-01-01' + CAST(hash(range * 7 + 1) % 3000 AS INTEGER) AS admission,
       DATE '2024-01-01' + CAST(hash(range * 13 + 2) % 30 AS INTEGER) AS discharge,
       CAST(hash(range * 17 + 3) % 100 AS BIGINT) AS age,
       CAST(hash(range * 19 + 4) % 5000000 / 100 AS DECIMAL(18, 2)) AS cost
FROM range({records})
"""


def visits(folder: Path, records: int) -> str:
    """A Parquet file with `records` visits to a hospital, five of each patient, generated once per folder."""
    return _generate_once(folder / f"visits-{records}.parquet", _VISITS.format(records=records))


def numbers(folder: Path, records: int, columns: str) -> str:
    """A Parquet file with `records` records of numbers below 1,000, generated once per folder."""
    values = (f"CAST(hash(range * {2 * i + 3} + {i}) % 1000 AS BIGINT) AS {c}" for i, c in enumerate(columns))
    query = f"SELECT {', '.join(values)} FROM range({records})"
    return _generate_once(folder / f"numbers-{records}.parquet", query)


def _generate_once(path: Path, query: str) -> str:
    if not path.exists():
        part = path.with_suffix(".part")
        with duckdb.connect() as con:
            con.execute(f"COPY ({query}) TO '{part}' (FORMAT {path.suffix[1:]})")
        part.rename(path)
    return str(path)
